"""Actions posted to a switch: what they do to it, and the state they are in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from intent.catalog.actions import Action, nvue_actions
from intent.catalog.releases import numbers
from intent.core.tree import Path, pointer
from intent.lab.incidents import factory_reset, reboot
from intent.lab.machine import Machine
from intent.lab.tools import Refusal
from intent.lab.trees import Json

_MOST = 100


@dataclass(slots=True)
class Run:
    """An action that was started.

    Args:
        state: `running`, `action_success` or `action_error`.
        issues: what went wrong.
    """

    state: str = "running"
    issues: list[Json] = field(default_factory=list)

    def shown(self) -> Json:
        """As `GET /action/<id>` answers it."""
        return {"state": self.state, "issue": self.issues}


class Actions:
    """Starts the actions of any switch of a lab."""

    def __init__(self) -> None:
        self._known: tuple[Action, ...] = nvue_actions()
        self._runs: dict[str, dict[int, Run]] = {}

    def start(self, machine: Machine, path: Path, body: Any) -> int:
        """Start an action; its number.

        Raises:
            Refusal: there is no such action, or the body is none.
        """
        action, parameters = self._meant(machine, path, body)
        runs = self._runs.setdefault(machine.spec.name, {})
        number, run = max(runs, default=0) + 1, Run()
        runs[number] = run
        while len(runs) > _MOST:
            del runs[min(runs)]
        missing = [key for key in action.needs if parameters.get(key) is not True]

        def act(now: float) -> None:
            if missing:
                run.state = "action_error"
                run.issues = [{"severity": "error", "message": f"Parameter {', '.join(missing)} is needed"}]
                return
            run.state = "action_success"
            self._carry_out(machine, action, now)

        machine.tools.agenda.after(machine.tools.timing.apply_s, act)
        return number

    def _meant(self, machine: Machine, path: Path, body: Any) -> tuple[Action, Json]:
        if not isinstance(body, dict) or len(body) != 1 or not next(iter(body)).startswith("@"):
            raise Refusal(400, "an action is an object with one key that starts with @")
        word, order = next(iter(body.items()))
        parameters = order.get("parameters", {}) if isinstance(order, dict) else None
        if not isinstance(order, dict) or order.get("state") != "start" or not isinstance(parameters, dict):
            raise Refusal(400, f"{word[:40]} needs state start and parameters")
        present = (
            len(path) < 2
            or path[0] != "interface"
            or path[1] in machine.facts.ports
            or path[1] in machine.layout.speeds
        )
        for action in self._known if present else ():
            at_path = len(path) == len(action.path) and all(
                key in ("*", name) for key, name in zip(action.path, path, strict=True)
            )
            if at_path and action.name == word[1:] and numbers(action.since) <= numbers(machine.spec.release):
                return action, parameters
        raise Refusal(404, f"There is no action {word[:40]} at {pointer(path)[:200] or '/'}")

    def _carry_out(self, machine: Machine, action: Action, now: float) -> None:
        seconds = machine.tools.timing.boot_s
        if action.effect == "reboot":
            reboot(machine, now, seconds)
        elif action.effect == "factory-reset":
            factory_reset(machine, now, seconds)
        elif action.effect == "end-sessions":
            machine.accounts.forget_tokens()

    def shown(self, machine: Machine, path: Path) -> Json:
        """Every action of a switch, or one of them.

        Raises:
            Refusal: there is none of that number.
        """
        runs = self._runs.get(machine.spec.name, {})
        if not path:
            return {str(number): run.shown() for number, run in runs.items()}
        run = runs.get(int(path[0])) if len(path) == 1 and path[0].isascii() and path[0].isdigit() else None
        if run is None:
            raise Refusal(404, f"Action {'/'.join(path)[:80]} not found")
        return run.shown()
