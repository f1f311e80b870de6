"""What the switches of a lab share, and how a call is refused."""

from __future__ import annotations

from dataclasses import dataclass

from intent.lab.agenda import Agenda
from intent.lab.auth import Passwords
from intent.lab.store import Trees
from intent.lab.walker import SchemaError


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take, in seconds.

    Args:
        apply_s: an apply, from the request to the new state in force.
        boot_s: a reboot.
        nvued_s: a start of the NVUE service; until then nginx answers 502.
    """

    apply_s: float = 0.1
    boot_s: float = 5.0
    nvued_s: float = 0.5


@dataclass(slots=True)
class Counters:
    """Calls a switch has seen.

    Args:
        requests: all of them.
        reads: GET and HEAD.
        writes: POST, PATCH, PUT and DELETE.
        connections: TCP connections accepted.
        refused: answers 401 and 403.
    """

    requests: int = 0
    reads: int = 0
    writes: int = 0
    connections: int = 0
    refused: int = 0


class Refusal(Exception):
    """A call that makes no sense in the present state.

    Args:
        status: HTTP status.
        detail: why.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class BadBody(Exception):
    """A body the schema refuses."""

    def __init__(self, errors: list[SchemaError]) -> None:
        super().__init__("schema errors")
        self.errors = errors


@dataclass(slots=True)
class Epoch:
    """Counts what may change the state of links and sessions anywhere in the lab."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class Tools:
    """What all switches of a lab share.

    Args:
        epoch: counts changes.
        agenda: what is due when.
        trees: packs trees.
        passwords: checks passwords.
        timing: how long things take.
        secrets: last keys of leaves that are shown encrypted.
        user_hash: crypt hash of the lab's password for the user `cumulus`.
    """

    epoch: Epoch
    agenda: Agenda
    trees: Trees
    passwords: Passwords
    timing: Timing
    secrets: frozenset[str]
    user_hash: str
