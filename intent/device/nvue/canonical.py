"""Trees of one release in canonical form, by the release's schema: ranges written out, secrets masked."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from intent.catalog.releases import RELEASES, numbers
from intent.core.errors import IntentError
from intent.core.tree import Tree
from intent.formats.nvue.normalise import Mask, normalise
from intent.formats.nvue.schema import Schema


def is_hidden(value: Any) -> bool:
    """True for a secret the device does not show: stars, or its own ciphertext."""
    return isinstance(value, str) and (value.startswith("$nvsec$") or (value != "" and set(value) == {"*"}))


class Canon:
    """Canonical forms for one release.

    Args:
        schema: the release's schema.
    """

    __slots__ = ("_schema",)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def tree(self, tree: Mapping[str, Any], mask: Mask | None = None) -> Tree:
        """A copy with ranges written out and secrets masked; references to secrets stay.

        Args:
            tree: in the release's dialect.
            mask: what to show for a secret; `(secret)` when not given.
        """
        return normalise(tree, self._schema, mask).tree

    def expanded(self, tree: Mapping[str, Any]) -> Tree:
        """A copy with ranges written out and secrets as they are."""
        return normalise(tree, self._schema, lambda _path, value: value).tree


class Canons:
    """Canons by release, each schema read once by whoever holds this."""

    def __init__(self) -> None:
        self._known: dict[str, Canon] = {}
        self._lock = threading.Lock()

    def of(self, release: str) -> Canon:
        """The canon of a release; for one we have no schema of, that of the nearest older, else the oldest.

        Only keys that are ranges and places of secrets are taken from it, which hardly change.

        Args:
            release: `5.16.4`; empty for the newest.
        """
        name = _nearest(release)
        with self._lock:
            if name not in self._known:
                self._known[name] = Canon(Schema.load(name))
            return self._known[name]


def _nearest(release: str) -> str:
    try:
        wanted = numbers(release)
    except IntentError:
        return RELEASES[-1]
    older = [name for name in RELEASES if numbers(name) <= wanted]
    return older[-1] if older else RELEASES[0]
