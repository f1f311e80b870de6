"""A topology file made fit for the simulator, and its size, which the simulator must be told.

The simulator (ibsim 0.10) numbers the ports of an adapter from the GUID of its node and passes over the GUIDs that
stand beside them, while the cards of today give their node and its only port the same GUID: what is kept is the port's,
which is what partitions name. It knows no link faster than HDR, and takes one for the slowest there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from intent.core.errors import IntentError
from intent.core.regular import read_regular

MAX_BYTES = 256 * 1024 * 1024
_NODE = re.compile(r'^(Switch|Ca|Rt)\s+(\d{1,4})\s+"([^"\s]{1,64})"', re.M)
_GUID = re.compile(r"^(caguid|switchguid|rtguid)=0x([0-9a-fA-F]{1,16})", re.M)
_PORT = re.compile(r"^\[(\d{1,4})\]\s*\(([0-9a-fA-F]{1,16})\)")
_TOO_NEW = re.compile(r"\b\d+x(?:NDR|XDR)$", re.M)
_FASTEST = "4xHDR"


@dataclass(frozen=True, slots=True)
class Netfile:
    """A topology as the simulator gets it.

    Args:
        text: its text, GUIDs of ports as they were, no link faster than the simulator knows.
        nodes: number of nodes.
        ports: number of their ports, port 0 of switches included.
        adapters: ids of adapters, in order.
        slowed: links were faster than the simulator knows.
    """

    text: str
    nodes: int
    ports: int
    adapters: tuple[str, ...]
    slowed: bool


def read(path: Path) -> Netfile:
    """Read a topology file.

    Raises:
        IntentError: it cannot be read, no manager can run in it, or the simulator cannot have its GUIDs.
    """
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8")
    except OSError as error:
        raise IntentError(f"topology file {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise IntentError(f"topology file {path}: not UTF-8 text") from None
    nodes = _NODE.findall(text)
    adapters = tuple(name for kind, _, name in nodes if kind == "Ca")
    if not adapters or not any(kind == "Switch" for kind, _, _ in nodes):
        raise IntentError(
            f"topology file {path}: no adapter or no switch in it", hint="write it as `ibnetdiscover` prints it"
        )
    try:
        fit, slowed = _TOO_NEW.subn(_FASTEST, "\n".join(_numbered(text.splitlines())) + "\n")
    except IntentError as problem:
        raise IntentError(f"topology file {path}: {problem.message}", hint=problem.hint) from None
    return Netfile(fit, len(nodes), sum(int(count) + 1 for _, count, _ in nodes), adapters, bool(slowed))


def _numbered(lines: list[str]) -> Iterator[str]:
    """The lines, each adapter's node numbered so that its ports have the GUIDs that stand beside them.

    Raises:
        IntentError: two ports of one adapter have GUIDs out of step, or two nodes come to the same one.
    """
    told: dict[int, int] = {}
    wanted: dict[int, int] = {}
    at = -1
    for number, line in enumerate(lines):
        node, port = _GUID.match(line), _PORT.match(line)
        if node:
            at = number
            told[at] = int(node[2], 16)
        elif port and at >= 0 and lines[at].startswith("caguid"):
            first = int(port[2], 16) - int(port[1])
            if wanted.setdefault(at, first) != first:
                raise IntentError(
                    f"line {number + 1}: the simulator numbers ports of an adapter in sequence, and 0x{port[2]} is not",
                    hint="give each port an adapter of its own",
                )
    counted = Counter((told | wanted).values())
    wrong = next((guid for guid, count in counted.items() if count > 1 or guid <= 0), None)
    if wrong is not None:
        raise IntentError(f"nodes cannot be numbered: {counted[wrong]} come to GUID 0x{max(wrong, 0):016x}")
    for number, line in enumerate(lines):
        yield f"caguid=0x{wanted[number]:x}" if number in wanted else line
