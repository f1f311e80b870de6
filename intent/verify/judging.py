"""The judgement between apply and confirm: is a device at least as well as it was, and as the intent says?

Three things make it fair. A link is judged only where both ends hold their wanted state by now. A port towards a node
is judged only if it was up before: a node that is switched off is no reason to put a switch back. What was wrong
before, word for word, on a device that was configured before, is not this change's fault; it is told, not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from intent.core.verdict import Verdict, overall
from intent.device.observation import Observation
from intent.fabric.model import End, Fabric, Link, Tier
from intent.verify.api import Check, Expected, Phase
from intent.verify.engine import CheckResult, run

_BAD = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Baseline:
    """How things were before the change.

    Args:
        up: ports that were up.
        known: findings by device and check, of devices that were configured before.
    """

    up: frozenset[End] = frozenset()
    known: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)


def baseline(
    checks: Sequence[Check],
    fabric: Fabric,
    observations: Mapping[str, Observation],
    expected: Expected,
    configured: Collection[str],
) -> Baseline:
    """Remember how things are before anything is written.

    Args:
        checks: the checks that will judge.
        fabric: the compiled fabric.
        observations: of every device to be changed.
        expected: further facts of the intent.
        configured: devices that hold an earlier change of ours.
    """
    up = frozenset(
        End(name, port)
        for name, seen in observations.items()
        for port, state in (seen.links or {}).items()
        if state.oper == "up"
    )
    names = [name for name in observations if name in set(configured)]
    results = run(checks, fabric, observations, phase=Phase.POST, expected=expected, devices=names) if names else ()
    return Baseline(up, {(item.device, item.check): frozenset(item.messages) for item in results if item.messages})


@dataclass(frozen=True, slots=True)
class Judged:
    """What the checks say of one device.

    Args:
        verdict: only `pass` lets a change be kept.
        messages: what is wrong by this change.
        tolerated: what was wrong before, word for word.
    """

    verdict: Verdict
    messages: tuple[str, ...]
    tolerated: tuple[str, ...] = ()


def judge(
    checks: Sequence[Check],
    fabric: Fabric,
    observations: Mapping[str, Observation],
    expected: Expected,
    before: Baseline,
    devices: Sequence[str],
    in_force: Collection[str],
) -> dict[str, Judged]:
    """Judge devices that await confirmation.

    Args:
        checks: checks of the registry.
        fabric: the compiled fabric.
        observations: taken over new connections, after the apply.
        expected: further facts of the intent.
        before: how things were.
        devices: whom to judge.
        in_force: every device that holds its wanted state by now, `devices` included.
    """
    scope = _scope(before, frozenset(in_force))
    results = run(checks, fabric, observations, phase=Phase.POST, expected=expected, devices=list(devices), scope=scope)
    by_device: dict[str, list[CheckResult]] = {name: [] for name in devices}
    tolerated: dict[str, list[str]] = {name: [] for name in devices}
    for item in results:
        known = before.known.get((item.device, item.check), frozenset())
        fresh = tuple(text for text in item.messages if text not in known)
        tolerated[item.device] += [text for text in item.messages if text in known]
        forgiven = _forgivable(item) and not fresh
        by_device[item.device].append(replace(item, messages=fresh, verdict=Verdict.PASS if forgiven else item.verdict))
    return {
        name: Judged(
            overall(item.verdict for item in found),
            tuple(text for item in found if item.verdict in _BAD for text in item.messages or (item.message,)),
            tuple(tolerated[name]),
        )
        for name, found in by_device.items()
    }


def _forgivable(item: CheckResult) -> bool:
    """True for a finding that may have been there before.

    A check that broke, or could tell of nothing at all, judged nothing; that it did so before makes it no better.
    """
    if item.verdict is Verdict.UNKNOWN:
        return bool(item.messages) and item.judged > len(item.messages)
    return item.verdict is Verdict.FAIL and bool(item.messages)


def _scope(before: Baseline, in_force: frozenset[str]) -> Callable[[Link], bool]:
    def holds(link: Link) -> bool:
        if link.tier is Tier.HOST:
            return link.b in before.up
        return link.a.device in in_force and link.b.device in in_force

    return holds
