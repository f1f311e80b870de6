"""The change report: one page, self-contained, escaped, with every device on it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from infiniband_sites import NVL72, ib_text
from report_samples import HOSTILE, MTU, VLAN, check_result, device_plan, plan_of, sample_plan, sample_result
from site_builder import fabric_of
from small_fabric import small_fabric

from intent.change.events import ChangeStarted, WaveStarted
from intent.change.history import ChangeRecord
from intent.change.result import Result, Row
from intent.change.waves import Wave
from intent.core.errors import IntentError
from intent.core.tree import Difference
from intent.core.verdict import Verdict
from intent.device.actor import Status
from intent.fabric.growth import CableMove, Growth
from intent.fabric.model import Fabric
from intent.render.templates import Templates
from intent.report.drawing import WIDTH, draw
from intent.report.html import Change, change_report, page
from intent.resources import shipped

VOID = {"meta", "br", "line", "rect", "polygon"}
FOLDERS = (shipped("templates"),)


class Reader(HTMLParser):
    """Checks that tags are balanced and notes what is in the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} has a handler"
            assert name != "src", f"{tag} loads {value}"
            if name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag == "rect":  # it holds its title
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def full_page() -> str:
    fabric = small_fabric()
    plan = plan_of(*(device_plan(device.name, MTU, VLAN) for device in fabric.switches), total=9)
    rows = tuple(
        Row(device.name, status, "checks failed" if status is Status.REVERTED else "", 1, verdict)
        for device, status, verdict in zip(
            fabric.switches,
            (Status.CONFIRMED, Status.REVERTED, Status.UNKNOWN, Status.NOT_ATTEMPTED),
            (Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, None),
            strict=True,
        )
    )
    wave = Wave(1, ("leaf1",), True, ("ref1", "east-west", "1", "leaf"))
    events = (ChangeStarted("c-1", 4, 1), WaveStarted(wave))
    move = CableMove(1, "leaf1", "swp33s0", ("spine1", "swp1s0"), ("spine10", "swp1s0"))
    return change_report(
        plan,
        Result("c-1", plan.digest, rows, "budget spent", 12.0),
        fabric,
        events,
        FOLDERS,
        checks=[check_result("leaf2", Verdict.FAIL, "Port: swp1s0 - down"), check_result("leaf1", Verdict.PASS)],
        growth=Growth((), ("leaf1",), (), (), (move,), False),
        generated_at="2026-11-30T22:10:00Z",
    )


def test_the_page_holds_all_it_shows() -> None:
    text = full_page()
    reader = read(text)
    assert {"script", "img", "link", "iframe", "form"}.isdisjoint(reader.tags)
    assert not re.search(r"https?:|@import|url\(", text)
    assert "default-src 'none'" in text
    assert text.endswith("</html>\n")


def test_every_section_and_every_device_is_there() -> None:
    text = full_page()
    reader = read(text)
    assert {"summary", "growth", "fabric", "waves", "differences", "checks", "devices"} <= set(reader.ids)
    for link in reader.links:
        assert link.removeprefix("#") in reader.ids
    said = " ".join(reader.texts)
    for words in (
        "leaf1", "spine10", "wave 1 (canary)", "sites/par1.yaml:12 (link mtu)", "Port: swp1s0 - down", "budget spent",
        "Exit code 4", "Partial plan: 4 of 9 devices", "disruption: flap on 4 devices", "1 cable to move",
        "by its own timer after 600 s", "2026-11-30T22:10:00Z",
    ):  # fmt: skip
        assert words in said, words


def test_equal_input_gives_equal_bytes() -> None:
    assert full_page() == full_page()


def test_unknown_and_failed_devices_are_never_green() -> None:
    text = full_page()
    for name, look in (("leaf1", "good"), ("leaf2", "warn"), ("spine1", "bad"), ("spine10", "idle")):
        row = re.search(rf'<tr id="d\d+"><td>{name}</td>.*?<td class="nowrap (\w+)">', text)
        assert row is not None
        assert row[1] == look
        box = re.search(rf'<rect class="(\w+)"[^>]*><title>{name}: ', text)
        assert box is not None
        assert box[1] == look


def test_hostile_names_are_text_and_nothing_else() -> None:
    fabric = small_fabric()
    hostile = replace(fabric.devices["leaf1"], name=HOSTILE)
    odd = Fabric("ref1", {**fabric.devices, HOSTILE: hostile}, fabric.links)
    plan = plan_of(device_plan(HOSTILE, Difference((HOSTILE, "x"), HOSTILE, f"{HOSTILE}2")), notes=(HOSTILE,))
    row = Row(HOSTILE, Status.FAILED, HOSTILE, 1, Verdict.FAIL, (HOSTILE,))
    wave = WaveStarted(Wave(1, (HOSTILE,), False, ("", HOSTILE, "", "")))
    text = change_report(
        plan,
        Result(HOSTILE, "d", (row,), HOSTILE),
        odd,
        [wave],
        FOLDERS,
        title=HOSTILE,
        checks=[check_result(HOSTILE, Verdict.FAIL, HOSTILE, check=HOSTILE)],
        growth=Growth((HOSTILE,), (), (), (HOSTILE,), (CableMove(1, HOSTILE, HOSTILE, ("a", "b"), ("c", "d")),), False),
    )
    reader = read(text)
    assert "script" not in reader.tags
    assert "<script" not in text
    for character in ("\x1b", "\r", "\u202e"):
        assert character not in text


def test_a_plan_alone_makes_a_page() -> None:
    reader = read(change_report(sample_plan(), None, None, (), FOLDERS))
    assert "fabric" not in reader.ids
    assert "waves" not in reader.ids
    assert "16" not in reader.ids
    said = " ".join(reader.texts)
    assert "timeout: no answer in 10 s" in said
    assert "same on 15 devices" in said


def test_a_change_of_the_journal_makes_a_page() -> None:
    record = ChangeRecord(
        "c-9", "apply", "", "par1", "aurora", "d" * 64, "ops", "growth", "2026-11-30T22:00:00Z", "", None,
        sample_result().rows, 600,
    )  # fmt: skip
    text = page(Templates(FOLDERS), Change("aurora", "2026-11-30T23:00:00Z", record=record))
    reader = read(text)
    said = " ".join(reader.texts)
    assert "This change never ended" in said
    assert "wave 2" in said
    assert "leaf16" in said


def test_a_workspace_may_bring_its_own_page(tmp_path: Path) -> None:
    (tmp_path / "report.html.j2").write_text("<p>{{ title }}: {{ devices | length }}</p>")
    assert change_report(sample_plan(), None, None, (), (tmp_path, *FOLDERS)) == "<p>aurora: apply on par1: 19</p>"
    (tmp_path / "report.html.j2").write_text("{{ devces }}")
    with pytest.raises(IntentError, match="devces is undefined"):
        change_report(sample_plan(), None, None, (), (tmp_path, *FOLDERS))


@pytest.mark.parametrize("copies", [1, 60])
def test_boxes_stand_inside_the_page_and_on_nothing(copies: int) -> None:
    fabric = small_fabric()
    many = {
        f"{name}-{number:03}": replace(device, name=f"{name}-{number:03}")
        for number in range(copies)
        for name, device in fabric.devices.items()
    }
    drawing = draw(Fabric("ref1", many, ()))
    boxes = [box for panel in drawing.panels for box in panel.boxes]
    assert len(boxes) == 4 * copies
    for box in boxes:
        assert box.x >= 0
        assert box.x + box.width <= WIDTH
        assert box.y + box.height <= drawing.height
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
            apart_y = one.y + one.height <= other.y or other.y + other.height <= one.y
            assert apart_x or apart_y


def test_lines_end_on_their_boxes_and_count_their_links() -> None:
    (panel,) = draw(small_fabric()).panels
    assert panel.title == "east-west, plane 1: 2 spines, 2 leaves, 16 links"
    assert sum(line.links for line in panel.lines) == 16
    assert len(panel.lines) == 4
    assert panel.nodes is not None
    assert panel.nodes.label == "1 node, 2 links"
    assert draw(Fabric("empty", {}, ())).panels == ()


def test_three_tiers_stand_above_each_other_and_groups_beside() -> None:
    (panel,) = draw(fabric_of(ib_text(3, "gb200-nvl72", NVL72.replace("racks: 8", "racks: 2")))).panels
    rows = [max(box.y for box in panel.boxes if part in box.name) for part in ("-c", "-s", "-l")]
    assert rows == sorted(rows) and len(set(rows)) == 3
    assert "core switches" in panel.title and panel.lines
    group = "{design: dragonfly-plus, unit: {racks: 1, planned: 3}, leaf: QM9700, spine: QM9700}"
    (panel,) = draw(fabric_of(ib_text(3, "gb200-nvl72", group))).panels
    spines = {box.y for box in panel.boxes if "-s0" in box.name}
    assert len(spines) == 1 and all(line.y2 < line.y1 for line in panel.lines)
