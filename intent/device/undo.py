"""Handles that hold what is needed to undo a change: the journal keeps them, a later process can use them.

A controller has no commit timer and no candidate. What was there before travels in the handle of the change, which is
journalled before the first write.
"""

from __future__ import annotations

import binascii
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from intent.core.errors import IntentError

_LARGEST_BYTES = 256 * 1024 * 1024


def pack(kind: str, data: Any) -> str:
    """A handle of data that JSON can hold."""
    text = json.dumps(data, separators=(",", ":"), sort_keys=True).encode()
    return f"{kind}.{urlsafe_b64encode(zlib.compress(text, 9)).decode()}"


def unpack(kind: str, handle: str) -> Any:
    """The data of a handle.

    Raises:
        IntentError: it is no handle of this kind, or damaged.
    """
    name, _, rest = handle.partition(".")
    problem = IntentError("what was recorded of the change cannot be read: it cannot be undone from there")
    if name != kind:
        raise problem
    try:
        inflater = zlib.decompressobj()
        text = inflater.decompress(urlsafe_b64decode(rest.encode()), _LARGEST_BYTES)
        if not inflater.eof:
            raise problem
        return json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise problem from None
