"""Two entries make a node or rack of the same name, or a host has that of its own UFM, which is `FABRIC-ufm`.

Bad:
    nodes: [{name: "n{01..08}", type: dgx-b300}, {name: "n{08..16}", type: dgx-h100}]

Good:
    nodes: [{name: "n{01..08}", type: dgx-b300}, {name: "n{09..16}", type: dgx-h100}]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from intent.core.ranges import expand
from intent.lint.members import MOST, members
from intent.lint.rule import Context, Finding, Rule
from intent.schema.model import Site
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L106", "name-clash", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        nodes = [(node.name, node.path) for node in members(name, site, context.catalog)]
        yield from _twice("node", nodes)
        yield from _twice("rack", list(islice(_racks(name, site), MOST)))
        yield from _ufms(name, site)


def _racks(name: str, site: Site) -> Iterator[tuple[str, Location]]:
    for number, entry in enumerate(site.racks):
        for rack in expand(entry.name):
            yield rack, ("sites", name, "racks", number, "name")


def _ufms(name: str, site: Site) -> Iterator[Finding]:
    """Hosts of subnet managers that are called as a fabric's UFM itself is."""
    ufms = {f"{key}-ufm" for key, fabric in site.fabrics.items() if fabric.subnet_manager.by == "ufm"}
    for key, fabric in site.fabrics.items():
        for number, host in enumerate(fabric.subnet_manager.hosts):
            if host.name in ufms:
                path = ("sites", name, "fabrics", key, "subnet_manager", "hosts", number, "name")
                yield Finding(f"host {host.name} is called as UFM itself is", path, hint="give it another name")


def _twice(kind: str, named: list[tuple[str, Location]]) -> Iterator[Finding]:
    first: dict[str, Location] = {}
    clashes: dict[tuple[Location, Location], list[str]] = {}
    for name, path in named:
        if name in first:
            clashes.setdefault((first[name], path), []).append(name)
        else:
            first[name] = path
    for (before, after), names in clashes.items():
        more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
        related = ((before, "first made here"),) if before != after else ()
        yield Finding(f"{kind} {names[0]}{more} made twice", after, hint="narrow one of the ranges", related=related)
