"""Quality of service. Source: user guide, Quality of Service and RDMA over Converged Ethernet."""

from __future__ import annotations

from collections.abc import Iterator

from intent.lab.dialect import switched_on
from intent.lab.facts import cage_of, mapping
from intent.lab.rules.candidate import Candidate, Invalid, Rule

# Profiles that need no definition: the global default, and the two that `lossy-multi-tc` and packet trimming bring.
_BUILT_IN_PROFILES = {"default-global", "lossy-multi-tc-host-group", "lossy-multi-tc-network-group"}


def qos_profile_defined(it: Candidate) -> Iterator[Invalid]:
    """A QoS profile named on a port must be defined."""
    for name, interface in it.interfaces.items():
        for kind, held in mapping(interface, "qos").items():
            profile = mapping(held).get("profile")
            if profile is None or profile in _BUILT_IN_PROFILES:
                continue
            if profile not in mapping(it.tree, "qos", kind):
                yield Invalid(
                    ("interface", name, "qos", kind, "profile"), f"qos {kind} profile {profile} is not defined"
                )


def pfc_or_link_pause(it: Candidate) -> Iterator[Invalid]:
    """Priority flow control and link pause exclude each other on a port."""
    everywhere = bool(mapping(it.tree, "qos", "pfc", "default-global")) or _lossless(it)
    pauses = bool(mapping(it.tree, "qos", "link-pause", "default-global"))
    if everywhere and pauses:
        yield Invalid(("qos", "link-pause", "default-global"), "link-pause and pfc are both set on every port")
    for name, interface in it.interfaces.items():
        qos = mapping(interface, "qos")
        if mapping(qos, "link-pause") and (mapping(qos, "pfc") or everywhere):
            yield Invalid(("interface", name, "qos", "link-pause"), f"link-pause and pfc are both set on {name}")


def _lossless(it: Candidate) -> bool:
    roce = mapping(it.tree, "qos", "roce")
    return switched_on(roce) and str(roce.get("mode", "lossless")).startswith("lossless")


def watchdog_needs_pfc(it: Candidate) -> Iterator[Invalid]:
    """The PFC watchdog runs on front-panel ports with PFC."""
    everywhere = bool(mapping(it.tree, "qos", "pfc", "default-global")) or _lossless(it)
    for name, interface in it.interfaces.items():
        qos = mapping(interface, "qos")
        if not switched_on(mapping(qos, "pfc-watchdog")):
            continue
        path = ("interface", name, "qos", "pfc-watchdog")
        if cage_of(name) is None:
            yield Invalid(path, f"{name} is not a front-panel port")
        elif not everywhere and not mapping(qos, "pfc"):
            yield Invalid(path, f"pfc-watchdog on {name} needs PFC")


def pools_fit(it: Candidate) -> Iterator[Invalid]:
    """The shares of the traffic pools may not exceed the buffer."""
    shares = [mapping(pool).get("memory-percent", 0) for pool in mapping(it.tree, "qos", "traffic-pool").values()]
    total = sum(share for share in shares if isinstance(share, int))
    if total > 100:
        yield Invalid(("qos", "traffic-pool"), f"memory-percent of all pools is {total}, more than 100")


def thresholds_in_order(it: Candidate) -> Iterator[Invalid]:
    """Marking starts at or below the size at which it is certain."""
    for profile, held in mapping(it.tree, "qos", "congestion-control").items():
        for traffic_class, values in mapping(held, "traffic-class").items():
            low, high = (mapping(values).get(f"{side}-threshold") for side in ("min", "max"))
            if isinstance(low, int) and isinstance(high, int) and low > high:
                path = ("qos", "congestion-control", profile, "traffic-class", traffic_class, "min-threshold")
                yield Invalid(path, f"min-threshold {low} is above max-threshold {high}")


RULES: tuple[Rule, ...] = (
    qos_profile_defined,
    pfc_or_link_pause,
    watchdog_needs_pfc,
    pools_fit,
    thresholds_in_order,
)
