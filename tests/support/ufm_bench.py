"""A UFM of the lab with an actor pointed at it through the lab's state file, as `--lab` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fake_switch import Journal

from intent.device.actor import Outcome, Request, Target, Wanted
from intent.device.compensation import Pace
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.secrets import SecretStore
from intent.device.ufm.actor import UfmActor
from intent.lab.inprocess import LabServer
from intent.lab.ufm.spec import FabricPort, Ufm
from intent.lab.wiring import Wiring

NAME = "ufm01"
OWNED = (("partition",),)


def guid(number: int) -> str:
    """A port GUID as it stands in our trees."""
    return f"0x0002c903{number:08x}"


def members(*numbers: int, membership: str = "full", index0: bool = False) -> dict[str, Any]:
    """Members of one kind."""
    return {guid(number): {"membership": membership, "index0": index0} for number in numbers}


def wiring(version: str = "6.23.1-6", **more: Any) -> Wiring:
    """A lab of one UFM."""
    return Wiring((), ufm=(Ufm(NAME, version, **more),))


def ports(count: int, per_host: int = 8) -> tuple[FabricPort, ...]:
    """Ports of hosts h1, h2 …"""
    return tuple(
        FabricPort(guid(number).removeprefix("0x"), f"h{number // per_host + 1}", f"mlx5_{number % per_host}/1")
        for number in range(count)
    )


class Rig:
    """An actor in front of the lab's UFM."""

    def __init__(
        self,
        lab: LabServer,
        *,
        fabric: str = "ib",
        release: str = "",
        known: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self.lab = lab
        self.secrets = SecretStore(environment={}, known=known)
        self.fleet = Fleet(Endpoints.load(None, secrets=self.secrets, lab=lab.info.state_dir / "lab.json"))
        self.target = Target(NAME, "", "ufm", release, labels={"fabric": fabric})
        self.pace = Pace(first_s=0.01, longest_s=0.05)
        self.options = {"pace": self.pace, **options}
        self.actor = UfmActor(self.fleet, [self.target], **self.options)
        self.journal = Journal()

    @property
    def manager(self) -> Any:
        return self.lab.controller(NAME)

    def fresh(self, **options: Any) -> UfmActor:
        """An actor of another process: it knows nothing of what this one did."""
        return UfmActor(self.fleet, [self.target], **{**self.options, **options})

    def wanted(self, partition: Mapping[str, Any], owned: Any = OWNED, excepted: Any = (), **more: Any) -> Wanted:
        return Wanted(self.target, {"partition": dict(partition), **more}, owned, excepted)

    def request(self, wanted: Wanted, deadline_s: float = 20.0) -> Request:
        seen = self.actor.observe([wanted])[NAME]
        assert seen.problem is None, seen.detail
        return Request(wanted, self.actor.difference(wanted, seen), seen.digest, 60, deadline_s)

    def apply(self, partition: Mapping[str, Any], **options: Any) -> Outcome:
        return self.actor.apply([self.request(self.wanted(partition), **options)], self.journal)[NAME]

    def confirm(self, outcome: Outcome) -> Outcome:
        return self.actor.confirm({NAME: outcome.handle}, self.journal)[NAME]

    def revert(self, outcome: Outcome) -> Outcome:
        return self.actor.revert({NAME: outcome.handle}, self.journal)[NAME]

    def writes(self) -> int:
        return int(self.lab.status()["controllers"][NAME]["writes"])

    def held(self, key: int) -> dict[str, tuple[str, bool]]:
        """Members in the lab's own words."""
        partition = self.manager.model.partitions.get(key)
        return dict(partition.members) if partition else {}
