"""What goes wrong on demand."""

from __future__ import annotations

from dataclasses import dataclass, fields

# Kinds that stay until cleared, with what they do.
STANDING = {
    "unreachable": "connections are refused (how=refuse) or never answered (how=silent)",
    "slow": "every answer takes delay_s longer",
    "hung-apply": "an apply stays in state apply",
    "apply-fail": "an apply ends in apply_fail or another state=…, or asks ignore_fail (ask=true)",
    "lost-after-apply": "the switch is lost once an apply is in force, until its confirm timer puts it back",
    "ranges": "configuration reads answer equal interfaces under one range key unless expand=true",
}
# Kinds that happen once.
EVENTS = {
    "reboot": "down for for_s seconds, then up with the startup configuration",
    "restart": "the NVUE service starts anew: every call is answered 502 for for_s seconds, tokens are void",
    "change-by-hand": "an operator sets (set={path: value}) or unsets (unset=[path]) something, applied at once",
    "set-password": "the factory password is changed on the switch itself",
    "swap-cable": "the far ends of the cables at port and with_port (of with_device) change places",
    "pull-cable": "the cable at port is pulled; plug=true puts it back",
    "clear": "every standing fault of the switch ends",
}
# States an apply may fail with, by the step that fails.
FAILURES = {
    "verify_error": "verifying",
    "ready_error": "readying",
    "apply_error": "reloading",
    "apply_fail": "reloading",
}


@dataclass(slots=True)
class Faults:
    """Standing faults of one switch.

    Args:
        unreachable: empty, `refuse` or `silent`.
        until: lab time at which `unreachable` ends by itself; 0 for never.
        delay_s: added to every answer.
        hung_apply: the next applies do not move.
        apply_fail: empty, a state of `FAILURES`, or `ask`.
        lost_after_apply: armed.
        lost: lost by an apply, until it is undone.
        ranges: configuration reads group equal interfaces.
        times: applies that still fail or hang; -1 for all.
    """

    unreachable: str = ""
    until: float = 0.0
    delay_s: float = 0.0
    hung_apply: bool = False
    apply_fail: str = ""
    lost_after_apply: bool = False
    lost: bool = False
    ranges: bool = False
    times: int = -1

    def fails_in(self, state: str) -> bool:
        """True when an apply fails on entering a state."""
        return bool(self.apply_fail) and FAILURES.get(self.apply_fail, "reloading") == state

    def clear(self) -> None:
        """Every standing fault ends."""
        for item in fields(self):
            setattr(self, item.name, item.default)

    def words(self) -> list[str]:
        """The standing faults by name."""
        held = {
            "unreachable": self.unreachable,
            "slow": self.delay_s,
            "hung-apply": self.hung_apply,
            "apply-fail": self.apply_fail,
            "lost-after-apply": self.lost_after_apply or self.lost,
            "ranges": self.ranges,
        }
        return [name for name, value in held.items() if value]

    def spend(self) -> None:
        """One apply was hit."""
        if self.times > 0:
            self.times -= 1
            if self.times == 0:
                self.apply_fail, self.hung_apply, self.times = "", False, -1
