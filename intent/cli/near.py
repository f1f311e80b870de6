"""Hints for names that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 12


def near(name: str, known: Iterable[str]) -> str:
    """What may have been meant, or what there is.

    Args:
        name: what was asked for.
        known: what exists.
    """
    names = [str(item) for item in known]
    found = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if found:
        return f"did you mean {' or '.join(found)}?"
    if not names:
        return "there is none"
    return f"known: {', '.join(names[:_MOST])}{', …' if len(names) > _MOST else ''}"
