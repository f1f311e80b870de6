"""What the document says about a device beyond its wiring: its QoS profile and the site's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.fabric.model import Device, Fabric
from intent.fabric.qos import QosProfile, built_in_profiles
from intent.fabric.resolve import Places
from intent.schema.model import Document
from intent.schema.policy import QosProfile as QosText

# Source: NVIDIA Cumulus Linux user guide, "Switch Port Attributes" (552 to 9216 bytes); reference RoCE designs run
# every switch port at the maximum so that no tunnel or label ever meets a smaller hop.
SWITCH_MTU_BYTES = 9216


@dataclass(frozen=True, slots=True)
class Profiles:
    """QoS profile of each switch.

    Args:
        by_device: profile by device name.
        overridden: for each profile name, which parts the intent sets itself: `ecn`, `pools`, `watchdog`.
        diagnostics: names that mean nothing.
    """

    by_device: Mapping[str, QosProfile]
    overridden: Mapping[str, frozenset[str]]
    diagnostics: tuple[Diagnostic, ...]


def profiles(document: Document, fabric: Fabric, places: Places) -> Profiles:
    """The QoS profile of each switch of a site; the narrowest selector wins.

    Args:
        document: what is written.
        fabric: the site as compiled.
        places: where things stand.
    """
    known, overridden = _known(document)
    site = document.sites[fabric.site]
    chosen: dict[str, QosProfile] = {}
    unknown: dict[tuple[str, str], Diagnostic] = {}
    for device in fabric.switches:
        wanted = site.fabrics[device.fabric].qos
        pick = selector.best(wanted, device.labels) if len(wanted) > 1 or "*" not in wanted else "*"
        if pick is None:
            continue
        name = wanted[pick]
        if name in known:
            chosen[device.name] = known[name]
        else:
            unknown.setdefault((device.fabric, name), _missing(device, name, pick, places, known))
    return Profiles(chosen, overridden, tuple(unknown.values()))


def _known(document: Document) -> tuple[dict[str, QosProfile], dict[str, frozenset[str]]]:
    built_in = built_in_profiles()
    known, overridden = dict(built_in), {name: frozenset[str]() for name in built_in}
    for name, text in document.qos.items():
        known[name], overridden[name] = _own(name, text, built_in[text.base])
    return known, overridden


def _own(name: str, text: QosText, base: QosProfile) -> tuple[QosProfile, frozenset[str]]:
    profile, parts = replace(base, name=name), set()
    if text.data.ecn:
        ecn = text.data.ecn
        profile = replace(
            profile,
            ecn_min_bytes=ecn.min.bytes,
            ecn_max_bytes=ecn.max.bytes,
            ecn_probability_percent=round(ecn.probability.value),
        )
        parts.add("ecn")
    if text.pools:
        lossy, lossless = round(text.pools.lossy.value), round(text.pools.lossless.value)
        profile = replace(profile, lossy_percent=lossy, lossless_percent=lossless)
        parts.add("pools")
    if text.watchdog:
        poll = round(text.watchdog.poll.milliseconds)
        profile = replace(profile, watchdog_poll_ms=poll, watchdog_polls=text.watchdog.polls)
        parts.add("watchdog")
    return profile, frozenset(parts)


def _missing(device: Device, name: str, pick: str, places: Places, known: Mapping[str, QosProfile]) -> Diagnostic:
    place = places.span(("sites", device.site, "fabrics", device.fabric, "qos", pick))
    return Diagnostic(
        "F006",
        f"fabric {device.fabric}: qos {name!r} does not exist",
        place,
        hint="profiles: " + ", ".join(sorted(known)),
    )
