"""What every session over REST has: one transport, deadlines on its clock, an end."""

from __future__ import annotations

from intent.device.deadline import Deadline
from intent.device.http import Transport


class RestSession:
    """A device's REST API over one transport. Each kind of device adds its typed calls.

    Args:
        transport: made with the root of the API.
    """

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def deadline(self, seconds: float | None = None) -> Deadline:
        """A deadline on the transport's clock; the endpoint's limit for one operation where none is given."""
        limit = self.transport.endpoint.timeouts.operation_s if seconds is None else seconds
        return Deadline(limit, self.transport.clock)

    def close(self) -> None:
        """Close the connections."""
        self.transport.close()
