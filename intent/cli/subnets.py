"""Subnets of InfiniBand fabrics, judged by what the hosts of their managers see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.catalog.subnet_managers import SubnetManagers
from intent.fabric.model import Fabric, Network, Role

if TYPE_CHECKING:
    from intent.change.engine import Judgement
    from intent.device.actor import Actor, Target
    from intent.device.observation import Observation
    from intent.verify.api import Check, Phase, Subnet
    from intent.verify.engine import CheckResult
    from intent.workspace.compile import Compiled

PLATFORM = "opensm"
_SUBJECT = "partitions"
_LIDS = "lid-stability"


@dataclass(frozen=True, slots=True)
class Managed:
    """A subnet whose managers' hosts are ours.

    Args:
        expected: what the checks expect of it.
        hosts: names of the hosts, the master first.
        fabric: the site, in which every host has the role of a manager.
        subjects: checks of these subjects are run, any other one is skipped; empty runs all.
    """

    expected: Subnet
    hosts: tuple[str, ...]
    fabric: Fabric
    subjects: frozenset[str] = frozenset()


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
        for name, managed in self._of(self._changing).items():
            observed = self._look(managed)
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
        for name, managed in self._of(hosts).items() if chosen else ():
            observed = self._look(managed)
            if observed is None:
                continue
            host = observed.device
            seen[host] = observed
            subnet = replace(managed.expected, lids=self._lids.get(name))
            expected = Expected(subnets={name: subnet})
            able = [check for check in chosen if not managed.subjects or check.subject in managed.subjects]
            found += [_not_modelled(check, host, phase) for check in chosen if check not in able]
            found += run(able, managed.fabric, {host: observed}, phase=phase, expected=expected, devices=[host])
        return tuple(found), seen

    def judge(self, hosts: Sequence[str], in_force: frozenset[str]) -> dict[str, Judgement]:
        """Whether partitions are those of the intent after hosts got their files, and no port was renumbered.

        As long as the master has its old files the subnet has its old keys, and nothing is judged.
        """
        from intent.change.engine import Judgement
        from intent.core.verdict import overall
        from intent.verify.api import Phase

        judged: dict[str, Judgement] = {}
        for managed in self._of(hosts).values():
            master = managed.hosts[0]
            if master in self._changing and master not in {*in_force, *hosts}:
                continue
            results, _ = self.results(managed.hosts, Phase.POST)
            own = [item for item in results if item.subject == _SUBJECT or item.check == _LIDS]
            messages = tuple(text for item in own for text in item.messages)
            verdict = overall(item.verdict for item in own)
            judged |= {host: Judgement(verdict, messages) for host in managed.hosts if own and host in hosts}
        return judged

    def _look(self, managed: Managed) -> Observation | None:
        """What the first host that answers sees; of none, what the last one said."""
        from intent.device.opensm import OpenSmActor
        from intent.device.opensm_state import gather_subnets

        if self._lab is not None:
            from intent.cli.lab_subnets import lab_observation

            return lab_observation(self._lab, managed.hosts[0])
        observed: Observation | None = None
        for host in managed.hosts:
            if not isinstance(self._actor, OpenSmActor) or host not in self._targets:
                continue
            observed = gather_subnets(self._actor, [self._targets[host]])[host]
            if "device" not in observed.problems:
                break
        return observed

    def _of(self, hosts: Collection[str]) -> dict[str, Managed]:
        if self._lab is not None:
            from intent.cli.lab_subnets import lab_subnets

            return lab_subnets(self._compiled, self._lab, hosts)
        names = {
            self._compiled.controllers[host].fabric: None
            for host in hosts
            if host in self._compiled.controllers
            and host in self._compiled.artifacts
            and self._compiled.controllers[host].platform == PLATFORM
        }
        return {name: managed(self._compiled, name) for name in names}


def _not_modelled(check: Check, host: str, phase: Phase) -> CheckResult:
    """A check that a simulated subnet has no answer to."""
    from intent.core.verdict import Verdict
    from intent.verify.engine import CheckResult

    note = "the simulator behind the lab's UFM models neither speed nor errors of links"
    return CheckResult(host, check.name, check.title, check.subject, phase, Verdict.SKIPPED, notes=(note,))


def managed(compiled: Compiled, name: str) -> Managed:
    """One fabric whose managers' hosts have artefacts.

    Args:
        compiled: the site.
        name: the fabric.
    """
    from intent.device.opensm_files import kind_of
    from intent.formats.partitions.reader import read_strict
    from intent.verify.subnets import end_ports_of, subnet_of

    manager = SubnetManagers().manager(PLATFORM)
    wanted = compiled.site.fabrics[name].subnet_manager
    priorities = wanted.priorities()
    own = [host.name for host in wanted.hosts if host.name in compiled.artifacts]
    hosts = tuple(sorted(own, key=lambda host: -priorities[host]))
    files = compiled.artifacts[hosts[0]].body["files"]
    text = next(text for path, text in files.items() if kind_of(path, manager) == "partitions")
    part = compiled.fabric.only(Network.INFINIBAND, name)
    guids = {host: next(port.guid for port in part.devices[host].ports.values() if port.guid) for host in hosts}
    ports, _ = end_ports_of(compiled.fabric, name)
    expected = subnet_of(
        name,
        read_strict(text.encode()),
        ports,
        managers={guids[host]: priorities[host] for host in hosts},
        engine=wanted.engine,
        sets_aside="unhealthy-ports" in manager.features,
    )
    # A node may run the manager beside its work; to the checks it is the manager's host.
    devices = {**part.devices, **{h: replace(part.devices[h], role=Role.MANAGER, fabric=name) for h in hosts}}
    return Managed(expected, hosts, Fabric(part.site, devices, part.links))
