"""Writing partitions.conf, the tables it means, and their difference."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from partition_cases import DEFAULT
from partition_texts import files

from intent.core.errors import DiagnosticError
from intent.formats.partitions.difference import KeyDifference, by_pkey, difference, spelled
from intent.formats.partitions.model import (
    GroupFlags,
    Keyword,
    Member,
    Membership,
    MulticastGroup,
    Partition,
    without_places,
)
from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import EndPort, PortKind, canaries, pkey_tables
from intent.formats.partitions.writer import DEFAULT_PARTITION, write

GUIDS = [0x0002C903A0000001 + 16 * n for n in range(6)]
PORTS = [*map(EndPort, GUIDS), EndPort(0x0002C903B1000000, PortKind.SWITCH), EndPort(0x77, PortKind.ROUTER)]
FULL, LIMITED = Membership.FULL, Membership.LIMITED


@st.composite
def partition_lists(draw: st.DrawFn) -> list[Partition]:
    """Definitions as a compiler makes them: one for each P_Key, each GUID once."""
    made = []
    for pkey in draw(st.lists(st.integers(1, 0x7FFE), unique=True, max_size=5)):
        guids = draw(st.lists(st.sampled_from(GUIDS), unique=True, min_size=1))
        members = tuple(Member(guid, draw(st.sampled_from(Membership))) for guid in guids)
        flags = GroupFlags(
            mtu=draw(st.sampled_from([None, 4, 5])),
            rate=draw(st.sampled_from([None, 3, 16])),
            service_level=draw(st.sampled_from([None, 0, 3])),
            scopes=draw(st.sampled_from([(), (2,), (2, 5)])),
        )
        groups = (MulticastGroup(0xFF12 << 112 | 1, GroupFlags(q_key=7)),) if draw(st.booleans()) else ()
        made.append(Partition(f"t{pkey}", pkey, members, ipoib=draw(st.booleans()), flags=flags, groups=groups))
    return made


@given(partition_lists(), st.randoms(use_true_random=False))
def test_what_is_written_reads_back_the_same_in_any_order(partitions: list[Partition], random: object) -> None:
    text = write(partitions)
    back = read_strict(text.encode())
    assert write(back) == text
    shuffled = list(partitions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert write([Partition(**{**_fields(p), "members": p.members[::-1]}) for p in shuffled]) == text
    wanted = pkey_tables([DEFAULT_PARTITION, *partitions], PORTS, manager=GUIDS[0])
    assert pkey_tables(back, PORTS, manager=GUIDS[0]) == wanted
    assert {p.pkey: set(without_places(p).members) for p in back[1:]} == {p.pkey: set(p.members) for p in partitions}


def _fields(partition: Partition) -> dict[str, object]:
    return {name: getattr(partition, name) for name in Partition.__slots__}


def test_the_layout_opensm_cannot_misread() -> None:
    tenant = Partition("tenant_a", 0x12, (Member(GUIDS[1], LIMITED), Member(GUIDS[0], FULL)), ipoib=True, index0=True)
    assert write([tenant], comment="compiled\nby us") == (
        "# compiled\n"
        "# by us\n"
        "\n"
        "Default=0x7fff, ipoib :\n"
        "    ALL=limited,\n"
        "    ALL_SWITCHES=full,\n"
        "    SELF=full ;\n"
        "\n"
        "tenant_a=0x0012, indx0, ipoib :\n"
        "    0x0002c903a0000001=full,\n"
        "    0x0002c903a0000011=limited ;\n"
    )


@pytest.mark.parametrize(
    "partition",
    [
        Partition("a:b", 0x12, (Member(1, FULL),)),
        Partition("a\nb", 0x12, (Member(1, FULL),)),
        Partition("T", 0, (Member(1, FULL),)),
        Partition("T", 0x8012, (Member(1, FULL),)),
        Partition("T", 0x12, (Member(0, FULL),)),
        Partition("T", 0x12, (Member(1, FULL),), flags=GroupFlags(mtu=4096), ipoib=True),
        Partition("x" * 5000, 0x12, (Member(1, FULL),)),
    ],
    ids=["colon", "newline", "no key", "full bit", "no guid", "mtu in bytes", "long line"],
)
def test_nothing_opensm_would_misread_can_be_written(partition: Partition) -> None:
    with pytest.raises(DiagnosticError):
        write([partition])


def test_a_comment_cannot_break_out() -> None:
    text = write([], comment="note\rA=0x12 : ALL=full ;\nümlaut")
    assert len(read_strict(text.encode())) == 1


def test_tables_follow_the_order_of_the_file() -> None:
    text = DEFAULT + f"T=0x12 : ALL=limited, 0x{GUIDS[1]:x}=full, ALL_ROUTERS=full, SELF=full ;\n"
    tables = pkey_tables(read_strict(text.encode()), PORTS, manager=GUIDS[0])
    assert tables[GUIDS[0]].keys == {0xFFFF, 0x8012}
    assert tables[GUIDS[1]].keys == {0x7FFF, 0x8012}
    assert tables[GUIDS[2]].keys == {0x7FFF, 0x0012}
    assert tables[0x77].keys == {0x7FFF, 0x8012}
    assert tables[0x0002C903B1000000].keys == {0xFFFF, 0x0012}


def test_canaries_are_ports_that_must_not_hold_the_full_default_key() -> None:
    assert canaries(pkey_tables(read_strict(DEFAULT.encode()), PORTS, manager=GUIDS[0])) == (0x77, *GUIDS[1:])
    everybody = [Partition("Default", 0x7FFF, (Member(Keyword.ALL, FULL),))]
    assert canaries(pkey_tables(everybody, PORTS, manager=GUIDS[0])) == ()


TABLES = st.dictionaries(
    st.integers(1, 9), st.frozensets(st.integers(1, 6).map(lambda n: n | (n % 2) << 15), max_size=4)
)


@given(TABLES, TABLES)
def test_a_difference_leads_from_one_side_to_the_other(before: dict, after: dict) -> None:  # type: ignore[type-arg]
    assert difference(before, before) == ()
    patched = {guid: set(keys) for guid, keys in before.items()}
    for port in difference(before, after):
        patched[port.guid] = (patched.get(port.guid, set()) - set(port.lost)) | set(port.gained)
    assert {g: k for g, k in patched.items() if k} == {g: set(k) for g, k in after.items() if k}


def test_a_changed_membership_is_neither_joined_nor_left() -> None:
    found = difference({1: {0x12}, 2: {0x12}, 4: {0x8012}}, {1: {0x8012}, 3: {0x12}, 4: {0x8012}})
    assert by_pkey(found) == (KeyDifference(0x12, joined=(3,), left=(2,), changed=(1,)),)
    assert spelled(found[0].gained[0]) == "0x0012 full"


def test_two_hundred_keys_on_five_thousand_ports_differ_in_a_second() -> None:
    before = {guid: frozenset(0x8000 | key for key in range(1, 201)) for guid in range(5000)}
    after = {
        guid: frozenset(0x8000 | key if (key * 7 + guid) % 50 else key for key in range(1, 201)) for guid in range(5000)
    }
    start = time.process_time()
    ports = difference(before, after)
    keys = by_pkey(ports)
    took = time.process_time() - start
    assert (len(ports), len(keys)) == (5000, 200)
    assert sum(len(key.changed) for key in keys) == 5000 * 200 // 50
    assert took < 3  # a second on the machine it was measured on; a busy one may take thrice


@given(files(GUIDS))
def test_rewriting_a_file_keeps_its_tables(data: bytes) -> None:
    """Except where the file relied on order, which the writer settles: broad members first."""
    partitions = read_strict(data)
    if any(member.membership is Membership.BOTH for p in partitions for member in p.members):
        return
    narrow = {Keyword.ALL_SWITCHES, Keyword.ALL_ROUTERS, Keyword.SELF}
    if any(member.target in narrow for p in partitions for member in p.members):
        return
    again = read_strict(write(partitions).encode())
    before, after = (pkey_tables(p, PORTS, manager=GUIDS[0]) for p in (partitions, again))
    assert {g: t.keys - {0x7FFF, 0xFFFF} for g, t in before.items()} == {
        g: t.keys - {0x7FFF, 0xFFFF} for g, t in after.items()
    }
