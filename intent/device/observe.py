"""Reads the live state of many devices at a time, for whoever judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from intent.core.errors import IntentError
from intent.device.actor import Target
from intent.device.deadline import Deadline
from intent.device.errors import Unreachable
from intent.device.fanout import Fleet
from intent.device.nvue.session import NvueSession
from intent.device.nvue.state_readers import (
    LINK_KEYS,
    LLDP_KEYS,
    READERS,
    Reader,
    links_from,
    lldp_from,
    read_interfaces,
)
from intent.device.observation import Observation, SystemState

PARTS = tuple(READERS)


def gather(
    fleet: Fleet,
    targets: Sequence[Target],
    parts: Sequence[str] = PARTS,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    stopping: Callable[[], bool] | None = None,
    fresh: bool = False,
    known_s: float = 0.0,
) -> dict[str, Observation]:
    """One observation for every target; what could not be read stands in its `problems`.

    Args:
        fleet: how to reach the devices.
        targets: the devices.
        parts: what to read, of `PARTS`.
        now: the time, UTC.
        stopping: asked before each device is begun.
        fresh: True where a new connection has to prove that the device can be reached.
        known_s: seconds for which the release and model read before still hold; with 0 they are asked again.

    Raises:
        ValueError: an unknown part.
    """
    unknown = [part for part in parts if part not in READERS]
    if unknown:
        raise ValueError(f"unknown part {unknown[0]!r}: one of {', '.join(PARTS)}")

    def readers(target: Target) -> dict[str, Reader]:
        every = _readers(fleet, target, parts, known_s)
        return {part: every[part] for part in parts}

    def read(target: Target, session: NvueSession) -> Observation:
        return _observation(fleet, target, session, readers(target), now)

    answers = fleet.each(targets, read, stopping=stopping, reuse=not fresh, keep=True)
    result: dict[str, Observation] = {}
    for name, answer in answers.items():
        why = fleet.words(answer.problem or RuntimeError("no answer"))
        result[name] = answer.value or Observation(name, _stamp(now), problems={"device": why})
    return result


def _observation(
    fleet: Fleet,
    target: Target,
    session: NvueSession,
    readers: Mapping[str, Reader],
    now: Callable[[], datetime],
) -> Observation:
    found: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for part, reader in readers.items():
        try:
            found[part] = reader(session, session.deadline())
        except Unreachable as problem:
            if not found and not problems:
                # The first question already failed: the others would only wait as long again.
                return Observation(target.name, _stamp(now), problems={"device": fleet.words(problem)})
            problems[part] = fleet.words(problem)
        except IntentError as problem:
            problems[part] = fleet.words(problem)
    return Observation(target.name, _stamp(now), problems=problems, **found)


def _readers(fleet: Fleet, target: Target, parts: Sequence[str], known_s: float) -> dict[str, Reader]:
    """The readers, with what one answer gives for two parts, or an earlier one gave, asked once."""
    readers = dict(READERS)

    def system(session: NvueSession, deadline: Deadline) -> SystemState:
        facts = fleet.facts(target.name, session, deadline, at_most_s=known_s)
        return SystemState(facts.hostname, facts.release, facts.model, facts.uptime_s)

    readers["system"] = system
    if {"links", "lldp"} <= set(parts):
        held: list[Mapping[str, Any]] = []

        def interfaces(session: NvueSession, deadline: Deadline) -> Mapping[str, Any]:
            if not held:
                held.append(read_interfaces(session, deadline, *LINK_KEYS, *LLDP_KEYS))
            return held[0]

        readers["links"] = lambda session, deadline: links_from(interfaces(session, deadline))
        readers["lldp"] = lambda session, deadline: lldp_from(interfaces(session, deadline))
    return readers


def _stamp(now: Callable[[], datetime]) -> str:
    return now().astimezone(UTC).isoformat(timespec="seconds")
