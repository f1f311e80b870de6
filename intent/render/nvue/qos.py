"""RoCE: the profile of the switch and what the intent changes in it."""

from __future__ import annotations

from intent.core.tree import Tree
from intent.fabric.qos import QosProfile
from intent.render.nvue.facts import Facts, Part

_GLOBAL = "default-global"


def qos(facts: Facts) -> Part:
    """Traffic treatment of a switch."""
    part = Part()
    part.owned.extend(("qos", key) for key in ("roce", "pfc", "congestion-control", "traffic-pool", "pfc-watchdog"))
    if facts.qos is None:
        return part
    origin = facts.of_fabric(f"QoS profile {facts.qos.name}", "qos")
    part.put(("qos", "roce"), {"state": "enabled", "mode": facts.qos.mode}, origin)
    watchdog = {"polling-interval": facts.qos.watchdog_poll_ms, "robustness": facts.qos.watchdog_polls}
    if facts.qos.pfc_priorities:
        part.put(("qos", "pfc-watchdog"), watchdog, origin)
    if "ecn" in facts.qos_overridden:
        part.put(("qos", "congestion-control", _GLOBAL, "traffic-class"), _ecn(facts.qos), origin)
    if "pools" in facts.qos_overridden:
        part.put(("qos", "traffic-pool"), _pools(facts.qos), origin)
    _cable_length(facts, part)
    return part


def _ecn(profile: QosProfile) -> Tree:
    marking = {
        "ecn": "enable",
        "min-threshold": profile.ecn_min_bytes,
        "max-threshold": profile.ecn_max_bytes,
        "probability": profile.ecn_probability_percent,
    }
    return {str(traffic_class): dict(marking) for traffic_class in profile.ecn_traffic_classes}


def _pools(profile: QosProfile) -> Tree:
    return {
        "default-lossy": {"memory-percent": profile.lossy_percent},
        "roce-lossless": {"memory-percent": profile.lossless_percent},
    }


def _cable_length(facts: Facts, part: Part) -> None:
    """Headroom follows from the longest cable of the switch; the profile assumes 100 m where nothing is said."""
    lengths = facts.text.cables
    longest = max(lengths.leaf_spine.metres, lengths.host_leaf.metres)
    if facts.qos is None or not facts.qos.pfc_priorities or longest == _ASSUMED_METRES:
        return
    pfc = {
        "switch-priority": {str(priority): {} for priority in facts.qos.pfc_priorities},
        "tx": "enable",
        "rx": "enable",
        "cable-length": max(1, round(longest)),
    }
    part.put(("qos", "pfc", _GLOBAL), pfc, facts.of_fabric("length of the cables", "cables"))


# Source: Cumulus Linux user guide, "RDMA over Converged Ethernet": cable length of the lossless profile.
_ASSUMED_METRES = 100
