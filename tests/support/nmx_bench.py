"""An NMX-M of the lab with an actor pointed at it through the lab's state file, as `--lab` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fake_switch import Journal

from intent.device.actor import Outcome, Request, Target, Wanted
from intent.device.compensation import Pace
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.nmx.actor import NmxActor
from intent.device.secrets import SecretStore
from intent.lab.inprocess import LabServer
from intent.lab.nmx.spec import Domain, Nmx
from intent.lab.wiring import Wiring

NAME = "nmx01"
R1, R2 = "046b6c7f-0b8a-43b9-b35d-6489e6daee91", "046b6c7f-0b8a-43b9-b35d-6489e6daee92"
DEFAULT = "Default Partition"


def trays(first: int, last: int, chassis: int = 1) -> list[str]:
    """GPUs of trays."""
    return [f"{chassis}.{slot}.1.{gpu}" for slot in range(first, last + 1) for gpu in range(1, 5)]


def wiring(kind: str = "ID_BASED", domains: int = 2) -> Wiring:
    """A lab of one NMX-M."""
    made = tuple(Domain(uuid, chassis=number) for number, uuid in enumerate((R1, R2)[:domains], 1))
    return Wiring((), nmx=(Nmx(NAME, "85.1.1000", default_kind=kind, domains=made),))


class Rig:
    """An actor in front of the lab's NMX-M."""

    def __init__(self, lab: LabServer, **options: Any) -> None:
        self.lab = lab
        self.fleet = Fleet(
            Endpoints.load(None, secrets=SecretStore(environment={}), lab=lab.info.state_dir / "lab.json")
        )
        self.target = Target(NAME, "", "nmx")
        self.options = {"pace": Pace(first_s=0.01, longest_s=0.05), **options}
        self.actor = self.fresh()
        self.journal = Journal()

    @property
    def manager(self) -> Any:
        return self.lab.controller(NAME)

    def fresh(self) -> NmxActor:
        """An actor of another process: it knows nothing of what this one did."""
        return NmxActor(self.fleet, [self.target], **self.options)

    def wanted(
        self, domains: Mapping[str, Mapping[str, list[str]]], owned: Any = (("domain",),), **more: Any
    ) -> Wanted:
        tree = {
            "domain": {
                uuid: {
                    "partition": {name: {"member": {place: {} for place in places}} for name, places in body.items()}
                }
                for uuid, body in domains.items()
            }
        }
        return Wanted(self.target, tree, owned, **more)

    def request(self, wanted: Wanted, deadline_s: float = 20.0) -> Request:
        seen = self.actor.observe([wanted])[NAME]
        assert seen.problem is None, seen.detail
        return Request(wanted, self.actor.difference(wanted, seen), seen.digest, 60, deadline_s)

    def apply(self, domains: Mapping[str, Mapping[str, list[str]]], **options: Any) -> Outcome:
        return self.actor.apply([self.request(self.wanted(domains), **options)], self.journal)[NAME]

    def writes(self) -> list[tuple[str, str]]:
        return list(self.manager.calls)

    def held(self, domain: str = R1) -> dict[str, int]:
        """Number of GPUs by name of partition, in the lab's own words."""
        return {
            held.name: len(held.spots)
            for held in self.manager.model.partitions.values()
            if not held.spots or {spot[0] for spot in held.spots} == {domain}
        }
