"""References to secrets. A value that is secret never stands in an artefact: its reference does."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"^\$secret:([A-Za-z0-9_.-]+)\$$")


def reference(name: str) -> str:
    """The placeholder that stands in a tree for the secret called `name`."""
    text = f"$secret:{name}$"
    if not _REFERENCE.match(text):
        raise ValueError(f"secret name {name!r}: letters, digits, '_', '.', '-' only")
    return text


def referenced(value: object) -> str | None:
    """The secret's name if `value` is a placeholder, else None."""
    match = _REFERENCE.match(value) if isinstance(value, str) else None
    return match.group(1) if match else None
