"""Dumps of lanes: what OpenSM writes is read, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from intent.core.errors import IntentError
from intent.formats.lane_dump import read_lane_dump

ROW = "0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15"
GOOD = f"""\
Switch 0x0002c903b1000000, base LID 2, "group00-switch00"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   1   : {ROW}\x20
12  1   : {ROW}\x20

Switch 0x0002c903b1000100, base LID 3, "group00-switch01"
0   1   : {ROW}
Channel Adapter 0x0002c903a0000001, base LID 1, "host0000 mlx5_0"
0   1   : {ROW}
"""


def test_a_dump_is_read() -> None:
    found = read_lane_dump(GOOD)
    assert {guid: len(rows) for guid, rows in found.items()} == {0x0002C903B1000000: 2, 0x0002C903B1000100: 1}
    assert found[0x0002C903B1000000][12, 1] == (0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no switch"),
        (f"0 1 : {ROW}\n", "1: a row before any node"),
        (GOOD + GOOD, "comes twice"),
        (GOOD + f"0 1 : {ROW}\n", "ports 0 and 1 come twice"),
        (GOOD + "0 2 : 0 1 2\n", "not a line"),
        (GOOD + "0x0001 001\n", "not a line"),
    ],
)
def test_what_is_none_is_an_error_with_its_line(text: str, why: str) -> None:
    with pytest.raises(IntentError, match=why):
        read_lane_dump(text)
