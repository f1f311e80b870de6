"""A change of partitions and settings as a handle: enough to tell how far it got and to undo it.

A key that was replaced does not stand in it, unless it is the one everybody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.core.errors import IntentError
from intent.device.ufm.changes import Change
from intent.device.ufm.keys import tree_key
from intent.device.ufm.partitions import Member, member
from intent.device.ufm.settings import Hidden, SettingChange
from intent.device.undo import pack, unpack

_KIND = "ufm1"
_SETTINGS = "settings"
Step = Change | SettingChange
"""One planned part of a change."""
_LETTERS = {"full": "f", "limited": "l", "both": "b"}
_WORDS = {letter: word for word, letter in _LETTERS.items()}


def to_handle(planned: Sequence[Step]) -> str:
    """A handle of changes."""
    data: dict[str, Any] = {
        f"{change.key:x}": {
            "exists": list(change.exists),
            "attributes": {name: list(pair) for name, pair in change.attributes.items()},
            "members": {guid[2:]: _letter(old) + _letter(new) for guid, (old, new) in change.members.items()},
        }
        for change in planned
        if isinstance(change, Change)
    }
    others = {item.name: [_written(item.before), item.after] for item in planned if isinstance(item, SettingChange)}
    return pack(_KIND, data | ({_SETTINGS: others} if others else {}))


def from_handle(handle: str) -> tuple[Step, ...]:
    """The changes of a handle.

    Raises:
        IntentError: it is none.
    """
    data = unpack(_KIND, handle)
    try:
        settings = tuple(_setting(name, pair) for name, pair in data.pop(_SETTINGS, {}).items())
        return (*settings, *(_change(int(key, 16), body) for key, body in data.items()))
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


def _setting(name: str, pair: Any) -> SettingChange:
    before, after = pair
    if not isinstance(before, bool | int | str) or not isinstance(after, str):
        raise TypeError("no value of a setting")
    return SettingChange(name, before, after)


def _written(before: Any) -> Any:
    return before.recorded if isinstance(before, Hidden) else before


def _letter(kind: Member | None) -> str:
    if kind is None:
        return "-"
    letter = _LETTERS[kind.membership]
    return letter.upper() if kind.index0 else letter


def _member(letter: str) -> Member | None:
    return None if letter == "-" else member(_WORDS[letter.lower()], letter.isupper())


def told(planned: Sequence[Step]) -> dict[str, Any]:
    """What the journal says of changes beside the handle."""
    partitions = [change for change in planned if isinstance(change, Change)]
    settings = [change.name for change in planned if isinstance(change, SettingChange)]
    return {
        "partitions": [tree_key(change.key) for change in partitions],
        "members": sum(len(change.members) for change in partitions),
        **({"settings": settings} if settings else {}),
    }
