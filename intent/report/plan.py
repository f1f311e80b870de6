"""What would change: equal differences told once for all their devices, each with the intent's line behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from intent.change.grouping import Group, Line, groups
from intent.change.plan import DevicePlan, DeviceState, Plan
from intent.core.exitcode import ExitCode
from intent.core.tree import ABSENT, Difference, Kind, dotted
from intent.device.actor import Disruption
from intent.render.artifact import Origin
from intent.report.impacts import impact_lines, rank, style, worst
from intent.report.text import brief, clean, fold, joined, json_text, lasting, one_line, plural, span_data

MARKS = {Kind.ADD: "+", Kind.CHANGE: "~", Kind.REMOVE: "-"}
STYLES = {Kind.ADD: "green", Kind.CHANGE: "yellow", Kind.REMOVE: "red"}
_MOST_LINES = 60
_LONGEST_VALUE = 160


def human(plan: Plan, *, most_lines: int = _MOST_LINES) -> Text:
    """A plan as people read it before they consent.

    Args:
        plan: the plan.
        most_lines: differences shown of each group; JSON has all. 0 shows all.
    """
    found = groups(plan)
    blocks: list[Text | str] = [_partial(plan)] if plan.scope.partial else []
    blocks += [_group(number, group, most_lines) for number, group in enumerate(found, start=1)]
    blocks += _unread(plan)
    blocks += [Text("note: ", "cyan").append(clean(note)) for note in plan.notes]
    secrets = [device.name for device in plan.devices if device.not_compared]
    if secrets:
        blocks.append(Text(f"note: secrets could not be compared on {fold(secrets)}", "cyan"))
    blocks.append(headline(plan))
    if found:
        blocks += [disruption_line(plan), waves_line(plan)]
    blocks.append(Text(f"plan {plan.digest}", "dim"))
    return joined(blocks)


def headline(plan: Plan) -> Text:
    """`24 to change (8 new), 0 unchanged, 1 unreachable`."""
    states = Counter(device.state for device in plan.devices)
    new = sum(device.new for device in plan.to_change)
    change = f"{states[DeviceState.CHANGE]} to change" + (f" ({new} new)" if new else "")
    text = Text(change, "bold yellow" if plan.to_change else "bold green")
    text.append(f", {states[DeviceState.UNCHANGED]} unchanged", "default")
    unreachable = Text(f", {states[DeviceState.UNREACHABLE]} unreachable", "default")
    if states[DeviceState.UNREACHABLE]:
        unreachable.stylize("bold red", 2)
    text.append_text(unreachable)
    for state in (DeviceState.UNKNOWN, DeviceState.MISMATCH):
        if states[state]:
            text.append(", ").append(f"{states[state]} {state}", "bold red")
    if plan.scope.partial:
        text.append(f" - partial: {len(plan.devices)} of {plan.scope.total} devices", "bold magenta")
    return text


def disruption_line(plan: Plan) -> Text:
    """What the whole plan does to traffic, in one line: devices by the worst that happens to them."""
    counts = Counter(worst(device.disruptions) for device in plan.to_change)
    severe = [(severity, counts[severity]) for severity in sorted(counts, key=rank) if severity != "none"]
    if not severe:
        return Text("no disruption of traffic expected", "green")
    parts = [Text(f"{severity} on {plural(count, 'device')}", style(severity)) for severity, count in severe]
    return Text("disruption: ", "bold").append_text(Text(", ").join(parts))


def waves_line(plan: Plan) -> Text:
    """In how many waves the plan goes, and what the waiting between them alone takes: a change window has an end."""
    waves = plan.waves
    most = max(len(wave.devices) for wave in waves)
    text = Text("waves: ", "bold").append(f"{len(waves)}, of at most {plural(most, 'device')}", "not bold")
    if waves[0].canary:
        text.append(f", a canary of {len(waves[0].devices)} first", "not bold")
    soak_s = plan.strategy.soak_s
    if soak_s and len(waves) > 1:
        each, all_of_it = lasting(soak_s), lasting(soak_s * (len(waves) - 1))
        text.append(f"; {each} of soak after each but the last: {all_of_it} at least", "not bold")
    return text


def as_json(plan: Plan) -> str:
    """A plan as JSON: counts, waves, groups, every device with its differences; its secrets are masked already."""
    states = Counter(device.state for device in plan.devices)
    body = {
        "plan": plan.kind,
        "digest": plan.digest,
        "intent": plan.intent_name,
        "created_at": plan.created_at,
        "rolls_back": plan.rolls_back,
        "scope": {
            "site": plan.scope.site,
            "limit": list(plan.scope.limit),
            "partial": plan.scope.partial,
            "total": plan.scope.total,
        },
        "counts": {str(state): states[state] for state in DeviceState} | {"new": plan.counts.new},
        "changes_pending": plan.exit_code(detailed=True) is ExitCode.CHANGES or bool(plan.to_change),
        "notes": list(plan.notes),
        "waves": [{"number": wave.number, "canary": wave.canary, "devices": list(wave.devices)} for wave in plan.waves],
        "groups": [group_data(group) for group in groups(plan)],
        "devices": [_device(device) for device in plan.devices],
    }
    return json_text("plan", body)


def group_data(group: Group) -> dict[str, Any]:
    """One group as plain data."""
    return {
        "devices": list(group.devices),
        "equal": group.equal,
        "new": group.new,
        "revert": group.revert,
        "disruptions": [_disruption(item) for item in group.disruptions],
        "lines": [
            {
                "kind": str(line.kind),
                "path": line.path,
                "before": line.before,
                "after": line.after,
                "least": line.least,
                "most": line.most,
                "origin": origin_data(line.origin),
            }
            for line in group.lines
        ],
    }


def origin_data(origin: Origin | None) -> dict[str, Any] | None:
    """An origin as plain data."""
    return {"span": span_data(origin.span), "reason": origin.reason} if origin else None


def difference_data(item: Difference) -> dict[str, Any]:
    """A difference as plain data; a side that is absent has no key."""
    data: dict[str, Any] = {"path": list(item.path), "dotted": dotted(item.path), "kind": str(item.kind)}
    sides = (("before", item.before), ("after", item.after))
    return data | {side: value for side, value in sides if value is not ABSENT}


def origin_words(origin: Origin | None) -> str:
    """`sites/par1.yaml:12 (loopback pool)`; what the program sets by itself says so."""
    if origin is None:
        return ""
    place = f"{origin.span.file}:{origin.span.line}" if origin.span else "default"
    return one_line(f"{place} ({origin.reason})" if origin.reason else place)


def _partial(plan: Plan) -> Text:
    scope = plan.scope
    chosen = f" (--limit {brief(scope.limit)})" if scope.limit else ""
    what = f"PARTIAL PLAN: {len(scope.devices)} of {scope.total} devices{chosen}"
    return Text(what, "bold magenta").append("; the others are neither read nor changed\n", "not bold")


def _group(number: int, group: Group, most: int) -> Text:
    count = len(group.devices)
    title = Text(f"[{number}] ", "dim").append(fold(group.devices), "bold not dim")
    words = []
    if count > 1:
        words.append(f"{'same' if group.equal else 'alike'} on {plural(count, 'device')}")
    if group.new:
        words.append("new")
    if words:
        title.append(f": {', '.join(words)}", "not dim")
    shown = group.lines[:most] if most else group.lines
    rows: list[Text | str] = [title, *(_line(line, group.equal) for line in shown)]
    if len(shown) < len(group.lines):
        rest = Counter(line.kind for line in group.lines[len(shown) :])
        words = [f"{MARKS[kind]}{rest[kind]}" for kind in Kind if rest[kind]]
        rows.append(Text(f"    … {' '.join(words)} more lines; --json has all", "dim"))
    if group.disruptions and not group.equal:
        rows.append(Text(f"    on {one_line(group.devices[0])}, and alike on the others:", "dim"))
    rows += impact_lines(group.disruptions)
    if group.revert:
        rows.append(Text("    reverts: ", "cyan").append(clean(group.revert), "default"))
    return joined([*rows, ""])


def _line(line: Line, equal: bool) -> Text:
    style = STYLES[line.kind]
    text = Text(f"    {MARKS[line.kind]} {one_line(line.path)}", style)
    before, after = _short(line.before), _short(line.after)
    if line.kind is Kind.CHANGE:
        text.append(f" {before} → {after}")
    elif before or after:
        text.append(f" {before or after}")
    if not equal and (line.least, line.most) != (1, 1):
        many = str(line.most) if line.least == line.most else f"{line.least} to {line.most}"
        text.append(f"  x {many}", "not bold default")
    origin = origin_words(line.origin)
    return text.append(f"   # {origin}", "dim default") if origin else text


def _unread(plan: Plan) -> Iterator[Text]:
    reasons: dict[tuple[DeviceState, str], list[str]] = {}
    for device in plan.devices:
        if device.state not in (DeviceState.CHANGE, DeviceState.UNCHANGED):
            reasons.setdefault((device.state, device.detail), []).append(device.name)
    for (state, detail), names in reasons.items():
        yield (
            Text(f"{state}: ", "bold red")
            .append(fold(names), "bold default")
            .append(f" - {clean(detail) or 'no reason given'}", "not bold default")
        )


def _device(device: DevicePlan) -> dict[str, Any]:
    target = device.wanted.target
    return {
        "name": device.name,
        "state": str(device.state),
        "new": device.new,
        "detail": device.detail,
        "platform": target.platform,
        "release": target.release,
        "model": target.model,
        "wanted_digest": device.wanted_digest,
        "live_digest": device.live_digest,
        "differences": [
            difference_data(item) | {"origin": origin_data(origin)}
            for item, origin in zip(device.differences, device.origins, strict=True)
        ],
        "disruptions": [_disruption(item) for item in device.disruptions],
        "revert": device.revert,
        "not_compared": [dotted(path) for path in device.not_compared],
    }


def _disruption(item: Disruption) -> dict[str, str]:
    return {"severity": item.severity, "scope": item.scope, "reason": item.reason}


def _short(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[:_LONGEST_VALUE]}… ({len(shown)} characters)"
