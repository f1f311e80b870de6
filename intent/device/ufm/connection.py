"""Nornir connection `ufm-rest`: UFM's REST API by basic authentication or by an access token."""

from __future__ import annotations

from collections.abc import Callable

from intent.device.connection import RestConnection
from intent.device.endpoint import Endpoint
from intent.device.http import Transport
from intent.device.ufm.session import DEFAULT_PORT, UfmSession, check_endpoint


class UfmConnection(RestConnection[UfmSession]):
    """Connection plugin `ufm-rest`."""

    name = "ufm-rest"
    default_port = DEFAULT_PORT

    def _made(self, make: Callable[..., Transport], endpoint: Endpoint) -> UfmSession:
        return UfmSession(make(endpoint, root=check_endpoint(endpoint.token, endpoint.username)))
