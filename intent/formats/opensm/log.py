"""What a log of OpenSM says about files it took, the engine that routes and the role of the manager."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENGINE = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured")
_ROLE = re.compile(r"Entering (MASTER|STANDBY|NOT-ACTIVE|DISCOVERING) state")
_DROPPED = re.compile(r"PARSE ERROR: line \d+:.*|retrying with default config")
_SKIPPED = re.compile(r'Unrecognized token: "([^"]*)"|-E- Parsing error in field (\w+)')
_FALLBACK = re.compile(
    r"cannot find or setup routing engine '[^']*'"
    r"|ucast_mgr_route: \S+: cannot build (?:lid matrices|fwd tables)"
    r"|disabling UPDN algorithm|cannot parse root guids file"
    r"|[Ff]alling back to \S+"
)


@dataclass(frozen=True, slots=True)
class LogReading:
    """What a stretch of log says.

    Args:
        engine: engine of the last routing; empty when nothing was routed.
        role: last role entered, in small letters; empty when none was.
        up: the subnet came up.
        dropped: what was said about a partition file thrown away; empty is good.
        skipped: options the manager did not know, or whose value it could not read.
        fallbacks: remarks that another engine routes than the one asked for.
    """

    engine: str = ""
    role: str = ""
    up: bool = False
    dropped: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()


def read_log(text: str) -> LogReading:
    """Read a log, or what was added to one; text that is no log says nothing.

    Args:
        text: lines of opensm.log, or of what the program prints.
    """
    engines, roles = _ENGINE.findall(text), _ROLE.findall(text)
    return LogReading(
        engine=engines[-1] if engines else "",
        role=roles[-1].lower() if roles else "",
        up="SUBNET UP" in text,
        dropped=tuple(match[0].strip() for match in _DROPPED.finditer(text)),
        skipped=tuple(dict.fromkeys(one or two for one, two in _SKIPPED.findall(text))),
        fallbacks=tuple(match[0] for match in _FALLBACK.finditer(text)),
    )
