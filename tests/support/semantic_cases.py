"""Trees that a switch refuses at apply, and trees that it takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from intent.catalog.hardware import Catalog
from intent.catalog.releases import release_schema
from intent.lab.hardware import Panel
from intent.lab.rules.candidate import Rule
from intent.lab.semantics import judge
from intent.lab.walker import Schema

PANELS = {name: Panel.of(Catalog.load().switch(name)) for name in ("SN5600", "SN4700", "SN4600", "SN5640")}
SCHEMAS = {release: Schema(release_schema(release)) for release in ("5.9", "5.16")}

AR: dict[str, Any] = {"router": {"adaptive-routing": {"state": "enabled"}}}
UNNUMBERED = {"type": "unnumbered", "remote-as": 65101}

# Rule, model, tree, place and words of what the rule says.
Bad = tuple[str, str, dict[str, Any], str, str]
Good = tuple[str, dict[str, Any]]


def split(*cages: int, parts: int = 2) -> dict[str, Any]:
    """Front-panel ports split into parts."""
    return {f"swp{cage}": {"type": "swp", "link": {"breakout": {f"{parts}x": {}}}} for cage in cages}


def bgp(neighbor: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """BGP in the default VRF."""
    held = {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1", "neighbor": neighbor or {}, **more}
    return {"default": {"router": {"bgp": held}}}


def port(**parts: Any) -> dict[str, Any]:
    """A front-panel port."""
    return {"type": "swp", **parts}


def refused(case: Bad, rules: Iterable[Rule]) -> None:
    """One reason, at the place, and the schema lets the tree pass."""
    rule, model, tree, location, words = case
    assert SCHEMAS["5.16"].check(tree) == [], "the schema must let it pass"
    found = judge(tree, PANELS[model])
    assert [item.location for item in found if words in item.reason] == [location]
    assert rule in {each.__name__ for each in rules}


def taken(case: Good) -> None:
    """No reason at all."""
    model, tree = case
    assert SCHEMAS["5.16"].check(tree) == []
    assert judge(tree, PANELS[model]) == []


def names(cases: Iterable[Bad]) -> list[str]:
    """Names of cases, for the report."""
    return [f"{case[0]}-{at}" for at, case in enumerate(cases)]
