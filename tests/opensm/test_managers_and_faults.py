"""Two subnet managers, links that go and come, counters that count: what the lab's engine does under faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ib_topologies import fat_tree
from opensm_bench import UP, Bench, bench, missing

from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import EndPort, PortKind, canaries, pkey_tables

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

FABRIC = fat_tree(leaves=2, spines=2, hosts_per_leaf=4)
MANAGER, A, B, C, STANDBY, *_ = FABRIC.adapter_ports
DEFAULT = "Default=0x7fff, ipoib : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
NEW = f"{DEFAULT}T=0x0012 : 0x{A:016x}=full, 0x{B:016x}=full ;\n".encode()
OLD = f"{DEFAULT}T=0x0012 : 0x{A:016x}=full ;\n".encode()
PORTS = [EndPort(g, PortKind.SWITCH if g in FABRIC.switches else PortKind.ADAPTER) for g in FABRIC.ports]
# With polls every 200 ms and the usual timeouts a standby was seen to stay in DISCOVERING for good; with these, never.
POLL = {"sminfo_polling_timeout": "1000", "polling_retry_number": "2", "transaction_timeout": "100"}


@pytest.fixture
def lab() -> Iterator[Bench]:
    with bench(FABRIC) as made:
        made.configure(NEW, sm_priority="14", **POLL)
        made.start_manager()
        yield made


def held(data: bytes, manager: int) -> dict[int, frozenset[int]]:
    tables = pkey_tables(read_strict(data), PORTS, manager=manager)
    return {guid: table.keys for guid, table in tables.items()}


def standby(lab: Bench, data: bytes) -> Bench:
    node = FABRIC.ports[STANDBY].node.identifier
    second = lab.beside(node, "standby")
    second.configure(data, sm_priority="8", **POLL)
    second.start_manager(until="Entering STANDBY state")
    return second


def test_a_standby_with_the_same_file_keeps_every_table_through_a_failover(lab: Bench) -> None:
    second = standby(lab, NEW)
    lids = lab.lids()
    assert "SMINFO_MASTER" in lab.run("sminfo", str(lids[MANAGER])).stdout
    assert "SMINFO_STANDBY" in lab.run("sminfo", str(lids[STANDBY])).stdout
    lab.kill_manager()
    second.wait_for("Entering MASTER state")
    second.wait_for(UP)
    assert second.lids() == lids
    assert second.pkey_tables() == held(NEW, STANDBY)


def test_a_standby_with_an_older_file_rewrites_a_tenant_without_a_word(lab: Bench) -> None:
    """Why all managers of a set must hold the same file, compared by hash."""
    assert 0x8012 in lab.pkeys_of(B)
    second = standby(lab, OLD)
    lab.kill_manager()
    second.wait_for("Entering MASTER state")
    log = second.wait_for(UP)
    assert "PARSE" not in log
    assert "0x0012" not in log
    tables = second.pkey_tables()
    assert tables == held(OLD, STANDBY)
    assert 0x8012 not in tables[B]


def test_a_file_pushed_by_hand_is_caught_by_the_canary(lab: Bench) -> None:
    """The subnet comes up, every tool stays green; a limited port that holds 0xffff says it."""
    watched = canaries(pkey_tables(read_strict(NEW), PORTS, manager=MANAGER))
    assert all(0xFFFF not in lab.pkey_tables()[guid] for guid in watched)
    by_hand = NEW.replace(b"=full ;\n", b"=full\n;\n")
    assert UP in lab.reload(by_hand)
    assert all(0xFFFF in lab.pkey_tables()[guid] for guid in watched)
    lab.reload(NEW)
    assert all(0xFFFF not in lab.pkey_tables()[guid] for guid in watched)


def test_limited_members_cannot_talk_and_tenants_are_apart(lab: Bench) -> None:
    data = f"{DEFAULT}T=0x0012 : 0x{A:016x}=full, 0x{B:016x}=limited, 0x{C:016x}=limited ;\n".encode()
    lab.reload(data)
    lids = lab.lids()

    def path(one: int, other: int) -> bool:
        asked = lab.run("saquery", "PR", "--slid", str(lids[one]), "--dlid", str(lids[other]), check=False)
        return "PathRecord dump" in asked.stdout

    assert path(A, B)
    assert path(A, C)
    assert not path(B, C)


def test_a_link_that_goes_and_comes_back_gets_its_keys_again(lab: Bench) -> None:
    leaf = next(node for node in FABRIC.nodes if node.guid in FABRIC.switches)
    port = next(here[1] for there, here in FABRIC.links if there == (FABRIC.ports[B].node.guid, 1))
    lab.console(f'Unlink "{leaf.identifier}"[{port}]')
    lab.eventually(lambda: "host0002" not in lab.run("ibnetdiscover", "-p").stdout)
    lab.console(f'ReLink "{leaf.identifier}"[{port}]')
    lab.eventually(lambda: lab.pkey_tables() == held(NEW, MANAGER))


def test_counters_that_count_are_seen_by_the_tools(lab: Bench) -> None:
    leaf = next(node for node in FABRIC.nodes if node.guid in FABRIC.switches)
    assert lab.run("ibqueryerrors", check=False).returncode == 0
    lab.console(f'PerformanceSet "{leaf.identifier}"[1] PortCounters.SymbolErrorCounter=500')
    said = lab.run("ibqueryerrors", check=False)
    assert said.returncode == 1
    assert "SymbolErrorCounter == 500" in said.stdout
