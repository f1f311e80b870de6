"""NVLink of racks that are not there.

A domain is given to a rack that the site does not have, that has no NVLink switches, or that `racks` leaves out; or
`racks` picks none at all.

Bad:
    racks: [{name: "ibg{01..02}", type: gb200-nvl72}]
    nvlink: {racks: "gpu*", domains: {ibg3: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}

Good:
    racks: [{name: "ibg{01..02}", type: gb200-nvl72}]
    nvlink: {racks: "ibg*", domains: {ibg01: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.racks import nvlink_racks, partitioned_racks
from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L313", "nvlink-racks", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        if site.nvlink is None:
            continue
        every, picked = nvlink_racks(context, name), partitioned_racks(context, name)
        hint = f"racks with NVLink switches: {', '.join(every[:5])}{' …' if len(every) > 5 else ''}" if every else ""
        if not picked:
            message = f"nvlink.racks {site.nvlink.racks!r} picks no rack with NVLink switches"
            said = "racks" in site.nvlink.model_fields_set
            path: Location = ("sites", name, "nvlink", *(("racks",) if said else ()))
            yield Finding(message, path, hint=hint or "no rack of the site has any")
            continue
        for rack in site.nvlink.domains:
            path = ("sites", name, "nvlink", "domains", rack)
            if rack not in every:
                yield Finding(f"the site has no rack {rack} with NVLink switches", path, hint=hint)
            elif rack not in picked:
                message = f"rack {rack} has a domain, and nvlink.racks {site.nvlink.racks!r} leaves it out"
                yield Finding(message, path, hint="widen racks, or take the domain out")
