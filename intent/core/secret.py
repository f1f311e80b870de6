"""References to secrets. A value that is secret never stands in an artefact: its reference does."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"^\$secret:([A-Za-z0-9_.-]+)\$$")
# crypt(5): a method, then salt and hash; a text that was cut in the middle of one is still one.
_CRYPT_HASH = re.compile(r"\$(?:1|2[abxy]|5|6|7|y|gy|sha1|md5)\$[./A-Za-z0-9,=$-]{6,}…?")
MASK = "(secret)"


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


def without_hashes(text: str) -> str:
    """The text with every crypt hash cut out: for messages that repeat what somebody wrote."""
    return _CRYPT_HASH.sub(MASK, text) if "$" in text else text


def starred_hashes(text: str) -> str:
    """The text with stars in the place of every crypt hash, so that columns stay where they were."""
    return _CRYPT_HASH.sub(lambda found: "*" * len(found[0]), text) if "$" in text else text
