"""Files of an OpenSM host before they are sent and after they were read: refused, filled, masked, compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_bench import PLAYBOOKS, Notes
from sm_samples import TEMPLATES, managed, manager, tenants, wanted

from intent.core.errors import IntentError
from intent.core.tree import ABSENT, digest
from intent.device.actor import Problem, Request, Status, Target, Wanted
from intent.device.opensm import OpenSmActor
from intent.device.opensm_files import filled, judge_files, masked, needs_restart, secrets_of
from intent.device.playbook import HostReport, HostStatus
from intent.device.playbook_actor import HostConnection, diff_text
from intent.device.private_folder import memory_folder, private_folder, write_private
from intent.device.secrets import SecretStore
from intent.render.opensm.render import render_hosts

OPENSM = manager("opensm")
CONF, PARTITIONS = "/etc/opensm/opensm.conf", "/etc/opensm/partitions.conf"
KEY, OTHER = "0x00000000deadbeef", "0x0000000012345678"


def files(**fields: Any) -> dict[str, str]:
    sm = wanted(keys={"sm_key": {"secret": "ib_sm_key"}}, **fields)
    return dict(render_hosts(managed(sm), OPENSM, tenants(), TEMPLATES).artifacts[0].body["files"])


FILES = files()
HELD = {path: text.replace("$secret:ib_sm_key$", KEY) for path, text in FILES.items()}
WANTED = Wanted(Target("sm1", "10.0.0.1", "opensm"), {"files": FILES}, (("files",),))


class Script:
    """Answers each playbook with a prepared report and remembers what was asked."""

    def __init__(self, read: Mapping[str, str], **reports: HostReport) -> None:
        self.reports = {"opensm_read": HostReport(HostStatus.OK, read=read), **reports}
        self.asked: list[str] = []
        self.seen: list[dict[str, Any]] = []

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        self.asked.append(playbook.stem)
        for variables in hosts.values():
            sources = [Path(item["source"]) for item in variables.get("opensm_files", ())]
            self.seen.append({**variables, "texts": [path.read_text() for path in sources], "sources": sources})
        return {name: self.reports.get(playbook.stem, HostReport(HostStatus.OK)) for name in hosts}


def actor(script: Script, **known: str) -> OpenSmActor:
    secrets = SecretStore(known={"ib_sm_key": KEY, **known}, environment={})
    return OpenSmActor(PLAYBOOKS, {}, HostConnection(), run=script, new_handle=lambda: "h1", secrets=secrets)


def request(hosts: OpenSmActor, item: Wanted = WANTED) -> Request:
    seen = hosts.observe([item])["sm1"]
    return Request(item, hosts.difference(item, seen), seen.digest, 60, 60)


def test_a_host_that_holds_everything_differs_in_nothing() -> None:
    hosts = actor(Script(HELD))
    seen = hosts.observe([WANTED])["sm1"]
    assert hosts.difference(WANTED, seen) == () and seen.not_compared == ()
    assert hosts.apply([request(hosts)], Notes())["sm1"].status is Status.UNCHANGED


def test_another_key_differs_and_is_not_shown() -> None:
    hosts = actor(Script(HELD), ib_sm_key=OTHER)
    (found,) = request(hosts).differences
    text = diff_text([found])
    assert "-sm_key (secret)" in text and "+sm_key $secret:ib_sm_key$" in text
    assert "deadbeef" not in repr(found) and "12345678" not in repr(found)


def test_a_key_that_cannot_be_compared_is_said_not_to_be() -> None:
    hosts = replace(actor(Script(HELD)), secrets=SecretStore(environment={}))
    seen = hosts.observe([WANTED])["sm1"]
    assert seen.not_compared == (("files", CONF),) and "deadbeef" not in repr(seen)


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        (PARTITIONS, "full", "ful1", "partitions.conf:"),
        (PARTITIONS, "=0x0012", "=0xZZ", "partitions.conf:"),
        (CONF, "part_enforce both", "part_enforce none", "part_enforce: 'none'"),
        (CONF, "lmc 0", "lcm 0", "has no option lcm"),
        (CONF, f"partition_config_file {PARTITIONS}", "partition_config_file /elsewhere", "not among the files"),
        ("/etc/opensm/root_guid.conf", "0x0002", "spine", "expected one GUID"),
    ],
)
def test_a_bad_file_is_refused_before_anything_is_sent(path: str, old: str, new: str, words: str) -> None:
    script = Script(HELD)
    body = {"files": {**FILES, path: FILES[path].replace(old, new)}}
    bad = replace(WANTED, body=body)
    outcome = actor(script).apply([Request(bad, (), "", 60, 60)], Notes())["sm1"]
    assert outcome.status is Status.FAILED and words in outcome.detail and outcome.detail.endswith("nothing was sent")
    assert script.asked == [], "nobody was asked for anything"


def test_keys_are_filled_in_only_while_pushing() -> None:
    script = Script({**HELD, PARTITIONS: "Default=0x7fff : ALL=limited, SELF=full ;\n"})
    hosts, notes = actor(script), Notes()
    outcome = hosts.apply([request(hosts)], notes)["sm1"]
    assert (outcome.status, outcome.handle) == (Status.AWAITING, "h1")
    pushed = script.seen[-1]
    paths = [item["path"] for item in pushed["opensm_files"]]
    assert paths[-1] == CONF, "the options come last"
    assert f"sm_key {KEY}\n" in pushed["texts"][-1] and [item["secret"] for item in pushed["opensm_files"]][-1]
    assert pushed["opensm_action"] == "hup" and notes.steps == [("sm1", "apply")]
    assert not any(path.exists() for path in pushed["sources"])
    plain = {key: value for key, value in pushed.items() if key not in ("texts", "sources")}
    assert "deadbeef" not in repr(plain), "the runner writes variables to a file"


def test_an_option_read_at_the_start_needs_a_restart_and_the_plan_says_so() -> None:
    held = {**HELD, CONF: HELD[CONF].replace("routing_engine updn", "routing_engine minhop")}
    script = Script(held)
    hosts = actor(script)
    planned = request(hosts)
    effects = {item.severity: item.reason for item in hosts.disruption(WANTED, planned.differences)}
    assert effects["reload"].startswith("routing_engine")
    hosts.apply([planned], Notes())
    assert script.seen[-1]["opensm_action"] == "restart"
    live = "lmc 0\nsm_priority 3\n"
    assert needs_restart(live, "lmc 1\nsm_priority 4\n", OPENSM) == ("lmc",)
    assert needs_restart(live, "sm_priority 3\n", OPENSM) == (), "what is left out has its default"


def test_a_missing_or_wrong_secret_sends_nothing() -> None:
    script = Script({})
    hosts = replace(actor(script), secrets=SecretStore(environment={}))
    outcome = hosts.apply([Request(WANTED, (), digest({}), 60, 60)], Notes())["sm1"]
    assert outcome.status is Status.FAILED and "ib_sm_key" in outcome.detail and script.asked == ["opensm_read"]
    with pytest.raises(IntentError, match="no key of 64 bits") as caught:
        filled(FILES[CONF], OPENSM, SecretStore(known={"ib_sm_key": "hunter2hunter2"}, environment={}))
    assert "hunter2" not in str(caught.value)


def test_a_host_half_written_is_put_back() -> None:
    failed = HostReport(HostStatus.FAILED, ("Put in place",), "Read back: does not read back")
    script = Script({**HELD, PARTITIONS: "\n"}, opensm=failed)
    hosts = actor(script)
    outcome = hosts.apply([request(hosts)], Notes())["sm1"]
    assert outcome.status is Status.REVERTED and "does not read back" in outcome.detail
    assert script.asked[-2:] == ["opensm", "opensm_revert"]


def test_what_changed_since_the_plan_is_stale_and_who_is_silent_is_named() -> None:
    hosts = actor(Script(HELD))
    stale = replace(request(hosts), digest="other")
    assert hosts.apply([stale], Notes())["sm1"].status is Status.STALE
    silent = actor(Script({}, opensm_read=HostReport(HostStatus.UNREACHABLE, detail="no route")))
    assert silent.observe([WANTED])["sm1"].problem is Problem.UNREACHABLE


def test_files_are_judged_together() -> None:
    assert judge_files(FILES, OPENSM) == ()
    assert [item.code for item in judge_files({**FILES, "/etc/passwd": "x"}, OPENSM)] == ["O030"]
    assert secrets_of(FILES[CONF], OPENSM) == {"sm_key": "ib_sm_key"}
    shown, unknown = masked("m_key 0x1\nlmc 0\n", OPENSM, {}, SecretStore(environment={}))
    assert (shown, unknown) == ("m_key (secret)\nlmc 0\n", [])


def test_a_host_is_never_left_without_any_file() -> None:
    """Rolled back to the state before its first change: without files OpenSM makes every port a full member."""
    script = Script(HELD)
    hosts, bare = actor(script), replace(WANTED, body={})
    planned = request(hosts, bare)
    assert hosts.disruption(bare, planned.differences)
    outcome = hosts.apply([planned], Notes())["sm1"]
    assert outcome.status is Status.FAILED and "no file is to be left" in outcome.detail
    assert script.asked == ["opensm_read"], "nothing was sent"


def test_a_new_host_gets_all_files() -> None:
    hosts = actor(Script({}))
    planned = request(hosts)
    assert planned.differences[0].before is ABSENT
    assert {item.severity for item in hosts.disruption(WANTED, planned.differences)} >= {"flap", "reload"}


def test_the_private_folder_is_ours_alone_and_gone_afterwards() -> None:
    with private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert memory_folder() is None or folder.parent == memory_folder()
        write_private(folder / "key", b"x")
        assert (folder / "key").stat().st_mode & 0o777 == 0o600
        with pytest.raises(FileExistsError):
            write_private(folder / "key", b"y")
    assert not folder.exists()
