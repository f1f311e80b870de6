"""Reader and writer of topology files as `ibnetdiscover` prints them and `ibsim` takes them.

A stanza begins with `Switch`, `Ca` (or `Hca`) or `Rt`, the number of ports and the id of the node in quotes; attributes
(`switchguid=0x…`) stand before it. A line for each cabled port follows: number, GUID in parentheses for adapters, id
and port of the other end. Blank lines part stanzas. Read strictly: both ends of a link must be there and agree, so that
a truncated file is an error and not a smaller fabric.

Sources: infiniband-diags 44 (`ibnetdiscover.c`), ibsim 0.10 (`sim_net.c`), by their output and what they take.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from intent.core.span import Span
from intent.formats.ib.findings import CONTRADICTION, DANGLING, SYNTAX, Findings, shown, too_large
from intent.formats.ib.topology import Cable, Node, NodeKind, Topology, TopologyFile

_KINDS = {"Switch": NodeKind.SWITCH, "Ca": NodeKind.ADAPTER, "Hca": NodeKind.ADAPTER, "Rt": NodeKind.ROUTER}
_ATTRIBUTE = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|hcaguid|rtguid)=0x([0-9a-fA-F]{1,16})", re.ASCII)
_OF_NODE = ("switchguid", "caguid", "hcaguid", "rtguid")
_PARENTHESES = re.compile(r"\(([0-9a-fA-F]{1,16})\)\s*", re.ASCII)
_HEAD = re.compile(r'(Switch|Ca|Hca|Rt)\s+(\d{1,3})\s+"([!#-~]{1,64})"\s*', re.ASCII)
_OWN = re.compile(r"\[(\d{1,3})\](?:\((?:0x)?([0-9a-fA-F]{1,16})\))?\s*", re.ASCII)
_PEER = re.compile(r'"([!#-~]{1,64})"\s*\[(\d{1,3})\](?:\((?:0x)?([0-9a-fA-F]{1,16})\))?\s*', re.ASCII)
_QUOTED = re.compile(r'"([^"]*)"')
_LID = re.compile(r"\blid (\d{1,5})\b", re.ASCII)
_RATE = re.compile(r"\b(\d{1,2}x[A-Z]{2,4}\d{0,3})\b", re.ASCII)
_BY_PORT = re.compile(r"(CA|SW|RT)\s+\d+\s+\d+\s+0x[0-9a-fA-F]{1,16}\s", re.ASCII)

_FORM = 'expected a stanza of ibnetdiscover: Switch, Ca or Rt, then a line [port] "id"[port] for each cable'
_BROKEN = "a file that was cut off or edited by hand: take a new dump of the whole fabric"


def read_topology(text: str, name: str) -> TopologyFile:
    """Read a topology file. Whatever it holds, the answer is a topology or findings, never an exception.

    Args:
        text: its content.
        name: its name, for findings.
    """
    refused = too_large(text, name)
    if refused:
        return TopologyFile(Topology(), refused)
    findings = Findings(name)
    nodes = _Reader(findings).read(text)
    if not findings.all():
        _check(nodes, findings)
    if not nodes and not findings.all():
        findings.add(SYNTAX, findings.span(1), "no node in the file", _FORM)
    found = findings.all()
    return TopologyFile(Topology() if found else Topology(tuple(nodes)), found)


class _Bad(ValueError):
    """A line that cannot be read: column and what was expected."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message


class _Reader:
    """Reads line by line; a stanza is open from its head to the next blank line."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._nodes: list[Node] = []
        self._cables: list[Cable] = []
        self._guid = ""
        self._open = False

    def read(self, text: str) -> list[Node]:
        for number, line in enumerate(text.split("\n"), 1):
            if self._findings.full:
                break
            stripped = line.strip(" \t\r")
            if not stripped:
                self._close()
            elif not stripped.startswith("#"):
                indent = len(line) - len(line.lstrip(" \t"))
                self._line(stripped, self._findings.span(number, indent + 1))
        self._close()
        return self._nodes

    def _line(self, line: str, span: Span) -> None:
        try:
            if line[0] == "[":
                self._cable(line, span)
            elif line.partition("=")[0] in ("vendid", "devid", "sysimgguid", *_OF_NODE):
                self._attribute(line)
            else:
                self._head(line, span)
        except _Bad as bad:
            place = Span(span.file, span.line, span.column + bad.column)
            self._findings.add(SYNTAX, place, f"{bad.message}, got {shown(line[bad.column :] or line)}", _FORM)

    def _attribute(self, line: str) -> None:
        match = _ATTRIBUTE.match(line)
        if not match:
            raise _Bad(line.find("=") + 1, "expected 0x and up to 16 hexadecimal digits")
        rest = match.end()
        more = _PARENTHESES.match(line, rest)
        rest = more.end() if more else rest
        if line[rest:].strip():
            raise _Bad(rest, "expected the end of the line")
        if match[1] in _OF_NODE:
            self._close()
            self._guid = match[2].lower().rjust(16, "0")

    def _head(self, line: str, span: Span) -> None:
        match = _HEAD.match(line)
        if not match:
            word = next(iter(line.split(None, 1)), line)
            if _BY_PORT.match(line):
                raise _Bad(0, "expected the output of ibnetdiscover without -p")
            raise _Bad(len(word) if word in _KINDS else 0, _expected_head(word))
        comment = _comment(line, match.end())
        self._close()
        ports = int(match[2])
        if not 1 <= ports <= 255:
            raise _Bad(match.start(2), "expected a number of ports from 1 to 255")
        quoted, lid = _QUOTED.search(comment), _LID.search(comment)
        self._nodes.append(
            Node(
                kind=_KINDS[match[1]],
                id=match[3],
                ports=ports,
                guid=self._guid,
                description=quoted[1] if quoted else "",
                lid=int(lid[1]) if lid else 0,
                span=span,
            )
        )
        self._guid, self._open = "", True

    def _cable(self, line: str, span: Span) -> None:
        own = _OWN.match(line)
        if not own:
            raise _Bad(0, "expected [port]")
        if not self._open:
            raise _Bad(0, "expected a node (Switch, Ca, Rt) before its ports")
        peer = _PEER.match(line, own.end())
        if not peer:
            raise _Bad(own.end(), 'expected "id"[port] of the other end')
        node, port = self._nodes[-1], int(own[1])
        if not 1 <= port <= node.ports:
            raise _Bad(1, f"expected a port from 1 to {node.ports}, which {node.id} has")
        rate = _RATE.search(_comment(line, peer.end()))
        self._cables.append(
            Cable(
                port=port,
                peer=peer[1],
                peer_port=int(peer[2]),
                guid=(own[2] or "").lower().rjust(16, "0") if own[2] else "",
                peer_guid=(peer[3] or "").lower().rjust(16, "0") if peer[3] else "",
                rate=rate[1] if rate else "",
                span=span,
            )
        )

    def _close(self) -> None:
        if self._open:
            self._nodes[-1] = replace(self._nodes[-1], cables=tuple(self._cables))
        self._cables, self._open = [], False


def _expected_head(word: str) -> str:
    return "expected a number of ports and the id in quotes" if word in _KINDS else "expected Switch, Ca or Rt"


def _comment(line: str, start: int) -> str:
    rest = line[start:]
    if rest and not rest.startswith("#"):
        _end(start)
    return rest


def _end(column: int) -> NoReturn:
    raise _Bad(column, "expected # or the end of the line")


def _check(nodes: list[Node], findings: Findings) -> None:
    """Both ends of each link are there and agree; ids and GUIDs have one owner."""
    by_id: dict[str, Node] = {}
    by_guid: dict[str, Node] = {}
    for node in nodes:
        for table, key, what in ((by_id, node.id, "node"), (by_guid, node.guid, "node GUID")):
            first = table.setdefault(key, node) if key else node
            if first is not node:
                _contradiction(findings, node.span, f"{what} {shown(key)} is there twice", first.span)
    ends: dict[tuple[str, int], Cable] = {}
    for node in nodes:
        for cable in node.cables:
            before = ends.setdefault((node.id, cable.port), cable)
            if before is not cable:
                _contradiction(findings, cable.span, f"{node.id} [{cable.port}] is cabled twice", before.span)
    for node in nodes:
        for cable in node.cables:
            _check_cable(node, cable, by_id, ends, findings)


def _check_cable(
    node: Node, cable: Cable, by_id: dict[str, Node], ends: dict[tuple[str, int], Cable], findings: Findings
) -> None:
    here, there = f"{node.id} [{cable.port}]", f"{cable.peer} [{cable.peer_port}]"
    peer = by_id.get(cable.peer)
    other = ends.get((cable.peer, cable.peer_port))
    if peer is None:
        findings.add(DANGLING, cable.span, f"{here} goes to {shown(cable.peer)}, which is not in the file", _BROKEN)
    elif other is None:
        related = ((peer.span, f"{peer.id} stands here"),) if peer.span else ()
        message = f"{here} goes to {there}, which has no line of its own"
        findings.add(DANGLING, cable.span, message, _BROKEN, related)
    elif (other.peer, other.peer_port) != (node.id, cable.port):
        message = f"{here} goes to {there}, which goes to {other.peer} [{other.peer_port}]"
        _contradiction(findings, cable.span, message, other.span)
    elif cable.peer_guid and other.guid and cable.peer_guid != other.guid:
        message = f"{here} goes to a port of GUID 0x{cable.peer_guid}, but {there} has 0x{other.guid}"
        _contradiction(findings, cable.span, message, other.span)


def _contradiction(findings: Findings, span: Span | None, message: str, other: Span | None) -> None:
    related = ((other, "the other stands here"),) if other else ()
    findings.add(CONTRADICTION, span, message, "one of the two is wrong: take a new dump of the whole fabric", related)


def topology_text(topology: Topology, header: tuple[str, ...] = ()) -> str:
    """A topology as `ibnetdiscover` prints it. Byte-identical for equal input; `ibsim` takes it as it is.

    Args:
        topology: the nodes.
        header: lines of the comment at the top.

    Raises:
        ValueError: a description or an id that the format cannot hold.
    """
    lines = [f"# {line}" for line in header] + ([""] if header else [])
    by_id = topology.by_id
    for node in topology.nodes:
        if '"' in node.id + node.description or not (node.id + node.description).isprintable():
            raise ValueError(f"description {node.description!a} of {node.id!a} cannot be written in a topology file")
        lines += _stanza(node, by_id)
    return "\n".join(lines)


def _stanza(node: Node, by_id: dict[str, Node]) -> list[str]:
    switch = node.kind is NodeKind.SWITCH
    lines = []
    if node.guid:
        lines.append(f"switchguid=0x{node.guid}({node.guid})" if switch else f"caguid=0x{node.guid}")
    base = " base port 0 lid 0 lmc 0" if switch else ""
    lines.append(f'{node.kind}\t{node.ports} "{node.id}"\t\t# "{node.description}"{base}')
    for cable in sorted(node.cables, key=lambda item: item.port):
        peer = by_id[cable.peer]
        own = f"[{cable.port}]" + (f"({cable.guid})" if cable.guid else "")
        far = f'"{cable.peer}"[{cable.peer_port}]' + (f"({cable.peer_guid})" if cable.peer_guid else "")
        lid = "" if switch else "lid 0 lmc 0 "
        lines.append(f'{own}\t{far}\t\t# {lid}"{peer.description}" lid 0 {cable.rate}'.rstrip())
    return [*lines, ""]
