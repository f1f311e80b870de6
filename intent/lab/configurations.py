"""All configurations of a switch: its revisions by name, and how one of them is edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.core.tree import Path
from intent.lab import trees as lab_trees
from intent.lab.seal import Seal
from intent.lab.store import WAITING, Blob, Revision, Store, Trees
from intent.lab.tools import BadBody, Refusal
from intent.lab.trees import Json
from intent.lab.walker import Schema, SchemaError

# Nothing else may be edited: it is in force, on its way, or waits for an answer.
_EDITABLE = (
    "pending",
    "detached",
    "invalid",
    "verify_error",
    "ready_error",
    "apply_error",
    "apply_fail",
    "ays_fail",
    "confirm_fail",
    "inactive",
)


class Configurations:
    """The configurations of one switch.

    Args:
        trees: packs trees.
        schema: schema of its release.
        seal: hides the secrets of a body.
        day_0: tree it starts with.
        slash_ids: revision ids in the older form.
    """

    __slots__ = ("_seal", "_slash_ids", "schema", "store", "trees")

    def __init__(self, trees: Trees, schema: Schema, seal: Seal, day_0: Json, *, slash_ids: bool) -> None:
        self.trees = trees
        self.schema = schema
        self._seal = seal
        self._slash_ids = slash_ids
        self.start_anew(day_0)

    def start_anew(self, day_0: Json) -> None:
        """Nothing but a first revision."""
        self.store = Store(self.trees.pack(day_0), slash_ids=self._slash_ids)

    def tree(self, blob: Blob) -> Json:
        """The tree of a blob; shared, never to be changed."""
        return self.trees.unpack(blob)

    def revision(self, name: str) -> Revision:
        """A revision by id, or what `applied` or `startup` stands for.

        Raises:
            Refusal: there is none.
        """
        wanted = self.store.applied_id if name in ("applied", "startup") else name
        found = self.store.revisions.get(wanted)
        if found is None:
            raise Refusal(404, f"Revision {name[:80]} not found")
        return found

    def create(self, user: str, now: float) -> Revision:
        """A new revision that starts from what is applied.

        Raises:
            Refusal: there is no room for another.
        """
        try:
            return self.store.create(user, now)
        except OverflowError as error:
            raise Refusal(409, str(error)) from None

    def _editable(self, name: str) -> Revision:
        revision = self.revision(name)
        if revision.state not in _EDITABLE:
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state} and cannot be changed")
        if name in ("applied", "startup") or revision.id in self.store.fallbacks():
            raise Refusal(405, f"Revision {name} cannot be changed")
        return revision

    def clear(self, name: str, path: Path) -> None:
        """Unset everything at a path of a revision; the empty path empties it.

        Raises:
            Refusal: the revision cannot be changed, or the schema has no such path.
        """
        revision = self._editable(name)
        if not self.schema.knows(path):
            raise Refusal(404, f"'/{'/'.join(path)[:200]}' does not exist")
        self._replace(revision, lab_trees.without(self.schema, self.tree(revision.blob), path))

    def merge(self, name: str, path: Path, body: Any) -> tuple[Json, Json]:
        """Merge a body at a path of a revision. Returns the body as stored and the whole tree.

        Raises:
            BadBody: the schema refuses it.
            Refusal: the revision cannot be changed.
        """
        self._editable(name)
        errors = self.schema.check(body, path)
        if errors:
            raise BadBody(errors)
        for key in reversed(path):
            body = {key: body}
        if not isinstance(body, dict):
            raise BadBody([SchemaError((), "the body must be an object")])
        return self.merge_all(name, (body,))

    def merge_all(self, name: str, bodies: Sequence[Json]) -> tuple[Json, Json]:
        """Merge bodies that the schema takes, one after the other. Returns all of them as stored and the whole tree.

        Raises:
            Refusal: the revision cannot be changed.
        """
        revision = self._editable(name)
        tree, stored = self.tree(revision.blob), Json()
        for body in bodies:
            over = self._seal.body(lab_trees.expanded(self.schema, body))
            tree = lab_trees.merged(self.schema, tree, over)
            stored = lab_trees.laid(stored, over)
        self._replace(revision, tree)
        return stored, tree

    def _replace(self, revision: Revision, tree: Json) -> None:
        revision.blob = self.trees.pack(tree, like=(self.store.applied, self.store.startup))
        revision.state = "pending"
        revision.issues = []

    def discard(self, name: str) -> None:
        """Throw a revision away that holds nothing.

        Raises:
            Refusal: it is in use, or there is none.
        """
        del self.store.revisions[self._unused(name, "removed").id]

    def detach(self, name: str) -> Revision:
        """Put a revision aside: it is kept under its number and may be edited and applied later.

        Raises:
            Refusal: it is in use, or there is none.
        """
        revision = self._unused(name, "detached")
        revision.state = "detached"
        return revision

    def _unused(self, name: str, what: str) -> Revision:
        revision = self.revision(name)
        used = revision.id == self.store.applied_id or revision.id in self.store.fallbacks()
        if used or revision.timer is not None or revision.state in WAITING:
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state} and cannot be {what}")
        return revision
