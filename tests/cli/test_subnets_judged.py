"""Hosts of OpenSM: their subnet is judged by `verify` and after every change, the canaries first of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ib_site import NODES, OPENSM, SPINES, guids_csv, site_text, workspace

from intent.core.verdict import Verdict
from intent.device.opensm import OpenSmActor
from intent.device.opensm_state import gather_subnets
from intent.device.playbook import HostReport, HostStatus
from intent.device.playbook_actor import HostConnection
from intent.device.secrets import SecretStore
from intent.operate.actors import controller_targets
from intent.operate.controllers import ReadBack
from intent.operate.subnets import Managed, Subnets, managed
from intent.resources import search_path
from intent.verify.api import Phase
from intent.verify.registry import load
from intent.workspace.compile import Compiled, compile_site


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    from ib_site import catalog

    from intent.workspace.files import Workspace

    guids = guids_csv((*NODES,), ("o1", "o2"), SPINES)
    folder = workspace(tmp_path_factory.mktemp("site"), site_text(manager=OPENSM), guids)
    return compile_site(Workspace.open(folder), catalog())


@pytest.fixture(scope="module")
def subnet(compiled: Compiled) -> Managed:
    return managed(compiled, "q")


def answers(subnet: Managed, *, fell_open: bool = False) -> str:
    """What the tools of the master's host say when all is as wanted, as far as its keys and managers go."""
    expected = subnet.expected
    text = ["@@ links", "@@ end 0", "@@ errors", "## Summary: ok", "@@ end 0", "@@ managers", "@@ end 0"]
    text += ["@@ nodes", "@@ end 0", "@@ log"]
    text += ["x -> osm_ucast_mgr_process: updn tables configured on all switches", "@@ end 0"]
    master = max(expected.managers, key=lambda guid: expected.managers[guid])
    for number, (guid, priority) in enumerate(expected.managers.items(), 1):
        state = "3 SMINFO_MASTER" if guid == master else "2 SMINFO_STANDBY"
        said = f"sminfo: sm lid {number} sm guid 0x{guid}, activity count 1 priority {priority} state {state}"
        text += [f"@@ sminfo {number}", said, "@@ end 0"]
    for guid, keys in expected.pkeys.items():
        first = expected.index0[guid]
        table = [0xFFFF] if fell_open else [first, *sorted(keys - {first})]
        row = " ".join(f"0x{key:04x}" for key in [*table, *[0] * (8 - len(table))])
        text += [f"@@ pkeys 0x{guid} 1 1", f"   0: {row}", "8 pkeys capacity for this port", "@@ end 0"]
    return "\n".join(text) + "\n"


class Script:
    """Hosts that hold their files, whose tools say what they are told to."""

    def __init__(self, compiled: Compiled, said: Mapping[str, str | None]) -> None:
        self.compiled = compiled
        self.said = said
        self.asked: list[str] = []

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        return {name: self._report(playbook.stem, name) for name in hosts}

    def _report(self, play: str, name: str) -> HostReport:
        if play == "opensm_read":
            return HostReport(HostStatus.OK, read=self.compiled.artifacts[name].body["files"])
        self.asked.append(name)
        text = self.said.get(name)
        return HostReport(HostStatus.UNREACHABLE, detail="no route") if text is None else HostReport(
            HostStatus.OK, read={"answers": text}
        )  # fmt: skip


def judge(compiled: Compiled, script: Script, *, changing: tuple[str, ...] = ()) -> tuple[Subnets, OpenSmActor]:
    actor = OpenSmActor(Path("/nowhere"), {}, HostConnection(), run=script, secrets=SecretStore(environment={}))
    checks = load(search_path("validators")).checks
    return Subnets(compiled, checks, {"opensm": actor}, controller_targets(compiled), changing=changing), actor


def test_the_compiled_site_says_what_its_subnet_must_hold(compiled: Compiled, subnet: Managed) -> None:
    assert subnet.hosts == ("o1", "o2"), "the one with the highest priority first"
    assert subnet.expected.engine == "updn" and not subnet.expected.sets_aside
    assert list(subnet.expected.managers.values()) == [14, 13]
    tenant = {key for keys in subnet.expected.pkeys.values() for key in keys} - {0x7FFF, 0xFFFF}
    assert tenant == {0x8001, 0x8002, 0x0002}
    assert len(subnet.expected.canaries) >= 4 * 8, "every port of a node"


def test_verify_judges_each_subnet_once_on_the_first_host_that_answers(compiled: Compiled, subnet: Managed) -> None:
    script = Script(compiled, {"o1": None, "o2": answers(subnet)})
    results, seen = judge(compiled, script)[0].results(["o1", "o2"], Phase.VERIFY)
    assert script.asked == ["o1", "o2"] and list(seen) == ["o2"]
    verdicts = {item.check: item.verdict for item in results}
    passing = ("partitions-canary", "partitions-tables", "sm-roles", "sm-routing")
    assert {verdicts[name] for name in passing} == {Verdict.PASS}
    assert verdicts["ib-unhealthy"] is Verdict.SKIPPED
    assert verdicts["ib-links"] is not Verdict.PASS, "it saw no link at all"


def test_a_subnet_nobody_tells_of_is_unknown(compiled: Compiled) -> None:
    results, _ = judge(compiled, Script(compiled, {}))[0].results(["o1"], Phase.VERIFY)
    green = {item.check for item in results if item.verdict is Verdict.PASS}
    assert results and green == set()


def test_after_a_change_the_canary_decides(compiled: Compiled, subnet: Managed) -> None:
    from intent.change.asking import wanted_of

    def after(said: str | None, changing: tuple[str, ...], devices: list[str], in_force: frozenset[str]) -> Any:
        subnets, actor = judge(compiled, Script(compiled, {"o1": said}), changing=changing)
        targets = controller_targets(compiled)
        wanted = [
            replace(wanted_of(compiled.artifacts[name], targets[name])) for name in targets if name in ("o1", "o2")
        ]
        return ReadBack({"opensm": actor}, wanted, subnets)(devices, in_force)

    both = ("o1", "o2")
    assert after(answers(subnet), both, ["o1"], frozenset())["o1"].verdict is Verdict.PASS
    fallen = after(answers(subnet, fell_open=True), both, ["o1"], frozenset())["o1"]
    assert fallen.verdict is Verdict.FAIL and "the fabric fell open" in fallen.messages[0]
    assert after(None, both, ["o1"], frozenset())["o1"].verdict is Verdict.UNKNOWN, "unknown is never green"
    early = after(answers(subnet, fell_open=True), both, ["o2"], frozenset())["o2"]
    assert early.verdict is Verdict.PASS, "the master has its old files: the standby's turn says nothing yet"
    late = after(answers(subnet, fell_open=True), both, ["o2"], frozenset({"o1"}))["o2"]
    assert late.verdict is Verdict.FAIL


def test_a_port_that_gets_another_address_by_the_change_is_told(compiled: Compiled, subnet: Managed) -> None:
    guid = next(iter(subnet.expected.pkeys))
    line = '0x{} "n1"  {}  1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>  0x{} 9  1[  ] "l" ( )'
    before, after = (
        answers(subnet).replace("@@ links\n", "@@ links\n" + line.format(guid, lid, "0" * 15 + "9") + "\n")
        for lid in (5, 6)
    )
    script = Script(compiled, {"o1": before})
    subnets, _ = judge(compiled, script, changing=("o1", "o2"))
    subnets.remember()
    assert subnets.judge(["o1"], frozenset())["o1"].verdict is Verdict.PASS
    script.said = {"o1": after}
    moved = subnets.judge(["o1"], frozenset())["o1"]
    assert moved.verdict is Verdict.FAIL
    assert moved.messages == (f"Port: {guid} - another local identifier - expected LID 5, actual LID 6",)


def test_only_in_a_lab_another_engine_stands_in_and_is_never_a_pass(compiled: Compiled, subnet: Managed) -> None:
    """Upstream OpenSM has no engine of NVIDIA's; on a real host one that is not at work is a failure."""
    from intent.verify.api import Expected
    from intent.verify.engine import run

    fabric = compiled.site.fabrics["q"]
    asked = fabric.subnet_manager.model_copy(update={"routing": "ar_updn"})
    fabrics = {"q": fabric.model_copy(update={"subnet_manager": asked})}
    site = compiled.site.model_copy(update={"fabrics": fabrics})
    adaptive = replace(compiled, site=site)
    script = Script(compiled, {"o1": answers(subnet)})
    actor = OpenSmActor(Path("/nowhere"), {}, HostConnection(), run=script, secrets=SecretStore(environment={}))
    seen = gather_subnets(actor, [controller_targets(compiled)["o1"]])["o1"]
    (check,) = (check for check in load(search_path("validators")).checks if check.name == "sm-routing")
    found = {}
    for laboratory in (False, True):
        one = managed(adaptive, "q", laboratory=laboratory)
        expected = Expected(subnets={"q": one.expected})
        (found[laboratory],) = run(
            [check], one.fabric, {"o1": seen}, phase=Phase.VERIFY, expected=expected, devices=["o1"]
        )
    assert found[False].verdict is Verdict.FAIL
    assert found[True].verdict is Verdict.SKIPPED
    assert "the laboratory cannot run ar_updn: updn stands in for it" in (*found[True].messages, *found[True].notes)
