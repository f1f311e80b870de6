"""XML by hand: what no escaping can carry shows as its escape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

# What XML 1.0 cannot hold, even escaped.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def opening(tag: str, attributes: Mapping[str, str]) -> str:
    """An opening tag with its attributes escaped."""
    text = "".join(f' {key}="{escape(_legal(value), _ATTRIBUTE)}"' for key, value in attributes.items())
    return f"<{tag}{text}>"


def content(text: str) -> str:
    """Text between tags, escaped."""
    return escape(_legal(text), {"\r": "&#13;"})


def _legal(text: str) -> str:
    return _FORBIDDEN.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
