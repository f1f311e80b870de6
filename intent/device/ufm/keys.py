"""Spellings of partition keys and port GUIDs: one in our trees, another in UFM's API.

In our trees a key stands with its membership bit set (`0x8012`), as operators see it in interface names and tables, and
a GUID as `0x` and sixteen digits. UFM writes `0x12` and sixteen digits alone.
"""

from __future__ import annotations

import re

from intent.core.errors import IntentError

DEFAULT_KEY = 0x7FFF  # every port's default partition; UFM calls it `management` and manages it itself
MEMBERSHIP_BIT = 0x8000

_KEY = re.compile(r"0[xX][0-9a-fA-F]{1,4}")
_GUID = re.compile(r"(?:0[xX])?([0-9a-fA-F]{16})")
_TREE_GUID = re.compile(r"0x[0-9a-f]{16}")


def key_number(text: str) -> int:
    """The fifteen bits of a key, whatever its membership bit.

    Raises:
        IntentError: it is no key, or stands for no partition.
    """
    if not isinstance(text, str) or not _KEY.fullmatch(text):
        raise IntentError(
            f"partition key {str(text)[:40]!r} is not hexadecimal", hint="as 0x8012; a decimal would be another key"
        )
    number = int(text, 16) & ~MEMBERSHIP_BIT
    if not number:
        raise IntentError(f"partition key {text} stands for no partition", hint="0x8001 to 0xfffe")
    return number


def tree_key(number: int) -> str:
    """A key as it stands in our trees."""
    return f"0x{number | MEMBERSHIP_BIT:04x}"


def api_key(number: int) -> str:
    """A key as UFM writes it."""
    return f"0x{number:x}"


def tree_guid(text: str) -> str:
    """A port GUID as it stands in our trees.

    Args:
        text: sixteen hexadecimal digits, with or without `0x`, with or without colons.

    Raises:
        IntentError: it is no GUID.
    """
    if _TREE_GUID.fullmatch(text):
        return text
    match = _GUID.fullmatch(text.replace(":", ""))
    if match is None:
        raise IntentError(f"port GUID {text[:40]!r} is not sixteen hexadecimal digits")
    return "0x" + match.group(1).lower()


def api_guid(tree: str) -> str:
    """A GUID of our trees as UFM writes it."""
    return tree.removeprefix("0x")
