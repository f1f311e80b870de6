"""A leaf with more links to one spine than to another.

Flows spread over links, so the spine with more links fills first and the others idle.

Bad:
    topology: {uplinks: 9, ...}        # over 4 spines

Good:
    topology: {uplinks: 8, ...}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from intent.core.diagnostic import Severity
from intent.fabric.model import Device, Fabric, Role, Tier
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L205", "uneven-uplinks", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        yield from _uneven(fabric, Tier.FABRIC, Role.SPINE, _pod)
        yield from _uneven(fabric, Tier.CORE, Role.CORE, _group)


_Part = tuple[str, int, int, int]


def _uneven(fabric: Fabric, tier: Tier, role: Role, part: Callable[[Device], Iterator[_Part]]) -> Iterator[Finding]:
    links: dict[str, Counter[str]] = {}
    above: dict[_Part, list[str]] = {}
    for device in fabric.switches:
        if device.role is role:
            above.setdefault(next(part(device)), []).append(device.name)
    for link in fabric.links:
        if link.tier is tier:
            links.setdefault(link.a.device, Counter())[link.b.device] += 1
    for name, counts in links.items():
        own = next((above[each] for each in part(fabric.devices[name]) if each in above), [])
        numbers = [counts[each] for each in own]
        if numbers and min(numbers) != max(numbers):
            message = f"{name}: {min(numbers)} to {max(numbers)} links per {role} - expected the same to each"
            yield Finding(message, device=fabric.devices[name])


def _pod(device: Device) -> Iterator[_Part]:
    """Where a spine stands, or may stand for a leaf: for one rail of a unit, for a unit, for the whole plane."""
    for unit, rail in ((device.unit, device.rail), (device.unit, 0), (0, 0)):
        yield device.fabric, device.plane, unit, rail


def _group(device: Device) -> Iterator[_Part]:
    """The core group of a core switch, and of the spines whose number is that of the group."""
    yield device.fabric, device.plane, device.group or device.index, 0
