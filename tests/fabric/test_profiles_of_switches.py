"""Which QoS profile each switch gets, and what is told when one gets none."""

from __future__ import annotations

from site_builder import b300, build, loaded

from intent.core.diagnostic import Severity
from intent.fabric.policy import Profiles, profiles

OWN = "qos:\n  fast: {data: {ecn: {min: 200KB, max: 2MB, probability: 50%}}, pools: {lossy: 20%, lossless: 80%}}\n"


def profiles_of(qos: str, own: str = OWN) -> Profiles:
    text = b300(64).replace("  ew:\n", f"  ew:\n        qos: {qos}\n") + own
    document, fabric = loaded(text), build(text).fabric
    assert document.document and fabric
    return profiles(document.document, fabric, document.sources)


def names(found: Profiles, **labels: str) -> set[str]:
    fabric = build(b300(64)).fabric
    assert fabric
    picked = [d.name for d in fabric.switches if labels.items() <= d.labels.items()]
    assert picked
    return {found.by_device[name].name for name in picked}


def test_one_profile_for_all() -> None:
    found = profiles_of("roce-lossless")
    assert len(found.by_device) == 24 and names(found) == {"roce-lossless"} and found.diagnostics == ()


def test_a_plane_overrides_and_a_narrower_selector_overrides_that() -> None:
    found = profiles_of('{"role=spine,plane=1": roce-lossless, "*": roce-lossless, "plane=1": fast}')
    assert names(found, plane="2") == {"roce-lossless"}
    assert names(found, plane="1", role="leaf") == {"fast"}
    assert names(found, plane="1", role="spine") == {"roce-lossless"}
    assert found.diagnostics == ()


def test_the_later_of_two_equally_narrow_ones_wins() -> None:
    assert names(profiles_of('{"role=leaf": fast, "plane=1": roce-lossless, "*": fast}'), plane="1", role="leaf") == {
        "roce-lossless"
    }
    assert names(profiles_of('{"plane=1": roce-lossless, "role=leaf": fast, "*": fast}'), plane="1", role="leaf") == {
        "fast"
    }


def test_an_own_profile_keeps_what_it_does_not_say() -> None:
    found = profiles_of("fast")
    profile = next(iter(found.by_device.values()))
    assert (profile.ecn_min_bytes, profile.ecn_max_bytes, profile.ecn_probability_percent) == (200_000, 2_000_000, 50)
    assert (profile.lossy_percent, profile.lossless_percent) == (20, 80)
    assert (profile.data_dscp, profile.pfc_priorities, profile.watchdog_polls) == ((26,), (3,), 3)
    assert found.overridden == {"roce-lossless": frozenset(), "fast": {"ecn", "pools"}}


def test_an_unknown_profile_is_told_even_where_no_switch_would_get_it() -> None:
    found = profiles_of('{"*": roce-lossless, "plane=7": roce-losless}')
    (item,) = found.diagnostics
    assert (item.code, item.severity) == ("F006", Severity.ERROR)
    assert "'roce-losless'" in item.message and "fast, roce-lossless" in item.hint and item.span
    assert len(found.by_device) == 24


def test_switches_without_a_profile_are_told() -> None:
    found = profiles_of('{"plane=1": fast}')
    (item,) = found.diagnostics
    assert (item.code, item.severity) == ("F015", Severity.WARNING)
    assert "12 switches (ew-p2-r1-l01" in item.message and item.span and item.hint
    assert set(found.by_device) == {name for name in found.by_device if "-p1-" in name}


def test_values_that_a_switch_takes_as_whole_numbers_only() -> None:
    own = "qos:\n  fast: {data: {ecn: {min: 1KB, max: 2KB, probability: 0.4%}}, watchdog: {poll: 100500us}}\n"
    found = profiles_of("fast", own)
    assert [item.code for item in found.diagnostics] == ["F014", "F014"]
    assert "data.ecn.probability - expected whole percent, got 0.4" in found.diagnostics[0].message
    assert "watchdog.poll - expected whole milliseconds, got 100.5" in found.diagnostics[1].message
    assert all(item.span and item.hint for item in found.diagnostics)
