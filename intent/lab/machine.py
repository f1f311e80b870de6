"""One switch: its configurations and how they are applied, its accounts, its faults."""

from __future__ import annotations

from intent.lab.applying import Applying
from intent.lab.auth import Accounts
from intent.lab.configurations import Configurations
from intent.lab.dialect import Dialect
from intent.lab.facts import Facts, extract
from intent.lab.faults import Faults
from intent.lab.hardware import Panel
from intent.lab.lifecycle import Lifecycle
from intent.lab.seal import Seal
from intent.lab.store import Blob, Revision, Store
from intent.lab.tools import Counters, Tools
from intent.lab.trees import Json
from intent.lab.walker import Schema
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
        "accounts",
        "applying",
        "booted_at",
        "counters",
        "cut_off_until",
        "dialect",
        "facts",
        "faults",
        "held",
        "layout",
        "life",
        "panel",
        "serves_from",
        "spec",
        "tools",
    )

    def __init__(self, spec: Switch, dialect: Dialect, schema: Schema, panel: Panel, tools: Tools, day_0: Json) -> None:
        self.spec = spec
        self.dialect = dialect
        self.panel = panel
        self.tools = tools
        self.faults = Faults()
        self.counters = Counters()
        self.accounts = Accounts(tools.passwords, factory=spec.factory)
        self.booted_at = self.serves_from = tools.agenda.clock()
        self.cut_off_until = 0.0
        self.facts = Facts()
        self.layout = panel.layout({})
        seal = Seal(spec.name, tools.secrets if dialect.encrypts else frozenset())
        self.held = Configurations(tools.trees, schema, seal, day_0, slash_ids=dialect.slash_ids)
        self.applying = Applying(self, self.held, panel, self.faults, tools.agenda, tools.timing)
        self.life = Lifecycle(self.held, self.applying)
        self.come_in_force()

    @property
    def schema(self) -> Schema:
        """Schema of its release."""
        return self.held.schema

    @property
    def store(self) -> Store:
        """Its revisions."""
        return self.held.store

    @property
    def applied(self) -> Json:
        """The tree in force."""
        return self.tree(self.store.applied)

    def tree(self, blob: Blob) -> Json:
        """The tree of a blob; shared, never to be changed."""
        return self.held.tree(blob)

    def revision(self, name: str) -> Revision:
        """A revision by id, or what `applied` or `startup` stands for.

        Raises:
            Refusal: there is none.
        """
        return self.held.revision(name)

    def reachable(self, now: float) -> str:
        """Empty when it answers, else `refuse` or `silent`."""
        faults = self.faults
        if faults.unreachable and faults.until and now >= faults.until:
            faults.unreachable, faults.until = "", 0.0
        if faults.unreachable:
            return faults.unreachable
        return "refuse" if faults.lost or not self.facts.api or now < self.cut_off_until else ""

    def cut_off(self, until: float) -> None:
        """Its connections drop, and nobody reaches it until then."""
        self.cut_off_until = until

    def come_in_force(self) -> None:
        """Take up the tree that is applied now: accounts and facts follow it."""
        tree = self.applied
        self.facts = extract(tree)
        self.layout = self.panel.layout(self.facts.splits)
        self.tools.epoch.number += 1
        self.accounts.follow(tree)
