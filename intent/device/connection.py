"""Nornir connection `nvue`: a session over REST. Opening one sends nothing; the first request connects."""

from __future__ import annotations

from typing import Any

from nornir.core.configuration import Config
from nornir.core.plugins.connections import ConnectionPluginRegister

from intent.core.errors import IntentError
from intent.device.endpoint import Endpoint, Timeouts, tls_context
from intent.device.http import Transport
from intent.device.nvue.session import DEFAULT_PORT, ROOT, NvueSession

CONNECTION_NAME = "nvue"


class NvueConnection:
    """Connection plugin. `extras` takes `timeouts`, `tls`, `max_body_bytes` and `context`, a shared TLS context.

    An `endpoint` in `extras` is used as it is; `transport` replaces what is made for it.
    """

    def __init__(self) -> None:
        self._session: NvueSession | None = None

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
        ready = options.get("endpoint")
        if isinstance(ready, Endpoint):
            self._session = NvueSession((options.get("transport") or Transport)(ready, root=ROOT))
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
            port=port or DEFAULT_PORT,
            username=username or "",
            password=password or "",
            context=context,
            server_name=tls.get("server_name") or "",
            timeouts=Timeouts(**given),
            max_body_bytes=options.get("max_body_bytes") or 64 * 1024 * 1024,
        )
        make = options.get("transport") or Transport
        self._session = NvueSession(make(endpoint, root=ROOT))

    def close(self) -> None:
        """Close the session's connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def connection(self) -> NvueSession:
        """The session.

        Raises:
            IntentError: it was never opened.
        """
        if self._session is None:
            raise IntentError("the nvue connection is not open")
        return self._session


def register() -> None:
    """Make the connection known to Nornir under its name, once."""
    if CONNECTION_NAME not in ConnectionPluginRegister.available:
        ConnectionPluginRegister.register(CONNECTION_NAME, NvueConnection)
