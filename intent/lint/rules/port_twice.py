"""Two cables in one port, or a cable in a port that there is not.

Bad:
    # leaf01 swp1s0 - spine01 swp1s0, leaf01 swp1s0 - spine02 swp1s0

Good:
    # leaf01 swp1s0 - spine01 swp1s0, leaf01 swp1s1 - spine02 swp1s0
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.model import End
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L208", "port-twice", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        seen: set[End] = set()
        for link in fabric.links:
            for end in (link.a, link.b):
                device = fabric.devices[end.device]
                if end.port not in device.ports:
                    yield Finding(f"{end.device} {end.port}: cabled, and there is no such port", device=device)
                if end in seen:
                    yield Finding(f"{end.device} {end.port}: two cables in one port", device=device)
                seen.add(end)
