"""Reading a lock: whatever the file holds, the answer is a lock or findings with their place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_builder import b300, build

from intent.fabric.kinds import KINDS
from intent.fabric.lock import Allocator, Lock, dump, parse

GOOD = {"schema_version": 1, "site": "lab", "held": {"asn": {"l1": "65001"}}, "released": {}}


def problems(text: str, site: str = "lab") -> list[str]:
    lock, found = parse(text, "sites/lab.lock", site)
    for item in found:
        assert item.code == "A001" and item.hint and item.span
        assert item.span.file == "sites/lab.lock" and item.span.line >= 1
        assert len(item.message) < 600 and item.message.isprintable()
    assert isinstance(dump(lock).encode(), bytes)
    return [f"{item.span.line if item.span else 0}: {item.message}" for item in found]


def with_part(part: str, value: Any) -> str:
    return json.dumps({**GOOD, part: value}, indent=1)


def test_a_lock_of_our_own_is_read_as_it_was() -> None:
    lock = build(b300(70, more="management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}")).lock
    assert parse(dump(lock), "f", "lab") == (lock, ())
    assert set(KINDS) - set(lock.held) == {"manager", "pkey"}  # those of InfiniBand


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: not a lock: Expecting value"),
        ("{", "1: not a lock"),
        (dump(Lock("lab"))[:-20], "not a lock"),
        ("[]", "1: not a lock: expected the keys"),
        ("null", "expected the keys"),
        ("\x00\x01", "not a lock"),
        ("{}", "expected the keys"),
        (with_part("more", {}), "expected the keys"),
        (with_part("schema_version", 2), "lock version 2 - this program reads version 1"),
        (with_part("schema_version", True), "lock version True"),
        (with_part("schema_version", "1"), "lock version '1'"),
        (with_part("schema_version", 1.0), "lock version 1.0"),
        (with_part("schema_version", [[["x" * 9000]]]), "lock version [[['xxx"),
        (with_part("site", "other"), "lock of another site - expected 'lab', found 'other'"),
        (with_part("site", None), "found None"),
        (with_part("held", []), "lock part 'held' - expected kind"),
        (with_part("held", {"asn": []}), "lock part 'held'"),
        (with_part("held", {"asn": {"l1": 65001}}), "lock part 'held'"),
        (with_part("released", {"asn": {"l1": None}}), "lock part 'released'"),
        (with_part("held", {"asns": {"l1": "1"}}), "5: kind 'asns' - expected one of asn"),
        (with_part("held", {"asn": {"l1": "65001 "}}), "6: asn of 'l1' - expected an AS number, got '65001 '"),
        (with_part("held", {"asn": {"l1": "\uff14\uff12"}}), "expected an AS number"),
        (with_part("held", {"asn": {"l1": "4294967296"}}), "expected an AS number"),
        (with_part("held", {"asn": {"l1": "9" * 5000}}), "expected an AS number, got '999"),
        (with_part("held", {"asn": {"\ud800": "1"}}), "asn of '\\ud800' - expected"),
        (with_part("held", {"asn": {"": "1"}}), "asn of ''"),
        (with_part("held", {"asn": {"x\n": "1"}}), "asn of 'x\\n'"),
        (with_part("held", {"loopback": {"l1": "10.0.0.1/32"}}), "expected an IPv4 address"),
        (with_part("held", {"loopback": {"l1": "010.0.0.1"}}), "expected an IPv4 address"),
        (with_part("held", {"host-prefix": {"l1": "10.0.0.1/24"}}), "expected an IPv4 prefix"),
        (with_part("held", {"slot": {"ew/n1": "ew:0.1"}}), "expected fabric:block.place"),
        (with_part("held", {"uplinks": {"l1": "0.1"}}), "expected spine.port"),
        (with_part("held", {"spines": {"ew": "-1"}}), "expected a number"),
        (with_part("held", {"name": {"ew/p1/s1": "a_b"}}), "expected a host name"),
        (with_part("released", {"wiring": {"l1": "0" * 16}}), "wiring of l1 - never released"),
        (with_part("released", {"asn": {"l1": "65002"}}), "asn of l1 - both held and released"),
        ('{"schema_version": 1,\n "site": "lab",\n "site": "lab"}', "3: not a lock: key 'site' given twice"),
        ("[" * 200_000, "nesting no lock has"),
        ("1" * 10_000, "not a lock"),
        ("{\n<<<<<<< HEAD\n", "2: not a lock: an unresolved merge"),
    ],
)  # fmt: skip
def test_what_is_no_lock(text: str, message: str) -> None:
    found = problems(text)
    assert found and message in found[0]


def test_values_with_two_owners_are_named_with_both_and_the_line() -> None:
    held = {"loopback": {"l1": "10.0.0.1", "l2": "10.0.0.1"}, "asn": {"l1": "65001"}}
    text = json.dumps({**GOOD, "held": held, "released": {"asn": {"l9": "65001"}}}, indent=1)
    found = problems(text)
    lines = text.splitlines()
    assert len(found) == 2
    asn, loopback = found
    assert "asn 65001 - held by both l1 and l9" in asn and lines[int(asn.split(":")[0]) - 1].strip().startswith('"l9"')
    assert "loopback 10.0.0.1 - held by both l1 and l2" in loopback
    assert lines[int(loopback.split(":")[0]) - 1].strip() == '"l2": "10.0.0.1"'


def test_prefixes_that_overlap_are_doubles_too() -> None:
    held = {"host-prefix": {"l1": "10.64.0.0/23", "l2": "10.64.1.0/24"}}
    assert "host-prefix 10.64.1.0/24 of l2 - overlaps 10.64.0.0/23 of l1" in problems(with_part("held", held))[0]


def test_a_huge_lock_is_refused_and_many_findings_are_cut() -> None:
    assert "expected at most" in problems(" " * (64 * 1024 * 1024 + 1))[0]
    held = {"asn": {f"l{number}": "65001" for number in range(50_000)}}
    assert len(problems(with_part("held", held))) == 20


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["schema_version", "site", "held", "released"]), JSON)
def test_hostile_types_never_raise(part: str, value: Any) -> None:
    problems(with_part(part, value))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.text(max_size=12), st.text(max_size=40))
def test_hostile_values_never_raise(kind: str, owner: str, value: str) -> None:
    problems(with_part("held", {kind: {owner: value}}))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_never_raises(text: str) -> None:
    assert problems(text)


NAMES = st.sampled_from([f"o{number}" for number in range(12)])


@given(st.lists(st.lists(NAMES, unique=True), min_size=1, max_size=6), st.booleans())
def test_the_allocator_never_forgets_nor_doubles(rounds: list[list[str]], prune: bool) -> None:
    lock = Lock("lab")
    ever: dict[str, str] = {}
    for owners in rounds:
        allocator = Allocator(lock)
        pool = (str(number) for number in range(65001, 66000))
        for owner in owners:
            value = allocator.take("asn", owner, pool)
            assert value is not None and ever.setdefault(owner, value) == value
        after = allocator.result()
        held, released = after.held.get("asn", {}), after.released.get("asn", {})
        assert set(held) == set(owners) and not set(held) & set(released)
        assert {*held, *released} == {*lock.held.get("asn", {}), *lock.released.get("asn", {}), *owners}
        assert len({*held.values(), *released.values()}) == len(held) + len(released)
        lock = after.pruned() if prune else after
        if prune:
            ever = dict(held)


def test_a_claim_is_refused_when_another_has_or_had_it() -> None:
    lock = Lock("lab", {"name": {"ew/p1/s1": "a"}}, {"name": {"ew/p1/s2": "b"}})
    allocator = Allocator(lock)
    assert allocator.claim("name", "ew/p1/s1", "x") == "a"
    assert allocator.claim("name", "ew/p1/s3", "b") is None
    assert allocator.claim("name", "ew/p1/s4", "c") == "c"
    assert allocator.claim("name", "ew/p1/s5", "c") is None


def test_prune_forgets_what_is_released_and_sizes_that_only_grow() -> None:
    lock = Lock("lab", {"asn": {"l1": "1"}, "spines": {"ew": "8"}}, {"asn": {"l2": "2"}})
    assert lock.pruned() == Lock("lab", {"asn": {"l1": "1"}}, {})
