"""Checks of a command: which there are, what they need to know, and how the judgement of a change is made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from intent.core.diagnostic import has_errors
from intent.core.errors import DiagnosticError
from intent.core.exitcode import ExitCode
from intent.fabric.model import Role, Tier
from intent.fabric.policy import SWITCH_MTU_BYTES
from intent.fabric.qos import ecn_read_back
from intent.resources import search_path
from intent.workspace.compile import Compiled
from intent.workspace.files import Workspace

if TYPE_CHECKING:
    from intent.change.control import Clock
    from intent.change.engine import Judgement
    from intent.device.actor import Target
    from intent.device.fanout import Fleet
    from intent.device.observation import Observation
    from intent.verify.api import Check, Expected
    from intent.verify.judging import Baseline

# Seconds between two looks while a fabric converges.
_PAUSE_S = 1.0


def checks_of(workspace: Workspace, names: Sequence[str] = (), *, remark: Callable[[str], None]) -> tuple[Check, ...]:
    """Our checks and the workspace's own.

    Args:
        workspace: where its own lie.
        names: of checks or their subjects; none for all.
        remark: told what is odd, and does not stop anything.

    Raises:
        DiagnosticError: a file of checks is broken: what it would have found cannot be left out silently.
        IntentError: a name means no check.
    """
    from intent.verify.registry import load

    registry = load(search_path("validators", workspace.overlay("validators")))
    if has_errors(registry.diagnostics):
        raise DiagnosticError(registry.diagnostics, exit_code=ExitCode.ERROR)
    for item in registry.diagnostics:
        remark(str(item))
    return registry.select(names) if names else registry.checks


def expected_of(compiled: Compiled) -> Expected:
    """What the intent asks for beyond devices and links."""
    from intent.verify.api import Expected

    return Expected(
        mtu_bytes={Tier.FABRIC: SWITCH_MTU_BYTES, Tier.HOST: SWITCH_MTU_BYTES},
        qos=compiled.profiles.by_device,
        ecn_read_back=ecn_read_back(),
    )


def parts_of(checks: Sequence[Check]) -> tuple[str, ...]:
    """What has to be read from switches for these checks; other devices are read in their own ways."""
    switches = {Role.LEAF, Role.SPINE, Role.CORE}
    return tuple(dict.fromkeys(part for check in checks if check.roles & switches for part in check.parts))


class Answering:
    """Judges a rollback: the device must answer over a new connection, nothing more.

    What is restored is what was before, and that need not be what the intent says now; its checks have no say in it.

    Args:
        fleet: the way to the devices.
        targets: every device.
    """

    def __init__(self, fleet: Fleet, targets: Mapping[str, Target]) -> None:
        self._fleet = fleet
        self._targets = targets

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        from intent.change.engine import Judgement
        from intent.core.verdict import Verdict
        from intent.device.observe import gather

        del in_force
        seen = gather(self._fleet, [self._targets[name] for name in devices], ("system",), fresh=True)
        return {
            name: Judgement(Verdict.PASS)
            if item.system is not None
            else Judgement(Verdict.UNKNOWN, tuple(f"{part}: {why}" for part, why in item.problems.items()))
            for name, item in seen.items()
        }


class Judging:
    """Judges the devices of a wave, again and again while the fabric converges, until all pass or time is up.

    Args:
        compiled: the site.
        checks: what to check.
        fleet: the way to the devices.
        targets: every device.
        clock: gives the time.
        patience_s: seconds the checks of one wave may take.
    """

    def __init__(
        self,
        compiled: Compiled,
        checks: Sequence[Check],
        fleet: Fleet,
        targets: Mapping[str, Target],
        clock: Clock,
        patience_s: float,
    ) -> None:
        self._compiled = compiled
        self._checks = checks
        self._fleet = fleet
        self._targets = targets
        self._clock = clock
        self._patience_s = patience_s
        self._expected = expected_of(compiled)
        self._before: Baseline | None = None
        self._resting: frozenset[str] = frozenset()

    def remember(self, devices: Sequence[str], configured: Collection[str], planned: Collection[str]) -> None:
        """Look at the devices before anything is written.

        Args:
            devices: those to be changed.
            configured: those an earlier change of ours reached.
            planned: every device of the plan; what was configured and is in no plan stays as it is.
        """
        from intent.verify.judging import baseline

        # Of a device that was never configured only the ports that are up matter.
        new = [name for name in devices if name not in configured]
        seen = self._observe(new, ("links",)) | self._observe([name for name in devices if name in configured])
        self._resting = frozenset(configured) - frozenset(planned)
        self._before = baseline(self._checks, self._compiled.fabric, seen, self._expected, configured)

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        from intent.change.engine import Judgement
        from intent.core.verdict import Verdict
        from intent.verify.judging import Baseline, judge

        end = self._clock.monotonic() + self._patience_s
        verdicts: dict[str, Judgement] = {}
        waiting = list(devices)
        fresh = True  # the first look proves that each device can still be reached
        while waiting:
            seen = self._observe(waiting, fresh=fresh)
            fresh = False
            found = judge(
                self._checks,
                self._compiled.fabric,
                seen,
                self._expected,
                self._before or Baseline(),
                waiting,
                in_force | self._resting,
            )
            verdicts |= {
                name: Judgement(
                    item.verdict, (*item.messages, *(f"{text} (as before the change)" for text in item.tolerated))
                )
                for name, item in found.items()
            }
            waiting = [name for name in waiting if verdicts[name].verdict is not Verdict.PASS]
            if not waiting or self._clock.monotonic() + _PAUSE_S >= end:
                break
            self._clock.sleep(_PAUSE_S)
        return verdicts

    def _observe(
        self, devices: Sequence[str], parts: Sequence[str] = (), *, fresh: bool = False
    ) -> dict[str, Observation]:
        from intent.device.fanout import FRESH_S
        from intent.device.observe import gather

        wanted, found = parts or parts_of(self._checks), [self._targets[name] for name in devices]
        return gather(self._fleet, found, wanted, fresh=fresh, known_s=FRESH_S)
