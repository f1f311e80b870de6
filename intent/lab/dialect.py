"""What differs between releases in the REST API, from the catalog's table, and the words of their trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intent.catalog.releases import numbers
from intent.catalog.source import read

_ON = frozenset({"enabled", "enable", "on", "yes"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """Behaviour of the API of a release; the fields are told in `rest_dialects.toml`."""

    delete_status: int
    delete_body: bool
    post_status: int
    patch_answer: str
    slash_ids: bool
    expand: bool
    tokens: bool
    oper_status: bool
    product_release: bool
    version_object: bool
    encrypts: bool
    commands: bool


def dialects() -> dict[tuple[int, int], Dialect]:
    """Every row of the table by the release it starts with."""
    rows: list[dict[str, Any]] = read("rest_dialects")["dialect"]
    return {numbers(row["from"]): Dialect(**{k: v for k, v in row.items() if k != "from"}) for row in rows}


def dialect_of(release: str, table: dict[tuple[int, int], Dialect]) -> Dialect:
    """The row that holds for a release: the last that starts at or before it; the first for older ones."""
    wanted = numbers(release)
    held = [start for start in sorted(table) if start <= wanted] or [min(table)]
    return table[held[-1]]


def is_on(value: Any) -> bool:
    """True for every spelling of on in any release."""
    return isinstance(value, str) and value in _ON


def switched_on(node: Any, *, default: bool = False) -> bool:
    """True when an object's `state` (5.15 and later) or `enable` (before) says on."""
    if not isinstance(node, dict):
        return False
    for key in ("state", "enable"):
        if key in node:
            return is_on(node[key])
    return default
