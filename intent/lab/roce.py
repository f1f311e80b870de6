"""RoCE as a switch reports it: the built-in profile, what overrides it, and how the chip rounds thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.lab.dialect import is_on, switched_on
from intent.lab.facts import mapping
from intent.lab.hardware import Panel
from intent.lab.trees import Json

DEFAULT_CABLE_M = 100  # user guide, RoCE: default cable length


def rounded(threshold_bytes: int, panel: Panel, step_bytes: int) -> int:
    """A threshold as the chip programs it: up to the next step on chips that do not take it as written."""
    if not panel.model.asic.ecn_min_readback_bytes:
        return threshold_bytes
    return -(-threshold_bytes // step_bytes) * step_bytes


def roce_state(tree: Mapping[str, Any], panel: Panel, profile: Mapping[str, Any], step_bytes: int) -> Json | None:
    """`/qos/roce` as in force; None when RoCE is off.

    Args:
        tree: applied tree.
        panel: the switch's front panel.
        profile: the built-in lossless profile of the catalog.
        step_bytes: step in which the chip programs thresholds.
    """
    roce = mapping(tree, "qos", "roce")
    if not switched_on(roce):
        return None
    mode = str(roce.get("mode", "lossless"))
    state: Json = {
        "state" if "state" in roce else "enable": roce.get("state", roce.get("enable")),
        "mode": mode,
        "congestion-control": _congestion(tree, panel, profile, step_bytes),
        "trust": {"trust-mode": _trust(tree)},
    }
    if mode.startswith("lossless"):
        state["pfc"] = _pfc(tree, profile)
    return state


def _pfc(tree: Mapping[str, Any], profile: Mapping[str, Any]) -> Json:
    held = mapping(tree, "qos", "pfc", "default-global")
    priorities = list(mapping(held, "switch-priority")) or [str(item) for item in profile["pfc_priorities"]]
    return {
        "pfc-priority": ",".join(sorted(priorities)),
        "rx-enabled": "yes" if is_on(held.get("rx", "enable")) else "no",
        "tx-enabled": "yes" if is_on(held.get("tx", "enable")) else "no",
        "cable-length": held.get("cable-length", DEFAULT_CABLE_M),
    }


def _congestion(tree: Mapping[str, Any], panel: Panel, profile: Mapping[str, Any], step_bytes: int) -> Json:
    classes = mapping(tree, "qos", "congestion-control", "default-global", "traffic-class")
    marking = {name: mapping(held) for name, held in classes.items() if is_on(mapping(held).get("ecn", "enable"))}
    names = sorted(marking) or [str(item) for item in profile["ecn_traffic_classes"]]
    values = next(iter(marking.values()), {})
    low = values.get("min-threshold", profile["ecn_min_bytes"])
    high = values.get("max-threshold", profile["ecn_max_bytes"])
    return {
        "congestion-mode": "ECN",
        "enabled-tc": ",".join(names),
        "min-threshold": rounded(low, panel, step_bytes) if isinstance(low, int) else low,
        "max-threshold": rounded(high, panel, step_bytes) if isinstance(high, int) else high,
        "probability": values.get("probability", profile["ecn_probability_percent"]),
    }


def _trust(tree: Mapping[str, Any]) -> str:
    trust = mapping(tree, "qos", "mapping", "default-global").get("trust", "both")
    return {"both": "pcp,dscp", "l2": "pcp", "l3": "dscp"}.get(str(trust), str(trust))


def port_status(state: Json | None) -> Json | None:
    """`/interface/X/qos/roce/status`: the profile as the port runs it."""
    if state is None:
        return None
    kept: Json = {key: state[key] for key in ("mode", "pfc", "congestion-control", "trust") if key in state}
    return {**kept, "exception": {}}


def port_counters() -> Json:
    """`/interface/X/qos/roce/counters` of a port that carried nothing."""
    return {
        "rx-stats": {
            "rx-pfc-stats": {"pause-packets": 0, "pause-duration": 0},
            "rx-roce-stats": {"roce-bytes": 0, "roce-packets": 0, "no-buffer-discard": 0, "pg-usage": 0},
        },
        "tx-stats": {
            "tx-ecn-stats": {"ecn-marked-packets": 0},
            "tx-pfc-stats": {"pause-packets": 0, "pause-duration": 0},
            "tx-cnp-stats": {"tx-cnp-packets": 0, "cnp-bytes": 0},
            "tx-roce-stats": {"unicast-no-buffer-discard": 0, "tc-max-usage": 0},
        },
    }


def watched(tree: Mapping[str, Any], port: str, state: Json | None) -> Json:
    """`status` of `/interface/X/qos/pfc-watchdog`: the queues it watches, none of them stuck; empty when it is off.

    Args:
        tree: applied tree.
        port: the port.
        state: RoCE as in force, None when it is off.
    """
    qos = mapping(tree, "interface", port, "qos")
    if not switched_on(mapping(qos, "pfc-watchdog")):
        return {}
    profile = mapping(qos, "pfc").get("profile", "default-global")
    priorities = list(mapping(tree, "qos", "pfc", str(profile), "switch-priority"))
    if not priorities and state is not None and "pfc" in state:
        priorities = str(state["pfc"]["pfc-priority"]).split(",")
    return {priority: {"status": "OK", "deadlock-count": 0} for priority in priorities}
