"""The strict check: accepts what is right, refuses the rest, agrees with independent checkers."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import nvue_trees
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.releases import RELEASES
from intent.core.tree import from_pointer, leaves, put
from intent.formats.nvue.schema import Schema, check

SCHEMAS = {release: Schema.load(release) for release in ("5.9", "5.14", "5.16", "5.18")}
S516 = SCHEMAS["5.16"]


def codes(tree: Any, schema: Schema = S516) -> list[tuple[str, str]]:
    return [(d.code, d.path) for d in schema.check(tree)]


def one(path: str, value: Any) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    put(tree, from_pointer(path), value)
    return tree


def test_a_full_leaf_is_right() -> None:
    assert check(nvue_trees.leaf(), S516) == []
    assert check({}, S516) == []


@pytest.mark.parametrize(
    ("path", "value", "code", "words"),
    [
        ("/interface/swp1/link/mtu", "9216", "N004", "without quotes"),
        ("/interface/swp1/link/mtu", 551, "N004", "552..9216"),
        ("/interface/swp1/link/mtu", True, "N004", "quote it"),
        ("/interface/swp1/link/mtu", 1500.0, "N004", "integer"),
        ("/interface/swp1/link/speed", "400", "N004", "400G"),
        ("/interface/swp1/link/auto-negotiate", True, "N004", "quote it"),
        ("/interface/swp1/link/autoneg", "on", "N001", "auto-negotiate"),
        ("/interface/swp1/link/breakout/3x", {}, "N002", "2x"),
        ("/interface/swp1/link/state", "up", "N003", "a map is needed"),
        ("/interface/swp1/ipv4/address/10.0.0.1", {}, "N002", "prefix length"),
        ("/interface/swp1/ipv4/address/10.0.0.999~131", {}, "N002", "bad key"),
        ("/interface/1abc/type", "swp", "N002", "interface name"),
        ("/interface/abcdefghijklmnop/type", "swp", "N002", "15 characters"),
        ("/bridge/domain/br_default/vlan/4095", {}, "N002", "4094"),
        ("/bridge/domain/br_default/vlan/010", {}, "N002", "leading zeros"),
        ("/bridge/domain/br_default/vlan/10/vni/99999999", {}, "N002", "16777215"),
        ("/qos/roce/enable", "on", "N001", "no key 'enable'"),
        ("/qos/pfc/default-global/switch-priority/9", {}, "N002", "0 to 7"),
        ("/qos/traffic-pool/my-pool", {}, "N002", "roce-lossless"),
        ("/vrf/default/router/bgp/neighbor/swp1/remote-as", "externl", "N004", "external"),
        ("/vrf/default/router/static/10.0.0.1~124", {}, "N002", "host bits"),
        ("/system/hostname", "leaf.01", "N004", "hostname"),
        ("/system/hostname", "leaf_01", "N004", "hostname"),
        ("/system/hostname", "leaf01\n", "N004", "hostname"),
        ("/system/hostname", None, "N005", "leave the key out"),
        ("/system/foo", {}, "N001", "known:"),
        ("/interface/swp1/evpn/multihoming/segment/identifier", "7", "N004", "segment"),
        ("/system/global/anycast-mac", 34715383261, "N004", "anycast-mac"),
        ("/system/aaa/authentication/order", ["tacacs", "nobody"], "N004", "a list of"),
        ("/system/aaa/authentication/order", "local", "N004", "a list of"),
    ],
)
def test_what_is_refused_and_how(path: str, value: Any, code: str, words: str) -> None:
    (found,) = S516.check(one(path, value), device="leaf01")
    assert found.code == code
    assert found.device == "leaf01"
    assert words in f"{found.message} {found.hint}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/interface/swp1/ipv4/address/dhcp", {}),
        ("/interface/oddname/type", "swp"),
        ("/interface/bond2/evpn/multihoming/segment/identifier", "00:44:38:39:FF:00:AA:00:00:02"),
        ("/bridge/domain/br_default/vlan/10/vni/auto", {}),
        ("/nve/vxlan/source/address", "auto"),
        ("/system/aaa/user/x/hashed-password", "$secret:x$"),
        ("/system/aaa/tacacs/server/1.2.3.4/secret", "$secret:x$"),
        ("/system/aaa/authentication/order", ["tacacs", "local"]),
        ("/router/bgp/router-id", "10.255.0.1"),
    ],
)
def test_what_is_accepted(path: str, value: Any) -> None:
    assert S516.check(one(path, value)) == ()


def test_case_d04_a_boolean_key_or_value_of_yaml_is_told() -> None:
    tree = yaml.safe_load("interface: {swp1: {link: {auto-negotiate: on}}}\nrouter: {on: {}}")
    found = S516.check(tree)
    assert all("quote it" in d.hint for d in found if d.code in ("N002", "N004"))
    assert ("N004", "interface.swp1.link.auto-negotiate") in [(d.code, d.path) for d in found]
    assert ("N002", "router.True") in [(d.code, d.path) for d in found]


def test_one_is_not_true() -> None:
    """1 and True are equal for Python: a remembered value must not let the other pass."""
    schema = Schema.load("5.16")
    good, bad = one("/router/bgp/autonomous-system", 1), one("/router/bgp/autonomous-system", True)
    assert schema.valid(good)
    assert not schema.valid(bad)
    assert schema.valid(good)


@pytest.mark.parametrize(
    "tree", [None, [], "x", 7, {"interface": None}, {"interface": [1]}, {1: {}}, {"vrf": {None: {}}}]
)
def test_malformed_trees_give_words(tree: Any) -> None:
    assert S516.check(tree)


def test_secrets_do_not_show() -> None:
    tree = one("/system/aaa/user/x/hashed-password", 12345)
    put(tree, from_pointer("/system/snmp-server/readonly-community/publ1c/access/x/view"), 7)
    text = " ".join(str(d) for d in S516.check(tree))
    assert "12345" not in text and "publ1c" not in text
    assert "(secret)" in text


def test_a_huge_bad_tree_is_cut_short() -> None:
    tree = {"interface": {f"swp{n}": {"x" * 5000: 1} for n in range(5000)}}
    found = S516.check(tree)
    assert len(found) == 201
    assert found[-1].code == "N006"
    assert all(len(d.message) < 400 for d in found)


def test_paths_are_navigated() -> None:
    assert S516.knows(from_pointer("/interface/swp1/ipv4/address/10.0.0.1~124"))
    assert not S516.knows(from_pointer("/interface/swp1/ip"))
    assert SCHEMAS["5.14"].knows(from_pointer("/interface/swp1/ip/vrr/enable"))


# -- overrides --------------------------------------------------------------


def test_written_texts_are_resolved_by_the_type_wanted() -> None:
    raw = {
        "interface": {"swp1": {"link": {"mtu": "9000", "auto-negotiate": "on", "speed": "400G", "state": {"up": {}}}}},
        "system": {
            "hostname": "010",
            "global": {"anycast-mac": "44:38:39:22:01:01"},
            "aaa": {"authentication": {"order": ["local"]}},
        },
        "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {"remote-as": "65001"}}}}}},
    }
    tree, found = S516.resolve(raw)
    assert found == ()
    assert tree["interface"]["swp1"]["link"] == {
        "mtu": 9000,
        "auto-negotiate": "enabled",
        "speed": "400G",
        "state": {"up": {}},
    }
    assert tree["system"]["hostname"] == "010"
    assert tree["system"]["global"]["anycast-mac"] == "44:38:39:22:01:01"
    assert tree["vrf"]["default"]["router"]["bgp"]["neighbor"]["swp1"]["remote-as"] == 65001
    old, found = SCHEMAS["5.14"].resolve({"interface": {"swp1": {"link": {"auto-negotiate": "yes"}}}})
    assert found == ()
    assert old["interface"]["swp1"]["link"]["auto-negotiate"] == "on"


def test_what_cannot_be_resolved_is_an_error_with_the_text() -> None:
    _, found = S516.resolve({"interface": {"swp1": {"link": {"mtu": "0x2400"}}}})
    assert "0x2400" in found[0].message
    _, found = S516.resolve({"interface": {"swp1": {"link": {"mtu": "9" * 5000}}}})
    assert len(found) == 1


# -- independent checkers ---------------------------------------------------


def strict_checker(release: str) -> Any:
    """The reference's checker on top of pydantic; skips where either is absent."""
    pytest.importorskip("nvueschema")
    path = nvue_trees.shared() / "tools" / "nvue_strict.py"
    module = sys.modules.get("nvue_strict")
    if module is None:
        spec = importlib.util.spec_from_file_location("nvue_strict", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["nvue_strict"] = module
        spec.loader.exec_module(module)
    return module.Checker(release)


def errors(checker: Any, tree: Any) -> list[str]:
    return [issue for issue in checker.check([{"set": tree}]) if issue.severity == "error"]


def example(name: str) -> dict[str, Any]:
    text = (nvue_trees.shared() / "tools" / "nvue_examples" / f"{name}.yaml").read_text(encoding="utf-8")
    return next(item["set"] for item in yaml.safe_load(text) if "set" in item)


@pytest.mark.parametrize(
    ("name", "release"),
    [("leaf-5.9", "5.9"), ("leaf-5.12", "5.12"), ("leaf-5.14", "5.14"), ("leaf-5.16", "5.16")]
    + [("leaf-5.16", r) for r in ("5.15", "5.17", "5.18")]
    + [("spine-5.16", "5.16"), ("mlag-qos-5.16", "5.16")],
)
def test_reference_examples_are_right(name: str, release: str) -> None:
    assert Schema.load(release).check(example(name)) == ()


def test_the_bad_example_has_every_error_the_reference_finds() -> None:
    tree = example("bad")
    theirs = {issue.path for issue in errors(strict_checker("5.16"), tree)}
    ours = {"/" + d.path.replace(".", "/").replace("[", "/").replace("]", "") for d in S516.check(tree)}
    assert len(ours) >= len(theirs) - 1
    assert len(S516.check(tree)) >= 15


VALUES: tuple[Any, ...] = (
    *("", "x", "on", "off", "enabled", "disabled", "enable", "auto", "none", "up", "10.0.0.1", "10.0.0.0/24", "::1"),
    *("2001:db8::/32", "1.2.3.4/33", "swp1", "aa:bb:cc:dd:ee:ff", "65000:1", "0", "9216", "a" * 300, "é", "2x", "G"),
    *(0, 1, 3, 7, 8, 63, 64, 255, 4094, 65535, 65536, 4294967295, 4294967296, -1, 1.5),
    *(True, False, [], ["local"], ["x"], {}, {"a": {}}, {"1": {}}),
)
KEYS = (
    "state",
    "enable",
    "swp1",
    "1",
    "9",
    "10.0.0.1/31",
    "10.0.0.0/24",
    "4095",
    "foo",
    "auto",
    "ip",
    "ipv4",
    "default",
)


def mutated(tree: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """The tree with one leaf replaced, one key renamed, one key added or a subtree replaced."""
    everything = list(leaves(tree))
    while True:
        path, _ = rng.choice(everything)
        path = path[: rng.randint(1, len(path))]
        result = copy.deepcopy(tree)
        node: Any = result
        for key in path[:-1]:
            node = node[key]
        action = rng.randint(0, 2)
        if action == 0:
            node[path[-1]] = copy.deepcopy(rng.choice(VALUES))
        elif action == 1:
            node[rng.choice(KEYS)] = node.pop(path[-1])
        else:
            node[rng.choice(KEYS)] = copy.deepcopy(rng.choice(VALUES))
        yield result


@pytest.mark.parametrize("release", ["5.16", "5.9"])
def test_mutated_trees_are_judged_as_the_reference_does(release: str) -> None:
    """What pydantic with the reference's strictness refuses, we refuse; what only we refuse has a reason we know."""
    checker, schema = strict_checker(release), Schema.load(release)
    base = example("leaf-5.16" if release == "5.16" else "leaf-5.9")
    makers = mutated(base, random.Random(20261130 + len(release)))
    only_ours: list[str] = []
    for _ in range(500):
        tree = next(makers)
        theirs, ours = errors(checker, tree), schema.check(tree)
        if theirs and not ours:
            pytest.fail(f"accepted: {theirs[0]}")
        if ours and not theirs:
            only_ours.append(str(ours[0]))
    # Leading zeros, and interface names that start with a digit, are refused by us alone.
    known = ("leading zeros", "a letter first")
    assert [text for text in only_ours if not any(reason in text for reason in known)] == []


@pytest.mark.parametrize("release", ["5.16", "5.18"])
def test_what_the_plain_models_refuse_we_refuse(release: str) -> None:
    """Against the models themselves, as they come: they let much pass, but nothing they refuse may pass us."""
    pytest.importorskip("nvueschema")
    from pydantic import ValidationError

    models = importlib.import_module(f"nvueschema.models.v{release.replace('.', '_')}")
    schema = Schema.load(release)
    makers = mutated(nvue_trees.leaf(2), random.Random(7))
    refused = 0
    for _ in range(400):
        tree = next(makers)
        try:
            models.NvueConfig.model_validate(tree)
        except (ValidationError, ValueError):
            refused += 1
            assert schema.check(tree), tree
    assert refused > 20


def every_leaf(schema: Schema) -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    stack: list[tuple[int, tuple[str, ...]]] = [(schema.root, ())]
    while stack:
        index, path = stack.pop()
        node = schema._nodes[index]
        if "leaf" in node:
            yield path, node["leaf"]
        stack += [(inner, (*path, key)) for key, inner in node.get("keys", {}).items()]
        if "map" in node:
            stack.append((node["map"], (*path, SAMPLE.get(node["key"] or "", "x1"))))


SAMPLE = {
    "interface": "swp1",
    "ip-interface": "10.0.0.1/31",
    "prefix": "10.0.0.0/24",
    "vlan": "10",
    "vni": "1000",
    "breakout": "2x",
    "switch-priority": "3",
    "traffic-class": "3",
    "dscp": "26",
    "pcp": "3",
    "traffic-pool": "default-lossy",
    "default-global": "default-global",
    "link-state": "up",
}


def test_every_leaf_of_a_release_is_judged_as_the_reference_does() -> None:
    """Each leaf of the schema with each of many values."""
    checker = strict_checker("5.16")
    for path, _ in every_leaf(S516):
        for value in VALUES:
            tree: dict[str, Any] = {}
            put(tree, path, value)
            theirs, ours = errors(checker, tree), S516.check(tree)
            assert bool(theirs) == bool(ours), (path, value, [str(x) for x in (*theirs, *ours)])


def test_the_flattened_data_is_what_the_script_makes() -> None:
    """Guards against data files edited by hand or left behind by a new version of the models."""
    pytest.importorskip("nvueschema")
    spec = importlib.util.spec_from_file_location(
        "flatten_nvue_schema", nvue_trees.Path(__file__).resolve().parents[2] / "scripts" / "flatten_nvue_schema.py"
    )
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    data = nvue_trees.Path(script.__file__).resolve().parent.parent / "intent" / "catalog" / "data" / "nvue"
    assert tuple(script.RELEASES) == RELEASES
    assert script.packed(script.flatten("5.16")) == (data / "5.16.json.gz").read_bytes()


# -- laws -------------------------------------------------------------------

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.lists(st.text(), max_size=3)
)
anything = st.recursive(
    scalars, lambda inner: st.dictionaries(st.one_of(st.text(max_size=10), st.sampled_from(KEYS)), inner, max_size=4)
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["interface", "vrf", "qos", "system", "router", "evil"]), anything, max_size=4))
def test_check_never_raises_and_agrees_with_valid(tree: dict[str, Any]) -> None:
    found = S516.check(tree)
    assert S516.valid(tree) == (not found)
    resolved, _ = S516.resolve(tree)
    assert isinstance(resolved, dict)


def test_a_leaf_of_128_ports_is_checked_in_a_millisecond() -> None:
    tree, schema = nvue_trees.leaf(), Schema.load("5.16")
    assert schema.valid(tree)
    best = min(_cpu(lambda: schema.valid(tree)) for _ in range(30))
    assert best < 0.01, "ten times the goal: the check has become slow"


def _cpu(action: Any) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start
