"""Runs checks on observations. Nothing judged is never green."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.core.errors import IntentError
from intent.core.verdict import Verdict, overall
from intent.device.observation import Observation
from intent.fabric.model import Device, Fabric, Link
from intent.verify.api import Check, Context, Expected, PartMissing, Phase, Result
from intent.verify.names import Directory
from intent.verify.registry import one_line

MOST_RESULTS = 100_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check says about one device.

    Args:
        device: name of the device.
        check: name of the check.
        title: what holds when it passes.
        subject: what the check is about.
        phase: when it ran.
        verdict: the worst of its results.
        messages: what is not as it should be, or cannot be told, each in one sentence; the worst first.
        notes: remarks beside passes, and reasons of what was skipped.
        judged: how many things were judged (passes, failures and unknowns).
    """

    device: str
    check: str
    title: str
    subject: str
    phase: Phase
    verdict: Verdict
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    judged: int = 0

    @property
    def message(self) -> str:
        """One line: the first message and how many more there are; the first note when there is none."""
        texts = self.messages or self.notes
        more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
        return texts[0] + more if texts else ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Results in numbers.

    Args:
        overall: worst verdict of all devices.
        devices: worst verdict of each device, in the order they were judged.
        checks: how many results have each verdict.
    """

    overall: Verdict
    devices: Mapping[str, Verdict]
    checks: Mapping[Verdict, int] = field(default_factory=dict)

    def __str__(self) -> str:
        counts = Counter(self.devices.values())
        parts = [f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict]]
        count = len(self.devices)
        return f"{count} device{'' if count == 1 else 's'}: {', '.join(parts)}"


def run(
    checks: Iterable[Check],
    fabric: Fabric,
    observations: Mapping[str, Observation],
    *,
    phase: Phase,
    expected: Expected | None = None,
    devices: Sequence[str] | None = None,
    scope: Callable[[Link], bool] | None = None,
) -> tuple[CheckResult, ...]:
    """Judge devices by what was observed.

    Args:
        checks: checks of a registry; those of another phase are left out.
        fabric: the compiled fabric.
        observations: by device name; a device without one is `unknown`.
        phase: before a change, after it, or on request.
        expected: further facts of the intent.
        devices: names to judge; every switch when None.
        scope: links to judge; every link when None.

    Returns:
        One result for each device and check that applies to its role: devices in the fabric's order, checks in
        theirs.

    Raises:
        IntentError: no check or no device is left to judge, or a name the fabric does not hold.
    """
    chosen = tuple(item for item in checks if phase in item.phases)
    if not chosen:
        raise IntentError(f"no check to run in phase {phase}", hint="nothing checked is not a success; see validators/")
    targets = _targets(fabric, devices)
    directory = Directory(fabric.devices)
    results: list[CheckResult] = []
    for device in targets:
        observation = observations.get(device.name) or Observation(
            device.name, "", problems={"device": "it was not observed"}
        )
        context = Context(device, fabric, observation, expected or Expected(), phase, directory, scope)
        results += [judge(item, context) for item in chosen if device.role in item.roles]
    if not results:
        raise IntentError("no check applies to the devices chosen", hint="nothing checked is not a success")
    return tuple(results)


def judge(item: Check, context: Context) -> CheckResult:
    """One check on one device. A check that raises is an `error` verdict with its file and line, never a traceback."""
    results: list[Result] = []  # what was judged before a check broke stays
    missing = next((part for part in item.parts if getattr(context.observation, part) is None), None)
    try:
        if missing is not None:
            raise PartMissing(missing)
        results.extend(_results(item, context))
    except PartMissing as error:
        results.append(Result(Verdict.UNKNOWN, _not_read(context.observation, error.part)))
    except (Exception, SystemExit) as error:
        results.append(Result(Verdict.ERROR, f"Check: {item.name} - broke at {_where(error)}"))
    if not results:
        results.append(_nothing(item, context))
    return _folded(item, context, results)


def _nothing(item: Check, context: Context) -> Result:
    """A check that yields nothing: unknown, unless it had no link to look at because none is to be judged yet."""
    if context.scope is not None and next(context.cabled(), None) is None:
        return Result(Verdict.SKIPPED, "no link of the device is to be judged yet")
    return Result(Verdict.UNKNOWN, f"Check: {item.name} - judged nothing")


def by_device(results: Iterable[CheckResult]) -> dict[str, Verdict]:
    """The worst verdict of each device, in the order they come."""
    seen: dict[str, list[Verdict]] = {}
    for result in results:
        seen.setdefault(result.device, []).append(result.verdict)
    return {device: overall(verdicts) for device, verdicts in seen.items()}


def summary(results: Sequence[CheckResult]) -> Summary:
    """Results in numbers. No result at all is unknown."""
    devices = by_device(results)
    counts = Counter(result.verdict for result in results)
    return Summary(overall(devices.values()), devices, {v: counts[v] for v in Verdict if counts[v]})


def records(results: Iterable[CheckResult]) -> list[dict[str, Any]]:
    """Results as plain data for JSON and JUnit: one record per device and check, in order."""
    return [
        {
            "device": result.device,
            "check": result.check,
            "title": result.title,
            "subject": result.subject,
            "phase": str(result.phase),
            "verdict": str(result.verdict),
            "messages": list(result.messages),
            "notes": list(result.notes),
            "judged": result.judged,
        }
        for result in results
    ]


def _targets(fabric: Fabric, devices: Sequence[str] | None) -> tuple[Device, ...]:
    if devices is None:
        chosen = fabric.switches
    else:
        strange = [name for name in devices if name not in fabric.devices]
        if strange:
            raise IntentError(f"no device {strange[0]!r} in the fabric")
        wanted = set(devices)
        chosen = tuple(device for name, device in fabric.devices.items() if name in wanted)
    if not chosen:
        raise IntentError("no device to judge", hint="nothing checked is not a success")
    return chosen


def _results(item: Check, context: Context) -> Iterator[Result]:
    answer: object = item(context)  # a user's function: its annotation is not proof
    if isinstance(answer, Result):
        answer = (answer,)
    if not isinstance(answer, Iterable):
        raise TypeError(f"returned {type(answer).__name__}; yield passed(), failed(), skipped() or unknown()")
    for number, result in enumerate(answer):
        if number >= MOST_RESULTS:
            raise ValueError(f"yielded more than {MOST_RESULTS} results")
        if not isinstance(result, Result):
            raise TypeError(f"yielded {type(result).__name__}, not passed(), failed(), skipped() or unknown()")
        yield result


def _not_read(observation: Observation, part: str) -> str:
    why = observation.problems.get(part) or observation.problems.get("device")
    return f"Observation: {part} - could not be read{f' - {why}' if why else ''}"


def _where(error: BaseException) -> str:
    # The validator's own line says more than a line inside a library it called.
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [at for at in frames if at[0].f_globals.get("__name__", "").startswith("intent._validators.")]
    frame, line = (own or frames)[-1]
    return f"{frame.f_code.co_filename}:{line}: {type(error).__name__}: {one_line(error)}"


def _folded(item: Check, context: Context, results: Sequence[Result]) -> CheckResult:
    bad = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN)
    counts = Counter([result.verdict for result in results])
    # Most pass without a word.
    telling = [result for result in results if result.message or result.verdict in bad]
    messages = [result.message or f"Check: {item.name} - {verdict} without a message" for verdict in bad
                for result in telling if result.verdict is verdict]  # fmt: skip
    good = [result.message for result in telling if result.verdict not in bad]
    return CheckResult(
        device=context.device.name,
        check=item.name,
        title=item.title,
        subject=item.subject,
        phase=context.phase,
        verdict=overall(counts),
        messages=tuple(dict.fromkeys(messages)),
        notes=tuple(dict.fromkeys(good)),
        judged=sum(counts[verdict] for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN)),
    )
