"""One switch: its configuration store, the life cycle of its revisions, its accounts and its faults."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from intent.core.tree import Path, from_dotted
from intent.lab import trees as lab_trees
from intent.lab.agenda import Agenda
from intent.lab.auth import Accounts, Passwords
from intent.lab.crypt512 import hashed
from intent.lab.dialect import Dialect
from intent.lab.facts import Facts, extract, mapping
from intent.lab.faults import Faults
from intent.lab.hardware import Panel
from intent.lab.semantics import judge
from intent.lab.store import WAITING, Blob, Revision, Store, Trees
from intent.lab.trees import Json
from intent.lab.walker import Schema, SchemaError
from intent.lab.wiring import Switch

AYS_S = 60.0


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take, in seconds.

    Args:
        apply_s: an apply, from the request to the new state in force.
        boot_s: a reboot.
    """

    apply_s: float = 0.1
    boot_s: float = 5.0


@dataclass(slots=True)
class Counters:
    """Calls a switch has seen.

    Args:
        requests: all of them.
        reads: GET and HEAD.
        writes: POST, PATCH, PUT and DELETE.
        connections: TCP connections accepted.
        refused: answers 401 and 403.
    """

    requests: int = 0
    reads: int = 0
    writes: int = 0
    connections: int = 0
    refused: int = 0


class Refusal(Exception):
    """A call that makes no sense in the present state.

    Args:
        status: HTTP status.
        detail: why.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class BadBody(Exception):
    """A body the schema refuses."""

    def __init__(self, errors: list[SchemaError]) -> None:
        super().__init__("schema errors")
        self.errors = errors


@dataclass(slots=True)
class Epoch:
    """Counts what may change the state of links and sessions anywhere in the lab."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class Tools:
    """What all switches of a lab share.

    Args:
        epoch: counts changes.
        agenda: what is due when.
        trees: packs trees.
        passwords: checks passwords.
        timing: how long things take.
        secrets: last keys of leaves that are shown encrypted.
    """

    epoch: Epoch
    agenda: Agenda
    trees: Trees
    passwords: Passwords
    timing: Timing
    secrets: frozenset[str]


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
        "_holder",
        "_key",
        "_queue",
        "accounts",
        "booted_at",
        "counters",
        "dialect",
        "facts",
        "faults",
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
        self._key = hashlib.blake2b(spec.name.encode(), digest_size=16).digest()
        self._queue: list[Revision] = []
        self._holder: Revision | None = None
        self._come_in_force()

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
        if name in ("applied", "startup"):
            raise Refusal(405, f"Revision {name} cannot be changed")
        return revision

    def clear(self, name: str, path: Path) -> None:
        """Unset everything at a path of a revision; the empty path empties it."""
        revision = self._editable(name)
        if path and self.schema.node(path) is None:
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
        over = self._sealed(lab_trees.expanded(self.schema, body))
        tree = lab_trees.merged(self.schema, self.tree(revision.blob), over)
        self._replace(revision, tree)
        return over, tree

    def _replace(self, revision: Revision, tree: Json) -> None:
        revision.blob = self.tools.trees.pack(tree, like=(self.store.applied, self.store.startup))
        revision.state = "pending"
        revision.issues = []

    def _sealed(self, body: Json) -> Json:
        users = mapping(body, "system", "aaa", "user")
        plain = {name: user for name, user in users.items() if isinstance(mapping(user).get("password"), str)}
        if plain:
            fresh = {}
            for name, user in plain.items():
                kept = {key: value for key, value in user.items() if key != "password"}
                fresh[name] = {**kept, "hashed-password": hashed(user["password"], secrets.token_hex(8))}
            aaa = {**body["system"]["aaa"], "user": {**users, **fresh}}
            body = {**body, "system": {**body["system"], "aaa": aaa}}
        return lab_trees.mapped(body, self.tools.secrets, self._seal) if self.dialect.encrypts else body

    def _seal(self, value: str) -> str:
        if value.startswith("$nvsec$"):
            return value
        return "$nvsec$" + hmac.new(self._key, value.encode(), "sha256").hexdigest()

    def discard(self, name: str) -> None:
        """Throw a revision away that holds nothing.

        Raises:
            Refusal: it is in use, or there is none.
        """
        revision = self.revision(name)
        if revision.id == self.store.applied_id or revision.timer is not None or revision.state in WAITING:
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state} and cannot be removed")
        del self.store.revisions[revision.id]

    # Life cycle

    def order(self, name: str, body: Any) -> Revision:
        """Carry out a PATCH of `/revision/<id>`.

        Raises:
            Refusal: the body or the moment is wrong.
        """
        if not isinstance(body, dict):
            raise Refusal(400, "the body must be an object")
        word = body.get("state")
        if name == "applied" and word == "save":
            return self._save()
        revision = self.revision(name)
        if word == "detached":
            self.discard(name)
            revision.state = "detached"
            return revision
        actions = {
            "apply": self._apply,
            "ays_yes": self._answer_ays,
            "ays_no": self._answer_ays,
            "confirm_yes": self._confirm,
            "confirm_no": self._confirm,
            "ignore_fail_yes": self._answer_ignore_fail,
            "ignore_fail_no": self._answer_ignore_fail,
        }
        action = actions.get(word) if isinstance(word, str) else None
        if action is None:
            raise Refusal(400, f"state {str(word)[:40]!r} is not one of {', '.join(actions)}, save")
        action(revision, body)
        return revision

    def _apply(self, revision: Revision, body: Json) -> None:
        if revision.timer is not None or revision in self._queue or revision is self._holder:
            raise Refusal(409, f"Revision {revision.id} is already in state {revision.state}")
        prompts, controls = body.get("auto-prompt", {}), body.get("state-controls", {})
        if not isinstance(prompts, dict) or not isinstance(controls, dict):
            raise Refusal(400, "auto-prompt and state-controls must be objects")
        confirm = controls.get("confirm", 0)
        if isinstance(confirm, bool) or not isinstance(confirm, int | float) or not 0 <= confirm <= 86400:
            raise Refusal(400, "state-controls.confirm must be a number of seconds from 0 to 86400")
        revision.answers = {str(key): str(value) for key, value in prompts.items()}
        revision.confirm_s = float(confirm)
        revision.message = str(body.get("message", ""))[:400]
        revision.issues, revision.progress = [], ""
        if revision.answers.get("ays") != "ays_yes":
            revision.state = "ays"
            revision.progress = "Are you sure?"
            revision.timer = self.tools.agenda.after(AYS_S, lambda _: self._ays_lapsed(revision))
            return
        self._enqueue(revision, self.tools.agenda.clock())

    def _answer_ays(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "ays")
        self._stop_timer(revision)
        if body["state"] == "ays_yes":
            self._enqueue(revision, self.tools.agenda.clock())
        else:
            self._end(revision, "ays_fail", "ays_no", "the prompt was answered with no")

    def _ays_lapsed(self, revision: Revision) -> None:
        revision.timer = None
        self._end(revision, "ays_fail", "client_timeout", "Timeout while waiting for client response")

    def _enqueue(self, revision: Revision, now: float) -> None:
        revision.state = "apply"
        revision.progress = "waiting" if self._holder else ""
        self._queue.append(revision)
        self._next(now)

    def _next(self, now: float) -> None:
        if self._holder is not None or not self._queue:
            return
        revision = self._holder = self._queue.pop(0)
        if self.faults.hung_apply:
            revision.progress = "applying"
            self.faults.spend()
            return
        self._begin(revision, now)

    def _begin(self, revision: Revision, now: float) -> None:
        wait = self.tools.timing.apply_s * 0.2
        revision.timer = self.tools.agenda.after(wait, lambda at: self._verify(revision, at), since=now)

    def resume(self) -> None:
        """A hung apply goes on."""
        revision = self._holder
        if revision is not None and revision.state == "apply" and revision.timer is None:
            self._begin(revision, self.tools.agenda.clock())

    def _verify(self, revision: Revision, at: float) -> None:
        revision.state, revision.progress = "verifying", "verifying the configuration"
        found = judge(self.tree(revision.blob), self.panel)
        if found:
            revision.issues = [
                {
                    "code": "config_invalid",
                    "message": f"Config invalid at {item.location}: {item.reason}",
                    "severity": "error",
                    "data": {"location": item.location, "reason": item.reason},
                }
                for item in found[:50]
            ]
            revision.timer = None
            revision.state = "invalid"
            self._release(revision, at)
            return
        wait = self.tools.timing.apply_s * 0.3
        revision.timer = self.tools.agenda.after(wait, lambda then: self._reload(revision, then), since=at)

    def _reload(self, revision: Revision, at: float) -> None:
        revision.timer = None
        revision.state, revision.progress = "reloading", "reloading services"
        if self.faults.apply_fail:
            ask = self.faults.apply_fail == "ask"
            self.faults.spend()
            message = "Failed to reload frr: service exited with an error"
            if not ask:
                self._end(revision, "apply_fail", "reload_failed", message)
                return
            if revision.answers.get("ignore_fail") != "ignore_fail_yes":
                revision.state = "ignore_fail"
                revision.issues = [_issue("reload_failed", message)]
                return
        self._reloading(revision, at)

    def _reloading(self, revision: Revision, at: float) -> None:
        wait = self.tools.timing.apply_s * 0.5
        revision.timer = self.tools.agenda.after(wait, lambda then: self._in_force(revision, then), since=at)

    def _answer_ignore_fail(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "ignore_fail")
        if body["state"] == "ignore_fail_yes":
            revision.state = "reloading"
            self._reloading(revision, self.tools.agenda.clock())
        else:
            self._end(revision, "apply_fail", "reload_failed", "the prompt was answered with no")

    def _in_force(self, revision: Revision, at: float) -> None:
        revision.timer = None
        revision.before = (self.store.applied_id, self.store.applied)
        self.store.put_in_force(revision.id, revision.blob)
        self._come_in_force()
        if self.faults.lost_after_apply:
            self.faults.lost_after_apply, self.faults.lost = False, True
        if revision.confirm_s and revision.answers.get("confirm") != "confirm_yes":
            revision.state, revision.progress = "confirm", "waiting for confirmation"
            revision.timer = self.tools.agenda.after(
                revision.confirm_s, lambda _: self._revert(revision, "client_timeout"), since=at
            )
            return
        self._finish(revision, at)

    def _come_in_force(self) -> None:
        tree = self.applied
        self.facts = extract(tree)
        self.tools.epoch.number += 1
        self.accounts.follow(tree)

    def _confirm(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "confirm")
        self._stop_timer(revision)
        now = self.tools.agenda.clock()
        if body["state"] == "confirm_yes":
            self._finish(revision, now)
            return
        revision.state, revision.progress = "confirm_no", "reverting"
        wait = self.tools.timing.apply_s
        revision.timer = self.tools.agenda.after(wait, lambda _: self._revert(revision, "confirm_no"), since=now)

    def _revert(self, revision: Revision, code: str) -> None:
        revision.timer = None
        if revision.before is not None:
            before_id, before = revision.before
            self.store.put_in_force(before_id, before)
            previous = self.store.revisions.get(before_id)
            if previous is not None:
                previous.state = "applied_and_saved" if self.store.saved else "applied"
            self._come_in_force()
        self.faults.lost = False
        words = {"client_timeout": "Timeout while waiting for confirmation; the previous configuration is back"}
        self._end(revision, "confirm_fail", code, words.get(code, "Not confirmed; the previous configuration is back"))

    def _finish(self, revision: Revision, at: float) -> None:
        revision.progress, revision.before = "", None
        if self.facts.auto_save:
            self.store.startup, self.store.saved = self.store.applied, True
        revision.state = "applied_and_saved" if self.store.saved else "applied"
        self._release(revision, at)

    def _end(self, revision: Revision, state: str, code: str, message: str) -> None:
        revision.state, revision.progress, revision.before = state, "", None
        revision.issues = [_issue(code, message)]
        self._release(revision, self.tools.agenda.clock())

    def _release(self, revision: Revision, now: float) -> None:
        if self._holder is revision:
            self._holder = None
            self._next(now)

    def _save(self) -> Revision:
        revision = self.revision("applied")
        if revision.state == "confirm":
            raise Refusal(409, "the applied revision awaits confirmation")
        self.store.startup, self.store.saved = self.store.applied, True
        revision.state = "applied_and_saved"
        return revision

    @staticmethod
    def _must_be(revision: Revision, state: str) -> None:
        if revision.state != state:
            raise Refusal(409, f"Revision {revision.id} is in state {revision.state}, not {state}")

    @staticmethod
    def _stop_timer(revision: Revision) -> None:
        if revision.timer is not None:
            revision.timer.cancel()
            revision.timer = None

    # What happens to a switch

    def reboot(self, now: float, seconds: float) -> None:
        """Down for a while, then up with what was saved: nothing that was under way survives."""
        for revision in (*self._queue, *self.store.revisions.values()):
            if revision.timer is not None or revision in self._queue or revision is self._holder:
                self._stop_timer(revision)
                revision.state, revision.progress, revision.before = "inactive", "", None
        self._queue.clear()
        self._holder = None
        self.store.put_in_force(self.store.create("root", now).id, self.store.startup)
        self.revision("applied").state = "applied_and_saved"
        self.revision("applied").blob = self.store.startup
        self.store.saved = True
        self.faults.lost = False
        self.faults.unreachable, self.faults.until = "refuse", now + seconds
        self.booted_at = now + seconds
        self.accounts.forget_tokens()
        self.tools.agenda.after(seconds, self._booted, since=now)
        self._come_in_force()

    def _booted(self, _: float) -> None:
        self.tools.epoch.number += 1

    def change_by_hand(self, now: float, sets: dict[str, Any], unsets: list[str]) -> Revision:
        """Somebody on the console changes something; it is in force at once.

        Args:
            now: lab time.
            sets: values by dotted path or JSON pointer; an empty object for a member of a set.
            unsets: paths.

        Raises:
            BadBody: the schema refuses it.
            Refusal: the switch refuses it, or another revision holds the machine.
        """
        if self._holder is not None:
            raise Refusal(409, f"revision {self._holder.id} holds the switch")
        revision = self.create("cumulus", now)
        try:
            for text in unsets:
                self.clear(revision.id, from_dotted(text))
            for text, value in sets.items():
                self.merge(revision.id, from_dotted(text), value)
            found = judge(self.tree(revision.blob), self.panel)
            if found:
                raise Refusal(400, f"{found[0].location}: {found[0].reason}")
        except (BadBody, Refusal):
            del self.store.revisions[revision.id]
            raise
        revision.message = "changed by hand"
        self.store.put_in_force(revision.id, revision.blob)
        self._come_in_force()
        self._finish(revision, now)
        return revision


def _issue(code: str, message: str) -> Json:
    return {"code": code, "message": message, "severity": "error", "data": {}}
