"""Tables as text, CSV and JSON; the cabling plan; the two consoles."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from threading import Timer

import pytest
from report_samples import HOSTILE
from rich.console import Console
from rich.text import Text
from small_fabric import small_fabric

from intent.fabric.growth import CableMove, Growth
from intent.fabric.lock import Lock
from intent.report import console as consoles
from intent.report import tables
from intent.report.cabling import cabling_csv, moves_csv


def shown(table: tables.Table, width: int | None = None) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width or 1_000_000, force_terminal=width is not None, color_system=None)
    consoles.show(console, table)
    return stream.getvalue()


def test_devices_are_a_table_that_awk_can_read() -> None:
    lines = shown(tables.devices(small_fabric())).splitlines()
    assert lines[0].split() == [
        "NAME", "ROLE", "MODEL", "FABRIC", "PLANE", "RAIL", "UNIT", "RELEASE", "LOOPBACK", "ASN", "MANAGEMENT", "PORTS",
    ]  # fmt: skip
    assert lines[1].split()[:3] == ["leaf1", "leaf", "SN5600"]
    assert len(lines) == 5
    assert all(line == line.rstrip() for line in lines)
    assert len(shown(tables.devices(small_fabric(), nodes=True)).splitlines()) == 6


def test_links_and_allocations() -> None:
    fabric = small_fabric()
    assert len(tables.links(fabric).rows) == len(fabric.links)
    lock = Lock("par1", {"asn": {"leaf1": "4200100001"}}, {"asn": {"leaf9": "4200100009"}})
    assert tables.allocations(lock).rows == (
        ("asn", "leaf1", "held", "4200100001"),
        ("asn", "leaf9", "released", "4200100009"),
    )


def test_a_narrow_terminal_folds_the_widest_column_and_loses_nothing() -> None:
    words = "why it failed, at length and then some more"
    table = tables.Table("t", ("device", "wave", "detail"), (("leaf01", "1", words), ("leaf02", "2", "ok")))
    text = shown(table, width=40)
    assert max(len(line) for line in text.splitlines()) <= 40
    assert len(text.splitlines()) == 4
    assert " ".join(text.split()) == (
        "DEVICE WAVE DETAIL leaf01 1 why it failed, at length and then some more leaf02 2 ok"
    )
    assert len(shown(table, width=100).splitlines()) == 3


def test_a_terminal_too_narrow_to_fold_gets_whole_lines() -> None:
    lines = shown(tables.devices(small_fabric()), width=40).splitlines()
    assert len(lines) == 5
    assert lines[1].split()[0] == "leaf1"


def test_cabling_has_one_row_per_logical_link() -> None:
    fabric = small_fabric()
    text = cabling_csv(fabric, {"c0003": 12.5})
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(fabric.links)
    assert rows[0] == {
        "cable": "c0001", "tier": "host-leaf", "plane": "1", "rail": "1", "speed": "400G", "a_device": "node1",
        "a_model": "dgx-b300", "a_cage": "1", "a_sub_port": "0", "a_port": "eth1", "a_address": "10.64.0.1/31",
        "b_device": "leaf1", "b_model": "SN5600", "b_cage": "1", "b_sub_port": "0", "b_port": "swp1s0",
        "b_address": "10.64.0.0/31", "length": "",
    }  # fmt: skip
    assert rows[2]["length"] == "12.5"


def test_moves_are_in_their_order() -> None:
    move = CableMove(1, "leaf1", "swp33s0", ("spine1", "swp1s0"), ("spine5", "swp1s0"))
    text = moves_csv(Growth((), ("leaf1",), (), (), (move,), False))
    assert text == (
        "order,leaf,port,from_spine,from_port,to_spine,to_port\n1,leaf1,swp33s0,spine1,swp1s0,spine5,swp1s0\n"
    )


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_cell_is_a_formula(cell: str) -> None:
    text = tables.table_csv(tables.Table("t", ("a", "b"), ((cell, 'say "hi", you\nthere'),)))
    row = list(csv.reader(io.StringIO(text, newline="")))[1]
    assert row == ["'" + cell, 'say "hi", you\nthere']


def test_json_of_a_table_has_its_columns_as_keys() -> None:
    found = json.loads(tables.table_json(tables.links(small_fabric())))
    assert found["kind"] == "links"
    assert found["links"][0]["a_device"] == "node1"


def test_hostile_cells_stay_in_their_line() -> None:
    text = shown(tables.Table("t", ("a", "b"), ((HOSTILE, "[bold]x[/bold]"),)))
    assert len(text.splitlines()) == 2
    assert "\x1b" not in text
    assert "[bold]x[/bold]" in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "color", "interactive"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False, True),
        ({"TERM": "xterm-256color", "CI": "true"}, True, False),
        ({"TERM": "xterm-256color", "CI": "false"}, True, True),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_consoles_do_as_the_environment_says(environ: dict[str, str], color: bool, interactive: bool) -> None:
    out = Terminal()
    made = consoles.make_consoles(out, Terminal(), environ)
    consoles.show(made.out, Text("hello", "bold red"))
    assert ("\x1b[1;31m" in out.getvalue() or "\x1b[31m" in out.getvalue()) is color
    assert made.interactive is interactive


def test_a_pipe_gets_plain_unbroken_lines_unless_colour_is_forced() -> None:
    plain, forced = io.StringIO(), io.StringIO()
    long = Text("x" * 500, "red")
    consoles.show(consoles.make_consoles(plain, io.StringIO(), {}).out, long)
    assert plain.getvalue() == "x" * 500 + "\n"
    consoles.show(consoles.make_consoles(forced, io.StringIO(), {"FORCE_COLOR": "1"}).out, long)
    assert "\x1b[31m" in forced.getvalue()


def test_a_stream_that_cannot_encode_a_character_gets_its_escape() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    consoles.show(consoles.make_consoles(stream, io.StringIO(), {}).out, "1500 → 9216")
    stream.flush()
    assert raw.getvalue() == b"1500 \\u2192 9216\n"


class ManualTimer(Timer):
    """Fires when told to."""

    made: list[ManualTimer]

    def start(self) -> None:
        self.made.append(self)

    def fire(self) -> None:
        self.function()


def manual(made: list[ManualTimer]) -> Callable[[float, Callable[[], None]], Timer]:
    def factory(seconds: float, function: Callable[[], None]) -> Timer:
        timer = ManualTimer(seconds, function)
        timer.made = made
        return timer

    return factory


def test_progress_in_a_log_is_plain_lines_five_seconds_apart() -> None:
    err, now, made = io.StringIO(), [0.0], list[ManualTimer]()
    pair = consoles.make_consoles(io.StringIO(), err, {})
    with consoles.progress(pair, "reading devices", 4, clock=lambda: now[0], timer=manual(made)) as task:
        task.advance()
        now[0] = 1.0
        made[0].fire()
        task.advance(note="leaf02")
        now[0] = 7.0
        task.advance(note="leaf\x1b03")
        task.advance(2)
    assert err.getvalue().splitlines() == [
        "reading devices … 1/4",
        "reading devices … 3/4 leaf\\x1b03",
        "reading devices … 4/4 done in 7.0 s",
    ]


def test_short_work_shows_nothing() -> None:
    err, made = io.StringIO(), list[ManualTimer]()
    pair = consoles.make_consoles(io.StringIO(), err, {})
    with consoles.progress(pair, "reading devices", 4, timer=manual(made)) as task:
        task.advance(4)
    made[0].fire()
    assert err.getvalue() == ""


def test_a_bar_shows_on_a_terminal_and_goes() -> None:
    err, made = Terminal(), list[ManualTimer]()
    pair = consoles.make_consoles(io.StringIO(), err, {"TERM": "xterm", "COLUMNS": "100"})
    with consoles.progress(pair, "reading [b]devices", 4, timer=manual(made)) as task:
        made[0].fire()
        task.advance(2, note="leaf01")
    assert "reading [b]devices" in err.getvalue()
    assert err.getvalue().endswith("\x1b[2K") or "\x1b[?25h" in err.getvalue()
