"""An apply on its way: one revision holds the machine at a time, others wait in state `apply`.

Steps are appointments of the lab's agenda, so a revision moves on whenever somebody looks.
"""

from __future__ import annotations

from typing import Protocol

from intent.lab import trees as lab_trees
from intent.lab.agenda import Agenda
from intent.lab.configurations import Configurations
from intent.lab.facts import Facts
from intent.lab.faults import Faults
from intent.lab.hardware import Panel
from intent.lab.semantics import judge
from intent.lab.store import Revision
from intent.lab.tools import Timing
from intent.lab.trees import Json

# Share of an apply's time, state and progress of its steps. States: three public clients; the order is the API's own.
_STEPS = (
    (0.1, "apply", ""),
    (0.1, "checking", "checking"),
    (0.2, "verifying", "verifying the configuration"),
    (0.1, "readying", "getting ready"),
    (0.5, "reloading", "reloading services"),
)
# Code and message of what a failing step leaves.
_FAILURES = {
    "verify_error": ("verify_failed", "Failed to verify the configuration: a generator exited with an error"),
    "ready_error": ("ready_failed", "Failed to write the configuration files"),
    "apply_error": ("internal_error", "Unrecoverable internal error"),
    "apply_fail": ("reload_failed", "Failed to reload frr: service exited with an error"),
}
_LAPSED = "Timeout while waiting for confirmation; the previous configuration is back"
_NOT_CONFIRMED = "Not confirmed; the previous configuration is back"
_MOST_ISSUES = 50


class Owner(Protocol):
    """The switch whose revisions are applied."""

    @property
    def facts(self) -> Facts:
        """Of the tree in force."""

    def come_in_force(self) -> None:
        """Take up the tree that is applied now."""

    def cut_off(self, until: float) -> None:
        """Nobody reaches it until then."""


# What carries the calls of the API itself: reloading it drops connections.
_ACCESS = (("interface", "eth0"), ("system", "api"), ("vrf", "mgmt"))


class Applying:
    """Applies the revisions of a switch.

    Args:
        owner: the switch.
        held: its configurations.
        panel: its front panel.
        faults: its faults.
        agenda: what is due when.
        timing: how long things take.
    """

    __slots__ = ("_faults", "_held", "_holder", "_owner", "_panel", "_queue", "agenda", "timing")

    def __init__(
        self, owner: Owner, held: Configurations, panel: Panel, faults: Faults, agenda: Agenda, timing: Timing
    ) -> None:
        self._owner = owner
        self._held = held
        self._panel = panel
        self._faults = faults
        self.agenda = agenda
        self.timing = timing
        self._queue: list[Revision] = []
        self._holder: Revision | None = None

    @property
    def under_way(self) -> str:
        """Number of the revision that is being applied, waits to be, or waits to be confirmed; empty when none is."""
        waiting = [self._holder, *self._queue]
        return next((revision.id for revision in waiting if revision is not None), "")

    @property
    def holder(self) -> Revision | None:
        """The revision that holds the machine."""
        return self._holder

    def has(self, revision: Revision) -> bool:
        """True when the revision holds the machine or waits for it."""
        return revision is self._holder or revision in self._queue

    def enqueue(self, revision: Revision, now: float) -> None:
        """Apply a revision as soon as the machine is free."""
        revision.state = "apply"
        revision.progress = "waiting" if self._holder else ""
        self._queue.append(revision)
        self._next(now)

    def _next(self, now: float) -> None:
        if self._holder is not None or not self._queue:
            return
        revision = self._holder = self._queue.pop(0)
        if self._faults.hung_apply:
            revision.progress = "applying"
            self._faults.spend()
            return
        self._step(revision, 0, now)

    def resume(self) -> None:
        """A hung apply goes on."""
        revision = self._holder
        if revision is not None and revision.state == "apply" and revision.timer is None:
            self._step(revision, 0, self.agenda.clock())

    def go_on(self, revision: Revision) -> None:
        """Reload although a service failed."""
        self._step(revision, len(_STEPS) - 1, self.agenda.clock(), forced=True)

    def _step(self, revision: Revision, number: int, at: float, *, forced: bool = False) -> None:
        revision.timer = None
        if number == len(_STEPS):
            self._in_force(revision, at)
            return
        share, revision.state, revision.progress = _STEPS[number]
        if revision.state == "verifying" and not self._valid(revision, at):
            return
        if not forced and self._faults.fails_in(revision.state) and not self._forces(revision):
            return
        wait = self.timing.apply_s * share
        if revision.state == "reloading" and self._touches_access(revision):
            self._owner.cut_off(at + wait)
        revision.timer = self.agenda.after(wait, lambda then: self._step(revision, number + 1, then), since=at)

    def _touches_access(self, revision: Revision) -> bool:
        old, new = self._held.tree(self._held.store.applied), self._held.tree(revision.blob)
        return any(lab_trees.at(old, path) != lab_trees.at(new, path) for path in _ACCESS)

    def _valid(self, revision: Revision, at: float) -> bool:
        found = judge(self._held.tree(revision.blob), self._panel)
        if not found:
            return True
        revision.issues = [
            {
                "code": "config_invalid",
                "message": f"Config invalid at {item.location}: {item.reason}",
                "severity": "error",
                "data": {"location": item.location, "reason": item.reason},
            }
            for item in found[:_MOST_ISSUES]
        ]
        revision.state, revision.progress = "invalid", "Invalid config"
        self._release(revision, at)
        return False

    def _forces(self, revision: Revision) -> bool:
        """The step fails: True when the revision goes on all the same."""
        ending = self._faults.apply_fail
        self._faults.spend()
        if ending != "ask":
            self.end(revision, ending, *_FAILURES[ending])
            return False
        if revision.answers.get("ignore_fail") != "ignore_fail_yes":
            revision.state = "ignore_fail"
            revision.issues = [_issue(*_FAILURES["apply_fail"])]
            return False
        return True

    def _in_force(self, revision: Revision, at: float) -> None:
        store, faults = self._held.store, self._faults
        revision.before = (store.applied_id, store.applied)
        self.put_in_force(revision)
        if faults.lost_after_apply:
            faults.lost_after_apply, faults.lost = False, True
        if revision.confirm_s and revision.answers.get("confirm") != "confirm_yes":
            revision.state, revision.progress = "confirm", "waiting for confirmation"
            revision.timer = self.agenda.after(
                revision.confirm_s, lambda _: self._revert(revision, "client_timeout", _LAPSED), since=at
            )
            return
        self.finish(revision, at)

    def put_in_force(self, revision: Revision) -> None:
        """A revision's tree is what the switch does from now on."""
        self._held.store.put_in_force(revision.id, revision.blob)
        self._owner.come_in_force()

    def revert_soon(self, revision: Revision) -> None:
        """Put back what was applied before, as fast as an apply goes."""
        revision.state, revision.progress = "confirm_no", "reverting"
        since = self.agenda.clock()
        revision.timer = self.agenda.after(
            self.timing.apply_s, lambda _: self._revert(revision, "confirm_no", _NOT_CONFIRMED), since=since
        )

    def _revert(self, revision: Revision, code: str, message: str) -> None:
        store = self._held.store
        revision.timer = None
        if revision.before is not None:
            before_id, before = revision.before
            store.put_in_force(before_id, before)
            store.revisions[before_id].state = "applied_and_saved" if store.saved else "applied"
            self._owner.come_in_force()
        self._faults.lost = False
        self.end(revision, "confirm_fail", code, message)

    def finish(self, revision: Revision, at: float) -> None:
        """What is in force stays; it is saved too unless that is switched off."""
        store = self._held.store
        revision.progress, revision.before = "", None
        if self._owner.facts.auto_save:
            store.startup, store.saved = store.applied, True
        revision.state = "applied_and_saved" if store.saved else "applied"
        self._release(revision, at)

    def end(self, revision: Revision, state: str, code: str, message: str, progress: str = "") -> None:
        """A revision that did not make it; the machine is free again."""
        revision.state, revision.progress, revision.before = state, progress, None
        revision.issues = [_issue(code, message)]
        self._release(revision, self.agenda.clock())

    def _release(self, revision: Revision, now: float) -> None:
        if self._holder is revision:
            self._holder = None
            self._next(now)

    def abandon(self) -> None:
        """The switch goes down: nothing that was under way survives."""
        for revision in self._held.store.revisions.values():
            if revision.timer is not None or self.has(revision):
                stop_timer(revision)
                revision.state, revision.progress, revision.before = "inactive", "", None
        self._queue.clear()
        self._holder = None


def stop_timer(revision: Revision) -> None:
    """The next step of a revision, or the end of a prompt, does not come by itself."""
    if revision.timer is not None:
        revision.timer.cancel()
        revision.timer = None


def _issue(code: str, message: str) -> Json:
    return {"code": code, "message": message, "severity": "error", "data": {}}
