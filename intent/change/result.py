"""What came of a change: one row per device, and the exit code that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from intent.core.exitcode import ExitCode, worst
from intent.core.verdict import Verdict
from intent.device.actor import Status


@dataclass(frozen=True, slots=True)
class Row:
    """Where one device stands.

    Args:
        device: its name.
        status: where it stands.
        detail: why, in words; empty when there is nothing to say.
        wave: number of its wave; 0 when it was in none.
        verdict: what the checks said; None when they were not asked.
        messages: what the checks found.
    """

    device: str
    status: Status
    detail: str = ""
    wave: int = 0
    verdict: Verdict | None = None
    messages: tuple[str, ...] = ()

    @property
    def kept_in_doubt(self) -> bool:
        """Kept, and found wanting: after the soak, or because its kind of device cannot be reverted."""
        return self.status is Status.CONFIRMED and self.verdict not in (None, Verdict.PASS)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an apply or a rollback.

    Args:
        change: its number in the journal; empty when nothing had to be written.
        plan_digest: digest of the plan it carried out.
        rows: one per device of the plan, in the plan's order.
        stopped: why it ended early; empty when it did not.
        seconds: how long it took.
    """

    change: str
    plan_digest: str
    rows: tuple[Row, ...]
    stopped: str = ""
    seconds: float = 0.0

    @property
    def exit_code(self) -> ExitCode:
        """Code to leave with."""
        return exit_code(self.rows)

    @property
    def counts(self) -> dict[Status, int]:
        """Devices by status; statuses nobody has are left out."""
        return dict(Counter(row.status for row in self.rows))


def exit_code(rows: Collection[Row]) -> ExitCode:
    """The code that follows from where the devices stand. No row at all is an error: nothing was done."""
    if not rows:
        return ExitCode.ERROR
    seen = {row.status for row in rows}
    codes = []
    if Status.STALE in seen:
        codes.append(ExitCode.STALE)
    if seen & {Status.UNKNOWN, Status.AWAITING}:
        codes.append(ExitCode.UNKNOWN)
    back = seen & {Status.REVERTED, Status.FAILED, Status.NOT_ATTEMPTED}
    in_doubt = any(row.kept_in_doubt for row in rows)
    if Status.CONFIRMED in seen and (back or in_doubt):
        codes.append(ExitCode.PARTIAL)
    elif Status.REVERTED in seen:
        codes.append(ExitCode.ROLLED_BACK)
    elif Status.FAILED in seen:
        codes.append(ExitCode.ERROR)
    elif back:
        codes.append(ExitCode.ERROR if not codes else ExitCode.PARTIAL)
    return worst(*codes) if codes else ExitCode.OK
