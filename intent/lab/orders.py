"""Orders to a running lab, through its control door."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from intent.core.errors import IntentError

TIMEOUT_S = 30.0


def order(url: str, token: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """Send an order to a running lab and return its answer.

    Raises:
        IntentError: the lab does not answer, or refuses.
    """
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT_S)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, json.dumps(body).encode() if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        shown = json.loads(text) if text else {}
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise IntentError(
            f"the lab at {url} does not answer: {error}", hint="see lab.log in its state folder"
        ) from None
    finally:
        connection.close()
    if answer.status != 200:
        raise IntentError(f"the lab refuses: {shown.get('detail', answer.status)}")
    return shown
