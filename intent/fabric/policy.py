"""What the document says about a device beyond its wiring: its QoS profile and the site's defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from intent.core import selector
from intent.core.diagnostic import Diagnostic, Severity
from intent.fabric.model import Fabric
from intent.fabric.nodes import Places
from intent.fabric.qos import QosProfile, built_in_profiles
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
    fabrics = document.sites[fabric.site].fabrics
    found = [*_not_whole(document, places)]
    for name, text in fabrics.items():
        for key, profile in text.qos.items():
            if profile not in known:
                found.append(_missing(fabric.site, name, profile, key, places, known))
    chosen: dict[str, QosProfile] = {}
    without: dict[str, list[str]] = {}
    for device in fabric.switches:
        wanted = fabrics[device.fabric].qos
        pick = "*" if list(wanted) == ["*"] else selector.best(wanted, device.labels)
        if pick is None:
            without.setdefault(device.fabric, []).append(device.name)
        elif wanted[pick] in known:
            chosen[device.name] = known[wanted[pick]]
    found.extend(_without(fabric.site, name, devices, places) for name, devices in without.items())
    return Profiles(chosen, overridden, tuple(found))


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


def _not_whole(document: Document, places: Places) -> Iterator[Diagnostic]:
    """Values a switch takes as whole numbers only; rounded, 0.4% of marking would be none."""
    for name, text in document.qos.items():
        asked: list[tuple[tuple[str, ...], float, str]] = []
        if text.data.ecn:
            asked.append((("data", "ecn", "probability"), text.data.ecn.probability.value, "percent"))
        if text.pools:
            asked.append((("pools", "lossy"), text.pools.lossy.value, "percent"))
            asked.append((("pools", "lossless"), text.pools.lossless.value, "percent"))
        if text.watchdog:
            asked.append((("watchdog", "poll"), text.watchdog.poll.milliseconds, "milliseconds"))
        for path, value, unit in asked:
            if value != round(value):
                message = f"qos {name}: {'.'.join(path)} - expected whole {unit}, got {value:g}"
                yield Diagnostic("F014", message, places.span(("qos", name, *path)), hint=f"round it to {round(value)}")


def _missing(
    site: str, fabric: str, name: str, pick: str, places: Places, known: Mapping[str, QosProfile]
) -> Diagnostic:
    place = places.span(("sites", site, "fabrics", fabric, "qos", pick))
    hint = "profiles: " + ", ".join(sorted(known))
    return Diagnostic("F006", f"fabric {fabric}: qos {name!r} does not exist", place, hint=hint)


def _without(site: str, fabric: str, devices: Sequence[str], places: Places) -> Diagnostic:
    return Diagnostic(
        "F015",
        f"fabric {fabric}: no qos profile fits {len(devices)} switches ({devices[0]} …): their traffic is not lossless",
        places.span(("sites", site, "fabrics", fabric, "qos")),
        Severity.WARNING,
        hint='say what the others get: "*": roce-lossless',
    )
