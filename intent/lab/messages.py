"""Requests and answers, without any network."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from intent.lab.tools import Refusal
from intent.lab.trees import Json
from intent.lab.walker import SchemaError

MAX_JSON_DEPTH_ERROR = "the body is nested too deep"
# Shorter bodies are not worth compressing.
_COMPRESSED_FROM = 256

_TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    413: "Request Entity Too Large",
    415: "Unsupported Media Type",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came.

    Args:
        method: `GET`, `PATCH`, …
        target: path and query as sent.
        headers: by lower-case name.
        body: as sent.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer.

    Args:
        status: HTTP status.
        body: value to send as JSON; None for no body.
        headers: further headers.
        delay_s: seconds to wait before it is sent.
        content: body as it is sent, when it is not the JSON of `body`.
    """

    status: int
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    content: bytes | None = None

    def encoded(self) -> bytes:
        """The body in bytes."""
        if self.content is not None:
            return self.content
        return b"" if self.body is None else json.dumps(self.body, separators=(",", ":")).encode() + b"\n"


def problem(status: int, detail: str, errors: list[SchemaError] | None = None) -> Response:
    """An error in the form of RFC 7807, with NVUE's list of what the schema refused."""
    body: Json = {"detail": detail, "status": status, "title": _TITLES.get(status, "Error"), "type": "about:blank"}
    if errors is not None:
        found = [{"error": item.error, "instanceLocation": item.location} for item in errors]
        body["validation"] = {"valid": False, "selected_errors": found}
    headers = (("WWW-Authenticate", 'Basic realm="NVUE API"'),) if status == 401 else ()
    return Response(status, body, headers)


def compressed(response: Response) -> Response:
    """The answer with its body compressed, unless that is short."""
    plain = response.encoded()
    if len(plain) < _COMPRESSED_FROM:
        return response
    headers = (*response.headers, ("Content-Encoding", "gzip"))
    return replace(response, headers=headers, content=gzip.compress(plain, 1))


def decoded(request: Request) -> Any:
    """The JSON body of a request.

    Raises:
        Refusal: it is not JSON, or says it is something else.
    """
    kind = content_type(request)
    if kind != "application/json":
        raise Refusal(415, f"Content type {kind[:60]!r} is not supported; send application/json")
    try:
        return json.loads(request.body.decode(), parse_constant=_no_constant)
    except RecursionError:
        raise Refusal(400, MAX_JSON_DEPTH_ERROR) from None
    except ValueError as error:
        raise Refusal(400, f"The body is not valid JSON: {str(error)[:200]}") from None


def content_type(request: Request) -> str:
    """What the body of a request is said to be."""
    return request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
