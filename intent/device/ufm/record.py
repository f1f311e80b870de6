"""A change of partitions as a handle: enough to tell how far it got and to undo it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.core.errors import IntentError
from intent.device.ufm.changes import Change
from intent.device.ufm.keys import tree_key
from intent.device.ufm.partitions import Member, member
from intent.device.undo import pack, unpack

_KIND = "ufm1"
_LETTERS = {"full": "f", "limited": "l", "both": "b"}
_WORDS = {letter: word for word, letter in _LETTERS.items()}


def to_handle(planned: Sequence[Change]) -> str:
    """A handle of changes."""
    data = {
        f"{change.key:x}": {
            "exists": list(change.exists),
            "attributes": {name: list(pair) for name, pair in change.attributes.items()},
            "members": {guid[2:]: _letter(old) + _letter(new) for guid, (old, new) in change.members.items()},
        }
        for change in planned
    }
    return pack(_KIND, data)


def from_handle(handle: str) -> tuple[Change, ...]:
    """The changes of a handle.

    Raises:
        IntentError: it is none.
    """
    data = unpack(_KIND, handle)
    try:
        return tuple(_change(int(key, 16), body) for key, body in data.items())
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise IntentError("what was recorded of the change makes no sense: it cannot be undone from there") from None


def _change(key: int, body: Any) -> Change:
    before, after = body["exists"]
    return Change(
        key,
        (bool(before), bool(after)),
        {name: (old, new) for name, (old, new) in body["attributes"].items()},
        {f"0x{guid}": (_member(two[0]), _member(two[1])) for guid, two in body["members"].items()},
    )


def _letter(kind: Member | None) -> str:
    if kind is None:
        return "-"
    letter = _LETTERS[kind.membership]
    return letter.upper() if kind.index0 else letter


def _member(letter: str) -> Member | None:
    return None if letter == "-" else member(_WORDS[letter.lower()], letter.isupper())


def told(planned: Sequence[Change]) -> dict[str, Any]:
    """What the journal says of changes beside the handle."""
    return {
        "partitions": [tree_key(change.key) for change in planned],
        "members": sum(len(change.members) for change in planned),
    }
