"""One switch: its configuration store, its accounts, its faults, and how a revision is edited."""

from __future__ import annotations

from typing import Any

from intent.core.tree import Path
from intent.lab import trees as lab_trees
from intent.lab.auth import Accounts
from intent.lab.dialect import Dialect
from intent.lab.facts import Facts, extract
from intent.lab.faults import Faults
from intent.lab.hardware import Panel
from intent.lab.lifecycle import Lifecycle
from intent.lab.seal import Seal
from intent.lab.store import WAITING, Blob, Revision, Store
from intent.lab.tools import BadBody, Counters, Refusal, Tools
from intent.lab.trees import Json
from intent.lab.walker import Schema, SchemaError
from intent.lab.wiring import Switch


class Machine:
    """A switch of the lab.

    Args:
        spec: the switch in the wiring.
        dialect: its release's API.
        schema: its release's schema.
        panel: its front panel.
        tools: what the lab's switches share.
        day_0: configuration it starts with.
    """

    __slots__ = (
        "_seal",
        "accounts",
        "booted_at",
        "counters",
        "dialect",
        "facts",
        "faults",
        "layout",
        "life",
        "panel",
        "schema",
        "spec",
        "store",
        "tools",
    )

    def __init__(self, spec: Switch, dialect: Dialect, schema: Schema, panel: Panel, tools: Tools, day_0: Json) -> None:
        self.spec = spec
        self.dialect = dialect
        self.schema = schema
        self.panel = panel
        self.tools = tools
        self.faults = Faults()
        self.counters = Counters()
        self.accounts = Accounts(tools.passwords, factory=spec.factory)
        self.booted_at = tools.agenda.clock()
        self.store = Store(tools.trees.pack(day_0), slash_ids=dialect.slash_ids)
        self.facts = Facts()
        self.layout = panel.layout({})
        self._seal = Seal(spec.name, tools.secrets if dialect.encrypts else frozenset())
        self.life = Lifecycle(self)
        self.come_in_force()

    # Reading

    def tree(self, blob: Blob) -> Json:
        """The tree of a blob; shared, never to be changed."""
        return self.tools.trees.unpack(blob)

    @property
    def applied(self) -> Json:
        """The tree in force."""
        return self.tree(self.store.applied)

    def reachable(self, now: float) -> str:
        """Empty when it answers, else `refuse` or `silent`."""
        faults = self.faults
        if faults.unreachable and faults.until and now >= faults.until:
            faults.unreachable, faults.until = "", 0.0
        if faults.unreachable:
            return faults.unreachable
        return "refuse" if faults.lost or not self.facts.api else ""

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

    # Editing a revision

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
        if revision.state not in ("pending", "invalid", "apply_fail", "ays_fail", "confirm_fail", "inactive"):
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state} and cannot be changed")
        if name in ("applied", "startup") or revision.id in self.store.fallbacks():
            raise Refusal(405, f"Revision {name} cannot be changed")
        return revision

    def clear(self, name: str, path: Path) -> None:
        """Unset everything at a path of a revision; the empty path empties it."""
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
        revision = self._editable(name)
        errors = self.schema.check(body, path)
        if errors:
            raise BadBody(errors)
        for key in reversed(path):
            body = {key: body}
        if not isinstance(body, dict):
            raise BadBody([SchemaError((), "the body must be an object")])
        over = self._seal.body(lab_trees.expanded(self.schema, body))
        tree = lab_trees.merged(self.schema, self.tree(revision.blob), over)
        self._replace(revision, tree)
        return over, tree

    def _replace(self, revision: Revision, tree: Json) -> None:
        revision.blob = self.tools.trees.pack(tree, like=(self.store.applied, self.store.startup))
        revision.state = "pending"
        revision.issues = []

    def discard(self, name: str) -> None:
        """Throw a revision away that holds nothing.

        Raises:
            Refusal: it is in use, or there is none.
        """
        revision = self.revision(name)
        used = revision.id == self.store.applied_id or revision.id in self.store.fallbacks()
        if used or revision.timer is not None or revision.state in WAITING:
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state} and cannot be removed")
        del self.store.revisions[revision.id]

    def come_in_force(self) -> None:
        """Take up the tree that is applied now: accounts and facts follow it."""
        tree = self.applied
        self.facts = extract(tree)
        self.layout = self.panel.layout(self.facts.splits)
        self.tools.epoch.number += 1
        self.accounts.follow(tree)
