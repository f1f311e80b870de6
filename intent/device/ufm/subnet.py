"""What UFM says over REST of the subnet it manages: the engine at work and ports set aside; no tables of ports.

Forms are those of the UFM Enterprise REST API guides 6.15 to 6.22: "SM Configuration" and "Unhealthy Ports". What is
not of them is an error of its part, never taken for an empty list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from intent.core.errors import IntentError
from intent.device.deadline import Deadline
from intent.device.errors import ProtocolError
from intent.device.ufm.session import UfmSession

_GUID = re.compile(r"(?:0x)?([0-9a-fA-F]{16})")
_WORDS = 80  # characters of UFM's own text that a message may carry
_ENGINE = "routing_engine_active"
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class UnhealthyPort:
    """A port UFM's subnet manager set aside.

    Args:
        guid: GUID as UFM gives it, 16 digits.
        number: port number.
        why: conditions, in UFM's words.
    """

    guid: str
    number: int
    why: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """As observations name a port: `guid/number`."""
        return f"{self.guid}/{self.number}"


@dataclass(frozen=True, slots=True)
class RestSubnet:
    """What UFM says of its subnet.

    Args:
        engine: the routing engine at work; None when that could not be read.
        unhealthy: ports set aside; None when they could not be read.
        problems: part → why it was not read.
    """

    engine: str | None = None
    unhealthy: tuple[UnhealthyPort, ...] | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


def read_subnet(session: UfmSession, deadline: Deadline) -> RestSubnet:
    """Ask for both; a part that fails leaves the other one alone."""
    problems: dict[str, str] = {}

    def part(name: str, read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except IntentError as problem:
            problems[name] = problem.message
            return None

    engine = part("routing", lambda: engine_from(session.setting(_ENGINE, deadline)))
    unhealthy = part("unhealthy", lambda: unhealthy_from(session.unhealthy_ports(deadline)))
    return RestSubnet(engine, unhealthy, problems)


def engine_from(value: Any) -> str:
    """The engine of an answer about the subnet manager's settings.

    Raises:
        ProtocolError: it names none.
    """
    if not isinstance(value, str) or not value.strip() or value.strip().lower() in ("none", "(null)"):
        raise ProtocolError(f"UFM does not say which routing engine is at work ({_ENGINE})")
    return value.strip()[:_WORDS]


def unhealthy_from(body: Any) -> tuple[UnhealthyPort, ...]:
    """Ports of a list of unhealthy ones; `Condition` is one word in old versions and a list in new ones.

    Raises:
        ProtocolError: the answer is not of the documented form.
    """
    if not isinstance(body, list):
        raise ProtocolError(f"unhealthy ports: expected a list, got {type(body).__name__}")
    return tuple(_port(item) for item in body)


def _port(item: Any) -> UnhealthyPort:
    if not isinstance(item, Mapping):
        raise ProtocolError(f"an unhealthy port: expected an object, got {type(item).__name__}")
    guid = _GUID.fullmatch(str(item.get("UnhealthyGUID") or ""))
    number = item.get("UnhealthyPortNumber")
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 4:
        number = int(number)
    if guid is None or not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 256:
        raise ProtocolError("an unhealthy port has no UnhealthyGUID or UnhealthyPortNumber")
    return UnhealthyPort(guid[1].lower(), number, _conditions(item.get("Condition")))


def _conditions(value: Any) -> tuple[str, ...]:
    words: Sequence[Any] = value if isinstance(value, list) else [value]
    return tuple(str(word)[:_WORDS] for word in words[:8] if isinstance(word, str) and word)
