"""The engine: nothing judged is never green, a broken check is an error with its place, the order is stable."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from small_fabric import good_expected, good_observations, small_fabric

from intent.core.errors import IntentError
from intent.core.verdict import Verdict
from intent.device.observation import Observation
from intent.verify.api import Phase
from intent.verify.engine import CheckResult, by_device, records, run, summary
from intent.verify.registry import load

SHIPPED = Path(__file__).parents[2] / "validators"
HEAD = "from intent.verify.api import *\nfrom intent.verify.api import PartMissing\n"


def one(tmp_path: Path, body: str, decorator: str = "") -> CheckResult:
    """The result on leaf1 of a check whose body is given."""
    folder = tmp_path / "validators"
    folder.mkdir()
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = f'{HEAD}@check("mine", title="t", subject="s"{decorator})\ndef mine(context):\n{lines}\n'
    (folder / "mine.py").write_text(source)
    registry = load([folder])
    assert registry.diagnostics == ()
    fabric = small_fabric()
    (result,) = run(registry.checks, fabric, good_observations(fabric), phase=Phase.VERIFY, devices=["leaf1"])
    return result


@pytest.mark.parametrize(
    ("body", "verdict", "message"),
    [
        ("yield passed()", Verdict.PASS, ""),
        ("return passed('fine')", Verdict.PASS, "fine"),
        (
            "return [passed(), failed('A', 'b', 'c', expected=1, actual=0)]",
            Verdict.FAIL,
            "A: b - c - expected 1, actual 0",
        ),
        ("yield failed('any words')", Verdict.FAIL, "any words"),
        ("yield failed('')", Verdict.FAIL, "Check: mine - fail without a message"),
        ("yield skipped('not here')", Verdict.SKIPPED, "not here"),
        ("yield passed()\nyield skipped('in part')", Verdict.PASS, "in part"),
        ("yield passed()\nyield unknown('X', 'y', 'z')", Verdict.UNKNOWN, "X: y - z"),
        ("return []", Verdict.UNKNOWN, "Check: mine - judged nothing"),
        ("return None", Verdict.ERROR, "returned NoneType; yield passed"),
        ("return True", Verdict.ERROR, "returned bool"),
        ("yield True", Verdict.ERROR, "yielded bool, not passed()"),
        ("return 'text'", Verdict.ERROR, "yielded str"),
        ("raise KeyError('swp1')", Verdict.ERROR, "mine.py:5: KeyError: 'swp1'"),
        ("import json\njson.loads('{')", Verdict.ERROR, "mine.py:6: JSONDecodeError"),
        ("raise SystemExit(0)", Verdict.ERROR, "SystemExit"),
        ("return mine.function(context)", Verdict.ERROR, "RecursionError"),
        ("while True: yield passed()", Verdict.ERROR, "more than 100000 results"),
        ("context.device.name = 'x'\nyield passed()", Verdict.ERROR, "FrozenInstanceError"),
        (
            "yield passed()\nyield failed('A', 'b', 'c')\nraise ValueError('late')",
            Verdict.FAIL,
            "A: b - c (and 1 more)",
        ),
        ("raise PartMissing('links')", Verdict.UNKNOWN, "Observation: links - could not be read"),
    ],
)
def test_what_a_check_says(tmp_path: Path, body: str, verdict: Verdict, message: str) -> None:
    result = one(tmp_path, body)
    assert result.verdict is verdict
    assert message in result.message and "Traceback" not in result.message and "\n" not in result.message


def test_a_broken_check_does_not_stop_the_others() -> None:
    registry = load([SHIPPED])
    broken = replace(registry.checks[0], name="broken", function=lambda context: 1 / 0)  # type: ignore[arg-type, return-value]
    fabric = small_fabric()
    results = run(
        (broken, *registry.checks), fabric, good_observations(fabric), phase=Phase.POST, expected=good_expected(fabric)
    )
    assert {r.verdict for r in results if r.check == "broken"} == {Verdict.ERROR}
    assert {r.verdict for r in results if r.check != "broken"} == {Verdict.PASS}
    assert set(by_device(results).values()) == {Verdict.ERROR}


def test_a_device_that_did_not_answer_is_unknown_in_every_check() -> None:
    fabric = small_fabric()
    observations = good_observations(fabric)
    observations["leaf1"] = Observation("leaf1", "2026-11-30T22:00:00Z", problems={"device": "connection refused"})
    del observations["spine1"]
    results = run(load([SHIPPED]).checks, fabric, observations, phase=Phase.VERIFY, expected=good_expected(fabric))
    for device, why in (("leaf1", "connection refused"), ("spine1", "it was not observed")):
        mine = [result for result in results if result.device == device]
        assert {result.verdict for result in mine} == {Verdict.UNKNOWN}
        assert all(result.message.endswith(f"could not be read - {why}") for result in mine)
    found = summary(results)
    assert found.overall is Verdict.UNKNOWN
    assert str(found) == "4 devices: 2 pass, 2 unknown"


def test_a_part_asked_for_without_naming_it_is_unknown_too(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    folder.mkdir()
    for part in ("system", "links", "lldp", "bgp", "roce"):
        (folder / f"{part}.py").write_text(
            f'{HEAD}@check("{part}", title="t", subject="s")\ndef f(context):\n    yield passed(str(context.{part}))\n'
        )
    fabric = small_fabric()
    blind = {"leaf1": Observation("leaf1", "", problems={"roce": "404"})}
    results = run(load([folder]).checks, fabric, blind, phase=Phase.VERIFY, devices=["leaf1"])
    assert {result.verdict for result in results} == {Verdict.UNKNOWN}
    assert "Observation: roce - could not be read - 404" in {result.message for result in results}


def test_zero_checks_and_zero_devices_are_errors(tmp_path: Path) -> None:
    fabric, checks = small_fabric(), load([SHIPPED]).checks
    with pytest.raises(IntentError, match="no check to run in phase verify"):
        run((), fabric, {}, phase=Phase.VERIFY)
    with pytest.raises(IntentError, match="no device to judge"):
        run(checks, fabric, {}, phase=Phase.VERIFY, devices=[])
    with pytest.raises(IntentError, match="no check applies"):
        run(checks, fabric, {}, phase=Phase.VERIFY, devices=["node1"])
    with pytest.raises(IntentError, match="no device 'leaf9'"):
        run(checks, fabric, {}, phase=Phase.VERIFY, devices=["leaf9"])
    assert summary(()).overall is Verdict.UNKNOWN


def test_roles_and_phases_choose(tmp_path: Path) -> None:
    assert one(tmp_path, "yield passed()", ', roles=("leaf",), phases=("verify",)').verdict is Verdict.PASS
    checks = load([tmp_path / "validators"]).checks
    fabric = small_fabric()
    results = run(checks, fabric, good_observations(fabric), phase=Phase.VERIFY)
    assert [result.device for result in results] == ["leaf1", "leaf2"]
    with pytest.raises(IntentError, match="phase pre"):
        run(checks, fabric, good_observations(fabric), phase=Phase.PRE)


def test_the_order_does_not_depend_on_the_order_of_observations() -> None:
    fabric, checks = small_fabric(), load([SHIPPED]).checks
    observations = good_observations(fabric)
    shuffled = list(observations.items())
    random.Random(7).shuffle(shuffled)
    first = run(checks, fabric, observations, phase=Phase.VERIFY)
    names = ["spine10", "leaf2", "spine1", "leaf1"]
    assert run(checks, fabric, dict(shuffled), phase=Phase.VERIFY, devices=names) == first
    assert list(by_device(first)) == ["leaf1", "leaf2", "spine1", "spine10"]


def test_records_are_plain_data() -> None:
    fabric = small_fabric()
    results = run(load([SHIPPED]).checks, fabric, {}, phase=Phase.POST)
    found = json.loads(json.dumps(records(results)))
    assert len(found) == len(results)
    assert found[0] | {"messages": []} == {
        "device": "leaf1", "check": results[0].check, "title": results[0].title, "subject": results[0].subject,
        "phase": "post", "verdict": "unknown", "messages": [], "notes": [], "judged": 1,
    }  # fmt: skip


def test_the_example_of_the_documentation_runs_as_written(tmp_path: Path) -> None:
    text = (SHIPPED.parent / "docs" / "validators.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    folder = tmp_path / "validators"
    folder.mkdir()
    (folder / "management.py").write_text(source)
    registry = load([folder, SHIPPED])
    assert registry.diagnostics == ()
    fabric = small_fabric()
    observations = good_observations(fabric)
    expected = good_expected(fabric)
    results = run(registry.checks, fabric, observations, phase=Phase.VERIFY, expected=expected)
    assert {r.verdict for r in results} == {Verdict.PASS} and "eth0-up" in {r.check for r in results}
    leaf1 = observations["leaf1"]
    assert leaf1.links is not None
    for links, actual in (
        ({**leaf1.links, "eth0": replace(leaf1.links["eth0"], oper="down")}, "down"),
        ({k: v for k, v in leaf1.links.items() if k != "eth0"}, "absent"),
    ):
        observations["leaf1"] = replace(leaf1, links=links)
        results = run(registry.select(["eth0-up"]), fabric, observations, phase=Phase.VERIFY, devices=["leaf1"])
        assert [r.message for r in results] == [f"Port: eth0 - not up - expected up, actual {actual}"]


def test_the_example_in_the_apis_docstring_runs_as_written(tmp_path: Path) -> None:
    import intent.verify.api as api

    text = (api.__doc__ or "").split("yields results:\n", 1)[1].split("\nIt runs once", 1)[0]
    (tmp_path / "ports.py").write_text("\n".join(line.removeprefix("    ") for line in text.splitlines()))
    registry = load([tmp_path])
    assert registry.diagnostics == ()
    fabric = small_fabric()
    results = run(registry.checks, fabric, good_observations(fabric), phase=Phase.VERIFY)
    assert {result.verdict for result in results} == {Verdict.PASS}
