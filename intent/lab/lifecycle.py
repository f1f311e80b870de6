"""The life cycle of a switch's revisions: apply, prompts, confirm timer, revert; and what happens to the switch.

One revision holds the machine at a time; others wait in state `apply`. Steps are appointments of the lab's agenda,
so a revision moves on whenever somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from intent.core.tree import from_dotted
from intent.lab.semantics import judge
from intent.lab.store import Revision
from intent.lab.tools import BadBody, Refusal
from intent.lab.trees import Json

if TYPE_CHECKING:
    from intent.lab.machine import Machine

AYS_S = 60.0


class Lifecycle:
    """Carries out orders to a switch's revisions.

    Args:
        machine: the switch.
    """

    __slots__ = ("_agenda", "_holder", "_machine", "_queue", "_timing")

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._agenda = machine.tools.agenda
        self._timing = machine.tools.timing
        self._queue: list[Revision] = []
        self._holder: Revision | None = None

    @property
    def under_way(self) -> str:
        """Number of the revision that is being applied, waits to be, or waits to be confirmed; empty when none is."""
        waiting = [self._holder, *self._queue]
        return next((revision.id for revision in waiting if revision is not None), "")

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
        revision = self._machine.revision(name)
        if word == "detached":
            self._machine.discard(name)
            revision.state = "detached"
            return revision
        actions: dict[str, Callable[[Revision, Json], None]] = {
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
        store = self._machine.store
        if revision.timer is not None or revision in self._queue or revision is self._holder:
            raise Refusal(409, f"Revision {revision.id} is already in state {revision.state}")
        if revision.id in store.fallbacks():
            raise Refusal(409, f"Revision {revision.id} comes back unless revision {store.applied_id} is confirmed")
        if revision.id == store.applied_id:
            return
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
            revision.timer = self._agenda.after(AYS_S, lambda _: self._ays_lapsed(revision))
            return
        self._enqueue(revision, self._agenda.clock())

    def _answer_ays(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "ays")
        self._stop_timer(revision)
        if body["state"] == "ays_yes":
            self._enqueue(revision, self._agenda.clock())
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
        if self._machine.faults.hung_apply:
            revision.progress = "applying"
            self._machine.faults.spend()
            return
        self._begin(revision, now)

    def _begin(self, revision: Revision, now: float) -> None:
        wait = self._timing.apply_s * 0.2
        revision.timer = self._agenda.after(wait, lambda at: self._verify(revision, at), since=now)

    def resume(self) -> None:
        """A hung apply goes on."""
        revision = self._holder
        if revision is not None and revision.state == "apply" and revision.timer is None:
            self._begin(revision, self._agenda.clock())

    def _verify(self, revision: Revision, at: float) -> None:
        revision.state, revision.progress = "verifying", "verifying the configuration"
        found = judge(self._machine.tree(revision.blob), self._machine.panel)
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
        wait = self._timing.apply_s * 0.3
        revision.timer = self._agenda.after(wait, lambda then: self._reload(revision, then), since=at)

    def _reload(self, revision: Revision, at: float) -> None:
        revision.timer = None
        revision.state, revision.progress = "reloading", "reloading services"
        if self._machine.faults.apply_fail:
            ask = self._machine.faults.apply_fail == "ask"
            self._machine.faults.spend()
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
        wait = self._timing.apply_s * 0.5
        revision.timer = self._agenda.after(wait, lambda then: self._in_force(revision, then), since=at)

    def _answer_ignore_fail(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "ignore_fail")
        if body["state"] == "ignore_fail_yes":
            revision.state = "reloading"
            self._reloading(revision, self._agenda.clock())
        else:
            self._end(revision, "apply_fail", "reload_failed", "the prompt was answered with no")

    def _in_force(self, revision: Revision, at: float) -> None:
        store, faults = self._machine.store, self._machine.faults
        revision.timer = None
        revision.before = (store.applied_id, store.applied)
        store.put_in_force(revision.id, revision.blob)
        self._machine.come_in_force()
        if faults.lost_after_apply:
            faults.lost_after_apply, faults.lost = False, True
        if revision.confirm_s and revision.answers.get("confirm") != "confirm_yes":
            revision.state, revision.progress = "confirm", "waiting for confirmation"
            revision.timer = self._agenda.after(
                revision.confirm_s, lambda _: self._revert(revision, "client_timeout"), since=at
            )
            return
        self._finish(revision, at)

    def _confirm(self, revision: Revision, body: Json) -> None:
        self._must_be(revision, "confirm")
        self._stop_timer(revision)
        now = self._agenda.clock()
        if body["state"] == "confirm_yes":
            self._finish(revision, now)
            return
        revision.state, revision.progress = "confirm_no", "reverting"
        wait = self._timing.apply_s
        revision.timer = self._agenda.after(wait, lambda _: self._revert(revision, "confirm_no"), since=now)

    def _revert(self, revision: Revision, code: str) -> None:
        store = self._machine.store
        revision.timer = None
        if revision.before is not None:
            before_id, before = revision.before
            store.put_in_force(before_id, before)
            store.revisions[before_id].state = "applied_and_saved" if store.saved else "applied"
            self._machine.come_in_force()
        self._machine.faults.lost = False
        words = {"client_timeout": "Timeout while waiting for confirmation; the previous configuration is back"}
        self._end(revision, "confirm_fail", code, words.get(code, "Not confirmed; the previous configuration is back"))

    def _finish(self, revision: Revision, at: float) -> None:
        revision.progress, revision.before = "", None
        if self._machine.facts.auto_save:
            self._machine.store.startup, self._machine.store.saved = self._machine.store.applied, True
        revision.state = "applied_and_saved" if self._machine.store.saved else "applied"
        self._release(revision, at)

    def _end(self, revision: Revision, state: str, code: str, message: str) -> None:
        revision.state, revision.progress, revision.before = state, "", None
        revision.issues = [_issue(code, message)]
        self._release(revision, self._agenda.clock())

    def _release(self, revision: Revision, now: float) -> None:
        if self._holder is revision:
            self._holder = None
            self._next(now)

    def _save(self) -> Revision:
        revision = self._machine.revision("applied")
        if revision.state == "confirm":
            raise Refusal(409, "the applied revision awaits confirmation")
        self._machine.store.startup, self._machine.store.saved = self._machine.store.applied, True
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
        machine, store = self._machine, self._machine.store
        for revision in store.revisions.values():
            if revision.timer is not None or revision in self._queue or revision is self._holder:
                self._stop_timer(revision)
                revision.state, revision.progress, revision.before = "inactive", "", None
        self._queue.clear()
        self._holder = None
        booted = store.create("root", now)
        booted.blob, booted.state = store.startup, "applied_and_saved"
        store.put_in_force(booted.id, store.startup)
        machine.faults.lost = False
        machine.faults.unreachable, machine.faults.until = "refuse", now + seconds
        machine.booted_at = now + seconds
        machine.accounts.forget_tokens()
        self._agenda.after(seconds, self._booted, since=now)
        machine.come_in_force()

    def _booted(self, _: float) -> None:
        self._machine.tools.epoch.number += 1

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
        revision = self._machine.create("cumulus", now)
        try:
            for text in unsets:
                self._machine.clear(revision.id, from_dotted(text))
            for text, value in sets.items():
                self._machine.merge(revision.id, from_dotted(text), value)
            found = judge(self._machine.tree(revision.blob), self._machine.panel)
            if found:
                raise Refusal(400, f"{found[0].location}: {found[0].reason}")
        except (BadBody, Refusal):
            del self._machine.store.revisions[revision.id]
            raise
        revision.message = "changed by hand"
        self._machine.store.put_in_force(revision.id, revision.blob)
        self._machine.come_in_force()
        self._finish(revision, now)
        return revision


def _issue(code: str, message: str) -> Json:
    return {"code": code, "message": message, "severity": "error", "data": {}}
