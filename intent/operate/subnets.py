"""Subnets of InfiniBand fabrics, judged by what the hosts of their managers see, and by what UFM says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.fabric.model import Role
from intent.operate.lab_subnets import lab_observation, lab_settled, lab_subnets
from intent.operate.managed import PLATFORM, Managed, managed
from intent.operate.nvlinks import PART as NVLINK
from intent.operate.ufm_subnets import HOSTS as UFM_HOSTS
from intent.operate.ufm_subnets import PLATFORM as UFM
from intent.operate.ufm_subnets import ufm_managed, ufm_observation

if TYPE_CHECKING:
    from intent.change.control import Clock
    from intent.change.engine import Judgement
    from intent.device.actor import Actor, Target
    from intent.device.observation import Observation
    from intent.verify.api import Check, Phase
    from intent.verify.engine import CheckResult
    from intent.workspace.compile import Compiled

_SUBJECT = "partitions"
_LIDS = "lid-stability"
_CANARY = "partitions-canary"
_VALIDATION = "ufm-validation"
# Seconds between two looks at a subnet.
_PAUSE_S = 2.0


class Subnets:
    """Judges the subnets of a site.

    Args:
        compiled: the site.
        checks: what to check; those of hosts of managers are run.
        actors: by platform; where hosts are reached in another way, nothing is judged.
        targets: every device.
        changing: hosts that a change under way writes to.
        lab: folder of the lab that stands in for the site; its UFMs may have a real OpenSM behind them.
        asked: checks named by the user, or their subjects; one that makes a controller work is run only then.
        clock: gives the time; None looks once.
        patience_s: seconds the ports of a subnet may take to hold what UFM was told.
    """

    def __init__(
        self,
        compiled: Compiled,
        checks: Sequence[Check],
        actors: Mapping[str, Actor],
        targets: Mapping[str, Target],
        *,
        changing: Collection[str] = (),
        lab: Path | None = None,
        asked: Collection[str] = (),
        clock: Clock | None = None,
        patience_s: float = 0.0,
    ) -> None:
        self._compiled = compiled
        own = [check for check in checks if Role.MANAGER in check.roles and NVLINK not in check.parts]
        self._validate = any({check.name, check.subject} & {*asked} for check in own if check.name == _VALIDATION)
        self._checks = [check for check in own if self._validate or check.name != _VALIDATION]
        self._actors = actors
        self._targets = targets
        self._changing = frozenset(changing)
        self._lab = lab
        self._clock = clock
        self._patience_s = patience_s
        self._lids: dict[str, Mapping[str, int]] = {}

    def remember(self) -> None:
        """Read the local identifiers of the subnets whose hosts are about to change: no port may get another one."""
        for name, subnet in self._of(self._changing).items():
            observed = self._look(subnet)
            if observed is not None and observed.lids is not None:
                self._lids[name] = observed.lids

    def results(self, hosts: Collection[str], phase: Phase) -> tuple[tuple[CheckResult, ...], dict[str, Observation]]:
        """Verdicts on the subnets of these hosts, and what was observed; each is read on one host.

        Args:
            hosts: names of devices; those that manage no subnet are passed over.
            phase: which checks run.
        """
        from intent.verify.api import Expected
        from intent.verify.engine import run

        found: list[CheckResult] = []
        seen: dict[str, Observation] = {}
        chosen = [check for check in self._checks if phase in check.phases]
        for name, one in self._of(hosts).items() if chosen else ():
            observed = self._look(one)
            if observed is None:
                continue
            host = observed.device
            seen[host] = observed
            subnet = replace(one.expected, lids=self._lids.get(name))
            expected = Expected(subnets={name: subnet})
            able = [check for check in chosen if one.runs(check)]
            found += [_not_modelled(check, one, host, phase) for check in chosen if check not in able]
            found += run(able, one.fabric, {host: observed}, phase=phase, expected=expected, devices=[host])
        return tuple(found), seen

    def judge(self, hosts: Sequence[str], in_force: frozenset[str]) -> dict[str, Judgement]:
        """Whether partitions are those of the intent after hosts got their files, and no port was renumbered.

        As long as the master has its old files the subnet has its old keys, and nothing is judged.
        """
        judged: dict[str, Judgement] = {}
        for one in self._of(hosts).values():
            master = one.hosts[0]
            if master in self._changing and master not in {*in_force, *hosts}:
                continue
            own = self._settled(one)
            judged |= {host: _judgement(one, own) for host in one.hosts if own and host in hosts}
        return judged

    def _settled(self, one: Managed) -> list[CheckResult]:
        """What decides about a change; UFM's subnet manager takes its time to give ports what UFM was told."""
        from intent.core.verdict import Verdict
        from intent.verify.api import Phase

        end = self._clock.monotonic() + self._patience_s if self._clock is not None else 0.0
        while True:
            results, _ = self.results(one.hosts, Phase.POST)
            own = [item for item in results if item.subject == _SUBJECT or item.check == _LIDS]
            own = [item for item in own if item.verdict is not Verdict.SKIPPED]
            failed = {item.check for item in own if item.verdict is Verdict.FAIL}
            # A fabric that fell open is told at once: waiting does not close it.
            waiting = failed and _CANARY not in failed and self._platform(one.hosts[0]) == UFM
            if self._clock is None or not waiting or self._clock.monotonic() + _PAUSE_S >= end:
                return own
            self._clock.sleep(_PAUSE_S)

    def _look(self, subnet: Managed) -> Observation | None:
        """What the first host that answers sees; of none, what the last one said."""
        from intent.device.opensm import OpenSmActor
        from intent.device.opensm_state import gather_subnets

        if self._lab is not None and subnet.behind_ufm:
            return lab_observation(self._lab, subnet.behind_ufm)
        if self._platform(subnet.hosts[0]) == UFM:
            return ufm_observation(self._compiled, self._actors, subnet, validate=self._validate)
        actor, observed = self._actors.get(PLATFORM), None
        for host in subnet.hosts:
            if not isinstance(actor, OpenSmActor) or host not in self._targets:
                continue
            if self._lab is not None:
                lab_settled(self._lab, host)
            observed = gather_subnets(actor, [self._targets[host]])[host]
            if "device" not in observed.problems:
                break
        return observed

    def _of(self, hosts: Collection[str]) -> dict[str, Managed]:
        lab = self._lab is not None
        simulated = lab_subnets(self._compiled, self._lab, hosts) if self._lab is not None else {}
        names = {
            self._compiled.controllers[host].fabric: self._platform(host)
            for host in hosts
            if host in self._compiled.controllers and host in self._compiled.artifacts
        }
        own = [name for name, platform in names.items() if platform == PLATFORM]
        ufms = [name for name, platform in names.items() if platform in (UFM, UFM_HOSTS)]
        hosted = {name: managed(self._compiled, name, laboratory=lab) for name in own}
        return {name: ufm_managed(self._compiled, name, laboratory=lab) for name in ufms} | hosted | simulated

    def _platform(self, host: str) -> str:
        found = self._compiled.controllers.get(host)
        return found.platform if found else ""


def _judgement(one: Managed, results: Sequence[CheckResult]) -> Judgement:
    """What a change is judged by. What the intent leaves nobody to ask for is told, and does not undo the change."""
    from intent.change.engine import Judgement
    from intent.core.verdict import Verdict, overall

    unproven = {
        item.check
        for item in results
        if item.verdict is Verdict.UNKNOWN and (one.blind or (item.check == _CANARY and not one.expected.canaries))
    }
    rest = [item.verdict for item in results if item.check not in unproven]
    messages = tuple(
        f"{text} (not proven: see {item.check} of `intent verify`)" if item.check in unproven else text
        for item in results
        for text in item.messages
    )
    return Judgement(overall(rest) if rest else Verdict.PASS, messages)


def _not_modelled(check: Check, subnet: Managed, host: str, phase: Phase) -> CheckResult:
    """A check that a simulated subnet has no answer to."""
    from intent.core.verdict import Verdict
    from intent.verify.engine import CheckResult

    note = "a model of partitions stands for this UFM's fabric in the lab: `intent lab up --engine opensm` has ports"
    if not subnet.checks:
        note = (
            "the simulator behind the lab's UFM cannot say: links of NDR and XDR run as HDR, and no port is set aside"
        )
    return CheckResult(host, check.name, check.title, check.subject, phase, Verdict.SKIPPED, notes=(note,))
