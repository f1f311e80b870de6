"""Service levels → lanes and arbitration, in the words of OpenSM's options."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from intent.catalog.subnet_managers import Manager
from intent.schema.infiniband import ManagerQos

LANE_CODES: Mapping[int, int] = MappingProxyType({1: 1, 2: 2, 4: 3, 8: 4, 15: 5})
"""Number of data lanes → code of PortInfo.OperationalVLs (IBTA 1.4, 14.2.5.6)."""

_LEVELS = 16


def quality(qos: ManagerQos | None, hardening: bool, manager: Manager, policy_file: str) -> dict[str, str]:
    """The options.

    Args:
        qos: what is written; None for one lane for all.
        hardening: the fabric is shared by tenants.
        manager: the subnet manager that reads them.
        policy_file: path of the file that gives partitions their service level.
    """
    if qos is None:
        # NVIDIA Infra Controller's runbook: two lanes, of which adaptive routing wants one.
        return {"qos": "FALSE"} | ({"max_op_vls": "2"} if hardening and "hardening" in manager.features else {})
    return {
        "qos": "TRUE",
        "qos_policy_file": policy_file,
        "max_op_vls": str(LANE_CODES[qos.lanes]),
        "qos_max_vls": str(qos.lanes),
        "qos_high_limit": str(qos.high_limit),
        "qos_vlarb_high": _weights(qos, "high"),
        "qos_vlarb_low": _weights(qos, "low"),
        "qos_sl2vl": ",".join(str(lane) for lane in lanes_of_levels(qos)),
    }


def lanes_of_levels(qos: ManagerQos) -> tuple[int, ...]:
    """The lane of each of the sixteen service levels; a level without a class takes lane 0."""
    lanes = [0] * _LEVELS
    for level in qos.levels.values():
        lanes[level.sl] = level.vl
    return tuple(lanes)


def _weights(qos: ManagerQos, table: str) -> str:
    """`lane:weight` for each lane that has a weight; lanes shared by classes get the weights together."""
    weights: dict[int, int] = {} if any(level.vl == 0 for level in qos.levels.values()) or table == "high" else {0: 64}
    for level in qos.levels.values():
        weight = level.high if table == "high" else level.low
        weights[level.vl] = min(255, weights.get(level.vl, 0) + weight)
    pairs = [f"{lane}:{weight}" for lane, weight in sorted(weights.items()) if weight]
    return ",".join(pairs) or "0:0"
