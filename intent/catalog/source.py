"""Reading the catalog's data files: TOML with the source of each figure beside it."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from intent.core.errors import IntentError


def read(name: str) -> Mapping[str, Any]:
    """The content of `data/<name>.toml`."""
    source = files("intent.catalog") / "data" / f"{name}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


def near(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names that resemble `name`, closest first, whatever the case."""
    by_lower = {item.lower(): item for item in names}
    return tuple(by_lower[item] for item in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6))


class UnknownName(IntentError):
    """The catalog has no entry of that name.

    Args:
        kind: what was looked for (`switch`, `node type`).
        name: name as asked.
        names: names that exist.
    """

    def __init__(self, kind: str, name: str, names: Iterable[str]) -> None:
        known = tuple(names)
        self.near = near(name, known)
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else f"known: {', '.join(known)}"
        super().__init__(f"{kind} {name!r} is not in the catalog", hint=hint)
