"""Hosts of UFM before anything is sent and after it was read: what is ours, judged, masked, compared, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_bench import Notes
from sm_samples import TEMPLATES, managed, manager, wanted

from intent.core.tree import ABSENT
from intent.core.verdict import Verdict
from intent.device.actor import Observed, Problem, Request, Status, Target, Wanted
from intent.device.playbook import HostReport, HostStatus
from intent.device.playbook_actor import HostConnection
from intent.device.secrets import SecretStore
from intent.device.ufm.host_files import FILES, HostFiles
from intent.device.ufm.hosts import UfmFilesActor, UfmHost
from intent.operate.sets import same_files
from intent.render.ufm.files import host_artifacts, ufm_settings

NVIDIA = manager("nvidia")
GV, CONF = NVIDIA.paths["gv"], "/opt/ufm/files/conf/opensm/opensm.conf"
ROOTS, EXTENSION = "/opt/ufm/files/conf/opensm/root_guid.conf", NVIDIA.paths["user_extension"]
KEY, OTHER = "0x00000000deadbeef", "0x0000000012345678"


def asked(name: str = "u1", **fields: Any) -> Wanted:
    """What the renderer gives one host."""
    sm = wanted(by="ufm", vip="10.0.0.9", keys={"sm_key": {"secret": "ib_sm_key"}}, **fields)
    fabric = managed(sm, generation="ndr")
    artifact = host_artifacts(fabric, NVIDIA, ufm_settings(fabric, NVIDIA, TEMPLATES))[0]
    return Wanted(Target(name, "127.0.0.1", "ufm-files", labels={"fabric": "q"}), artifact.body, artifact.owned)


WANTED = asked()
BARE = {GV: "[Server]\nrest_port = 8000\n", CONF: f"sm_key {OTHER}\nguid 0x7\n"}
HELD = {
    path: text.replace("$secret:ib_sm_key$", KEY)
    for path, text in HostFiles(WANTED, NVIDIA).written(BARE, lambda value: value).items()
}


class Script:
    """Answers each play with a prepared report and remembers what was asked."""

    def __init__(self, read: Mapping[str, str], **hosts: HostReport) -> None:
        self.read, self.hosts = HostReport(HostStatus.OK, read=read), hosts
        self.asked: list[str] = []
        self.staged: list[dict[str, Any]] = []

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        self.asked.append(playbook.stem)
        for variables in hosts.values():
            for item in variables.get("opensm_files", ()):
                self.staged.append({**item, "text": Path(item["source"]).read_text()})
        reading = playbook.stem == "ufm_read"
        return {name: self.hosts.get(name, self.read) if reading else HostReport(HostStatus.OK) for name in hosts}


def actor(script: Script, **known: str) -> UfmFilesActor:
    secrets = SecretStore(known={"ib_sm_key": KEY, **known}, environment={})
    return UfmFilesActor(Path(), {}, HostConnection(), run=script, new_handle=lambda: "h1", secrets=secrets)


def request(hosts: UfmFilesActor, item: Wanted = WANTED) -> Request:
    seen = hosts.observe([item])["u1"]
    assert seen.problem is None, seen.detail
    return Request(item, hosts.difference(item, seen), seen.digest, 60, 60)


def test_a_host_that_holds_everything_differs_in_nothing_however_it_is_spelled() -> None:
    spelled = dict(HELD)
    spelled[GV] = HELD[GV].replace("m_key_per_port = true", "M_KEY_PER_PORT=True")
    spelled[CONF] = HELD[CONF].replace("max_op_vls 2", "  max_op_vls 0x02").replace(KEY, "0xdeadbeef")
    (line,) = [text for text in HELD[CONF].splitlines() if text.startswith("allowed_sm_guids")]
    first, second = line.removeprefix("allowed_sm_guids ").split(",")
    spelled[CONF] = spelled[CONF].replace(line, f"allowed_sm_guids {second},{first}")
    assert spelled[GV] != HELD[GV] and spelled[CONF] != HELD[CONF]
    hosts = actor(Script(spelled))
    assert request(hosts).differences == ()
    assert hosts.apply([request(hosts)], Notes())["u1"].status is Status.UNCHANGED


def test_only_what_is_ours_is_observed_and_no_key_is_shown() -> None:
    seen = actor(Script({**BARE, GV: "[Server]\npassword = hunter2hunter2\n"})).observe([WANTED])["u1"]
    assert seen.state == {"opensm": {"sm_key": "(secret)"}}
    assert "12345678" not in repr(seen) and "hunter2" not in repr(seen)
    blind = replace(actor(Script(HELD)), secrets=SecretStore(environment={}))
    unread = blind.observe([WANTED])["u1"]
    assert unread.not_compared == (("opensm", "sm_key"),) and "deadbeef" not in repr(unread)


def test_what_is_sent_is_the_file_as_it_is_with_ours_in_it() -> None:
    script = Script(BARE)
    hosts = actor(script)
    outcome = hosts.apply([request(hosts)], Notes())["u1"]
    assert (outcome.status, outcome.handle) == (Status.AWAITING, "h1")
    sent = {item["path"]: item for item in script.staged}
    assert list(sent) == [ROOTS, CONF, GV], "the settings come last"
    assert sent[CONF]["text"].startswith(f"sm_key {KEY}\nguid 0x7\n") and sent[CONF]["secret"]
    assert sent[GV]["text"].startswith("[Server]\nrest_port = 8000\n[SubnetManager]\n") and sent[GV]["secret"]
    assert {path for path, item in sent.items() if "was" in item} == {CONF, GV}
    assert script.asked == ["ufm_read", "ufm_read", "opensm"], "read for the plan, and anew right before it is written"


def test_ufm_is_told_of_its_extension_and_of_nothing_else() -> None:
    told: list[tuple[str, list[str], str]] = []

    class Told(Script):
        def __call__(self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], **more: Any) -> Any:
            if playbook.stem == "opensm":
                told.extend((v["opensm_action"], v["opensm_hup"], v["opensm_log"]) for v in hosts.values())
            return super().__call__(playbook, hosts, **more)

    for extension in ("backup=0x0200 : 0x0002c90300000001=both ;", None):
        item = asked(extension=extension)
        hosts = replace(actor(Told(BARE)), host=UfmHost(sync=("sync_partitions_conf.sh",), log="/var/log/opensm.log"))
        planned = request(hosts, item)
        effects = {effect.severity for effect in hosts.disruption(item, planned.differences)}
        assert ("flap" in effects) is (extension is not None)
        assert hosts.apply([planned], Notes())["u1"].status is Status.AWAITING
    assert [action for action, *_ in told] == ["hup", "none"]
    assert {(tuple(words), log) for _, words, log in told} == {(("sync_partitions_conf.sh",), "")}, (
        "no log is waited for"
    )


def test_what_was_set_before_and_is_not_wanted_goes() -> None:
    """A rollback: the state of before has fewer settings than are ours, and a secret nobody knew."""
    before = Wanted(WANTED.target, {"opensm": {"max_op_vls": "5"}}, WANTED.owned, excepted=(("opensm", "sm_key"),))
    script = Script(HELD)
    hosts = actor(script)
    planned = request(hosts, before)
    kinds = {item.path[0] for item in planned.differences if item.after is ABSENT}
    assert kinds == {"gv", "opensm"}, "a whole file is never taken away"
    assert not any(item.path[-1] == "sm_key" for item in planned.differences)
    hosts.apply([planned], Notes())
    sent = {item["path"]: item["text"] for item in script.staged}
    assert set(sent) == {CONF, GV}
    assert sent[CONF].split() == ["sm_key", KEY, "guid", "0x7", "max_op_vls", "5"]
    assert "default_membership" not in sent[GV] and "rest_port = 8000" in sent[GV]


def test_an_extension_that_was_not_there_is_emptied_by_a_rollback() -> None:
    extended = asked(extension="backup=0x0200 : 0x0002c90300000001=both ;")
    held = HELD | HostFiles(extended, NVIDIA).written(HELD, lambda value: value.replace("$secret:ib_sm_key$", KEY))
    script = Script(held)
    hosts = actor(script)
    assert request(hosts, extended).differences == ()
    planned = request(hosts, replace(extended, body=WANTED.body))
    assert [(item.path, item.after) for item in planned.differences] == [((FILES, EXTENSION), "# no partitions\n")]
    assert hosts.apply([planned], Notes())["u1"].status is Status.AWAITING
    assert [(item["path"], item["text"]) for item in script.staged] == [(EXTENSION, "# no partitions\n")]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"opensm": {"lcm": "0"}}, "has no option lcm"),
        ({"opensm": {"max_op_vls": "many"}}, "max_op_vls"),
        ({"opensm": {"sm_key": "0x7\nguid 0x1"}}, "opensm.conf"),
        ({"gv": {"SubnetManager": {"default_membership": "full\n[Server]\nrest_port = 1"}}}, "no setting of one line"),
        ({"gv": {"SubnetManager": {"a=b": "c"}}}, "no setting of one line"),
        ({"gv": {"SubnetManager": {"a": ""}}}, "no setting of one line"),
        ({"files": {ROOTS: "spine\n"}}, "expected one GUID"),
        ({"files": {EXTENSION: "a=0x12 : 0x1=ful ;\n"}}, "partitions.conf.user_ext"),
        ({"files": {"/opt/ufm/files/conf/opensm/topoconfig.conf": "spine,1\n"}}, "expected srcGUID"),
        ({"files": {"/etc/passwd": "root"}}, "no file of UFM"),
        ({"files": {NVIDIA.paths["gv"]: "[A]\n"}}, "no file of UFM"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_asked(body: dict[str, Any], words: str) -> None:
    script = Script(HELD)
    bad = replace(WANTED, body=body, owned=(("gv",), ("opensm",), ("files",)))
    outcome = actor(script).apply([Request(bad, (), "", 60, 60)], Notes())["u1"]
    assert outcome.status is Status.FAILED and words in outcome.detail
    assert outcome.detail.endswith("nothing was sent") and script.asked == []


def test_a_file_that_cannot_be_kept_as_it_is_is_not_edited() -> None:
    hosts = actor(Script({**BARE, GV: "[Server]\nname = caf\ufffd\n"}))
    outcome = hosts.apply([request(hosts)], Notes())["u1"]
    assert outcome.status is Status.FAILED and "no UTF-8" in outcome.detail
    late = actor(Script(BARE), ib_sm_key="hunter2hunter2")
    outcome = late.apply([request(late)], Notes())["u1"]
    assert outcome.status is Status.FAILED and "no key of 64 bits" in outcome.detail
    assert "hunter2" not in outcome.detail and outcome.detail.endswith("nothing was sent")


@pytest.mark.parametrize(
    ("said", "stands_by"),
    [
        ("Secondary/Primary\n", True),
        ("Secondary\nSecondary\n", True),
        ("Primary/Secondary\n", False),
        ("Secondary\nPrimary\n", False),
        ("", False),
        ("Unknown\n", False),
    ],
)
def test_a_host_without_files_stands_by_only_when_it_says_so(said: str, stands_by: bool) -> None:
    second = HostReport(HostStatus.OK, read={"role": said})
    hosts = actor(Script(HELD, u2=second))
    both = [WANTED, asked("u2")]
    seen = hosts.observe(both)["u2"]
    assert (seen.problem is None) is stands_by
    alone = hosts.observe([both[1]])["u2"]
    assert alone.problem is Problem.MISMATCH, "of nobody's files it is never said that they are right"
    if stands_by:
        assert hosts.difference(both[1], seen) == ()
        back = Wanted(both[1].target, seen.state, both[1].owned)
        assert HostFiles(back, NVIDIA).tree == {} and HostFiles(back, NVIDIA).settings == ()


def test_half_of_ufms_files_is_no_host_that_stands_by() -> None:
    half = HostReport(HostStatus.OK, read={GV: HELD[GV], "role": "Secondary\n"})
    seen = actor(Script(HELD, u2=half)).observe([WANTED, asked("u2")])["u2"]
    assert seen.problem is Problem.MISMATCH and CONF in seen.detail


def test_the_plan_says_what_takes_a_restart() -> None:
    hosts = actor(Script(BARE))
    planned = request(hosts)
    effects = hosts.disruption(WANTED, planned.differences)
    assert {item.severity for item in effects} == {"reload"}
    assert any(
        "[SubnetManager] default_membership and 2 more: in force once UFM is restarted" in e.reason for e in effects
    )
    assert hosts.disruption(WANTED, ()) == ()


# --- a set


def verdict(**hosts: Observed) -> tuple[Verdict, str]:
    targets = {name: Target(name, "", "ufm-files", labels={"fabric": "q"}) for name in hosts}
    (found,) = same_files(targets, hosts)
    return found.verdict, " ".join((*found.messages, *found.notes))


def test_hosts_of_a_set_are_compared_by_hash() -> None:
    hosts = actor(Script(HELD, u2=HostReport(HostStatus.OK, read={**HELD, ROOTS: "0x1\n"})))
    seen = hosts.observe([WANTED, asked("u2")])
    assert verdict(u1=seen["u1"], u2=replace(seen["u1"], name="u2"))[0] is Verdict.PASS
    told, words = verdict(**seen)
    assert told is Verdict.FAIL and f"{ROOTS} differs" in words and "u1" in words and "u2" in words
    told, words = verdict(u1=seen["u1"], u2=Observed("u2", problem=Problem.UNREACHABLE))
    assert told is Verdict.UNKNOWN and "u2 were not read" in words
    told, words = verdict(u1=seen["u1"], u2=Observed("u2", {"role": "standby"}))
    assert told is Verdict.PASS and "u2 stands by" in words
    other = dict(seen["u1"].state) | {"gv": {"SubnetManager": {"default_membership": "full"}}}
    assert "gv.cfg differs" in verdict(u1=seen["u1"], u2=Observed("u2", other))[1]
    assert FILES in seen["u1"].state
    assert same_files({"u1": WANTED.target}, {"u1": seen["u1"]}) == (), "one host is no set"
