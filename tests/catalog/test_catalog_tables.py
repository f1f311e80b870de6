"""Disruption, defaults, features, releases, secrets: the tables and how they are read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from intent.catalog.defaults import nvue_defaults
from intent.catalog.disruption import SEVERITIES, DisruptionTable, disruptions
from intent.catalog.features import FeatureTable
from intent.catalog.patterns import match
from intent.catalog.releases import RELEASES, family, numbers, release_schema
from intent.catalog.secrets import SecretPaths
from intent.catalog.stages import fits, stage_rules
from intent.catalog.views import nvue_views, views_of
from intent.core.errors import IntentError
from intent.core.tree import from_pointer as at
from intent.formats.nvue.schema import Schema


@pytest.mark.parametrize(
    ("path", "severity", "scope"),
    [
        ("/interface/swp3/link/mtu", "flap", "port swp3"),
        ("/interface/swp3/description", "none", "port swp3"),
        ("/interface/swp3/link/breakout/2x", "flap", "cage swp3 and every part of it"),
        ("/interface/eth0/ipv4/address/192.0.2.1~124", "flap", "management access"),
        ("/router/adaptive-routing/state", "reload", "switchd"),
        ("/router/adaptive-routing/enable", "reload", "switchd"),
        ("/qos/roce/mode", "reload", "buffers of all ports"),
        ("/qos/traffic-pool/roce-lossless/memory-percent", "reload", "buffers of all ports"),
        ("/qos/congestion-control/default-global/traffic-class/3/min-threshold", "none", "queues of all ports"),
        ("/qos/mapping/default-global/dscp/26/switch-priority", "none", "queues of all ports"),
        ("/qos/pfc/default-global/cable-length", "reload", "buffers of all ports"),
        ("/interface/swp1/qos/pfc-watchdog/state", "none", "PFC watchdog"),
        ("/interface/swp1/qos/remark/profile", "none", "queues of port swp1"),
        ("/router/bgp/autonomous-system", "flap", "all BGP sessions"),
        ("/vrf/RED/router/bgp/neighbor/swp1/remote-as", "flap", "BGP session swp1 of VRF RED"),
        ("/system/ntp/server/1.2.3.4", "none", "management services"),
        ("/something/new", "flap", "unknown"),
    ],
)
def test_what_a_path_disrupts(path: str, severity: str, scope: str) -> None:
    (effect,) = disruptions([at(path)])
    assert (effect.severity, effect.scope) == (severity, scope)
    assert "(" in effect.reason


def test_effects_are_merged_and_the_worst_comes_first() -> None:
    paths = [at(f"/interface/swp1/link/{key}") for key in ("mtu", "speed", "fec")]
    effects = DisruptionTable().effects([*paths, at("/system/hostname"), at("/qos/roce/mode")])
    assert [effect.severity for effect in effects] == ["reload", "flap", "none"]
    assert "and 2 more" in effects[1].reason
    assert disruptions([]) == ()


def test_patterns() -> None:
    assert match(at("/a/*/c"), at("/a/b/c")) == ("b",)
    assert match(at("/a/**"), at("/a")) == ()
    assert match(at("/a/*"), at("/a/b/c")) is None
    assert fits(at("/interface/*.*/**"), at("/interface/swp1.10/vlan"))
    assert not fits(at("/interface/*.*/**"), at("/interface/swp1/vlan"))


def test_defaults_exist_in_the_schema_and_have_sources() -> None:
    schema = Schema.load("5.16")
    for default in nvue_defaults():
        path = tuple("swp1" if key == "*" else key for key in default.path)
        index = schema.find(path)
        assert index is not None, default.path
        assert schema.accepts(index, default.value), default.path
        assert default.source


def test_features_name_the_release_that_brings_them() -> None:
    table = FeatureTable()
    trim = table.needed(at("/system/forwarding/packet-trim/state"))
    assert trim is not None
    assert (trim.since, trim.in_release("5.13"), trim.in_release("5.14.2")) == ("5.14", False, True)
    assert table.needed(at("/qos/roce/mode"), "lossless") is None
    mode = table.needed(at("/qos/roce/mode"), "lossless-single-ipool")
    assert mode is not None and mode.since == "5.12"


def test_features_agree_with_the_schemas() -> None:
    """A path-wise feature is absent just before its release and present in it."""
    table = FeatureTable()
    schemas = {release: Schema.load(release) for release in RELEASES}
    for path in ("/system/forwarding/packet-trim/state", "/router/bfd/profile", "/system/telemetry/buffer-stats"):
        feature = table.needed(at(path))
        assert feature is not None
        for release, schema in schemas.items():
            assert schema.knows(at(path)) == feature.in_release(release), (path, release)


@pytest.mark.parametrize("text", ["5.16", "5.16.4", "Cumulus Linux 5.16.0", " 5.16.4 "])
def test_release_families(text: str) -> None:
    assert family(text) == "5.16"


@pytest.mark.parametrize("text", ["5.8", "6.0", "4.4.1", "", "five", "5", "5.16-rc1", "../5.16"])
def test_releases_without_a_schema_are_refused(text: str) -> None:
    with pytest.raises(IntentError) as caught:
        release_schema(text)
    assert caught.value.hint


def test_every_release_loads() -> None:
    for release in RELEASES:
        data = release_schema(release)
        assert data["release"] == release
        assert "MIT" in data["source"]
        assert "interface" in data["nodes"][data["root"]]["keys"]


def test_secret_paths() -> None:
    secrets = SecretPaths.load()
    assert secrets.is_leaf(at("/system/aaa/user/cumulus/hashed-password"))
    assert secrets.is_leaf(at("/system/ntp/key/1/value"))
    assert not secrets.is_leaf(at("/system/hostname"))
    assert secrets.has_secret_keys(at("/system/snmp-server/readonly-community"))


def test_every_secret_of_the_schemas_is_known() -> None:
    """Leaves the models type as secrets, in any release, are secret to us."""
    secrets = SecretPaths.load()
    found = 0
    for release in RELEASES:
        data = release_schema(release)
        stack: list[tuple[int, tuple[str, ...]]] = [(data["root"], ())]
        while stack:
            index, path = stack.pop()
            node = data["nodes"][index]
            if "leaf" in node and any(a.get("format") == "secret" for a in node["leaf"]):
                assert secrets.is_leaf(path), path
                found += 1
            stack += [(inner, (*path, key)) for key, inner in node.get("keys", {}).items()]
            if "map" in node:
                stack.append((node["map"], (*path, "*")))
    assert found > 10


def test_tables_are_well_formed() -> None:
    assert all(rule.source and (rule.removed or rule.drop) for rule in stage_rules())
    assert SEVERITIES[0] == "none"


def test_loading_the_catalog_needs_neither_pydantic_nor_yaml() -> None:
    code = (
        "import sys, intent.catalog.hardware as h, intent.catalog.disruption as d, intent.formats.nvue.lowering;"
        "h.Catalog.load(); d.disruptions([]);"
        "print([m for m in ('pydantic', 'yaml', 'httpx', 'nornir', 'nvueschema') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_views_are_told_once_with_release_and_source() -> None:
    table = nvue_views()
    assert len({(view.object, view.name) for view in table}) == len(table)
    for view in table:
        assert view.source, view
        assert numbers(view.since) >= (5, 0)
        assert all(at(pattern) and pattern.startswith("/*") for pattern in view.shows), view


def test_an_object_offers_the_views_of_its_release() -> None:
    table = nvue_views()
    interface = {release: set(views_of(table, ("interface",), release)) for release in (*RELEASES, "5.19.0")}
    assert {"brief", "counters", "lldp-detail", "mac", "small"} <= interface["5.9"]
    assert interface["5.10"] - interface["5.9"] == {"status"}
    assert {"up", "down", "svi", "vrf", "bond-members"} <= interface["5.11"] - interface["5.10"]
    assert interface["5.12"] - interface["5.11"] == {"rates"}
    assert {"ber", "dom"} <= interface["5.19.0"] - interface["5.18"]
    assert set(views_of(table, at("/vrf/RED/router/rib/ipv4/route"), "5.16.4")) == {"brief", "detail"}
    assert views_of(table, ("system",), "5.16.4") == {}
    assert views_of(table, at("/interface/swp1"), "5.16.4") == {}
