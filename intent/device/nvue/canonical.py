"""Trees of one release in canonical form, by the release's schema: ranges written out, secrets masked."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import Any

from intent.catalog.releases import RELEASES, numbers
from intent.core.errors import IntentError
from intent.core.tree import Tree, vocabulary
from intent.formats.nvue.normalise import Mask, normalise
from intent.formats.nvue.schema import Schema


def is_hidden(value: Any) -> bool:
    """True for a secret the device does not show: stars, or its own ciphertext."""
    return isinstance(value, str) and (value.startswith("$nvsec$") or (value != "" and set(value) == {"*"}))


# A key that may stand for several (`swp1-4`, `swp1,swp3`, `10,20`), or that is a secret's reference.
_NOT_PLAIN = re.compile(r"[0-9]-[0-9]|,|\$secret:")


class Canon:
    """Canonical forms for one release.

    The walk by the schema costs milliseconds for a large switch. Branches at the top of the tree that hold neither a
    possible range nor a possible secret are canonical as they stand, and are not walked nor copied.

    Args:
        schema: the release's schema.
    """

    __slots__ = ("_names", "_schema")

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        held = schema.secrets
        self._names = held.leaves | held.maps | {pattern[-1] for pattern in held.patterns}

    def tree(self, tree: Mapping[str, Any], mask: Mask | None = None, known: Mapping[str, Any] | None = None) -> Tree:
        """A copy with ranges written out and secrets masked; references to secrets stay.

        Args:
            tree: in the release's dialect.
            mask: what to show for a secret; `(secret)` when not given.
            known: branches known to be canonical: a branch equal to one of them is not walked.
        """
        plain = self.plain(tree, known or {})
        walked = {key: value for key, value in tree.items() if key not in plain}
        if not walked:
            return dict(tree)
        normal = normalise(walked, self._schema, mask).tree
        return plain | normal

    def plain(self, tree: Mapping[str, Any], known: Mapping[str, Any]) -> Tree:
        """The branches that are canonical as they stand; no secret is in them, nor a reference to one.

        Args:
            tree: in the release's dialect.
            known: branches known to be.
        """
        return {
            key: value
            for key, value in tree.items()
            if (key in known and value == known[key]) or self._plain(key, value)
        }

    def _plain(self, key: str, value: Any) -> bool:
        """True when nothing below a key can be a range, a secret or its reference."""
        names, texts = vocabulary({key: value})
        if not names.isdisjoint(self._names):
            return False
        if any(map(_NOT_PLAIN.search, names)):
            return False
        return not any(text.startswith("$nvsec$") or "$secret:" in text for text in texts)

    def expanded(self, tree: Mapping[str, Any], known: Mapping[str, Any] | None = None) -> Tree:
        """A copy with ranges written out and secrets as they are; `known` as in `tree`."""
        return self.tree(tree, lambda _path, value: value, known)


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
