"""Partition files against the real OpenSM: what we accept it reads to the same tables, what it misreads we refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ib_topologies import Topology, fat_tree
from opensm_bench import Bench, bench, missing
from partition_cases import BAD_FILES, DEFAULT, GOOD_FILES, BadFile, Effect, good
from partition_texts import files, mangled

from intent.formats.partitions.codes import MTU_BYTES, RATE_GBPS
from intent.formats.partitions.model import DEFAULT_PKEY, FULL_BIT
from intent.formats.partitions.reader import read
from intent.formats.partitions.tables import EndPort, PkeyTable, PortKind, canaries, pkey_tables

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

DROPPED = "retrying with default config"
FABRIC = fat_tree(leaves=2, spines=1, hosts_per_leaf=3)
_, A, B, C, *_OTHERS = FABRIC.adapter_ports
LAW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def end_ports(topology: Topology) -> list[EndPort]:
    """The fabric as our model wants it."""
    return [
        EndPort(guid, PortKind.SWITCH if guid in topology.switches else PortKind.ADAPTER, node_guid=port.node.guid)
        for guid, port in topology.ports.items()
    ]


PORTS = end_ports(FABRIC)


@pytest.fixture(scope="module")
def lab() -> Iterator[Bench]:
    with bench(FABRIC) as made:
        made.configure(good("the usual", (A, B, C)))
        made.start_manager()
        yield made


@pytest.fixture(scope="module")
def lab_with_both() -> Iterator[Bench]:
    with bench(FABRIC) as made:
        made.configure(good("the usual", (A, B, C)), allow_both_pkeys="TRUE")
        made.start_manager()
        yield made


def compiled(data: bytes, *, allow_both: bool = False) -> dict[int, PkeyTable]:
    reading = read(data)
    return pkey_tables(reading.partitions, PORTS, manager=FABRIC.manager_port, allow_both=allow_both)


def keys(tables: dict[int, PkeyTable]) -> dict[int, frozenset[int]]:
    return {guid: table.keys for guid, table in tables.items()}


def test_smpquery_reads_the_same_tables_as_the_bench(lab: Bench) -> None:
    lab.reload(good("several on a line", (A, B, C)))
    quick = lab.pkey_tables()
    assert {guid: frozenset(lab.pkeys_of(guid)) - {0} for guid in FABRIC.ports} == quick
    assert quick[B] == {DEFAULT_PKEY, 0x8013}


@pytest.mark.parametrize("name", GOOD_FILES)
def test_what_we_accept_opensm_reads_to_the_same_tables(lab: Bench, name: str) -> None:
    data = good(name, (A, B, C))
    reading = read(data)
    assert reading.accepted, reading.diagnostics
    log = lab.reload(data)
    assert DROPPED not in log
    assert lab.pkey_tables() == keys(compiled(data))


@pytest.mark.parametrize("case", BAD_FILES, ids=lambda case: case.name)
def test_what_opensm_gets_wrong_we_refuse(lab: Bench, case: BadFile) -> None:
    """Both halves: our finding with its place, and the damage shown in the real tables."""
    data = case.data((A, B, C))
    assert not read(data).accepted
    right = case.meant_data((A, B, C))
    assert read(right).accepted
    meant = keys(compiled(right))
    log = lab.reload(data)
    held = lab.pkey_tables()
    if case.effect is Effect.DROPPED:
        assert DROPPED in log
        assert held == {guid: frozenset({DEFAULT_PKEY | FULL_BIT}) for guid in FABRIC.ports}
    else:
        assert DROPPED not in log
    if case.effect is Effect.MISREAD:
        assert held != meant
        assert "ERR" not in log
    if case.effect in (Effect.LUCK, Effect.NO_GROUP):
        assert held == meant
    lab.reload(right)
    assert lab.pkey_tables() == meant


@pytest.mark.parametrize("case", [c for c in BAD_FILES if c.effect is Effect.NO_GROUP], ids=lambda case: case.name)
def test_multicast_groups_are_not_made_as_meant(case: BadFile) -> None:
    """Groups outlive a reload, so each file gets a subnet manager of its own."""
    bad, meant = (_groups(data) for data in (case.data((A, B, C)), case.meant_data((A, B, C))))
    assert meant
    assert bad != meant


def _groups(data: bytes) -> dict[str, tuple[int, int]]:
    with bench(FABRIC) as fresh:
        fresh.configure(data)
        fresh.start_manager()
        return fresh.groups(FABRIC.ports[A].node.identifier)


def test_the_codes_of_mtu_and_rate_are_those_opensm_takes() -> None:
    """One group for each code we know and for those beside them; OpenSM makes exactly the ones we accept."""
    codes = [("mtu", code) for code in range(1, 6)] + [("rate", code) for code in range(1, 25)]
    lines = [f"T{at}=0x{at:04x}, ipoib, {name}={code} : 0x{A:016x}=full ;" for at, (name, code) in enumerate(codes, 1)]
    with bench(FABRIC) as fresh:
        fresh.configure((DEFAULT + "\n".join(lines) + "\n").encode())
        fresh.start_manager()
        log = fresh.log.read_text()
    failed = {int(key, 16) & 0x7FFF for key in re.findall(r"Failed to create MC group \(\S+\) with pkey 0x(\w+)", log)}
    accepted = {"mtu": set(MTU_BYTES), "rate": set(RATE_GBPS)}
    assert failed == {at for at, (name, code) in enumerate(codes, 1) if code not in accepted[name]}


def test_a_missing_file_opens_the_fabric_and_only_the_canary_says_so(lab: Bench) -> None:
    watched = canaries(compiled(good("the usual", (A, B, C))))
    assert A in watched
    log = lab.reload(None)
    assert "PARSE ERROR" not in log
    assert "SUBNET UP" in log
    assert all(DEFAULT_PKEY | FULL_BIT in lab.pkeys_of(guid) for guid in watched)


@LAW
@given(data=files((A, B, C, *_OTHERS)))
def test_generated_files_mean_the_same_to_both(lab: Bench, data: bytes) -> None:
    reading = read(data)
    assert reading.accepted, reading.diagnostics
    assert DROPPED not in lab.reload(data)
    assert lab.pkey_tables() == keys(compiled(data))


@LAW
@given(data=files((A, B, C, *_OTHERS)))
def test_generated_files_mean_the_same_with_both_memberships(lab_with_both: Bench, data: bytes) -> None:
    assert DROPPED not in lab_with_both.reload(data)
    assert lab_with_both.pkey_tables() == keys(compiled(data, allow_both=True))


@LAW
@given(data=mangled((A, B, C)))
def test_a_file_with_a_slip_is_refused_or_means_the_same(lab: Bench, data: bytes) -> None:
    if not read(data).accepted:
        return
    assert DROPPED not in lab.reload(data), data
    assert lab.pkey_tables() == keys(compiled(data)), data


@settings(LAW, max_examples=15)
@given(data=files((A, B, C, *_OTHERS), index0=True), allow_both=st.booleans())
def test_fresh_tables_and_their_first_index(data: bytes, allow_both: bool) -> None:
    tables = compiled(data, allow_both=allow_both)
    with bench(FABRIC) as fresh:
        fresh.configure(data, allow_both_pkeys=str(allow_both).upper())
        fresh.once()
        assert fresh.pkey_tables() == keys(tables)
        assert fresh.first_keys() == {guid: table.index0 for guid, table in tables.items()}


def test_index_0_claimed_on_a_fabric_with_a_past_loses_the_default_key() -> None:
    """Why read-back compares tables even of an accepted file: OpenSM finds no room for the key it moves from index 0.

    Eight keys fit into the table of a switch. Seven came and went; the eighth claims index 0, the default key must
    move, and OpenSM calls the table full although six places are empty.
    """
    default = "Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
    switch = min(FABRIC.switches)
    with bench(FABRIC) as aged:
        aged.configure(default.encode())
        aged.start_manager()
        for key in range(1, 8):
            aged.reload(f"{default}T=0x{key:04x} : ALL=limited ;\n".encode())
        data = f"{default}T=0x0008, indx0 : ALL=limited ;\n".encode()
        assert read(data).accepted
        assert "Pkey table is full" in aged.reload(data)
        assert aged.pkey_tables()[switch] == {0x0008} != compiled(data)[switch].keys


@pytest.mark.parametrize("name", ["the usual", "everything", "no default rule", "keywords"])
@pytest.mark.parametrize("allow_both", [False, True])
def test_index_0_of_a_fresh_table(name: str, allow_both: bool) -> None:
    data = good(name, (A, B, C))
    tables = compiled(data, allow_both=allow_both)
    with bench(FABRIC) as fresh:
        fresh.configure(data, allow_both_pkeys=str(allow_both).upper())
        fresh.once()
        assert fresh.first_keys() == {guid: table.index0 for guid, table in tables.items()}


def test_the_sixty_fifth_key_is_dropped_and_our_check_says_so(lab: Bench) -> None:
    from intent.formats.partitions.fabric_checks import check_capacity

    lines = [f"T{n}=0x{n:04x} : 0x{A:016x}=full ;" for n in range(1, 65)]
    data = ("Default=0x7fff : ALL=limited, SELF=full ;\n" + "\n".join(lines) + "\n").encode()
    tables = compiled(data)
    capacity = [EndPort(A, capacity=64)]
    assert [item.code for item in check_capacity(tables, capacity)] == ["P052"]
    assert "0512" in lab.reload(data)
    assert len(lab.pkey_tables()[A]) == 64 < len(tables[A].keys)
