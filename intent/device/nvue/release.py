"""Releases as devices and people write them."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def same_release(named: str, reported: str) -> bool:
    """True when a device runs the release the intent names.

    A release without a patch number (`5.16`) names all of its patches.

    Args:
        named: as in the intent.
        reported: as the device says it, words around it allowed (`Cumulus Linux 5.16.4`).
    """
    mine, theirs = _NUMBERS.search(named), _NUMBERS.search(reported)
    if mine is None or theirs is None:
        return False
    if mine.groups()[:2] != theirs.groups()[:2]:
        return False
    return mine.group(3) is None or mine.group(3) == (theirs.group(3) or "0")
