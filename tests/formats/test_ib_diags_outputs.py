"""What infiniband-diags print: real outputs are read, damaged ones refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.errors import IntentError
from intent.formats.ib_diags import (
    SmInfo,
    read_linkinfo,
    read_perfquery,
    read_pkeys,
    read_queryerrors,
    read_sm_lids,
    read_sminfo,
)

# Of infiniband-diags 44 on ibsim 0.10, with OpenSM 3.3.23.
ROW = "0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000"
PKEYS = (
    "   0: 0x7fff 0x8012 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n"
    + "".join(f"{at:4}: {ROW}\n" for at in range(8, 64, 8))
    + "64 pkeys capacity for this port\n\n"
)
SMINFO = "sminfo: sm lid 10 sm guid 0x2c903a0000051, activity count 346 priority 8 state 2 SMINFO_STANDBY\n\n"
LINKS = (
    '0x0002c903a0000051 "               host0005 mlx5_0"     10    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>'
    '  0x0002c903b1000100      4    3[  ] "leaf001" (Could be 12X )\n'
    '0x0002c903b1000100 "                       leaf001"      4    6[  ] ==(                Down/ Polling)==>'
    '             [  ] "" ( )\n'
)
ERRORS = (
    'Errors for 0x2c903b1000000 "leaf000"\n'
    "   GUID 0x2c903b1000000 port ALL: [SymbolErrorCounter == 500]\n"
    "   GUID 0x2c903b1000000 port 1: [SymbolErrorCounter == 500] [PortXmitWait == 3]\n\n"
    "## Summary: 10 nodes checked, 1 bad nodes found\n"
    "##          262 ports checked, 1 ports have errors beyond threshold\n## Thresholds: \n## Suppressed:\n"
)
PERF = "# Port counters: Lid 2 port 1 (CapMask: 0x1300)\nPortSelect:......................1\n" \
    "CounterSelect:...................0x0000\nSymbolErrorCounter:..............7\n"  # fmt: skip
MANAGERS = (
    "IsSM ports\nPortInfoRecord dump:\n\t\tEndPortLid..............1\n\t\tPortNum.................1\n"
    "\t\tcapability_mask.........0x50C04A\nPortInfoRecord dump:\n\t\tEndPortLid..............10\n\n"
    "IsSMdisabled ports\n\n"
)


def test_real_outputs() -> None:
    assert read_pkeys(PKEYS) == (0x7FFF, 0x8012, *(0,) * 62)
    assert read_sminfo(SMINFO) == SmInfo("0002c903a0000051", 10, 8, "standby", 346)
    up, down = read_linkinfo(LINKS)
    assert (up.guid, up.description, up.lid, up.number) == ("0002c903a0000051", "host0005 mlx5_0", 10, 1)
    assert (up.state, up.physical, up.lanes, up.speed_gbps) == ("active", "linkup", 4, 200)
    assert (up.peer, up.peer_number, up.peer_description) == ("0002c903b1000100", 3, "leaf001")
    assert (down.state, down.physical, down.lanes, down.speed_gbps, down.peer) == ("down", "polling", None, None, "")
    (errors,) = read_queryerrors(ERRORS)
    assert (errors.guid, errors.number) == ("0002c903b1000000", 1)
    assert errors.counters == {"SymbolErrorCounter": 500, "PortXmitWait": 3}
    assert read_perfquery(PERF)["SymbolErrorCounter"] == 7
    assert read_sm_lids(MANAGERS) == (1, 10)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_pkeys, PKEYS.replace("64 pkeys", "128 pkeys")),
        (read_pkeys, PKEYS.replace("  16: ", "  24: ", 1)),
        (read_pkeys, PKEYS.rpartition("64 pkeys")[0]),
        (read_pkeys, "ibwarn: [1] mad_rpc: _do_madrpc failed; dport (Lid 7)\n"),
        (read_sminfo, SMINFO.replace("state 2", "state 9")),
        (read_sminfo, "sminfo: iberror: failed: query\n"),
        (read_sminfo, ""),
        (read_linkinfo, LINKS[:120]),
        (read_linkinfo, LINKS.replace("Active/", "/")),
        (read_queryerrors, ERRORS.partition("## Summary")[0]),
        (read_queryerrors, ERRORS.replace("port 1:", "port x:")),
        (read_queryerrors, ERRORS.replace("## Suppressed:", "##          65 PMA query failures")),
        (read_perfquery, "# Port counters: Lid 2 port 1\n"),
        (read_perfquery, PERF + "SymbolErrorCounter:....many\n"),
        (read_sm_lids, MANAGERS + "error\n"),
    ],
)
def test_damaged_outputs_are_refused(read: object, text: str) -> None:
    with pytest.raises(IntentError):
        read(text)  # type: ignore[operator]


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_pkeys, read_sminfo, read_linkinfo, read_queryerrors, read_perfquery, read_sm_lids):
        try:
            read(text)
        except IntentError as refused:
            assert refused.message
