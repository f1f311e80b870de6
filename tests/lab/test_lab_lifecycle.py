"""The life cycle of a revision on a switch of the lab."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import fabric_tree, pair

DESCRIPTION = {"interface": {"swp5": {"type": "swp", "description": "first"}}}


@pytest.fixture
def lab() -> DirectLab:
    return DirectLab(pair())


def test_states_progress_with_time_and_end_applied_and_saved(lab):
    leaf = lab.client("leaf1")
    revision = leaf.load(DESCRIPTION)
    assert leaf.revision(revision)["state"] == "pending"
    leaf.start(revision)
    seen = []
    for _ in range(12):
        seen.append(leaf.revision(revision)["state"])
        lab.advance(0.1)
    assert list(dict.fromkeys(seen)) == [
        "apply",
        "checking",
        "verifying",
        "readying",
        "reloading",
        "applied_and_saved",
    ]
    assert leaf.applied()["interface"]["swp5"]["description"] == "first"
    assert leaf.get("/", rev="startup", filled="false") == leaf.applied()


def test_without_auto_save_it_ends_applied_until_saved(lab):
    leaf = lab.client("leaf1")
    done = leaf.apply({"system": {"config": {"auto-save": {"state": "disabled"}}}})
    assert done["state"] == "applied"
    assert "config" not in leaf.get("/", rev="startup", filled="false")["system"]
    status, body = leaf.order("applied", {"state": "save", "auto-prompt": {"ays": "ays_yes"}})
    assert (status, body["state"]) == (200, "save")
    assert leaf.revision("applied")["state"] == "applied_and_saved"
    assert leaf.revision("applied")["last-apply"]["rev_id"] == done["id"]
    assert "config" in leaf.get("/", rev="startup", filled="false")["system"]


def test_an_apply_without_the_answer_asks_and_lapses(lab):
    leaf = lab.client("leaf1")
    revision = leaf.load(DESCRIPTION)
    assert leaf.order(revision, {"state": "apply"})[1]["state"] == "ays"
    lab.advance(61)
    body = leaf.revision(revision)
    assert body["state"] == "ays_fail"
    assert body["transition"]["issue"]["00000"]["code"] == "client_timeout"
    assert "swp5" not in leaf.applied()["interface"]


def test_the_question_can_be_answered_either_way(lab):
    leaf = lab.client("leaf1")
    first, second = leaf.load(DESCRIPTION), leaf.load(DESCRIPTION)
    for revision, word, state in ((first, "ays_no", "ays_fail"), (second, "ays_yes", "applied_and_saved")):
        leaf.order(revision, {"state": "apply"})
        assert leaf.order(revision, {"state": word})[0] == 200
        assert leaf.wait(revision, ("ays_fail", "applied_and_saved"))["state"] == state


def test_confirm_keeps_the_change(lab):
    leaf = lab.client("leaf1")
    done = leaf.apply(DESCRIPTION, confirm=60)
    assert done["state"] == "confirm"
    lab.advance(59)
    assert leaf.order(done["id"], {"state": "confirm_yes"})[1]["state"] == "applied_and_saved"
    lab.advance(600)
    assert leaf.applied()["interface"]["swp5"]["description"] == "first"
    assert leaf.order(done["id"], {"state": "confirm_yes"})[0] == 409


def test_the_confirm_timer_reverts_by_itself(lab):
    leaf = lab.client("leaf1")
    before, old = leaf.applied(), leaf.revision("applied")["last-apply"]["rev_id"]
    done = leaf.apply(DESCRIPTION, confirm=60)
    assert leaf.applied() != before
    assert leaf.get("/", rev="startup", filled="false") == before
    lab.advance(61)
    body = leaf.revision(done["id"])
    assert body["state"] == "confirm_fail"
    assert body["transition"]["issue"]["00000"]["code"] == "client_timeout"
    assert leaf.applied() == before
    assert leaf.revision("applied")["last-apply"]["rev_id"] == old
    assert leaf.revision(old)["state"] == "applied_and_saved"


def test_confirm_no_reverts_now(lab):
    leaf = lab.client("leaf1")
    before = leaf.applied()
    done = leaf.apply(DESCRIPTION, confirm=600)
    assert leaf.order(done["id"], {"state": "confirm_no"})[1]["state"] == "confirm_no"
    assert leaf.wait(done["id"], ("confirm_fail",))
    assert leaf.applied() == before


def test_a_confirmation_answered_in_advance_confirms_nothing_later(lab):
    leaf = lab.client("leaf1")
    revision = leaf.load(DESCRIPTION)
    leaf.start(revision, confirm=60, **{"auto-prompt": {"ays": "ays_yes", "confirm": "confirm_yes"}})
    assert leaf.wait(revision)["state"] == "applied_and_saved"


def test_a_second_revision_waits_while_one_holds_the_machine(lab):
    leaf = lab.client("leaf1")
    first = leaf.apply(DESCRIPTION, confirm=60)
    second = leaf.load({"interface": {"swp5": {"description": "second"}}})
    leaf.start(second)
    lab.advance(30)
    assert leaf.revision(second)["state"] == "apply"
    assert leaf.order(second, {"state": "apply", "auto-prompt": {"ays": "ays_yes"}})[0] == 409
    leaf.order(first["id"], {"state": "confirm_yes"})
    assert leaf.wait(second)["state"] == "applied_and_saved"
    assert leaf.applied()["interface"]["swp5"]["description"] == "second"


def test_what_is_wrong_comes_at_apply_with_place_and_reason(lab):
    leaf = lab.client("leaf1")
    before = leaf.applied()
    done = leaf.apply({"interface": {"swp5s0": {"type": "swp"}}})
    assert done["state"] == "invalid"
    issue = done["transition"]["issue"]["00000"]
    assert issue["code"] == "config_invalid"
    assert issue["data"] == {
        "location": "interface.swp5s0",
        "reason": "swp5s0 needs a breakout of swp5, which has none",
    }
    assert leaf.applied() == before
    status, _ = leaf.call("PATCH", "/", {"interface": {"swp5": {"link": {"breakout": {"2x": {}}}}}}, rev=done["id"])
    assert status == 200, "an invalid revision can be corrected"
    leaf.start(done["id"])
    assert leaf.wait(done["id"])["state"] == "applied_and_saved"


def test_an_older_revision_can_be_applied_again(lab):
    leaf = lab.client("leaf1")
    first = leaf.apply(DESCRIPTION)
    leaf.apply({"interface": {"swp5": {"description": "second"}}})
    assert leaf.revision(first["id"])["state"] == "inactive"
    leaf.start(first["id"])
    assert leaf.wait(first["id"])["state"] == "applied_and_saved"
    assert leaf.applied()["interface"]["swp5"]["description"] == "first"


def test_a_revision_names_the_one_it_started_from(lab):
    leaf = lab.client("leaf1")
    first = leaf.apply(DESCRIPTION)
    second = leaf.create()
    assert leaf.revision(second)["additional-data"] == {"parent-revision-id": first["id"]}
    assert leaf.revision("applied")["additional-data"]["parent-revision-id"] == "1"
    assert "additional-data" not in leaf.revision("1")


def test_what_ends_badly_says_so_in_its_progress(lab):
    leaf = lab.client("leaf1")
    wrong = leaf.apply({"interface": {"swp5": {"type": "swp", "vrf": "NONE"}}})
    assert (wrong["state"], wrong["transition"]["progress"]) == ("invalid", "Invalid config")
    asked = leaf.load(DESCRIPTION)
    leaf.order(asked, {"state": "apply"})
    lab.advance(61)
    assert leaf.revision(asked)["transition"]["progress"] == "Aborted apply after warnings"


def test_diff_shows_one_side_with_null_for_the_other(lab):
    leaf = lab.client("leaf1")
    leaf.apply({"interface": {"swp5": {"type": "swp", "description": "old"}, "swp6": {"type": "swp"}}})
    revision = leaf.load({"interface": {"swp5": {"description": "new"}, "swp6": None, "swp7": {"type": "swp"}}})
    assert leaf.get("/", rev=revision, diff="applied", filled="false") == {
        "interface": {"swp5": {"description": "new"}, "swp6": None, "swp7": {"type": "swp"}}
    }
    assert leaf.get("/", rev="applied", diff=revision, filled="false") == {
        "interface": {"swp5": {"description": "old"}, "swp6": {"type": "swp"}, "swp7": None}
    }
    assert leaf.get("/", rev="applied", diff="applied") == {}


def test_null_unsets_and_takes_emptied_objects_with_it(lab):
    leaf = lab.client("leaf1")
    leaf.apply({"interface": {"swp5": {"type": "swp", "link": {"mtu": 9000}}}})
    leaf.apply({"interface": {"swp5": {"link": {"mtu": None}}}})
    assert leaf.applied()["interface"]["swp5"] == {"type": "swp"}
    revision = leaf.create()
    assert leaf.call("DELETE", "/interface/swp5", rev=revision)[0] == 204
    leaf.start(revision)
    leaf.wait(revision)
    assert "swp5" not in leaf.applied()["interface"]


def test_replace_drops_what_the_new_tree_does_not_hold(lab):
    leaf = lab.client("leaf1")
    keep = leaf.applied()
    leaf.apply(DESCRIPTION)
    done = leaf.apply(keep, replace=True)
    assert done["state"] == "applied_and_saved"
    assert leaf.applied() == keep


def test_nvue_adds_the_type_of_an_interface(lab):
    leaf = lab.client("leaf1")
    revision = leaf.create()
    status, body = leaf.call("PATCH", "/", {"interface": {"swp9": {"description": "x"}, "bond1": {}}}, rev=revision)
    assert status == 200
    assert body["interface"] == {"swp9": {"description": "x", "type": "swp"}, "bond1": {"type": "bond"}}


def test_a_body_may_go_to_a_path(lab):
    leaf = lab.client("leaf1")
    revision = leaf.create()
    assert leaf.call("PATCH", "/interface/swp9/link", {"mtu": 9000}, rev=revision) == (200, {"mtu": 9000})
    assert leaf.get("/interface/swp9", rev=revision, filled="false") == {"link": {"mtu": 9000}, "type": "swp"}


def test_range_keys_are_written_out(lab):
    leaf = lab.client("leaf1")
    tree = {"interface": {"swp7-8,11": {"type": "swp"}, "swp8": {"description": "eight"}}}
    done = leaf.apply({**tree, "bridge": {"domain": {"br_default": {"vlan": {"10-12": {}}}}}})
    assert done["state"] == "applied_and_saved"
    held = leaf.applied()
    assert held["interface"]["swp8"] == {"type": "swp", "description": "eight"}
    assert {"swp7", "swp8", "swp11"} <= set(held["interface"])
    assert set(held["bridge"]["domain"]["br_default"]["vlan"]) == {"10", "11", "12"}


def test_the_store_keeps_a_hundred_revisions_and_never_loses_the_applied_one(lab):
    leaf = lab.client("leaf1")
    done = leaf.apply(DESCRIPTION, confirm=1000)
    for _ in range(150):
        leaf.create()
    listed = leaf.get("/revision")
    assert len(listed) == 102
    assert done["id"] in listed
    leaf.order(done["id"], {"state": "confirm_no"})
    lab.advance(5)
    assert leaf.revision("applied")["state"] == "applied_and_saved"


def test_a_candidate_is_thrown_away_but_not_what_is_applied(lab):
    leaf = lab.client("leaf1")
    done = leaf.apply(DESCRIPTION)
    candidate, other = leaf.create(), leaf.create()
    assert leaf.call("DELETE", f"/revision/{candidate}")[0] == 204
    assert leaf.call("GET", f"/revision/{candidate}")[0] == 404
    assert leaf.call("DELETE", f"/revision/{done['id']}")[0] == 409
    assert leaf.order(done["id"], {"state": "detached"})[0] == 409
    assert other in leaf.get("/revision")


def test_a_detached_revision_is_kept_and_can_be_applied_later(lab):
    leaf = lab.client("leaf1")
    revision = leaf.load(DESCRIPTION)
    assert leaf.order(revision, {"state": "detached"})[1]["state"] == "detached"
    assert leaf.get("/revision")[revision]["state"] == "detached"
    assert leaf.call("GET", "/", rev="pending")[0] == 404
    assert leaf.get("/interface/swp5", rev=revision, filled="false")["description"] == "first"
    leaf.start(revision)
    assert leaf.wait(revision)["state"] == "applied_and_saved"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ([], 400),
        ({"state": "fly"}, 400),
        ({"state": ["apply"]}, 400),
        ({"state": "apply", "state-controls": {"confirm": -1}}, 400),
        ({"state": "apply", "state-controls": {"confirm": True}}, 400),
        ({"state": "apply", "auto-prompt": "yes"}, 400),
        ({"state": "confirm_yes"}, 409),
        ({"state": "ignore_fail_yes"}, 409),
    ],
)
def test_orders_that_make_no_sense_are_refused(lab, body, status):
    leaf = lab.client("leaf1")
    revision = leaf.create()
    answer, shown = leaf.call("PATCH", f"/revision/{revision}", body)
    assert answer == status
    assert shown["status"] == status
    assert leaf.revision(revision)["state"] == "pending"


def test_what_is_applied_cannot_be_edited_in_place(lab):
    leaf = lab.client("leaf1")
    assert leaf.call("PATCH", "/", DESCRIPTION, rev="applied")[0] in (405, 409)
    assert leaf.call("PATCH", "/", DESCRIPTION)[0] == 400
    assert leaf.call("DELETE", "/", rev="startup")[0] in (405, 409)
    assert leaf.call("PATCH", "/", DESCRIPTION, rev="4711")[0] == 404


def test_a_big_tree_survives_apply_and_rollback(lab):
    leaf = lab.client("leaf1")
    before = leaf.applied()
    leaf.apply(fabric_tree(65001, {"swp1s0": 65101}, lo="10.0.0.1/32"))
    assert leaf.apply(before, replace=True)["state"] == "applied_and_saved"
    assert leaf.applied() == before
