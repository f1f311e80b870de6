"""Lowering to older dialects: trees, paths, provenance, what a release lacks."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import nvue_trees
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.releases import RELEASES
from intent.core.diagnostic import Severity, has_errors
from intent.core.errors import IntentError
from intent.core.tree import Path, dotted, from_pointer, get, leaves, merge, pointer, put
from intent.formats.nvue.lowering import Dialect, Lowered, lower

DIALECTS = {release: Dialect.load(release) for release in RELEASES}
FULL = nvue_trees.leaf(4)


def one(*pairs: tuple[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, value in pairs:
        put(tree, from_pointer(path), value)
    return tree


def at(lowered: Lowered, path: str) -> Any:
    return get(lowered.tree, from_pointer(path), None)


@pytest.mark.parametrize("release", RELEASES)
def test_a_full_leaf_lowers_to_a_right_tree_without_loss(release: str) -> None:
    dialect = DIALECTS[release]
    lowered = dialect.lower(FULL, device="leaf01")
    assert dialect.schema.check(lowered.tree) == ()
    assert [str(d) for d in lowered.diagnostics] == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["leaf-5.16", "spine-5.16", "mlag-qos-5.16"])
def test_reference_examples_lower_to_right_trees(name: str, release: str) -> None:
    text = (nvue_trees.shared() / "tools" / "nvue_examples" / f"{name}.yaml").read_text(encoding="utf-8")
    tree = next(item["set"] for item in yaml.safe_load(text) if "set" in item)
    dialect = DIALECTS[release]
    lowered = dialect.lower(tree)
    assert dialect.schema.check(lowered.tree) == ()
    assert silent(tree, lowered) == []
    if release in ("5.9", "5.12", "5.14", "5.16", "5.18"):
        checker = reference_checker(release)
        assert [str(i) for i in checker.check([{"set": lowered.tree}]) if i.severity == "error"] == []


def reference_checker(release: str) -> Any:
    pytest.importorskip("nvueschema")
    module = sys.modules.get("nvue_strict")
    if module is None:
        spec = importlib.util.spec_from_file_location("nvue_strict", nvue_trees.shared() / "tools" / "nvue_strict.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["nvue_strict"] = module
        spec.loader.exec_module(module)
    return module.Checker(release)


def silent(tree: dict[str, Any], lowered: Lowered) -> list[str]:
    """Canonical leaves that are neither in the lowered tree nor told as lost."""
    if not lowered.path_map.origins:
        return []
    told = {d.path for d in lowered.diagnostics}
    return [
        dotted(path)
        for path, _ in leaves(tree)
        if path not in lowered.path_map.lowered
        and not any(dotted(path[:end]) in told for end in range(1, len(path) + 1))
    ]


@pytest.mark.parametrize("release", [r for r in RELEASES if r not in ("5.15", "5.16", "5.17", "5.18")])
def test_every_leaf_keeps_its_provenance(release: str) -> None:
    lowered = DIALECTS[release].lower(FULL)
    origins = lowered.path_map.origins
    assert {path for path, _ in leaves(lowered.tree)} <= set(origins)
    known = {path[:end] for path, _ in leaves(FULL) for end in range(len(path) + 1)}
    assert set(origins.values()) <= known
    for source, targets in lowered.path_map.lowered.items():
        assert targets, source
        assert all(get(lowered.tree, target, None) is not None for target in targets), source
    assert silent(FULL, lowered) == []


def test_names_and_words_of_5_14() -> None:
    lowered = DIALECTS["5.14"].lower(FULL)
    assert at(lowered, "/interface/swp1s0/ip/address/10.64.1.0~131") == {}
    assert at(lowered, "/interface/eth0/ip/vrf") == "mgmt"
    assert at(lowered, "/interface/swp1s0/router/adaptive-routing/enable") == "on"
    assert at(lowered, "/interface/swp1s0/link/auto-negotiate") == "on"
    assert at(lowered, "/interface/swp1s0/qos/pfc-watchdog/state") == "enable"
    assert at(lowered, "/interface/vlan110/ip/vrr/enable") == "on"
    assert at(lowered, "/interface/vlan110/ip/vrr/state") == {"up": {}}
    assert at(lowered, "/qos/roce/enable") == "on"
    assert at(lowered, "/system/timezone") == "Etc/UTC"
    assert at(lowered, "/service/ntp/mgmt/server/192.0.2.123/iburst") == "on"
    assert at(lowered, "/service/dns/mgmt") == {"server": {"192.0.2.53": {}}, "search": {"dc1.example.net": {}}}
    assert at(lowered, "/service/lldp/tx-interval") == 30
    assert at(lowered, "/system/aaa/authentication-order") == {"10": {"tacacs": {}}, "20": {"local": {}}}
    assert at(lowered, "/system/config/auto-save/state") == "enabled"
    group = "/vrf/default/router/bgp/peer-group/UNDERLAY"
    assert at(lowered, f"{group}/bfd") == {
        "enable": "on",
        "detect-multiplier": 3,
        "min-rx-interval": 300,
        "min-tx-interval": 300,
    }
    assert at(lowered, "/router/bfd") is None
    assert lowered.path_map.canonical(from_pointer(f"{group}/bfd/min-rx-interval")) == from_pointer(
        "/router/bfd/profile/fabric/min-rx-interval"
    )
    assert lowered.path_map.canonical(from_pointer("/qos/roce/enable")) == from_pointer("/qos/roce/state")
    assert lowered.path_map.down(from_pointer("/qos/roce/state")) == (from_pointer("/qos/roce/enable"),)


def test_names_and_words_of_5_9() -> None:
    lowered = DIALECTS["5.9"].lower(FULL)
    assert at(lowered, "/system/config/auto-save/enable") == "on"
    assert at(lowered, "/service/snmp-server/enable") == "on"
    assert at(lowered, "/system/aaa/tacacs/enable") == "on"
    assert at(lowered, "/system/aaa/tacacs/server/1") == {"host": "192.0.2.49", "secret": "$secret:tacacs$", "port": 49}


def test_the_canonical_dialect_is_left_as_it_is() -> None:
    lowered = DIALECTS["5.16"].lower(FULL)
    assert lowered.tree is FULL
    path = from_pointer("/qos/roce/state")
    assert lowered.path_map.canonical(path) == path
    assert lowered.path_map.down(path) == (path,)


@pytest.mark.parametrize(
    ("release", "path", "value", "words"),
    [
        ("5.13", "/system/forwarding/packet-trim/state", "enabled", "packet trimming needs release 5.14"),
        ("5.11", "/qos/roce/mode", "lossless-single-ipool", "needs release 5.12"),
        ("5.14", "/vrf/default/router/bgp/address-family/ipv4-unicast/multipaths/ebgp", 256, "needs release 5.15"),
        ("5.14", "/system/ntp/state", "disabled", "cannot be switched off"),
        ("5.14", "/router/bfd/offload", "enabled", "no such setting"),
        ("5.14", "/interface/swp1/ipv4/arp-timeout", 1000, "no such setting"),
        ("5.15", "/interface/swp1/qos/headroom/x", 1, "needs release 5.16"),
        ("5.16", "/no/such/thing", 1, "no such setting"),
    ],
)
def test_what_a_release_lacks_is_told_with_its_path(release: str, path: str, value: Any, words: str) -> None:
    lowered = DIALECTS[release].lower(one((path, value)), device="leaf01")
    (found,) = [d for d in lowered.diagnostics if d.severity is Severity.ERROR]
    assert words in found.message
    assert f"release {release}" in found.message
    assert found.path.startswith(path.split("/")[1])
    assert found.device == "leaf01"
    assert DIALECTS[release].schema.check(lowered.tree) == ()


def test_a_bfd_profile_that_is_not_there_or_not_used() -> None:
    peer = "/vrf/default/router/bgp/neighbor/swp1/bfd/profile"
    lowered = DIALECTS["5.14"].lower(one((peer, "fast")))
    assert "BFD profile fast is not defined" in lowered.diagnostics[0].message
    lowered = DIALECTS["5.14"].lower(one(("/router/bfd/profile/fast/min-rx-interval", 300)))
    assert not has_errors(lowered.diagnostics)
    assert "no neighbor uses BFD profile fast" in lowered.diagnostics[0].message
    shut = one((peer, "fast"), ("/router/bfd/profile/fast/shutdown", "enabled"))
    assert at(DIALECTS["5.14"].lower(shut), "/vrf/default/router/bgp/neighbor/swp1/bfd/enable") == "off"


def test_two_values_for_one_key_of_the_release_are_a_conflict() -> None:
    tree = one(("/interface/vlan1/ipv4/vrr/mac-id", 1), ("/interface/vlan1/ipv6/vrr/mac-id", 2))
    lowered = DIALECTS["5.14"].lower(tree)
    assert [d.code for d in lowered.diagnostics] == ["N012"]


def test_syslog_before_selectors() -> None:
    base = "/system/syslog/server/192.0.2.55"
    tree = one((f"{base}/port", 514), (f"{base}/vrf", "mgmt"), (f"{base}/selector/1/selector-id", "all"))
    lowered = DIALECTS["5.12"].lower(tree)
    assert at(lowered, "/service/syslog/mgmt/server/192.0.2.55") == {"port": 514}
    assert [d.severity for d in lowered.diagnostics] == [Severity.WARNING]
    assert DIALECTS["5.14"].lower(tree).diagnostics == ()


@pytest.mark.parametrize(
    ("path", "down"),
    [
        ("/interface/swp1/ipv4", "/interface/swp1/ip"),
        ("/interface/swp1/ipv4/address/10.0.0.0~131", "/interface/swp1/ip/address/10.0.0.0~131"),
        ("/interface/vlan1/ipv4/vrr/state", "/interface/vlan1/ip/vrr/enable"),
        ("/interface/vlan1/ipv4/vrr/vrr-state/up", "/interface/vlan1/ip/vrr/state/up"),
        ("/interface/swp1/router/adaptive-routing/state", "/interface/swp1/router/adaptive-routing/enable"),
        ("/system/ntp", "/service/ntp"),
        ("/system/ntp/server/1.2.3.4", "/service/ntp"),
        ("/system/aaa/authentication/order", "/system/aaa/authentication-order"),
        ("/vrf/default/router/bgp/neighbor/swp1/bfd/profile", "/vrf/default/router/bgp/neighbor/swp1/bfd"),
        ("/acl", "/acl"),
        ("/system/aaa", "/system/aaa"),
        ("/router/bfd", None),
        ("/no/such/thing", None),
    ],
)
def test_paths_are_lowered_without_a_tree(path: str, down: str | None) -> None:
    assert [pointer(p) for p in DIALECTS["5.14"].lower_path(from_pointer(path))] == ([down] if down else [])
    if down:
        assert DIALECTS["5.16"].lower_path(from_pointer(path)) == (from_pointer(path),)


def test_lowered_leaves_lie_below_their_lowered_path() -> None:
    """A scope given in canonical paths holds what is rendered under it, whatever the dialect."""
    for release in ("5.9", "5.12", "5.14"):
        dialect = DIALECTS[release]
        for source, targets in dialect.lower(FULL).path_map.lowered.items():
            scopes = dialect.lower_path(source)
            for target in targets:
                dissolved = source[:2] == ("router", "bfd")
                assert dissolved or any(_related(scope, target) for scope in scopes), (release, source, target)


def _related(scope: Path, target: Path) -> bool:
    """The scope holds the leaf; TACACS+ servers before 5.12 are switched on beside their list."""
    return scope == target[: len(scope)] or scope[: len(target)] == target or target[-1] == "enable"


def test_a_release_without_a_schema() -> None:
    with pytest.raises(IntentError, match=r"5\.8"):
        lower({}, "5.8")


PARTS = [dict([item]) for item in FULL.items()] + [
    {"interface": {name: FULL["interface"][name]}} for name in ("swp1", "swp1s0", "eth0", "lo", "vlan110")
]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=5), st.sampled_from(RELEASES))
def test_parts_of_a_right_tree_lower_to_right_trees(parts: list[dict[str, Any]], release: str) -> None:
    tree: dict[str, Any] = {}
    for part in parts:
        tree = merge(tree, part)
    lowered = DIALECTS[release].lower(tree)
    assert DIALECTS[release].schema.check(lowered.tree) == ()
    assert silent(tree, lowered) == []
    assert DIALECTS[release].lower(tree).tree == lowered.tree


garbage = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(0, 9), st.text(max_size=4), st.lists(st.text(max_size=3), max_size=2)
    ),
    lambda inner: st.dictionaries(
        st.sampled_from(["state", "vrf", "server", "bfd", "profile", "order", "address", "x", "swp1", "router", "bgp"]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "/interface/swp1/ipv4",
                "/system/ntp",
                "/system/dns",
                "/system/syslog",
                "/system/aaa/authentication",
                "/system/aaa/tacacs/server",
                "/router/bfd",
                "/vrf",
                "/vrf/default/router/bgp/neighbor/swp1/bfd",
                "/service/dhcp-relay/RED",
            ]
        ),
        garbage,
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(("5.9", "5.14", "5.16")),
)
def test_lowering_never_raises(parts: dict[str, Any], release: str) -> None:
    """Whatever stands in a tree: findings, here or from the strict check, never a traceback."""
    tree: dict[str, Any] = {}
    for path, value in parts.items():
        node = tree
        for key in from_pointer(path)[:-1]:
            if not isinstance(node.get(key), dict):
                node[key] = {}
            node = node[key]
        node[from_pointer(path)[-1]] = value
    DIALECTS[release].lower(tree)
