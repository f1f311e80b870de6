"""Nornir connections: a session over REST each. Opening one sends nothing; the first request connects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from nornir.core.configuration import Config
from nornir.core.plugins.connections import ConnectionPluginRegister

from intent.core.errors import IntentError
from intent.device.endpoint import Endpoint, Timeouts, tls_context
from intent.device.http import Transport
from intent.device.nvue.session import DEFAULT_PORT, ROOT, NvueSession
from intent.device.rest_session import RestSession

CONNECTION_NAME = "nvue"
# Platforms whose connection has another name than they.
_PLUGINS: Mapping[str, str] = {"ufm": "ufm-rest", "nmx": "nmx-rest"}


S = TypeVar("S", bound=RestSession)


def plugin_of(platform: str) -> str:
    """Name of the connection plugin that reaches devices of a platform."""
    return _PLUGINS.get(platform, CONNECTION_NAME)


class RestConnection(ABC, Generic[S]):
    """Connection plugin.

    `extras` takes `timeouts`, `tls`, `max_body_bytes`, `token` and `context`, a shared TLS context.
    An `endpoint` in it is used as it is; `transport` replaces what is made for it.
    """

    name: ClassVar[str]
    default_port: ClassVar[int] = 443

    def __init__(self) -> None:
        self._session: S | None = None

    @abstractmethod
    def _made(self, make: Callable[..., Transport], endpoint: Endpoint) -> S:
        """The session, given what makes a transport."""

    def open(
        self,
        hostname: str | None,
        username: str | None,
        password: str | None,
        port: int | None,
        platform: str | None,
        extras: dict[str, Any] | None = None,
        configuration: Config | None = None,
    ) -> None:
        """Make the session.

        Raises:
            IntentError: no address is known, or the bundle of authorities cannot be read.
        """
        del platform, configuration
        options = extras or {}
        make = options.get("transport") or Transport
        ready = options.get("endpoint")
        if isinstance(ready, Endpoint):
            self._session = self._made(make, ready)
            return
        if not hostname:
            raise IntentError("no management address is known", hint="give the device one in the intent")
        tls = options.get("tls") or {}
        context = options.get("context")
        if context is None:
            try:
                context = tls_context(tls.get("ca") or "", verify_hostname=tls.get("verify_hostname", True))
            except OSError as problem:
                raise IntentError(f"TLS bundle {tls.get('ca')!r}: {problem.strerror or problem}") from None
        given = {f"{key}_s": float(value) for key, value in (options.get("timeouts") or {}).items()}
        endpoint = Endpoint(
            name=hostname,
            host=hostname,
            port=port or self.default_port,
            username=username or "",
            password=password or "",
            context=context,
            server_name=tls.get("server_name") or "",
            timeouts=Timeouts(**given),
            max_body_bytes=options.get("max_body_bytes") or 64 * 1024 * 1024,
            token=bool(options.get("token")),
        )
        self._session = self._made(make, endpoint)

    def close(self) -> None:
        """Close the session's connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def connection(self) -> S:
        """The session.

        Raises:
            IntentError: it was never opened.
        """
        if self._session is None:
            raise IntentError(f"the {self.name} connection is not open")
        return self._session


class NvueConnection(RestConnection[NvueSession]):
    """Connection plugin `nvue`."""

    name = CONNECTION_NAME
    default_port = DEFAULT_PORT

    def _made(self, make: Callable[..., Transport], endpoint: Endpoint) -> NvueSession:
        return NvueSession(make(endpoint, root=ROOT))


def register(plugin: type[RestConnection[Any]] = NvueConnection) -> None:
    """Make a connection known to Nornir under its name, once."""
    if plugin.name not in ConnectionPluginRegister.available:
        ConnectionPluginRegister.register(plugin.name, plugin)
