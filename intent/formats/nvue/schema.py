"""Strict check of NVUE trees against the flattened schema of a release.

Unknown keys, wrong types, coercion, values out of range, malformed keys and null are all errors. Trees that are right
pass through compiled tests in well under a millisecond; only a tree with an error is walked a second time, for words.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from intent.catalog.releases import SchemaData, release_schema
from intent.catalog.secrets import SecretPaths
from intent.core.diagnostic import Diagnostic
from intent.core.tree import Path, Tree, dotted
from intent.formats.nvue.keys import KEY_RULES
from intent.formats.nvue.leaf import Alternative, Test, acceptor, typed, wanted, words_of

UNKNOWN_KEY = "N001"
BAD_KEY = "N002"
NOT_A_MAP = "N003"
BAD_VALUE = "N004"
NULL = "N005"
TOO_MANY = "N006"

_KINDS = ("keys", "map", "free", "leaf")
_LIMIT = 200
_REMEMBERED = 8192
_REMEMBERED_OF_LEAF = 256
_TRUTH = "YAML 1.1 reads unquoted on, off, yes, no as a boolean: quote it"


class Schema:
    """One release's schema, compiled as it is used. Keep it: the second tree is checked faster than the first.

    Args:
        data: flattened schema (`intent.catalog.releases`).
        secrets: where secrets stand, so that no message shows one.
    """

    def __init__(self, data: SchemaData, secrets: SecretPaths) -> None:
        self.release: str = data["release"]
        self.root: int = data["root"]
        self.secrets = secrets
        self._nodes: list[dict[str, Any]] = data["nodes"]
        self._kinds = [next(kind for kind in _KINDS if kind in node) for node in self._nodes]
        self._slots: dict[int, Slot] = {}

    @classmethod
    def load(cls, release: str) -> Schema:
        """The schema of a release, from the catalog.

        Raises:
            IntentError: no schema is known for the release.
        """
        return cls(release_schema(release), SecretPaths.load())

    # -- navigation ---------------------------------------------------------

    def child(self, index: int, key: str) -> int | None:
        """Index of the node below a node; None when the schema has none or leaves it open."""
        node = self._nodes[index]
        if "keys" in node:
            found: int | None = node["keys"].get(key)
            return found
        inner: int | None = node.get("map")
        return inner

    def find(self, path: Path) -> int | None:
        """Index of the node at a path; None when the release has no such path or leaves it open."""
        index: int | None = self.root
        for key in path:
            index = self.child(index, key) if index is not None else None
        return index

    def kind(self, index: int) -> str:
        """`keys`, `map`, `free` or `leaf`."""
        return self._kinds[index]

    def key_rule(self, index: int) -> str | None:
        """Name of the format of a map's or an open set's keys; None where it has none."""
        node = self._nodes[index]
        rule: str | None = node.get("key") or node.get("free")
        return rule

    def knows(self, path: Path) -> bool:
        """True when the release has a path, be it only as the member of an open set."""
        index: int | None = self.root
        for key in path:
            if index is None:
                return False
            if self.kind(index) == "free":
                return True
            index = self.child(index, key)
        return index is not None

    def accepts(self, index: int, value: Any) -> bool:
        """True when a value (a scalar or a tree) may stand at a node."""
        return self._passes(index, value)

    def words(self, index: int) -> list[str]:
        """Words of the enumeration at a leaf; none where it is no enumeration."""
        return words_of(self._nodes[index].get("leaf", ()))

    # -- check --------------------------------------------------------------

    def valid(self, tree: Any) -> bool:
        """True when a tree has no error."""
        return self._passes(self.root, tree)

    def check(self, tree: Any, device: str = "") -> tuple[Diagnostic, ...]:
        """Every error of a tree, with its path; none when it is right.

        Args:
            tree: the configuration, without header and `set`.
            device: name for the diagnostics.
        """
        return self.check_at((), tree, device)

    def check_at(self, path: Path, value: Any, device: str = "") -> tuple[Diagnostic, ...]:
        """Every error of what stands at a path; none where the schema leaves the path open or does not know it.

        Args:
            path: where it stands.
            value: scalar or tree.
            device: name for the diagnostics.
        """
        index = self.find(path)
        if index is None or self._passes(index, value):
            return ()
        found: list[Diagnostic] = []
        for code, at, message, hint in self._problems(index, value, path):
            if len(found) >= _LIMIT:
                found.append(Diagnostic(TOO_MANY, f"more than {_LIMIT} errors: the rest is not shown", device=device))
                break
            found.append(
                Diagnostic(code, f"{dotted(at) or 'tree'}: {message}", hint=hint, device=device, path=dotted(at))
            )
        return tuple(found)

    def resolve(self, tree: Mapping[str, Any], device: str = "") -> tuple[Tree, tuple[Diagnostic, ...]]:
        """A raw tree whose scalars are texts as written, resolved by the types of this release and checked.

        Args:
            tree: an override as a person wrote it.
            device: name for the diagnostics.

        Returns:
            The typed tree and every error in it.
        """
        result: Tree = self._resolved(self.root, tree)
        return result, self.check(result, device)

    def _resolved(self, index: int | None, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                str(key): self._resolved(None if index is None else self.child(index, str(key)), item)
                for key, item in value.items()
            }
        if index is None or "leaf" not in self._nodes[index]:
            return {} if value is None else value
        leaf = self._nodes[index]["leaf"]
        if isinstance(value, list):
            return [_resolved_scalar(leaf, item) for item in value]
        return _resolved_scalar(leaf, value)

    # -- compiled tests -----------------------------------------------------

    def _slot(self, index: int) -> Slot:
        slot = self._slots.get(index)
        if slot is None:
            node = self._nodes[index]
            if "leaf" in node:
                slot = Slot(None, {}, acceptor(node["leaf"]))
            elif "keys" in node:
                slot = Slot(_Keys(node["keys"], self._slot), {}, _never)
            elif "map" in node:
                slot = Slot(_AnyKey(node["key"], self._slot(node["map"])), {}, _never)
            else:
                slot = Slot(_AnyKey(node["free"], Slot(None, {}, _always)), {}, _never)
            self._slots[index] = slot
        return slot

    def _passes(self, index: int, value: Any) -> bool:
        below, _, test = self._slot(index)
        if below is None:
            return test(value)
        return value.__class__ is dict and _walk(below, value)

    # -- words --------------------------------------------------------------

    def _problems(self, index: int, value: Any, path: Path) -> Iterator[tuple[str, Path, str, str]]:
        if self._passes(index, value):
            return
        node = self._nodes[index]
        if value is None:
            yield NULL, path, "null: it would unset the key", "leave the key out"
        elif "leaf" in node:
            yield BAD_VALUE, path, *self._value_words(node["leaf"], value, path)
        elif not isinstance(value, dict):
            yield NOT_A_MAP, path, f"a map is needed, {_kind(value)} given", ""
        else:
            for key, item in value.items():
                yield from self._key_problems(node, key, item, path)

    def _key_problems(
        self, node: dict[str, Any], key: Any, item: Any, path: Path
    ) -> Iterator[tuple[str, Path, str, str]]:
        shown = "(secret)" if self.secrets.has_secret_keys(path) else _short(str(key))
        at = (*path, shown)
        if not isinstance(key, str):
            hint = _TRUTH if isinstance(key, bool) else "quote the key"
            yield BAD_KEY, at, f"a key must be a text, {_kind(key)} given", hint
            key = str(key)
        if "keys" in node:
            if key not in node["keys"]:
                yield UNKNOWN_KEY, at, f"release {self.release} has no key {shown!r} here", _near(key, node["keys"])
                return
            yield from self._problems(node["keys"][key], item, at)
            return
        rule = KEY_RULES.get(node.get("key") or node.get("free") or "")
        wrong = rule(key) if rule else ""
        if wrong:
            yield BAD_KEY, at, f"bad key: {wrong}", ""
        if "map" in node:
            yield from self._problems(node["map"], item, at)

    def _value_words(self, leaf: list[Alternative], value: Any, path: Path) -> tuple[str, str]:
        hint = ""
        if isinstance(value, bool):
            hint = _TRUTH
        elif isinstance(value, str):
            number = typed(value, leaf, acceptor(leaf))
            near = difflib.get_close_matches(value, words_of(leaf), n=2, cutoff=0.5)
            if not isinstance(number, str):
                hint = "write the number without quotes"
            elif near:
                hint = f"did you mean {' or '.join(near)}?"
        shown = "(secret)" if self.secrets.is_leaf(path) else _short(repr(value))
        return f"expected {wanted(leaf)}, actual {shown} ({_kind(value)})", hint


def check(tree: Any, schema: Schema, device: str = "") -> list[Diagnostic]:
    """Every error of a tree against a schema; see `Schema.check`."""
    return list(schema.check(tree, device))


class Slot(NamedTuple):
    """What may stand under a key: the keys below it or None, scalars it took before by class, the test of the rest.

    The class is kept with a scalar because 1 and True are equal.
    """

    below: _Keys | _AnyKey | None
    good: dict[Any, type]
    test: Test


class _Keys(dict[str, Slot]):
    """Slots of an object's keys, made when first asked for. An unknown key is a KeyError."""

    def __init__(self, keys: Mapping[str, int], make: Callable[[int], Slot]) -> None:
        super().__init__()
        self._keys = keys
        self._make = make

    def __missing__(self, key: str) -> Slot:
        slot = self._make(self._keys[key])
        self[key] = slot
        return slot


class _AnyKey(dict[str, Slot]):
    """The one slot of a map's entries, by each key seen. A malformed key is a KeyError."""

    def __init__(self, rule: str | None, slot: Slot) -> None:
        super().__init__()
        self._rule = KEY_RULES.get(rule or "")
        self._slot = slot

    def __missing__(self, key: str) -> Slot:
        if key.__class__ is not str or (self._rule and self._rule(key)):
            raise KeyError(key)
        if len(self) < _REMEMBERED:
            self[key] = self._slot
        return self._slot


def _walk(slots: _Keys | _AnyKey, tree: dict[str, Any]) -> bool:
    stack: list[tuple[_Keys | _AnyKey, dict[str, Any]]] = [(slots, tree)]
    # A renderer may hang one mapping under many ports: it is walked once. The tree keeps it alive, so its id holds.
    seen: set[tuple[int, int]] = set()
    try:
        while stack:
            slots, tree = stack.pop()
            for key, item in tree.items():
                below, good, test = slots[key]
                kind = item.__class__
                if kind is str or kind is int:
                    if good.get(item) is not kind:
                        if not test(item):
                            return False
                        if len(good) < _REMEMBERED_OF_LEAF:
                            good[item] = kind
                elif kind is dict and below is not None:
                    if item and (mark := (id(below), id(item))) not in seen:
                        seen.add(mark)
                        stack.append((below, item))
                elif not test(item):
                    return False
    except KeyError:
        return False
    return True


def _never(value: Any) -> bool:  # noqa: ARG001 - the shape of a test
    return False


def _always(value: Any) -> bool:  # noqa: ARG001 - the shape of a test
    return True


def _resolved_scalar(leaf: list[Alternative], value: Any) -> Any:
    items = [inner for a in leaf if a["type"] == "list" for inner in a.get("items", ())]
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, str):
        return typed(value, items or leaf, acceptor(items or leaf))
    return value


def _kind(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "text", list: "list", dict: "map"}
    return names.get(type(value), type(value).__name__)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


def _near(key: str, keys: Mapping[str, int]) -> str:
    near = difflib.get_close_matches(key, keys, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    known = sorted(keys)
    return f"known: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
