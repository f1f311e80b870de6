"""The judgement of a change: fair to it, and never green where nothing was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from small_fabric import good_expected, good_observations, small_fabric

from intent.core.verdict import Verdict
from intent.device.observation import Observation
from intent.verify.api import Check
from intent.verify.judging import Baseline, Judged, baseline, judge
from intent.verify.registry import load

SHIPPED = Path(__file__).parents[2] / "validators"
FABRIC = small_fabric()
EXPECTED = good_expected(FABRIC)
SWITCHES = [device.name for device in FABRIC.switches]


@pytest.fixture
def checks() -> tuple[Check, ...]:
    return load([SHIPPED]).checks


def judged(
    checks: tuple[Check, ...],
    before: Mapping[str, Observation],
    after: Mapping[str, Observation],
    configured: list[str],
    in_force: list[str] | None = None,
) -> Judged:
    remembered = baseline(checks, FABRIC, before, EXPECTED, configured)
    return judge(checks, FABRIC, after, EXPECTED, remembered, ["leaf1"], in_force or SWITCHES)["leaf1"]


def with_leaf(**parts: object) -> dict[str, Observation]:
    seen = good_observations(FABRIC)
    return {**seen, "leaf1": replace(seen["leaf1"], **parts)}  # type: ignore[arg-type]


def links(**states: str) -> dict[str, Observation]:
    found = dict(good_observations(FABRIC)["leaf1"].links or {})
    return with_leaf(links={name: replace(item, oper=states.get(name, item.oper)) for name, item in found.items()})


def uplink() -> str:
    return next(port.name for port, _, link in FABRIC.neighbors("leaf1") if link.b.device != "leaf1")


def host_port() -> str:
    return next(port.name for port, _, link in FABRIC.neighbors("leaf1") if link.b.device == "leaf1")


def test_all_well_passes(checks: tuple[Check, ...]) -> None:
    good = good_observations(FABRIC)
    assert judged(checks, good, good, SWITCHES).verdict is Verdict.PASS


def test_what_was_wrong_before_is_told_and_not_counted(checks: tuple[Check, ...]) -> None:
    bad = links(**{uplink(): "down"})
    found = judged(checks, bad, bad, SWITCHES)
    assert found.verdict is Verdict.PASS or "speed" in " ".join(found.messages)
    assert any("not up" in text for text in found.tolerated)


def test_what_is_new_counts(checks: tuple[Check, ...]) -> None:
    found = judged(checks, good_observations(FABRIC), links(**{uplink(): "down"}), SWITCHES)
    assert found.verdict is Verdict.FAIL


def test_a_device_never_configured_has_no_excuse(checks: tuple[Check, ...]) -> None:
    bad = links(**{uplink(): "down"})
    assert judged(checks, bad, bad, []).verdict is Verdict.FAIL


def test_a_node_that_was_off_is_no_reason_to_put_a_switch_back(checks: tuple[Check, ...]) -> None:
    off = links(**{host_port(): "down"})
    assert judged(checks, off, off, []).verdict is Verdict.PASS
    assert judged(checks, good_observations(FABRIC), off, []).verdict is Verdict.FAIL, "it went down by the change"


def test_a_link_to_a_switch_not_yet_in_force_is_not_judged(checks: tuple[Check, ...]) -> None:
    bad = links(**{uplink(): "down"})
    assert judged(checks, bad, bad, [], in_force=["leaf1"]).verdict is Verdict.PASS


@pytest.mark.parametrize("part", ["links", "bgp", "lldp", "roce", "system"])
def test_what_could_not_be_read_before_and_after_is_unknown_never_green(checks: tuple[Check, ...], part: str) -> None:
    blind = with_leaf(**{part: None, "problems": {part: "no answer"}})
    assert judged(checks, blind, blind, SWITCHES).verdict is Verdict.UNKNOWN


def test_a_check_that_breaks_before_and_after_is_an_error_never_green(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from intent.verify.api import check\n\n\n"
        '@check("breaks", title="t", subject="s")\n'
        "def breaks(context):\n    raise ValueError('no')\n",
        encoding="utf-8",
    )
    good = good_observations(FABRIC)
    assert judged(load([tmp_path]).checks, good, good, SWITCHES).verdict is Verdict.ERROR


def test_no_baseline_forgives_nothing(checks: tuple[Check, ...]) -> None:
    bad = links(**{uplink(): "down"})
    found = judge(checks, FABRIC, bad, EXPECTED, Baseline(), ["leaf1"], SWITCHES)["leaf1"]
    assert found.verdict is Verdict.FAIL
