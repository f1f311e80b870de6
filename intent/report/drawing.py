"""Where the devices of a fabric stand on a page: a panel per plane, core over spines over leaves, nodes as a bar below.

Pure geometry; colours and words belong to the template that draws it. Lengths are pixels of a page 1,080 wide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from intent.fabric.model import Device, Fabric, Role, Tier
from intent.report.text import plural

WIDTH = 1080
_MARGIN, _HEAD, _GAP, _BAR = 12, 26, 6, 22
_MOST_COLUMNS, _WIDEST, _HIGHEST, _LOWEST = 40, 132, 30, 18
_LETTER = 6.7
_MOST_LINES = 1200
"""More pairs of leaf and spine than this are drawn as one band."""


@dataclass(frozen=True, slots=True)
class Box:
    """One device, or a bar that stands for many.

    Args:
        name: device; for a bar the words in it.
        x: left edge.
        y: upper edge.
        width: width.
        height: height.
        label: text that fits into it; empty when none does.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """All links between a switch and one of those above it.

    Args:
        x1: at the lower one.
        y1: likewise.
        x2: at the upper one.
        y2: likewise.
        links: how many logical links.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    links: int


@dataclass(frozen=True, slots=True)
class Panel:
    """One plane of one fabric.

    Args:
        title: `east-west, plane 1: 4 spines, 8 leaves, 512 links`.
        y: upper edge.
        height: height.
        boxes: core, spines and leaves.
        nodes: bar that stands for the attached nodes; None where there are none.
        lines: links between switches; none of two tiers between which there are too many to tell apart.
        band: polygon that stands for the lines between leaves and spines then, as SVG points; empty otherwise.
        core_band: likewise between spines and core.
    """

    title: str
    y: float
    height: float
    boxes: tuple[Box, ...]
    nodes: Box | None
    lines: tuple[Line, ...]
    band: str
    core_band: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A fabric on a page."""

    width: int
    height: float
    panels: tuple[Panel, ...]


def draw(fabric: Fabric) -> Drawing:
    """Lay a fabric out.

    Args:
        fabric: the compiled fabric.
    """
    groups: dict[tuple[str, int], list[Device]] = {}
    for device in fabric.switches:
        groups.setdefault((device.fabric, device.plane), []).append(device)
    pairs, hosts = _links(fabric)
    panels: list[Panel] = []
    y = 0.0
    for (name, plane), members in groups.items():
        panels.append(_panel(name, plane, members, pairs, hosts, y))
        y += panels[-1].height + _MARGIN
    return Drawing(WIDTH, max(0.0, y - _MARGIN), tuple(panels))


def _links(fabric: Fabric) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Links of each switch to each above it (or to a spine of another group), and of each leaf to each node."""
    pairs: dict[str, Counter[str]] = {}
    hosts: dict[str, Counter[str]] = {}
    for link in fabric.links:
        if link.tier is Tier.HOST:
            hosts.setdefault(link.b.device, Counter())[link.a.device] += 1
        else:
            pairs.setdefault(link.a.device, Counter())[link.b.device] += 1
    return pairs, hosts


def _panel(
    name: str,
    plane: int,
    members: Sequence[Device],
    pairs: dict[str, Counter[str]],
    hosts: dict[str, Counter[str]],
    y: float,
) -> Panel:
    cores, spines, leaves = (
        [device.name for device in members if device.role is role] for role in (Role.CORE, Role.SPINE, Role.LEAF)
    )
    attached = Counter[str]()
    for leaf in leaves:
        attached.update(hosts.get(leaf, Counter()))
    low_pairs, top_pairs = (
        [(low, high, count) for low in lower for high, count in pairs.get(low, Counter()).items()]
        for lower in (leaves, spines)
    )
    common = _common([*cores, *spines, *leaves])
    highest, end = _grid(cores, y + _HEAD, common)
    top, end = _grid(spines, end + (_room(top_pairs) if cores and spines else 0), common)
    low, end = _grid(leaves, end + (_room(low_pairs) if spines and leaves else 0), common)
    nodes = None
    if attached:
        words = f"{plural(len(attached), 'node')}, {plural(attached.total(), 'link')}"
        nodes = Box(words, _MARGIN, end + 16, WIDTH - 2 * _MARGIN, _BAR, words)
        end = nodes.y + nodes.height
    boxes = {box.name: box for box in (*highest, *top, *low)}
    lines, band = _between(low_pairs, boxes, top, low)
    # Links between spines of two groups lie in one row: they are counted, not drawn.
    upper, core_band = _between([item for item in top_pairs if item[1] in cores], boxes, highest, top)
    words = ", ".join(
        plural(count, one, many)
        for count, one, many in (
            (len(cores), "core switch", "core switches"),
            (len(spines), "spine", ""),
            (len(leaves), "leaf", "leaves"),
            (sum(count for _, _, count in (*low_pairs, *top_pairs)), "link", ""),
        )
        if count
    )
    title = ", plane ".join(part for part in (name, str(plane) if plane else "") if part) or "fabric"
    height = end - y + _MARGIN
    return Panel(f"{title}: {words}", y, height, (*highest, *top, *low), nodes, (*upper, *lines), band, core_band)


def _room(pairs: Sequence[tuple[str, str, int]]) -> int:
    return 80 if len(pairs) <= _MOST_LINES else 44


def _common(names: Sequence[str]) -> str:
    """What all names begin with, in whole parts between dashes: left out of labels that would not fit otherwise."""
    shared = []
    for words in zip(*(name.split("-")[:-1] for name in names), strict=False):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return "-".join(shared)


def _label(name: str, common: str, width: float) -> str:
    for text in (name, f"…{name.removeprefix(common + '-')}" if common else name):
        if len(text) * _LETTER + 24 <= width:
            return text
    return ""


def _grid(names: Sequence[str], y: float, common: str) -> tuple[tuple[Box, ...], float]:
    """Boxes in as many rows as they need, all rows of one width; and where they end."""
    if not names:
        return (), y
    rows = ceil(len(names) / _MOST_COLUMNS)
    columns = ceil(len(names) / rows)
    width = min(_WIDEST, (WIDTH - 2 * _MARGIN + _GAP) / columns - _GAP)
    height = _HIGHEST if width >= 40 else _LOWEST
    left = (WIDTH - columns * (width + _GAP) + _GAP) / 2
    boxes = tuple(
        Box(
            name,
            round(left + (at % columns) * (width + _GAP), 1),
            round(y + (at // columns) * (height + _GAP), 1),
            round(width, 1),
            height,
            _label(name, common, width),
        )
        for at, name in enumerate(names)
    )
    return boxes, y + rows * (height + _GAP) - _GAP


def _between(
    mine: Iterable[tuple[str, str, int]], boxes: dict[str, Box], top: Sequence[Box], low: Sequence[Box]
) -> tuple[tuple[Line, ...], str]:
    found = [item for item in mine if item[0] in boxes and item[1] in boxes]
    if not found:
        return (), ""
    if len(found) > _MOST_LINES:
        upper, lower = max(box.y + box.height for box in top), min(box.y for box in low)
        corners = (
            (min(box.x for box in top), upper),
            (max(box.x + box.width for box in top), upper),
            (max(box.x + box.width for box in low), lower),
            (min(box.x for box in low), lower),
        )
        return (), " ".join(f"{x:g},{y:g}" for x, y in corners)
    lines = (_line(boxes[leaf], boxes[spine], count) for leaf, spine, count in found)
    return tuple(lines), ""


def _line(leaf: Box, spine: Box, count: int) -> Line:
    return Line(
        round(leaf.x + leaf.width / 2, 1),
        leaf.y,
        round(spine.x + spine.width / 2, 1),
        spine.y + spine.height,
        count,
    )
