"""What a topology file says that the simulator must be told apart: its size, and where managers can run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from intent.core.errors import IntentError
from intent.core.regular import read_regular

MAX_BYTES = 256 * 1024 * 1024
_NODE = re.compile(r'^(Switch|Ca|Rt)\s+(\d{1,4})\s+"([^"\s]{1,64})"', re.M)
# ibsim 0.10 takes these for the slowest speed it knows.
_TOO_NEW = re.compile(r"\b\d+x(?:NDR|XDR)$", re.M)
_FASTEST = "4xHDR"


@dataclass(frozen=True, slots=True)
class Netfile:
    """A topology as the simulator gets it.

    Args:
        text: its text, no link faster than the simulator knows.
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
        IntentError: it cannot be read, or no manager can run in it.
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
    fit, slowed = _TOO_NEW.subn(_FASTEST, text)
    return Netfile(fit, len(nodes), sum(int(count) + 1 for _, count, _ in nodes), adapters, bool(slowed))
