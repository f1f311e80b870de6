"""A call of UFM's REST API, below its root."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from intent.lab.api import Request
from intent.lab.tools import Refusal
from intent.lab.ufm.model import Json


@dataclass(frozen=True, slots=True)
class Call:
    """A request below the API's root.

    Args:
        method: of HTTP.
        path: without the root, without a closing slash.
        query: parameters, the last of each.
        body: decoded JSON; None for none.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    @classmethod
    def of(cls, request: Request, root: str) -> Call:
        """The call a request is.

        Raises:
            Refusal: its body is no JSON.
        """
        parts = urlsplit(request.target)
        body: Any = None
        kind = request.headers.get("content-type", "")
        if request.body and "json" in kind:
            try:
                body = json.loads(request.body)
            except (ValueError, RecursionError):
                raise Refusal(400, "the body is not JSON") from None
        elif request.body:
            body = _form(request.body)
        query = {key: values[-1] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        return cls(request.method, unquote(parts.path.removeprefix(root)).rstrip("/"), query, body)

    def asks(self, key: str) -> bool:
        """True when a parameter is `true`."""
        return self.query.get(key, "").lower() == "true"

    @property
    def object(self) -> Json:
        """The body, an object.

        Raises:
            Refusal: it is none.
        """
        if not isinstance(self.body, dict):
            raise Refusal(400, "the body must be an object")
        return self.body


def _form(data: bytes) -> Json:
    """Fields of a multipart or urlencoded body, as far as tokens need it."""
    text = data.decode("utf-8", errors="replace")
    found = re.findall(r'name="(\w+)"\r?\n\r?\n(.*?)\r?\n', text, re.S)
    return dict(found) if found else {key: values[-1] for key, values in parse_qs(text).items()}
