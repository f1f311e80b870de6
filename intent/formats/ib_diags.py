"""Reads what infiniband-diags print, strictly: a line that is not understood is an error, never left out.

Grammar of each tool as of infiniband-diags 44 (Debian 12), established by running them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from intent.core.errors import IntentError

LANE_GBPS: Mapping[str, int | float] = MappingProxyType(
    {"2.5": 2.5, "5.0": 5, "10.0": 10, "10.3125": 10, "14.0625": 14, "25.78125": 25, "53.125": 50, "106.25": 100,
     "212.5": 200}
)  # fmt: skip
"""Signalling rate of a lane in Gb/s as printed → speed of a lane as sold (SDR to XDR)."""

SM_STATES: Mapping[int, str] = MappingProxyType({0: "not-active", 1: "discovering", 2: "standby", 3: "master"})
"""SMInfo:SMState (IBTA 1.4, table 222)."""

_LARGEST = 256 * 1024 * 1024
_WORDS_OF_A_ROW = 8


class Unreadable(IntentError):
    """A tool said something this program does not understand.

    Args:
        tool: name of the tool.
        line: line number, from 1.
        text: the line.
    """

    def __init__(self, tool: str, line: int, text: str) -> None:
        super().__init__(f"{tool}: line {line} is not understood: {text[:80]!r}", hint="infiniband-diags 44 is known")


@dataclass(frozen=True, slots=True)
class SmInfo:
    """What `sminfo` prints.

    Args:
        guid: GUID of the manager's port, 16 hexadecimal digits.
        lid: local identifier of its port.
        priority: its priority.
        state: in the words of `SM_STATES`.
        activity: its counter of activity.
    """

    guid: str
    lid: int
    priority: int
    state: str
    activity: int


@dataclass(frozen=True, slots=True)
class LinkLine:
    """One line of `iblinkinfo -l`: a port and what is at its other end.

    Args:
        guid: GUID of the port of an adapter, of the node for a switch.
        description: what the node calls itself.
        lid: local identifier; 0 while none is given.
        number: port number.
        state: `active`, `armed`, `initialize`, `down`.
        physical: `linkup`, `polling`, …
        lanes: lanes in use; None while down.
        lane_gbps: signalling rate of a lane in Gb/s as printed; empty while down.
        peer: GUID of the other end; empty while there is none.
        peer_lid: its local identifier.
        peer_number: its port number.
        peer_description: what its node calls itself.
    """

    guid: str
    description: str
    lid: int
    number: int
    state: str
    physical: str
    lanes: int | None = None
    lane_gbps: str = ""
    peer: str = ""
    peer_lid: int = 0
    peer_number: int = 0
    peer_description: str = ""

    @property
    def speed_gbps(self) -> int | None:
        """Speed of the link as sold; None while down or for a rate no table has."""
        lane = LANE_GBPS.get(self.lane_gbps)
        return int(self.lanes * lane) if lane is not None and self.lanes is not None else None


@dataclass(frozen=True, slots=True)
class NodeErrors:
    """Counters of one port that `ibqueryerrors` complains about.

    Args:
        guid: GUID of the node.
        description: what the node calls itself.
        number: port number; 0 for the sum over all ports of a switch.
        counters: value by name.
    """

    guid: str
    description: str
    number: int
    counters: Mapping[str, int] = field(default_factory=dict)


def read_pkeys(text: str) -> tuple[int, ...]:
    """The table that `smpquery pkeys` prints, from index 0; zeros are holes.

    Raises:
        Unreadable: a line is none of its own, a row is missing, or the capacity it names is another one.
    """
    keys: list[int] = []
    capacity: int | None = None
    for number, line in _lines(text, "smpquery pkeys"):
        row = re.fullmatch(r"\s*(\d+):((?: 0x[0-9a-f]{4})+)\s*", line)
        end = re.fullmatch(r"(\d+) pkeys capacity for this port", line)
        if end and capacity is None:
            capacity = int(end[1])
        elif row and capacity is None and int(row[1]) == len(keys):
            words = row[2].split()
            if len(words) > _WORDS_OF_A_ROW:
                raise Unreadable("smpquery pkeys", number, line)
            keys += [int(word, 16) for word in words]
        else:
            raise Unreadable("smpquery pkeys", number, line)
    if capacity is None or not capacity <= len(keys) < capacity + _WORDS_OF_A_ROW:
        said = f"{len(keys)} keys - expected a capacity of as many, it says {capacity}"
        raise IntentError(f"smpquery pkeys: {said}", hint="the answer is cut off")
    return tuple(keys[:capacity])


def read_sminfo(text: str) -> SmInfo:
    """What `sminfo` says of one manager.

    Raises:
        Unreadable: it says something else.
    """
    lines = list(_lines(text, "sminfo"))
    pattern = (
        r"sminfo: sm lid (\d+) sm guid 0x([0-9a-f]{1,16}), activity count (\d+) priority (\d+) state (\d+) (SMINFO_\w+)"
    )
    match = re.fullmatch(pattern, lines[0][1].rstrip()) if len(lines) == 1 else None
    if match is None or int(match[5]) not in SM_STATES:
        raise Unreadable("sminfo", 1, lines[0][1] if lines else "(nothing)")
    return SmInfo(match[2].zfill(16), int(match[1]), int(match[4]), SM_STATES[int(match[5])], int(match[3]))


_LINK = re.compile(
    r'0x(?P<guid>[0-9a-f]{16}) "(?P<name>.*)"\s+(?P<lid>\d+)\s+(?P<port>\d+)\[\s*(?:\d+\s*)?\] ==\(\s*'
    r"(?:(?P<lanes>\d+)X\s+(?P<rate>[0-9.]+) Gbps\s*)?(?:\([^)]*\)\s*)?"
    r"(?P<state>\w+)/\s*(?P<physical>[\w() -]+?)\s*\)==>\s*"
    r"(?:0x(?P<peer>[0-9a-f]{16})\s+(?P<plid>\d+)\s+(?P<pport>\d+))?\[\s*(?:\d+\s*)?\] "
    r'"(?P<pname>.*)" \((?P<rest>.*)\)\s*'
)


def read_linkinfo(text: str) -> tuple[LinkLine, ...]:
    """Every port that `iblinkinfo -l` lists.

    Raises:
        Unreadable: a line is not one of its own.
    """
    found: list[LinkLine] = []
    for number, line in _lines(text, "iblinkinfo"):
        match = _LINK.fullmatch(line)
        if match is None:
            raise Unreadable("iblinkinfo", number, line)
        found.append(
            LinkLine(
                guid=match["guid"],
                description=match["name"].strip(),
                lid=int(match["lid"]),
                number=int(match["port"]),
                state=match["state"].lower(),
                physical=match["physical"].lower(),
                lanes=int(match["lanes"]) if match["lanes"] else None,
                lane_gbps=match["rate"] or "",
                peer=match["peer"] or "",
                peer_lid=int(match["plid"] or 0),
                peer_number=int(match["pport"] or 0),
                peer_description=match["pname"],
            )
        )
    return tuple(found)


_FLOAT_COUNTER = r"\d+(?:\.\d+)?[KMGT]?B?"


def read_queryerrors(text: str) -> tuple[NodeErrors, ...]:
    """Ports whose counters `ibqueryerrors` lists; sums over all ports of a switch are left out.

    Raises:
        Unreadable: a line is not one of its own.
        IntentError: its summary is missing, so the run was cut off; or ports did not answer.
    """
    found: list[NodeErrors] = []
    description, complete = "", False
    for number, line in _lines(text, "ibqueryerrors"):
        head = re.fullmatch(r'Errors for (?:0x[0-9a-f]{1,16} )?"(.*)"', line)
        port = re.fullmatch(
            r"\s+GUID 0x([0-9a-f]{1,16}) port (\d+|ALL):((?: \[\w+ == " + _FLOAT_COUNTER + r".*?\])*)", line
        )
        if head:
            description = head[1]
        elif port:
            counters = {
                name: _counter(value) for name, value in re.findall(r"\[(\w+) == (\S+?)(?: \(.*?\))?\]", port[3])
            }
            if port[2] != "ALL":
                found.append(NodeErrors(port[1].zfill(16), description, int(port[2]), counters))
        elif line.startswith("## Summary: "):
            complete = True
        elif re.fullmatch(r"##\s+[1-9]\d* PMA query failures", line):
            raise IntentError(f"ibqueryerrors: {line.strip('# ')}: some ports did not say what they count")
        elif not line.startswith("##") and not re.fullmatch(r"\s+Link info: .*", line):
            raise Unreadable("ibqueryerrors", number, line)
    if not complete:
        raise IntentError("ibqueryerrors: no summary at the end", hint="the answer is cut off")
    return tuple(found)


def read_perfquery(text: str) -> dict[str, int]:
    """Counters that `perfquery` prints for one port, by name.

    Raises:
        Unreadable: a line is not one of its own.
    """
    counters: dict[str, int] = {}
    for number, line in _lines(text, "perfquery"):
        row = re.fullmatch(r"(\w+):\.*(0x[0-9a-fA-F]+|\d+)\s*", line)
        if row:
            counters[row[1]] = int(row[2], 0)
        elif not line.startswith("# Port "):
            raise Unreadable("perfquery", number, line)
    if not counters:
        raise Unreadable("perfquery", 1, "(nothing)")
    return counters


def read_sm_lids(text: str) -> tuple[int, ...]:
    """Local identifiers of the ports on which a manager runs, as `saquery -s` prints them.

    Raises:
        Unreadable: a line is not one of its own.
    """
    lids: list[int] = []
    live = False
    for number, line in _lines(text, "saquery -s"):
        row = re.fullmatch(r"\s+(\w+)\.+(\S+)", line)
        if line.strip() in ("IsSM ports", "IsSMdisabled ports"):
            live = line.strip() == "IsSM ports"
        elif row and row[1] == "EndPortLid" and row[2].isdigit():
            lids += [int(row[2])] if live else []
        elif not row and line.strip() != "PortInfoRecord dump:":
            raise Unreadable("saquery -s", number, line)
    return tuple(lids)


def _counter(text: str) -> int:
    scale = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    number = text.removesuffix("B")
    factor = scale.get(number[-1:], 1)
    return int(float(number.rstrip("KMGT")) * factor) if factor > 1 or "." in number else int(number)


def _lines(text: str, tool: str) -> Iterator[tuple[int, str]]:
    """Lines that hold something, with their numbers."""
    if len(text) > _LARGEST:
        raise IntentError(f"{tool}: {len(text)} characters - expected at most {_LARGEST}")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line
