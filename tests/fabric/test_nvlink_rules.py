"""Rules of NVLink partitions: who may hold which GPU, in which order a rack is split, where keys must end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.diagnostic import Severity
from intent.core.span import Span
from intent.fabric.nvlink import Act, Domain, Keys, Partition, check, places, steps

TRAYS = {f"n{slot:02}": slot for slot in range(1, 19)}
RACK = Domain("rack-07", places(7, TRAYS, 4), multicast_groups=64, partitions=8)
OTHER = Domain("rack-08", places(8, {f"m{slot:02}": slot for slot in range(1, 19)}, 4))


def gpus(first: int, last: int, chassis: int = 7) -> tuple[str, ...]:
    return tuple(f"{chassis}.{slot}.1.{gpu}" for slot in range(first, last + 1) for gpu in range(1, 5))


def part(name: str, first: int, last: int, **more: object) -> Partition:
    return Partition(name, "rack-07", gpus(first, last), **more)  # type: ignore[arg-type]


def keys(halves: dict[str, range]) -> dict[str, Keys]:
    numbers = {name: 0x10 + number for number, name in enumerate(halves)}
    return {f"n{slot:02}": Keys(frozenset({("ib", numbers[name])})) for name, slots in halves.items() for slot in slots}


HALVES = keys({"a": range(1, 10), "b": range(10, 19)})


def codes(
    *partitions: Partition, held: dict[str, Keys] | None = None, domains: tuple[Domain, ...] = (RACK, OTHER)
) -> list[str]:
    return [item.code for item in check(domains, partitions, held)]


def test_a_rack_split_in_halves_where_its_keys_are_is_fine() -> None:
    assert codes(part("a", 1, 9, multicast_groups=32), part("b", 10, 18, multicast_groups=32), held=HALVES) == []


def test_no_partition_at_all_is_nobodys_business() -> None:
    assert codes(held=HALVES) == []


def test_a_gpu_in_two_partitions_names_both() -> None:
    found = check([RACK], [part("a", 1, 9, span=Span("t", 1)), part("b", 9, 18, span=Span("t", 2))])
    assert {item.code for item in found} == {"F060"} and len(found) == 4
    assert "7.9.1.1" in found[0].message and found[0].related == ((Span("t", 1), "partition a"),)


@pytest.mark.parametrize(
    ("partitions", "code"),
    [
        ((Partition("a", "rack-07", gpus(1, 1, chassis=8)),), "F061"),
        ((Partition("a", "rack-07", ("7.99.1.1",)),), "F062"),
        ((Partition("a", "nowhere", gpus(1, 1)),), "F062"),
        ((part("a", 1, 9, multicast_groups=40), part("b", 10, 18, multicast_groups=40)), "F063"),
        ((part("a", 1, 9, multicast_groups=1),), "F064"),
        (tuple(part(f"p{slot}", slot, slot) for slot in range(1, 10)), "F067"),
        ((Partition("a", "rack-07", ()),), "F068"),
        ((part("a", 1, 2), part("a", 3, 4)), "F060"),
        ((Partition("a", "rack-07", gpus(1, 1) * 2),), "F060"),
    ],
)
def test_each_rule_has_its_code(partitions: tuple[Partition, ...], code: str) -> None:
    assert codes(*partitions) == [code] * (4 if code == "F061" else 1)


def test_an_nvlink_partition_over_two_tenants_keys_is_an_error() -> None:
    found = check([RACK], [part("a", 1, 10), part("b", 11, 18)], HALVES)
    errors = [item for item in found if item.severity is Severity.ERROR]
    assert [item.code for item in errors] == ["F065", "F065"]
    assert "n10 hold 0x0011 of ib" in errors[0].message and "NVLink partition a" in errors[0].message
    assert "0x0011 of ib - its trays are in NVLink partitions a and b" in errors[1].message


def test_the_default_partition_is_a_boundary_too() -> None:
    """Two tenants apart on InfiniBand who both stay in the default NVLink partition can read each other's memory."""
    thirds = keys({"a": range(1, 7), "b": range(7, 13), "c": range(13, 19)})
    found = check([RACK], [part("a", 1, 6)], thirds)
    assert [item.code for item in found] == ["F065"] and "default NVLink partition" in found[0].message


def test_one_key_over_two_nvlink_partitions_is_an_error_too() -> None:
    found = check([RACK], [part("a", 1, 9), part("b", 10, 18)], keys({"a": range(1, 19)}))
    assert [(item.code, item.severity) for item in found] == [("F065", Severity.ERROR)]


def test_groups_against_an_unknown_maximum_are_not_judged_and_say_so() -> None:
    domain = Domain("rack-07", places(7, TRAYS, 4))
    (found,) = check([domain], [part("a", 1, 9, multicast_groups=32), part("b", 10, 18)])
    assert (found.code, found.severity) == ("F069", Severity.WARNING)
    assert "32 asked for, the maximum of the domain is not known" in found.message
    assert check([domain], [part("a", 1, 18)]) == ()


def test_a_key_means_something_in_its_fabric_only() -> None:
    held = {tray: Keys(frozenset({("ib1" if slot < 10 else "ib2", 0x10)})) for tray, slot in TRAYS.items()}
    assert codes(part("a", 1, 9), part("b", 10, 18), held=held) == []


def test_a_split_tray_needs_ports_with_keys_of_their_own() -> None:
    halves = (Partition("a", "rack-07", gpus(1, 1)[:2]), Partition("b", "rack-07", gpus(1, 1)[2:]))
    domain = Domain("rack-07", {"n01": gpus(1, 1)})
    assert "F066" in [item.code for item in check([domain], halves, {})]
    split = {"n01": Keys(split=True)}
    assert "F066" not in [item.code for item in check([domain], halves, split)]


def test_the_default_partition_shrinks_before_anything_is_made() -> None:
    half = steps(RACK, [part("a", 1, 9)])
    assert [step.act for step in half] == [Act.SHRINK, Act.MAKE] and half[0].gpus == gpus(10, 18)
    whole = steps(RACK, [part("a", 1, 9), part("b", 10, 18)])
    assert [step.act for step in whole] == [Act.EMPTY, Act.MAKE, Act.MAKE]
    assert steps(RACK, []) == ()


@given(st.lists(st.integers(1, 17), max_size=5, unique=True))
def test_no_step_ever_puts_a_gpu_in_two_partitions(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), 18]
    partitions = [part(f"p{low}", low + 1, high) for low, high in pairwise(edges)]
    assert codes(*partitions, held=None, domains=(RACK,)) == []
    held: dict[str, set[str]] = {"": set(gpus(1, 18))}
    for step in steps(RACK, partitions):
        held[step.partition] = set(step.gpus)
        everything = [gpu for some in held.values() for gpu in some]
        assert len(everything) == len(set(everything))
