"""Values as compressed JSON in text, and back; what comes back may be hostile."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

from intent.change.reading import Bad, parse

MAX_BYTES = 64 * 1024 * 1024
"""The largest value that is unpacked, as JSON: a few kilobytes can grow to any size."""


def pack(value: Any) -> str:
    """A value as compressed JSON in base64."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode()


def unpack(text: str, where: str) -> Any:
    """The inverse of `pack`.

    Raises:
        Bad: it is damaged, or grows beyond `MAX_BYTES`.
    """
    try:
        inflater = zlib.decompressobj()
        content = inflater.decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error, ValueError):
        raise Bad(f"{where} - its content is damaged") from None
    if not inflater.eof:
        raise Bad(f"{where} - its content is cut off or larger than {MAX_BYTES} bytes")
    return parse(content)
