"""A device's configuration as we compare it: owned subtrees, canonical keys, secrets out of sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intent.catalog.patterns import match
from intent.core.differences import Differences
from intent.core.secret import referenced
from intent.core.tree import ABSENT, Path, Tree, digest, get
from intent.device.actor import Wanted
from intent.device.nvue.canonical import Canon, Canons, is_hidden
from intent.device.secrets import MASK, SecretStore, placeholders
from intent.formats.nvue.diff import Restriction


@dataclass(frozen=True, slots=True)
class Scoped:
    """What of a device's configuration is compared.

    Args:
        state: the tree, without any secret's value.
        not_compared: paths of secrets that could not be compared; `state` holds what is wanted there.
        digest: digest of the state.
    """

    state: Tree
    not_compared: tuple[Path, ...]
    digest: str


class Scope:
    """What one device must hold and which of its subtrees are ours.

    Args:
        wanted: what the device must hold.
        canon: canonical forms of its release.
    """

    __slots__ = ("_canon", "_last", "_placed", "_plain", "_restriction", "body", "excepted", "owned", "tree")

    def __init__(self, wanted: Wanted, canon: Canon) -> None:
        self._canon = canon
        self._last: tuple[Mapping[str, Any], Scoped] | None = None
        self.owned: tuple[Path, ...] = ((),) if wanted.replace else wanted.owned
        self.excepted = wanted.excepted
        # A live branch equal to one of these is as canonical as they are.
        self._plain = canon.plain(wanted.body, {})
        self.body = canon.expanded(wanted.body, self._plain)
        self._restriction = Restriction(self.owned, self.excepted)
        self.tree = self._restriction.of(self.body)
        self._placed = [path for path, _ in placeholders({k: v for k, v in self.tree.items() if k not in self._plain})]

    def holds_references(self, branch: str) -> bool:
        """True when a reference to a secret may stand in a branch of what is wanted."""
        return branch not in self._plain

    @property
    def live(self) -> Tree:
        """What was last seen of the device, in scope; empty when it was not looked at."""
        return self._last[1].state if self._last else {}

    def of(self, live: Mapping[str, Any], secrets: SecretStore) -> Scoped:
        """What of a live tree is compared.

        A live secret that equals the wanted one shows as its placeholder, any other as `(secret)`. One that cannot be
        compared (the device hides it, or the reference cannot be resolved here) shows as the placeholder and is
        listed.

        Args:
            live: tree as read, without defaults; the same object as the last time has the same answer.
            secrets: to compare with.
        """
        if self._last is not None and self._last[0] is live:
            return self._last[1]
        found = self._of(live, secrets)
        self._last = (live, found)
        return found

    def _of(self, live: Mapping[str, Any], secrets: SecretStore) -> Scoped:
        silent: set[Path] = set()
        tree = self._restriction.of(self.shown(live, secrets, silent, self._plain))
        # A reference may stand where the schema knows of no secret: in a raw tree of the user's.
        for path in self._placed:
            value = get(tree, path)
            if isinstance(value, str) and value != MASK and referenced(value) is None:
                tree = _with(tree, path, _shown(get(self.tree, path), path, value, secrets, silent))
        hidden = tuple(sorted(path for path in silent if get(tree, path) is not ABSENT))
        return Scoped(tree, hidden, digest(tree))

    def shown(
        self,
        tree: Mapping[str, Any],
        secrets: SecretStore,
        silent: set[Path] | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> Tree:
        """A tree of the device (or a diff of two) in canonical form, with what stands for its secrets.

        Args:
            tree: as the device answered.
            secrets: to compare with.
            silent: gets the paths of secrets that could not be compared.
            known: branches that are canonical; what is expected, where it is only compared.
        """
        quiet: set[Path] = set() if silent is None else silent

        def mask(path: Path, value: str) -> str:
            expected = get(self.body, path)
            if isinstance(expected, Mapping):
                return _key_shown(expected, path, value, secrets, quiet)
            return _shown(expected, path, value, secrets, quiet)

        return self._canon.tree(tree, mask, known)

    def changes(self, state: Mapping[str, Any]) -> Differences:
        """What leads from a scoped state to what is wanted."""
        return Differences.between(state, self.tree)

    def whole(self, path: Path) -> bool:
        """True when a subtree may be removed at its root: it is all ours, and nothing excepted lies in it."""
        inside = any(match((*owned, "**"), path) is not None for owned in self.owned)
        return inside and not any(match(taken[: len(path)], path) is not None for taken in self.excepted)


def _with(tree: Mapping[str, Any], path: Path, value: Any) -> Tree:
    """A tree with another value at a path; shares everything beside the path."""
    key, rest = path[0], path[1:]
    return {**tree, key: _with(tree[key], rest, value) if rest else value}


class Scopes:
    """Scopes of the devices of a run: each is asked for several times, and costs milliseconds to make."""

    def __init__(self, canons: Canons) -> None:
        self._canons = canons
        self._known: dict[str, tuple[Wanted, Scope]] = {}

    def of(self, wanted: Wanted) -> Scope:
        """The scope of a device's part of a change."""
        known = self._known.get(wanted.target.name)
        if known is None or known[0] is not wanted:
            known = (wanted, Scope(wanted, self._canons.of(wanted.target.release)))
            self._known[wanted.target.name] = known
        return known[1]


def _shown(expected: Any, path: Path, value: str, secrets: SecretStore, silent: set[Path]) -> str:
    """What stands for a live secret: the placeholder when it is the wanted one or cannot be compared."""
    name = referenced(expected)
    if name is None:
        return MASK
    mine = None if is_hidden(value) else secrets.peek(name)
    if mine is None:
        silent.add(path)
    return str(expected) if mine is None or mine == value else MASK


def _key_shown(expected: Mapping[str, Any], path: Path, key: str, secrets: SecretStore, silent: set[Path]) -> str:
    """The same for a key that is itself a secret, as an SNMP community."""
    names = {text: name for text in expected if (name := referenced(text)) is not None}
    values = {text: secrets.peek(name) for text, name in names.items()}
    for text, value in values.items():
        if value == key:
            return text
    unknown = [text for text, value in values.items() if value is None or is_hidden(key)]
    if len(unknown) == 1:
        silent.add((*path, unknown[0]))
        return unknown[0]
    return MASK
