"""What the tools of a manager's host say of its subnet → an observation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent.device.observation import IbPort, Observation, PortErrors, SmState
from intent.formats.ib_diags import LinkLine, NodeErrors, SmInfo


def observation_of(
    device: str,
    taken_at: str,
    *,
    links: Sequence[LinkLine] | None = None,
    errors: Sequence[NodeErrors] | None = None,
    pkeys: Mapping[int, tuple[int, ...]] | None = None,
    managers: Sequence[SmInfo] | None = None,
    lids: Mapping[int, int] | None = None,
    engine: str | None = None,
    unhealthy: Sequence[str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> Observation:
    """One observation of a subnet by a manager's host, from what its tools said; None is what was not read.

    Args:
        device: the host.
        taken_at: UTC, ISO 8601.
        links: of `iblinkinfo`.
        errors: of `ibqueryerrors`; its GUIDs are node GUIDs, also of adapters.
        pkeys: tables by port GUID.
        managers: of `sminfo`, one for each.
        lids: by port GUID.
        engine: of the manager's log.
        unhealthy: ports set aside.
        problems: part → why it was not read.
    """
    return Observation(
        device,
        taken_at,
        ib_ports=None if links is None else {f"{line.guid}/{line.number}": _port(line) for line in links},
        ib_errors=None if errors is None else {key: item for one in errors for key, item in _errors(one, links or ())},
        pkeys=None if pkeys is None else {_guid(guid): table for guid, table in pkeys.items()},
        sm=None if managers is None else tuple(SmState(m.guid, m.state, m.priority, m.lid) for m in managers),
        lids=None if lids is None else {_guid(guid): lid for guid, lid in lids.items()},
        routing=engine,
        unhealthy=None if unhealthy is None else tuple(unhealthy),
        problems=dict(problems or {}),
    )


def _port(line: LinkLine) -> IbPort:
    return IbPort(
        guid=line.guid,
        number=line.number,
        description=line.description,
        state=line.state,
        physical=line.physical,
        lanes=line.lanes,
        speed_gbps=line.speed_gbps,
        lid=line.lid or None,
        peer=line.peer,
        peer_number=line.peer_number,
    )


def _errors(one: NodeErrors, links: Sequence[LinkLine]) -> list[tuple[str, PortErrors]]:
    """A port's errors under its key; an adapter's port has a GUID of its own, found by its name and number."""
    known = {(line.guid, line.number) for line in links}
    guids = [one.guid] if (one.guid, one.number) in known else []
    guids = guids or [line.guid for line in links if (line.description, line.number) == (one.description, one.number)]
    return [(f"{guid}/{one.number}", PortErrors(guid, one.number, one.counters)) for guid in guids or [one.guid]]


def _guid(value: int) -> str:
    return f"{value:016x}"
