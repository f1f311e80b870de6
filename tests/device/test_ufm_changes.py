"""Laws of partitions and their changes: difference, undo, calls, handles; and how fast they are."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.ufm import UfmFacts, version_numbers
from intent.core.errors import IntentError
from intent.core.tree import difference, patch
from intent.device.actor import Target, Wanted
from intent.device.errors import ProtocolError
from intent.device.ufm.changes import changes, standing
from intent.device.ufm.keys import key_number, tree_guid, tree_key
from intent.device.ufm.partitions import Partition, Partitions, from_answers, from_tree, member, state_tree
from intent.device.ufm.record import from_handle, to_handle
from intent.device.ufm.scope import Scope
from intent.device.ufm.writes import writes
from intent.lab.tools import Refusal
from intent.lab.ufm.model import Model

FACTS = UfmFacts()
VERSION = "6.23.1-6"

kinds = st.builds(member, st.sampled_from(["full", "limited"]), st.booleans())
guids = st.integers(0, 9).map(lambda n: f"0x0002c903{n:08x}")
partition = st.builds(
    lambda ipoib, mtu, rate, level, members: (ipoib, mtu, rate, level, members),
    st.booleans(),
    st.sampled_from([2048, 4096]),
    st.sampled_from([2.5, 10, 200]),
    st.integers(0, 15),
    st.dictionaries(guids, kinds, max_size=6),
)


def _made(held: Mapping[int, tuple]) -> dict[int, Partition]:
    return {key: Partition(key, f"p{key}", *rest) for key, rest in held.items()}


several = st.dictionaries(st.integers(1, 4), partition, max_size=4).map(_made)


class Server:
    """The lab's own model behind the calls, without any network."""

    def __init__(self, held: Partitions) -> None:
        self.model = Model("limited", (), named=True, shows_default=True)
        self.calls = 0
        for key, value in held.items():
            body = {"pkey": f"0x{key:x}", "partition_name": value.name, "ip_over_ib": value.ipoib}
            quality = {"mtu_limit": value.mtu // 1024, "rate_limit": value.rate, "service_level": value.service_level}
            self.model.make({**body, **quality})
            for guid, kind in value.members.items():
                self.model.partitions[key].members[guid[2:]] = (kind.membership, kind.index0)

    def send(self, method: str, path: str, body: Mapping | None) -> None:
        self.calls += 1
        path = path.removeprefix("/resources/pkeys")
        if method == "DELETE":
            _, key, *rest = path.split("/")
            self.model.leave(int(key, 16), rest[1].split(",")) if rest else self.model.delete(int(key, 16))
        elif path == "/qos_conf":
            self.model.quality(dict(body or {}))
        elif path == "/add":
            self.model.make(dict(body or {}))
        else:
            (self.model.replace if method == "PUT" else self.model.join)(dict(body or {}))

    def live(self) -> dict[int, Partition]:
        keys = [key for key in self.model.partitions if key != 0x7FFF]
        lists = [
            {f"0x{key:x}": self.model.shown(key, guids=guids, qualities=not guids) for key in keys}
            for guids in (True, False)
        ]
        return from_answers(json.loads(json.dumps(lists[0])), json.loads(json.dumps(lists[1])))


def carry(server: Server, old: Partitions, new: Partitions) -> tuple:
    planned = changes(old, new)
    for call in writes(planned, server.live(), VERSION, FACTS):
        server.send(call.method, call.path, call.body)
    return planned


def bare(held: Partitions) -> Mapping:
    """Without names, which cannot be changed."""
    return {
        key: [value.ipoib, value.mtu, value.rate, value.service_level, dict(value.members)]
        for key, value in held.items()
    }


def renamed(new: Partitions, old: Partitions) -> dict[int, Partition]:
    return {
        key: Partition(key, old[key].name if key in old else value.name, *_rest(value)) for key, value in new.items()
    }


def _rest(value: Partition) -> tuple:
    return value.ipoib, value.mtu, value.rate, value.service_level, value.members


@given(several)
def test_nothing_leads_from_a_state_to_itself(held: Partitions) -> None:
    assert changes(held, held) == ()


@given(several, several)
def test_differences_lead_from_one_tree_to_the_other(old: Partitions, new: Partitions) -> None:
    found = [item for change in changes(old, new) for item in change.differences()]
    here, there = state_tree(old), state_tree(new)
    # A partition that is left without anything is a leaf of its own, which a patch does not keep.
    assert not difference(_full(patch(here, found)), _full(there))


def _full(tree: Mapping) -> dict:
    return {key: value for key, value in tree.get("partition", {}).items() if value}


@given(several, several)
@settings(max_examples=60, deadline=None)
def test_the_calls_do_what_the_changes_say_and_their_inverse_undoes_it(old: Partitions, new: Partitions) -> None:
    new = renamed(new, old)
    server = Server(old)
    planned = carry(server, old, new)
    assert bare(server.live()) == bare(new)
    now = standing(planned, server.live())
    assert not now.left and not now.others
    back = [change.inverse for change in planned]
    for call in writes(standing(back, server.live()).left, server.live(), VERSION, FACTS):
        server.send(call.method, call.path, call.body)
    assert bare(server.live()) == bare(old)
    assert not standing(back, server.live()).left


@given(several, several, st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_a_series_cut_off_anywhere_can_be_finished_or_undone(old: Partitions, new: Partitions, cut: int) -> None:
    new = renamed(new, old)
    for forward in (True, False):
        server = Server(old)
        planned = changes(old, new)
        for call in writes(planned, server.live(), VERSION, FACTS)[:cut]:
            server.send(call.method, call.path, call.body)
        wanted = planned if forward else tuple(change.inverse for change in planned)
        now = standing(wanted, server.live())
        for call in writes(now.left, server.live(), VERSION, FACTS):
            server.send(call.method, call.path, call.body)
        assert {k: v[4] for k, v in bare(server.live()).items()} == {
            k: v[4] for k, v in bare(new if forward else old).items()
        }


@given(several, several)
def test_handles_hold_the_whole_change(old: Partitions, new: Partitions) -> None:
    planned = changes(old, new)
    assert from_handle(to_handle(planned)) == planned


@pytest.mark.parametrize("handle", ["", "ufm1.", "ufm1.AAAA", "nmx1.x", "7"])
def test_handles_that_are_none_are_said(handle: str) -> None:
    with pytest.raises(IntentError):
        from_handle(handle)


@given(several)
def test_a_tree_is_read_as_it_was_written(held: Partitions) -> None:
    assert from_tree(state_tree(held)) == dict(held)


@given(st.integers(1, 0x7FFF))
def test_keys_have_one_spelling_whatever_their_membership_bit(number: int) -> None:
    for text in (f"0x{number:x}", f"0x{number:04X}", f"0x{number | 0x8000:x}", tree_key(number)):
        assert key_number(text) == number


def test_guids_have_one_spelling() -> None:
    for text in ("0002c90300000001", "0x0002C90300000001", "00:02:c9:03:00:00:00:01"):
        assert tree_guid(text) == "0x0002c90300000001"
    for text in ("", "0002c9030000001", "0002c903000000011", "g002c90300000001", "0x0002c903000000 1"):
        with pytest.raises(IntentError):
            tree_guid(text)


@pytest.mark.parametrize(
    ("members", "qualities"),
    [
        ([], {}),
        ({"0x12": []}, {}),
        ({"zz": {}}, {}),
        ({"0x12": {"partition": "a", "ip_over_ib": True}}, {}),
        ({"0x12": {"partition": "a", "guids": []}}, {}),
        ({"0x12": {"partition": "a", "ip_over_ib": 1, "guids": []}}, {}),
        ({"0x12": {"ip_over_ib": True, "guids": [{"guid": "x", "index0": True, "membership": "full"}]}}, {}),
        ({"0x12": {"ip_over_ib": True, "guids": [{"guid": "0002c90300000001", "membership": "full"}]}}, {}),
        ({"0x12": {"ip_over_ib": True, "guids": [{"guid": "0002c90300000001", "index0": 1, "membership": "f"}]}}, {}),
        ({"0x12": {"ip_over_ib": True, "guids": []}}, {"0x12": {"qos_conf": {"mtu_limit": "2"}}}),
        ({"0x12": {"ip_over_ib": True, "guids": []}}, {"0x12": {"qos_conf": {"service_level": 1.5}}}),
    ],
)
def test_answers_half_understood_are_errors_never_absence(members: object, qualities: object) -> None:
    with pytest.raises(ProtocolError):
        from_answers(members, qualities)


def test_every_call_says_every_field_and_one_membership(pairs: int = 250) -> None:
    members = {f"0x0002c903{n:08x}": member("limited" if n % 3 else "full", n % 2 == 0) for n in range(pairs)}
    calls = writes(changes({}, {0x12: Partition(0x12, members=members)}), {}, VERSION, FACTS)
    joins = [call for call in calls if call.path == "/resources/pkeys/"]
    assert all(set(call.body) == {"pkey", "guids", "ip_over_ib", "index0", "membership"} for call in joins)
    assert all(len(call.body["guids"]) <= 100 for call in joins)
    assert len(joins) <= pairs / 100 + 4


def test_members_leave_one_partition_before_they_join_another() -> None:
    old = {1: Partition(1, members={"0x0002c90300000001": member("full", False)}), 2: Partition(2)}
    new = {1: Partition(1), 2: Partition(2, members={"0x0002c90300000001": member("full", False)})}
    calls = writes(changes(old, new), old, VERSION, FACTS)
    assert [call.method for call in calls] == ["DELETE", "POST"]


def test_old_versions_make_a_partition_by_its_first_members() -> None:
    new = {1: Partition(1, "a", members={"0x0002c90300000001": member("full", False)}, mtu=4096)}
    calls = writes(changes({}, new), {}, "6.15.6-4", FACTS)
    assert [call.path for call in calls] == ["/resources/pkeys/", "/resources/pkeys/qos_conf"]


def test_versions_compare_as_numbers() -> None:
    assert (
        version_numbers("6.9.0") < version_numbers("6.15.6-3") < version_numbers("6.15.6-4") < version_numbers("6.23")
    )
    assert [flaw.id for flaw in FACTS.flaws_of("6.15.6-3")] == ["4040154"] and FACTS.flaws_of("6.15.6-4") == ()
    with pytest.raises(IntentError):
        version_numbers("six")


def test_200_keys_of_5000_members_are_compared_within_a_second() -> None:
    names = [f"0x0002c903{n:08x}" for n in range(5000)]
    full, limited = member("full", False), member("limited", False)
    old = {key: Partition(key, members=dict.fromkeys(names, full)) for key in range(1, 201)}
    new = {key: Partition(key, members={**dict.fromkeys(names, full), names[key]: limited}) for key in range(1, 201)}
    begun = time.process_time()
    found = changes(old, new)
    assert time.process_time() - begun < 1.0
    assert sum(len(change.members) for change in found) == 200


def test_a_partition_with_something_not_ours_is_emptied_of_ours_and_stays() -> None:
    body = {"partition": {}}
    theirs = ("partition", "0x12", "member", "0002c90300000002")
    scope = Scope(Wanted(Target("u", "", "ufm"), body, (("partition",),), (theirs,)), FACTS)
    both = {f"0x0002c9030000000{n}": member("full", False) for n in (1, 2)}
    live = {0x12: Partition(0x12, "a", True, members=both)}
    (change,) = scope.changes(scope.compared(scope.live(live)), named=True)
    assert change.exists == (True, True) and list(change.members) == ["0x0002c90300000001"]


def test_the_lab_refuses_what_ufm_refuses() -> None:
    with pytest.raises(Refusal):
        Server({}).send("POST", "/resources/pkeys/", {"pkey": "0x8012", "guids": []})
