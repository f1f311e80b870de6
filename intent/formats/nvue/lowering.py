"""From the canonical tree (the form of 5.15 and later) to the dialect of a release: trees and paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from intent.catalog.dialects import Move, moves
from intent.catalog.features import FeatureTable
from intent.catalog.releases import RELEASES
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.tree import ABSENT, Path, Tree, dotted, get, leaves, merge, put
from intent.formats.nvue.reshape import SHAPES, Lost, Piece
from intent.formats.nvue.rows import Rows, below, filled, rows_of
from intent.formats.nvue.schema import Schema

LACKS_PATH = "N010"
LACKS_VALUE = "N011"
CONFLICT = "N012"

_REMEMBERED = 16384
_ON = frozenset({"enabled", "on", "enable", "yes"})
_OFF = frozenset({"disabled", "off", "disable", "no"})


@dataclass(frozen=True, slots=True)
class PathMap:
    """Leaves of a lowered tree and where they come from.

    Args:
        origins: lowered path → canonical path. Empty when the dialect is the canonical one.
        lowered: canonical path → lowered paths; one profile may become the timers of many neighbors.
    """

    origins: Mapping[Path, Path] = field(default_factory=dict)
    lowered: Mapping[Path, tuple[Path, ...]] = field(default_factory=dict)

    def canonical(self, path: Path) -> Path:
        """The canonical path of a lowered one; that of the nearest leaf below it, or the path itself."""
        if not self.origins or path in self.origins:
            return self.origins.get(path, path)
        nearest = (source for at, source in self.origins.items() if at[: len(path)] == path)
        return next(nearest, path)

    def down(self, path: Path) -> tuple[Path, ...]:
        """The lowered paths of a canonical one."""
        return self.lowered.get(path, () if self.lowered else (path,))


@dataclass(frozen=True, slots=True)
class Lowered:
    """A tree in the dialect of a release.

    Args:
        tree: the tree.
        path_map: where each leaf comes from.
        diagnostics: what the release has no place for, with its canonical path.
    """

    tree: Tree
    path_map: PathMap
    diagnostics: tuple[Diagnostic, ...]


class Dialect:
    """One release's dialect. Keep it: it holds the compiled schema.

    Args:
        schema: schema of the release.
        rows: moves and shapes that hold for it.
        features: names of features for messages.
        canonical: schema of the newest release: what is to be said in another form must be right first.
    """

    def __init__(self, schema: Schema, rows: tuple[Move, ...], features: FeatureTable, canonical: Schema) -> None:
        self.schema = schema
        self._canonical = canonical
        self.release = schema.release
        self._features = features
        self._rows = rows
        self._rules = rows_of(rows)
        # The switches of a fabric share most of their paths: what was found for one holds for the next.
        self._steps: dict[tuple[int, str], _Step | None] = {}
        self._paths: dict[Path, tuple[Path, ...]] = {}

    @classmethod
    def load(cls, release: str) -> Dialect:
        """The dialect of a release, from the catalog.

        Raises:
            IntentError: no schema is known for the release.
        """
        schema, rows = Schema.load(release), moves(release)
        return cls(schema, rows, FeatureTable(), Schema.load(RELEASES[-1]) if rows else schema)

    def lower(self, tree: Tree, device: str = "") -> Lowered:
        """A canonical tree in this dialect. A tree that is right already is returned as it is.

        Args:
            tree: canonical tree.
            device: name for the diagnostics.
        """
        if not self._rows and self.schema.valid(tree):
            return Lowered(tree, PathMap(), ())
        work = _Work(self, self._canonical, self._features, tree, device)
        work.walk(tree, (), (), self.schema.root, self._rules, ())
        lowered = {source: tuple(targets) for source, targets in work.lowered.items()}
        return Lowered(work.result, PathMap(work.origins, lowered), tuple(work.diagnostics))

    def lower_path(self, path: Path) -> tuple[Path, ...]:
        """Paths of a canonical path (a leaf or a subtree) in this dialect, without a tree at hand.

        The longest row that matches decides; keys are renamed by the schema. What the release says in another form
        maps to the whole of that form. Empty when the subtree dissolves into others or the release has no place.
        """
        known = self._paths.get(path)
        if known is None:
            known = self._lowered_path(path)
            if len(self._paths) < _REMEMBERED:
                self._paths[path] = known
        return known

    def _lowered_path(self, path: Path) -> tuple[Path, ...]:
        row, length, keys = self._rules.deepest(path)
        target = path
        if row:
            if not row.target:
                return ()
            target = (*filled(row.target, keys), *(() if row.shape else path[length:]))
        renamed = self._renamed(target)
        return (renamed,) if renamed is not None else ()

    def step(self, index: int, key: str) -> _Step | None:
        """Where a canonical key leads from a node of the release; None when it has no place there."""
        at = (index, key)
        if at not in self._steps:
            name = _name(self.schema, index, key)
            inner = self.schema.child(index, name) if name is not None else None
            step = None if name is None or inner is None else _Step(name, inner, self.schema.kind(inner))
            if len(self._steps) >= _REMEMBERED:
                return step
            self._steps[at] = step
        return self._steps[at]

    def _renamed(self, path: Path) -> Path | None:
        index, kind = self.schema.root, "keys"
        result: list[str] = []
        for key in path:
            if kind == "free":
                return (*result, *path[len(result) :])
            step = self.step(index, key)
            if step is None:
                return None
            result.append(step.name)
            index, kind = step.node, step.kind
        return tuple(result)


def lower(tree: Tree, release: str) -> Lowered:
    """A canonical tree in the dialect of a release; hold a `Dialect` to lower many.

    Raises:
        IntentError: no schema is known for the release.
    """
    return Dialect.load(release).lower(tree)


class _Step(NamedTuple):
    name: str
    node: int
    kind: str


def _name(schema: Schema, index: int, key: str) -> str | None:
    if schema.kind(index) == "map" or schema.child(index, key) is not None:
        return key
    return "enable" if key == "state" and schema.child(index, "enable") is not None else None


class _Work:
    """One tree on its way down."""

    def __init__(self, dialect: Dialect, canonical: Schema, features: FeatureTable, tree: Tree, device: str) -> None:
        self.result: Tree = {}
        self.origins: dict[Path, Path] = {}
        self.lowered: dict[Path, list[Path]] = {}
        self.diagnostics: list[Diagnostic] = []
        self._dialect = dialect
        self._schema = dialect.schema
        self._canonical = canonical
        self._features = features
        self._tree = tree
        self._device = device

    def walk(
        self,
        value: Any,
        source: Path,
        target: Path,
        index: int | None,
        rules: Rows | None,
        keys: tuple[str, ...],
    ) -> None:
        """Lower what stands at a canonical path to a path of the release.

        Args:
            value: scalar or subtree.
            source: canonical path.
            target: path in the release.
            index: schema node at `target`; None when the release has none.
            rules: rows below `source`.
            keys: keys that stood for `*` so far.
        """
        row = rules.row if rules else None
        if row and row.shape:
            wrong = self._canonical.check_at(source, value, self._device)
            self.diagnostics += wrong
            for piece in () if wrong else SHAPES[row.shape](value, source, self._tree):
                self._take(piece)
            return
        if row:
            target = filled(row.target, keys)
            index = self._schema.find(target)
        if not isinstance(value, dict) or not value:
            if not (rules and rules.below and index is None):
                self._leaf(value, source, target, index)
            return
        if index is not None and self._schema.kind(index) in ("free", "leaf"):
            for at, item in leaves(value, source):
                self._leaf(item, at, (*target, *at[len(source) :]), index)
            return
        for key, item in value.items():
            inner_rules, taken = below(rules, key, keys)
            at = (*source, key)
            if inner_rules is None and index is not None:
                self._plain_at(key, item, at, target, index)
                continue
            step = self._dialect.step(index, key) if index is not None else None
            if step is None and inner_rules is None:
                self._lack(at, item)
                continue
            self.walk(item, at, (*target, step.name if step else key), step.node if step else None, inner_rules, taken)

    def _plain_at(self, key: str, item: Any, source: Path, target: Path, index: int) -> None:
        """Lower a subtree no row speaks of, below a path that may not be there yet."""
        parent = get(self.result, target)
        if isinstance(parent, dict):
            self._plain(key, item, source, target, index, parent)
            return
        made: Tree = {}
        self._plain(key, item, source, target, index, made)
        if made:
            put(self.result, target, made)

    def _plain(self, key: str, item: Any, source: Path, target: Path, index: int, parent: Tree) -> None:
        step = self._dialect.step(index, key)
        if step is None:
            self._lack(source, item)
            return
        at = (*target, step.name)
        if not isinstance(item, dict) or step.kind == "leaf":
            self._put(item, source, at, step.node, parent)
            return
        child = parent.get(step.name)
        if not isinstance(child, dict):
            child = {}
        if step.kind == "free" or not item:
            for path, _ in leaves(item, at) if item else ((at, item),):
                self._record((*source, *path[len(at) :]), path)
            parent[step.name] = merge(child, item)
            return
        for name, inner in item.items():
            self._plain(name, inner, (*source, name), at, step.node, child)
        if child:
            parent[step.name] = child

    def _take(self, piece: Piece | Lost) -> None:
        if isinstance(piece, Lost):
            self._report(LACKS_PATH, piece.source, piece.message, severity=piece.severity)
            return
        target: list[str] = []
        index: int | None = self._schema.root
        for key in piece.target:
            if index is not None and self._schema.kind(index) == "free":
                target.append(key)
                continue
            name = _name(self._schema, index, key) if index is not None else None
            if name is None:
                self._lack(piece.source, piece.value)
                return
            target.append(name)
            index = self._schema.child(index, name) if index is not None else None
        self._leaf(piece.value, piece.source, tuple(target), index)

    def _leaf(self, value: Any, source: Path, target: Path, index: int | None) -> None:
        if index is None or not target:
            self._lack(source, value)
            return
        parent = get(self.result, target[:-1])
        if isinstance(parent, dict):
            self._put(value, source, target, index, parent)
            return
        made: Tree = {}
        self._put(value, source, target, index, made)
        if made:
            put(self.result, target[:-1], made)

    def _put(self, value: Any, source: Path, target: Path, index: int, parent: Tree) -> None:
        if self._schema.kind(index) == "leaf":
            if isinstance(value, dict):
                self._lack(source, value)
                return
            if not self._schema.accepts(index, value):
                value = self._word(index, value)
                feature = None if self._schema.accepts(index, value) else self._features.needed(source, value)
                if feature:
                    self._report(LACKS_VALUE, source, f"{feature.name} needs release {feature.since} or later")
                    return
        present = parent.get(target[-1], ABSENT)
        if isinstance(value, dict) and isinstance(present, dict):
            self._record(source, target)
            return
        if present is not ABSENT and present not in (value, {}):
            self._report(CONFLICT, source, f"{dotted(target)} of this release cannot hold both {present} and {value}")
            return
        parent[target[-1]] = {} if isinstance(value, dict) else value
        self._record(source, target)

    def _record(self, source: Path, target: Path) -> None:
        self.origins.setdefault(target, source)
        self.lowered.setdefault(source, []).append(target)

    def _word(self, index: int, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        family = _ON if value in _ON else _OFF if value in _OFF else frozenset()
        fitting = [word for word in self._schema.words(index) if word in family]
        return fitting[0] if len(fitting) == 1 else value

    def _lack(self, source: Path, value: Any) -> None:
        lost: Iterator[tuple[Path, Any]] = (
            leaves(value, source) if isinstance(value, dict) and value else iter([(source, value)])
        )
        told: set[str] = set()
        for at, item in lost:
            feature = self._features.needed(at, item)
            message = (
                f"{feature.name} needs release {feature.since} or later"
                if feature and not feature.in_release(self._schema.release)
                else "the release has no such setting"
            )
            if message not in told:
                told.add(message)
                self._report(LACKS_PATH, at if feature is None else source, message)

    def _report(self, code: str, source: Path, message: str, *, severity: Severity = Severity.ERROR) -> None:
        self.diagnostics.append(
            Diagnostic(
                code,
                f"{dotted(source)}: release {self._schema.release}: {message}",
                severity=severity,
                hint="name a newer release, or leave it out" if severity is Severity.ERROR else "",
                device=self._device,
                path=dotted(source),
            )
        )
