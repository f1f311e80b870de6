"""A link between two planes.

Planes are independent copies: what fails in one must not touch the other.

Bad:
    # leaf of plane 1 - spine of plane 2

Good:
    # leaf of plane 1 - spine of plane 1
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L206", "plane-crossing", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        for link in fabric.links:
            a, b = fabric.devices[link.a.device], fabric.devices[link.b.device]
            planes = {device.plane for device in (a, b) if device.is_switch} | {link.plane}
            if len(planes) > 1:
                message = f"link {a.name} {link.a.port} - {b.name} {link.b.port} crosses planes"
                yield Finding(message, device=a, hint="a link and both its switches belong to one plane")
