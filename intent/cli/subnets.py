"""Subnets of InfiniBand fabrics, judged by what the hosts of their managers see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.cli.lab_subnets import lab_observation, lab_settled, lab_subnets
from intent.cli.managed import PLATFORM, Managed, managed
from intent.fabric.model import Role

if TYPE_CHECKING:
    from intent.change.engine import Judgement
    from intent.device.actor import Actor, Target
    from intent.device.observation import Observation
    from intent.verify.api import Check, Phase
    from intent.verify.engine import CheckResult
    from intent.workspace.compile import Compiled

_SUBJECT = "partitions"
_LIDS = "lid-stability"


class Subnets:
    """Judges the subnets of a site.

    Args:
        compiled: the site.
        checks: what to check; those of hosts of managers are run.
        actors: by platform; where hosts are reached in another way, nothing is judged.
        targets: every device.
        changing: hosts that a change under way writes to.
        lab: folder of the lab that stands in for the site; its UFMs may have a real OpenSM behind them.
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
    ) -> None:
        self._compiled = compiled
        self._checks = [check for check in checks if Role.MANAGER in check.roles]
        self._actor = actors.get(PLATFORM)
        self._targets = targets
        self._changing = frozenset(changing)
        self._lab = lab
        self._lids: dict[str, Mapping[str, int]] = {}

    def remember(self) -> None:
        """Read the local identifiers of the subnets whose hosts are about to change: no port may get another one."""
        for name, one in self._of(self._changing).items():
            observed = self._look(one)
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
            able = [check for check in chosen if not one.subjects or check.subject in one.subjects]
            found += [_not_modelled(check, host, phase) for check in chosen if check not in able]
            found += run(able, one.fabric, {host: observed}, phase=phase, expected=expected, devices=[host])
        return tuple(found), seen

    def judge(self, hosts: Sequence[str], in_force: frozenset[str]) -> dict[str, Judgement]:
        """Whether partitions are those of the intent after hosts got their files, and no port was renumbered.

        As long as the master has its old files the subnet has its old keys, and nothing is judged.
        """
        from intent.change.engine import Judgement
        from intent.core.verdict import overall
        from intent.verify.api import Phase

        judged: dict[str, Judgement] = {}
        for one in self._of(hosts).values():
            master = one.hosts[0]
            if master in self._changing and master not in {*in_force, *hosts}:
                continue
            results, _ = self.results(one.hosts, Phase.POST)
            own = [item for item in results if item.subject == _SUBJECT or item.check == _LIDS]
            messages = tuple(text for item in own for text in item.messages)
            verdict = overall(item.verdict for item in own)
            judged |= {host: Judgement(verdict, messages) for host in one.hosts if own and host in hosts}
        return judged

    def _look(self, subnet: Managed) -> Observation | None:
        """What the first host that answers sees; of none, what the last one said."""
        from intent.device.opensm import OpenSmActor
        from intent.device.opensm_state import gather_subnets

        if self._lab is not None and subnet.behind_ufm:
            return lab_observation(self._lab, subnet.behind_ufm)
        observed: Observation | None = None
        for host in subnet.hosts:
            if not isinstance(self._actor, OpenSmActor) or host not in self._targets:
                continue
            if self._lab is not None:
                lab_settled(self._lab, host)
            observed = gather_subnets(self._actor, [self._targets[host]])[host]
            if "device" not in observed.problems:
                break
        return observed

    def _of(self, hosts: Collection[str]) -> dict[str, Managed]:
        simulated = lab_subnets(self._compiled, self._lab, hosts) if self._lab is not None else {}
        names = {
            self._compiled.controllers[host].fabric: None
            for host in hosts
            if host in self._compiled.controllers
            and host in self._compiled.artifacts
            and self._compiled.controllers[host].platform == PLATFORM
        }
        lab = self._lab is not None
        return simulated | {name: managed(self._compiled, name, laboratory=lab) for name in names}


def _not_modelled(check: Check, host: str, phase: Phase) -> CheckResult:
    """A check that a simulated subnet has no answer to."""
    from intent.core.verdict import Verdict
    from intent.verify.engine import CheckResult

    note = "the simulator behind the lab's UFM does not model this: links of NDR and XDR run as HDR there"
    return CheckResult(host, check.name, check.title, check.subject, phase, Verdict.SKIPPED, notes=(note,))
