"""NVLink domains, judged by what their NMX-M reads back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from intent.fabric.model import Device, Fabric, Role

if TYPE_CHECKING:
    from intent.change.engine import Judgement
    from intent.device.actor import Target
    from intent.device.fanout import Fleet
    from intent.device.observation import Observation
    from intent.render.artifact import Artifact
    from intent.verify.api import Check, Nvlink, Phase
    from intent.verify.engine import CheckResult
    from intent.workspace.compile import Compiled

PLATFORM = "nmx"
_TO_A_PARTITION = 3  # of /domain/UUID/partition/NAME the name's index
PART = "nvlink"
"""Part of an observation that only these checks need."""


class Nvlinks:
    """Judges the NVLink domains of a site.

    Args:
        compiled: the site.
        checks: what to check; those of NVLink are run.
        fleet: the way to the NMX-M.
        targets: every device.
    """

    def __init__(
        self, compiled: Compiled, checks: Sequence[Check], fleet: Fleet, targets: Mapping[str, Target]
    ) -> None:
        self._compiled = compiled
        self._checks = [check for check in checks if PART in check.parts]
        self._fleet = fleet
        self._targets = targets

    def results(self, names: Collection[str], phase: Phase) -> tuple[tuple[CheckResult, ...], dict[str, Observation]]:
        """Verdicts on the domains of these NMX-M, and what was observed.

        Args:
            names: names of devices; those that are no NMX-M are passed over.
            phase: which checks run.
        """
        from intent.device.nmx.observe import gather_nvlink
        from intent.verify.api import Expected
        from intent.verify.engine import run

        managers = [self._targets[name] for name in names if self._is_manager(name)]
        chosen = [check for check in self._checks if phase in check.phases]
        if not managers or not chosen:
            return (), {}
        seen = gather_nvlink(self._fleet, managers)
        artifacts, said = self._compiled.artifacts, self._compiled.site.nvlink
        racks = {domain.uuid: rack for rack, domain in said.domains.items()} if said else {}
        wanted = {item.name: wanted_nvlink(artifacts[item.name], racks) for item in managers}
        expected = Expected(nvlink={name: item for name, item in wanted.items() if item.partitions})
        devices = {item.name: self._device(item) for item in managers}
        site = Fabric(self._compiled.name, devices, ())
        found = run(chosen, site, seen, phase=phase, expected=expected, devices=[*devices])
        return found, seen

    def judge(self, names: Sequence[str]) -> dict[str, Judgement]:
        """Whether the domains are those of the intent after a change."""
        from intent.change.engine import Judgement
        from intent.core.verdict import overall
        from intent.verify.api import Phase

        found, _ = self.results(names, Phase.POST)
        by_name: dict[str, list[CheckResult]] = {}
        for item in found:
            by_name.setdefault(item.device, []).append(item)
        return {
            name: Judgement(
                overall(item.verdict for item in items), tuple(text for item in items for text in item.messages)
            )
            for name, items in by_name.items()
        }

    def _is_manager(self, name: str) -> bool:
        known = self._targets.get(name)
        return known is not None and known.platform == PLATFORM and name in self._compiled.artifacts

    def _device(self, target: Target) -> Device:
        """The NMX-M as a device of a site, so that checks can be run on it."""
        return Device(name=target.name, role=Role.MANAGER, model=target.model, site=self._compiled.name)


def wanted_nvlink(artifact: Artifact, racks: Mapping[str, str] | None = None) -> Nvlink:
    """What an NMX-M must hold, as checks take it, without what the user takes out.

    Args:
        artifact: of the NMX-M.
        racks: name of the rack that each domain is.
    """
    from intent.device.nmx.model import from_tree
    from intent.verify.api import Nvlink

    partitions: dict[str, dict[str, frozenset[str]]] = {}
    for at, places in from_tree(artifact.body).items():
        partitions.setdefault(at.domain, {})[at.name] = places
    excepted: set[tuple[str, str]] = set()
    for path in artifact.excepted:
        if len(path) > _TO_A_PARTITION:
            excepted.add((path[1], path[_TO_A_PARTITION]))
            partitions.get(path[1], {}).pop(path[_TO_A_PARTITION], None)
        else:
            for domain in [key for key in partitions if path[1:2] in ((), (key,))]:
                del partitions[domain]
    return Nvlink({domain: held for domain, held in partitions.items() if held}, frozenset(excepted), racks or {})
