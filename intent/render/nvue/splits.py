"""Split cages of a finished tree: a raw tree of the user's may contradict how the cages are split.

Sources: Cumulus Linux user guide, Switch Port Attributes: a breakout stands on the cage, its parts count from 0, what
is on the parts goes before the split does, and the split port itself carries nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.core.tree import Path, dotted, from_dotted, get
from intent.render.artifact import Origin

_PORT = re.compile(r"(swp[0-9]+)(?:s([0-9]+))?(?:\.[0-9]+)?\Z")
_SPLIT = re.compile(r"([0-9]+)x\Z")
_BREAKOUT = ("link", "breakout")
# What only a port of its own can carry.
_CARRIES = ("ip", "ipv4", "ipv6", "bridge", "router", "evpn", "vrf")


def split_findings(
    tree: Mapping[str, Any], device: str, origins: Mapping[Path, Origin] | None = None
) -> Iterator[Diagnostic]:
    """What contradicts the split of a cage: a breakout on a part, a part that is not there, traffic on the whole.

    Args:
        tree: finished tree in the dialect of any release.
        device: name for the findings.
        origins: where the leaves of the raw tree were written: a finding points there.
    """
    for item in _findings(tree, device):
        yield replace(item, span=_place(from_dotted(item.path), origins or {}))


def _place(path: Path, origins: Mapping[Path, Origin]) -> Span | None:
    """The line nearest to a path: what was written below it, else about its cage, else about any interface."""
    found = _PORT.match(path[1])
    cage = found[1] if found else path[1]
    for start in (path, path[:2], ("interface", cage), ("interface",)):
        for at, origin in origins.items():
            if at[: len(start)] == start:
                return origin.span
    return None


def _findings(tree: Mapping[str, Any], device: str) -> Iterator[Diagnostic]:
    interfaces = tree.get("interface")
    if not isinstance(interfaces, Mapping):
        return
    splits = {name: parts for name, held in interfaces.items() if (parts := _parts(held))}
    for name, held in interfaces.items():
        found = _PORT.match(name)
        if found is None or not isinstance(held, Mapping):
            continue
        cage, part = found[1], found[2]
        if part is None:
            if cage == name and cage in splits:
                yield from _whole(cage, splits[cage], held, device)
        elif _parts(held):
            text = f"breakout on {name}, a part of {cage} - expected it on the cage, {cage}"
            yield _finding("R005", text, ("interface", name, *_BREAKOUT), device, f"split {cage} instead")
        elif int(part) >= splits.get(cage, 0):
            yield _missing(name, cage, splits.get(cage, 0), device)


def _parts(held: Any) -> int:
    """In how many parts an interface is split; 0 when it is not."""
    breakout = get(held, _BREAKOUT, None) if isinstance(held, Mapping) else None
    found = [int(match[1]) for key in breakout if (match := _SPLIT.match(key))] if isinstance(breakout, Mapping) else []
    return max((parts for parts in found if parts > 1), default=0)


def _missing(name: str, cage: str, parts: int, device: str) -> Diagnostic:
    there = f"expected {cage}s0 to {cage}s{parts - 1}" if parts else f"expected a breakout of {cage}"
    how = f"is split {parts}x" if parts else "is not split"
    hint = "parts count from 0; before a split changes, take away what is on the parts that go"
    return _finding("R006", f"{name} does not exist: {cage} {how} - {there}", ("interface", name), device, hint)


def _whole(cage: str, parts: int, held: Mapping[str, Any], device: str) -> Iterator[Diagnostic]:
    for key in _CARRIES:
        if key in held:
            text = f"{key} on {cage}, which is split {parts}x - expected it on a part, {cage}s0 to {cage}s{parts - 1}"
            yield _finding("R007", text, ("interface", cage, key), device, "a split port carries no traffic itself")


def _finding(code: str, text: str, path: Path, device: str, hint: str) -> Diagnostic:
    return Diagnostic(code, text, hint=hint, device=device, path=dotted(path))
