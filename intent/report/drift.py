"""Live state against the intent: what differs, and the line of the intent it goes against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from intent.change.drift import Deviation, DeviceDrift, DriftReport, DriftState
from intent.change.grouping import show_value
from intent.core.tree import ABSENT, dotted
from intent.report.plan import difference_data, origin_data, origin_words
from intent.report.text import brief, clean, fold, joined, json_text, one_line

_STYLES = {DriftState.IN_SYNC: "green", DriftState.DRIFT: "bold yellow", DriftState.UNKNOWN: "bold red"}
_MOST = 60


def human(report: DriftReport, *, most: int = _MOST) -> Text:
    """Drift as people read it: equal deviations told once for all their devices.

    Args:
        report: what was found.
        most: deviations shown of each group.
    """
    lines: list[Text | str] = []
    if report.scope.partial:
        chosen = f" (--limit {brief(report.scope.limit)})" if report.scope.limit else ""
        what = f"PARTIAL: {len(report.scope.devices)} of {report.scope.total} devices{chosen}"
        lines.append(Text(what, "bold magenta"))
    groups: dict[tuple[Any, ...], list[DeviceDrift]] = {}
    for device in report.devices:
        if device.state is not DriftState.IN_SYNC:
            key = (device.state, device.detail, tuple(_key(item) for item in device.deviations))
            groups.setdefault(key, []).append(device)
    for members in groups.values():
        lines += _group(members, most)
    secrets = [device.device for device in report.devices if device.not_compared]
    if secrets:
        lines.append(Text(f"note: secrets could not be compared on {fold(secrets)}", "cyan"))
    return joined([*lines, headline(report)])


def headline(report: DriftReport) -> Text:
    """`23 in sync, 1 drift, 0 unknown`."""
    counts = report.counts
    if not report.devices:
        return Text("no device was compared", "bold red")
    parts = [Text(f"{counts.get(state, 0)} {state}", _STYLES[state] if counts.get(state) else "") for state in _STYLES]
    return Text(", ").join(parts)


def as_json(report: DriftReport) -> str:
    """Drift as JSON: `actual` is what the device holds, `expected` what the intent wants."""
    scope = report.scope
    body = {
        "scope": {"site": scope.site, "limit": list(scope.limit), "partial": scope.partial, "total": scope.total},
        "exit_code": int(report.exit_code),
        "counts": {str(state): report.counts.get(state, 0) for state in DriftState},
        "devices": [_device(device) for device in report.devices],
    }
    return json_text("drift", body)


def _device(device: DeviceDrift) -> dict[str, Any]:
    return {
        "device": device.device,
        "state": str(device.state),
        "detail": device.detail,
        "deviations": [_deviation(item) for item in device.deviations],
        "not_compared": [dotted(path) for path in device.not_compared],
    }


def _deviation(item: Deviation) -> dict[str, Any]:
    data = difference_data(item.difference)
    sides = {"actual": data.pop("before", None), "expected": data.pop("after", None)}
    return data | sides | {"origin": origin_data(item.origin)}


def _key(item: Deviation) -> tuple[Any, ...]:
    difference = item.difference
    return (difference.path, repr(difference.before), repr(difference.after))


def _group(members: list[DeviceDrift], most: int) -> Iterator[Text]:
    first = members[0]
    head = Text(f"{first.state}: ", _STYLES[first.state]).append(fold(d.device for d in members), "bold default")
    yield head.append(f" - {clean(first.detail)}", "not bold default") if first.detail else head
    for item in first.deviations[:most]:
        yield _line(item)
    if len(first.deviations) > most:
        yield Text(f"    … {len(first.deviations) - most} more; --json has all", "dim")


def _line(item: Deviation) -> Text:
    difference = item.difference
    expected, actual = _words(difference.after), _words(difference.before)
    text = Text(f"    {one_line(dotted(difference.path))}", "yellow")
    text.append(f" - expected {expected}, actual {actual}", "default")
    origin = origin_words(item.origin)
    return text.append(f"   # {origin}", "dim default") if origin else text


def _words(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    return one_line(show_value(value)) or "present"
