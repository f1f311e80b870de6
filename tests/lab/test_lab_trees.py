"""Laws of the lab's own merge, diff and ranges; the wiring reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.releases import release_schema
from intent.core.errors import IntentError
from intent.lab import wiring
from intent.lab.ranges import LIMIT, expand, is_range, joined
from intent.lab.store import Trees
from intent.lab.trees import at, diff, expanded, merged, without
from intent.lab.walker import Schema

SCHEMA = Schema(release_schema("5.16"))

ports = st.sampled_from([f"swp{number}" for number in range(1, 6)])
links = st.fixed_dictionaries(
    {}, optional={"mtu": st.integers(552, 9216), "fec": st.sampled_from(["rs", "off"]), "state": st.just({"up": {}})}
)
interfaces = st.dictionaries(
    ports,
    st.fixed_dictionaries(
        {"type": st.just("swp")},
        optional={"description": st.text("abc", min_size=1, max_size=3), "link": links.filter(bool)},
    ),
    max_size=4,
)
trees = st.fixed_dictionaries({}, optional={"interface": interfaces.filter(bool)})


@settings(deadline=None)
@given(trees, trees)
def test_loading_one_side_of_a_diff_leads_to_that_side(here, there):
    for tree in (here, there):
        assert SCHEMA.check(tree) == []
    assert merged(SCHEMA, there, diff(here, there)) == here
    assert diff(here, here) == {}


@settings(deadline=None)
@given(trees, trees)
def test_a_merge_changes_neither_side_and_is_idempotent(base, over):
    before = json.dumps([base, over])
    once = merged(SCHEMA, base, over)
    assert json.dumps([base, over]) == before
    assert merged(SCHEMA, once, over) == once


@settings(deadline=None)
@given(trees, ports)
def test_what_was_taken_out_is_gone_and_the_rest_is_not(tree, port):
    left = without(SCHEMA, tree, ("interface", port))
    assert port not in left.get("interface", {})
    assert {name: value for name, value in tree.get("interface", {}).items() if name != port} == left.get(
        "interface", {}
    )
    assert without(SCHEMA, tree, ()) == {}


@settings(deadline=None)
@given(trees)
def test_packed_trees_come_back_equal_and_equal_ones_are_kept_once(tree):
    store = Trees(room=1)
    blob = store.pack(tree)
    store.pack({"other": {}})
    assert store.unpack(blob) == tree
    assert store.pack(json.loads(json.dumps(tree)), like=(blob,)) is blob


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("swp1", ["swp1"]),
        ("swp1-3", ["swp1", "swp2", "swp3"]),
        ("swp1-2s0-1", ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]),
        ("swp33s0,34s0", ["swp33s0", "swp34s0"]),
        ("10,20-21", ["10", "20", "21"]),
        ("bond1-2,swp5", ["bond1", "bond2", "swp5"]),
        ("br_default", ["br_default"]),
        ("peerlink.4094", ["peerlink.4094"]),
    ],
)
def test_ranges_stand_for_their_keys(key, names):
    assert expand(key) == names
    assert is_range(key) is (names != [key])


@pytest.mark.parametrize("key", ["swp4-1", "swp1,", ",", f"swp1-{LIMIT + 1}", "swp1-99999999999", "swp1-999s0-999"])
def test_ranges_that_are_none_or_too_many(key):
    with pytest.raises(ValueError, match=r"range|runs|stands"):
        expand(key)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.integers(0, 30).map(lambda number: f"swp{number}"),
            st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda pair: f"swp{pair[0]}s{pair[1]}"),
            st.sampled_from(["lo", "eth0", "br_default", "peerlink.4094"]),
        ),
        min_size=1,
        unique=True,
    )
)
def test_a_joined_key_stands_for_its_names(names):
    assert expand(joined(names)) == names


def test_expansion_shares_what_holds_no_range():
    tree = {"interface": {"swp1": {"type": "swp"}}, "system": {"hostname": "a"}}
    assert expanded(SCHEMA, tree) is tree
    assert at(expanded(SCHEMA, {"interface": {"swp1-2": {"type": "swp"}}}), ("interface", "swp2", "type")) == "swp"


GOOD = {
    "switches": [{"name": "l1", "model": "SN5600", "release": "5.16.4", "mac": "44:38:39:00:00:01", "serial": "S1"}],
    "hosts": [{"name": "n1", "ports": [{"name": "eth0", "mac": "02:00:00:00:00:01"}]}],
    "links": [{"a": {"device": "n1", "port": "eth0"}, "b": {"device": "l1", "port": "swp1s0"}}],
}


def test_a_wiring_is_read(tmp_path):
    file = tmp_path / "w.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    read = wiring.load(file)
    assert read.switches[0].serial == "S1"
    assert str(read.links[0].b) == "l1:swp1s0"
    assert wiring.factory_fresh(read).switches[0].factory is True


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"switches": []}, "at least one switch"),
        ({"switches": {}}, "switches: a list is needed"),
        ({"swiches": []}, "unknown key 'swiches'"),
        ({"switches": [{"name": "l1", "model": "SN5600"}]}, "switches[0]: key 'release' is missing"),
        ({"switches": [{"name": "", "model": "SN5600", "release": "5.16"}]}, "switches[0].name: must not be empty"),
        ({"switches": [{"name": "l1", "model": 5600, "release": "5.16"}]}, "switches[0].model: text is needed"),
        ({"switches": [{"name": "l1", "model": "SN5600", "release": "5.16", "mac": "x"}]}, "switches[0].mac: 'x'"),
        ({"switches": [{"name": "l1", "model": "SN5600", "release": "5.16", "factory": "no"}]}, "true or false"),
        ({"switches": [{"name": "n1", "model": "SN5600", "release": "5.16"}]}, "the name 'n1' stands twice"),
        ({"hosts": [{"name": "n1", "ports": "eth0"}]}, "hosts[0].ports: a list is needed"),
        (
            {"links": [{"a": {"device": "zz", "port": "p"}, "b": {"device": "l1", "port": "p"}}]},
            "no device is called 'zz'",
        ),
        (
            {"links": [{"a": {"device": "n1", "port": "p"}, "b": {"device": "l1", "port": "p"}}]},
            "host n1 has no port 'p'",
        ),
        (
            {"links": [{"a": {"device": "l1", "port": "p"}, "b": {"device": "l1", "port": "p"}}]},
            "already holds the cable",
        ),
        ({"links": [{"a": {"device": "l1"}, "b": {}}]}, "links[0].a: key 'port' is missing"),
    ],
)
def test_a_bad_wiring_is_told_with_its_place(change, words):
    with pytest.raises(IntentError) as caught:
        wiring.parse({**GOOD, **change}, "w.json")
    assert words in caught.value.message
    assert "w.json" in caught.value.message


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe{\x00}\x00", b"[" * 100_000, b'"x"'])
def test_a_file_that_is_no_wiring(tmp_path, content):
    file = tmp_path / "w.json"
    file.write_bytes(content)
    with pytest.raises(IntentError):
        wiring.load(file)
    with pytest.raises(IntentError, match="No such file"):
        wiring.load(tmp_path / "missing.json")
