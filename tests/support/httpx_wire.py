"""A wire of tests: an `httpx` transport answers in the device's place, its failures as the real wire tells them."""

from __future__ import annotations

from collections.abc import Callable, Generator

import httpx

from intent.device.wire import Answered, Broken, NotConnected, Question


class HttpxWire:
    """Hands each request to a function.

    Args:
        handler: answers a request, or raises what `httpx` raises.
    """

    def __init__(self, handler: Callable[[httpx.Request], httpx.Response]) -> None:
        self._transport = httpx.MockTransport(handler)

    def exchange(self, question: Question) -> Answered:
        """The answer of the function."""
        host = dict(question.headers)["host"]
        request = httpx.Request(
            question.method, f"https://{host}{question.target}", headers=[*question.headers], content=question.content
        )
        try:
            response = self._transport.handle_request(request)
        except (httpx.ConnectTimeout, httpx.PoolTimeout) as problem:
            raise NotConnected(str(problem), silent=True) from None
        except httpx.ConnectError as problem:
            raise NotConnected(str(problem)) from None
        except httpx.TimeoutException as problem:
            raise Broken(str(problem), silent=True) from None
        except httpx.TransportError as problem:
            raise Broken(str(problem)) from None
        named = response.headers
        return Answered(
            response.status_code, named.get("location", ""), named.get("content-encoding", ""), _parts(response)
        )

    def close(self) -> None:
        """Nothing is open."""


def _parts(response: httpx.Response) -> Generator[bytes]:
    yield from response.iter_bytes()
