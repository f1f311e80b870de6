"""The lab's verdicts on trees, held against nvueschema's own models: every kind of leaf, with good and bad values."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from intent.catalog.releases import RELEASES, release_schema
from intent.lab.walker import Schema

pydantic = pytest.importorskip("pydantic")
pytest.importorskip("nvueschema")

PATHS_PER_NODE = 2
# A key that every format of keys takes.
KEYS = {
    "interface": "swp1",
    "ip-interface": "10.0.0.1/24",
    "prefix": "10.0.0.0/24",
    "vlan": "10",
    "vni": "10",
    "breakout": "2x",
    "switch-priority": "3",
    "traffic-class": "3",
    "dscp": "26",
    "pcp": "3",
    "profile": "p1",
    "traffic-pool": "default-lossy",
    "default-global": "default-global",
    "link-state": "up",
    None: "k1",
}
VALUES: list[Any] = [
    "enabled",
    "disabled",
    "on",
    "off",
    "enable",
    "auto",
    "none",
    "all",
    "any",
    "",
    " ",
    "x",
    "swp1",
    "swp1\n",
    "vlan10",
    "eth-0",
    "a" * 65,
    "a" * 300,
    "leaf.01",
    "leaf_01",
    "10.0.0.1",
    "10.0.0.300",
    "010.0.0.1",
    "2001:db8::1",
    "10.0.0.0/24",
    "10.0.0.1/24",
    "2001:db8::/32",
    "00:11:22:33:44:55",
    "00:11:22:33:44",
    "65000:100",
    "10.0.0.1:5",
    "9216",
    "1",
    "400G",
    0,
    1,
    -1,
    63,
    551,
    552,
    9216,
    9217,
    65536,
    4200000001,
    2**40,
    1.5,
    1.0,
    True,
    False,
    [],
    ["x"],
    [1],
    {},
    {"x": 1},
]


def leaf_paths(schema: Schema) -> Iterator[tuple[tuple[str, ...], int]]:
    """Paths of leaves, a few for every different leaf."""
    seen: dict[int, int] = {}
    work: list[tuple[tuple[str, ...], int]] = [((), schema.root)]
    while work:
        path, index = work.pop()
        node = schema.nodes[index]
        if "leaf" in node:
            seen[index] = seen.get(index, 0) + 1
            if seen[index] <= PATHS_PER_NODE:
                yield path, index
        elif "keys" in node:
            work += [((*path, key), below) for key, below in node["keys"].items()]
        elif "map" in node:
            work.append(((*path, KEYS[node["key"]]), node["map"]))


def nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def holds(kept: Any, given: Any) -> bool:
    """Nothing that was given was dropped."""
    if isinstance(given, dict) and given:
        return isinstance(kept, dict) and all(key in kept and holds(kept[key], given[key]) for key in given)
    return True


def models_accept(model: Any, tree: Any) -> bool:
    """The models' verdict: strict types, and no key silently dropped."""
    try:
        made = model.model_validate_json(json.dumps(tree), strict=True)
    except pydantic.ValidationError:
        return False
    except ValueError:
        return False
    return holds(made.model_dump(mode="json", by_alias=True, exclude_unset=True), tree)


def corrected(node: dict[str, Any]) -> bool:
    """Leaves on which the catalog corrects the models: interface names, segment identifiers."""
    patterns = [alternative.get("pattern", "") for alternative in node["leaf"]]
    return any(pattern.startswith(("^[A-Za-z][A-Za-z0-9_./-]", "^00(:")) for pattern in patterns)


def disagreements(release: str) -> list[str]:
    schema = Schema(release_schema(release))
    model = importlib.import_module("nvueschema.models.v" + release.replace(".", "_")).NvueConfig
    found, compared = [], 0
    for path, index in leaf_paths(schema):
        node = schema.nodes[index]
        own = [value for item in node["leaf"] for value in item.get("values", ())[:3]]
        edges = [
            item[key] + step
            for item in node["leaf"]
            for key in ("minimum", "maximum")
            if key in item
            for step in (-1, 0, 1)
        ]
        for value in (*VALUES, *own, *edges):
            tree = nested(path, value)
            ours, theirs = schema.check(tree) == [], models_accept(model, tree)
            compared += 1
            # A final `$` of the models lets a line end pass; the catalog's data does not.
            line_end = isinstance(value, str) and value.endswith("\n") and not ours
            if ours != theirs and not corrected(node) and not line_end:
                found.append(f"{'/'.join(path)} = {value!r}: lab {ours}, nvueschema {theirs}")
    assert compared > 10_000
    return found


def test_the_lab_and_nvueschema_agree_on_5_16():
    assert disagreements("5.16") == []


@pytest.mark.nightly
@pytest.mark.parametrize("release", RELEASES)
def test_the_lab_and_nvueschema_agree(release):
    assert disagreements(release) == []


def test_unknown_keys_are_refused_at_every_depth():
    schema = Schema(release_schema("5.16"))
    checked = 0
    for path, _ in leaf_paths(schema):
        for depth in range(len(path)):
            above = schema.node(path[:depth])
            if above is not None and "keys" in above:
                errors = schema.check(nested((*path[:depth], "no-such-key"), {}))
                assert [error.path for error in errors] == [(*path[:depth], "no-such-key")]
                checked += 1
    assert checked > 1000


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        (
            "interface",
            ["swp1", "swp1-4", "swp1,3", "br_default", "peerlink.4094"],
            ["", "1swp", "a" * 16, "swp 1", "swp4-1"],
        ),
        ("interface/lo/ipv4/address", ["10.0.0.1/32", "2001:db8::1/128"], ["10.0.0.1", "10.0.0.1/33", "x"]),
        ("bridge/domain/b/vlan", ["1", "4094", "10-20"], ["0", "4095", "10-5000", "x"]),
        ("bridge/domain/b/vlan/10/vni", ["1", "16777215", "auto"], ["0", "16777216", "-1"]),
        ("interface/swp1/link/breakout", ["2x", "8x"], ["3x", "2"]),
        ("qos/pfc/p/switch-priority", ["0", "7"], ["8", "-1", "x"]),
        ("qos/pfc", ["default-global", "p-1"], ["1p", ""]),
        ("qos/egress-queue-mapping", ["default-global"], ["other"]),
        ("vrf/default/router/static", ["10.0.0.0/24", "::/0"], ["10.0.0.1/24", "x"]),
    ],
)
def test_keys_of_maps_have_their_format(path, good, bad):
    schema = Schema(release_schema("5.16"))
    for key in (*good, *bad):
        errors = schema.check(nested((*path.split("/"), key), {}))
        assert (errors == []) is (key in good), (key, errors)


def test_a_secret_that_is_refused_is_not_repeated():
    schema = Schema(release_schema("5.16"))
    tree = nested(("vrf", "default", "router", "bgp", "neighbor", "swp1", "password"), ["topsecret"])
    errors = schema.check(tree)
    assert errors
    assert "topsecret" not in str(errors)
