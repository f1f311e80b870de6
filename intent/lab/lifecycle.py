"""Orders to a revision: apply, answers to prompts, confirm, save. What follows from them is `applying`'s."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from intent.lab.applying import Applying, stop_timer
from intent.lab.configurations import Configurations
from intent.lab.store import Revision
from intent.lab.tools import Refusal
from intent.lab.trees import Json

AYS_S = 60.0
_LONGEST_CONFIRM_S = 86400


class Lifecycle:
    """Carries out orders to a switch's revisions.

    Args:
        held: the switch's configurations.
        applying: applies them.
    """

    __slots__ = ("_actions", "_applying", "_held")

    def __init__(self, held: Configurations, applying: Applying) -> None:
        self._held = held
        self._applying = applying
        self._actions: dict[str, Callable[[Revision, Json], None]] = {
            "apply": self._apply,
            "ays_yes": self._answer_ays,
            "ays_no": self._answer_ays,
            "confirm_yes": self._confirm,
            "confirm_no": self._confirm,
            "ignore_fail_yes": self._answer_ignore_fail,
            "ignore_fail_no": self._answer_ignore_fail,
        }

    @property
    def under_way(self) -> str:
        """Number of the revision that is being applied, waits to be, or waits to be confirmed; empty when none is."""
        return self._applying.under_way

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
        if word == "detached":
            return self._held.detach(name)
        revision = self._held.revision(name)
        action = self._actions.get(word) if isinstance(word, str) else None
        if action is None:
            raise Refusal(400, f"state {str(word)[:40]!r} is not one of {', '.join(self._actions)}, save")
        action(revision, body)
        return revision

    def _apply(self, revision: Revision, body: Json) -> None:
        store = self._held.store
        if revision.timer is not None or self._applying.has(revision):
            raise Refusal(409, f"Revision {revision.id} is already in state {revision.state}")
        if revision.id in store.fallbacks():
            raise Refusal(409, f"Revision {revision.id} comes back unless revision {store.applied_id} is confirmed")
        if revision.id == store.applied_id:
            return
        revision.answers, revision.confirm_s = _controls(body)
        revision.message = str(body.get("message", ""))[:400]
        revision.issues, revision.progress = [], ""
        agenda = self._applying.agenda
        if revision.answers.get("ays") != "ays_yes":
            revision.state = "ays"
            revision.progress = "Are you sure?"
            revision.timer = agenda.after(AYS_S, lambda _: self._ays_lapsed(revision))
            return
        self._applying.enqueue(revision, agenda.clock())

    def _answer_ays(self, revision: Revision, body: Json) -> None:
        _must_be(revision, "ays")
        stop_timer(revision)
        if body["state"] == "ays_yes":
            self._applying.enqueue(revision, self._applying.agenda.clock())
        else:
            self._applying.end(revision, "ays_fail", "ays_no", "the prompt was answered with no")

    def _ays_lapsed(self, revision: Revision) -> None:
        revision.timer = None
        message = "Timeout while waiting for client response"
        self._applying.end(revision, "ays_fail", "client_timeout", message, "Aborted apply after warnings")

    def _answer_ignore_fail(self, revision: Revision, body: Json) -> None:
        _must_be(revision, "ignore_fail")
        if body["state"] == "ignore_fail_yes":
            self._applying.go_on(revision)
        else:
            self._applying.end(revision, "apply_fail", "reload_failed", "the prompt was answered with no")

    def _confirm(self, revision: Revision, body: Json) -> None:
        _must_be(revision, "confirm")
        stop_timer(revision)
        if body["state"] == "confirm_yes":
            self._applying.finish(revision, self._applying.agenda.clock())
        else:
            self._applying.revert_soon(revision)

    def _save(self) -> Revision:
        revision, store = self._held.revision("applied"), self._held.store
        if revision.state == "confirm":
            raise Refusal(409, "the applied revision awaits confirmation")
        store.startup, store.saved = store.applied, True
        revision.state = "applied_and_saved"
        return revision


def _controls(body: Json) -> tuple[dict[str, str], float]:
    """Prompts answered in advance, and the seconds of the confirm timer."""
    prompts, controls = body.get("auto-prompt", {}), body.get("state-controls", {})
    if not isinstance(prompts, dict) or not isinstance(controls, dict):
        raise Refusal(400, "auto-prompt and state-controls must be objects")
    confirm = controls.get("confirm", 0)
    if isinstance(confirm, bool) or not isinstance(confirm, int | float) or not 0 <= confirm <= _LONGEST_CONFIRM_S:
        raise Refusal(400, f"state-controls.confirm must be a number of seconds from 0 to {_LONGEST_CONFIRM_S}")
    return {str(key): str(value) for key, value in prompts.items()}, float(confirm)


def _must_be(revision: Revision, state: str) -> None:
    if revision.state != state:
        raise Refusal(409, f"Revision {revision.id} is in state {revision.state}, not {state}")
