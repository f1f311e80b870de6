"""What an NMX-M holds, as an observation to be judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from intent.device.actor import Target
from intent.device.fanout import Fleet
from intent.device.nmx.model import DEFAULT_NAME, Live
from intent.device.nmx.session import NmxConnection, NmxSession
from intent.device.observation import NvlinkPartition, NvlinkState, Observation


def gather_nvlink(
    fleet: Fleet, targets: Sequence[Target], *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> dict[str, Observation]:
    """One observation for every NMX-M; one that could not be read says why. Reads only.

    Args:
        fleet: how to reach them.
        targets: the NMX-M.
        now: the time, UTC.
    """

    def read(target: Target, session: NmxSession) -> Observation:
        return Observation(target.name, _stamp(now), nvlink=state_of(session.live(session.deadline())))

    answers = fleet.each(targets, read, plugin=NmxConnection)
    found: dict[str, Observation] = {}
    for name, answer in answers.items():
        why = fleet.words(answer.problem or RuntimeError("no answer"))
        found[name] = answer.value or Observation(name, _stamp(now), problems={"device": why})
    return found


def state_of(live: Live) -> NvlinkState:
    """What NMX-M holds, in the records of observations."""
    gpus: dict[str, list[str]] = {}
    for domain, place in live.gpus:
        gpus.setdefault(domain, []).append(place)
    partitions = tuple(
        NvlinkPartition(
            held.at.domain, held.at.name, tuple(sorted(held.places)), _is_default(held.default, held.at.name)
        )
        for held in live.partitions
    )
    return NvlinkState({domain: tuple(sorted(places)) for domain, places in gpus.items()}, partitions)


def _is_default(told: bool, name: str) -> bool:
    return told or name == DEFAULT_NAME


def _stamp(now: Callable[[], datetime]) -> str:
    return now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
