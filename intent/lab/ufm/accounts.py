"""Who may call UFM: one account with its password, and access tokens made from it."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from typing import Any

USER = "admin"
BASIC, TOKEN = "/ufmRest", "/ufmRestV3"
_TEN_YEARS_S = 315_360_000


class Accounts:
    """Account and tokens of one UFM; both nodes of a pair share them.

    Args:
        password: of the account.
    """

    def __init__(self, password: str) -> None:
        self.password = password
        self._tokens: dict[str, dict[str, Any]] = {}

    def issue(self, now: float) -> dict[str, Any]:
        """POST /app/tokens."""
        made = secrets.token_urlsafe(24)
        self._tokens[made] = {
            "access_token": made,
            "revoked": False,
            "issued_at": int(now),
            "expires_in": _TEN_YEARS_S,
            "username": USER,
        }
        return dict(self._tokens[made])

    def listed(self) -> list[dict[str, Any]]:
        """GET /app/tokens."""
        return [dict(token) for token in self._tokens.values()]

    def revoke(self, token: str) -> bool:
        """POST /app/tokens/revoke; False when there is none."""
        if token not in self._tokens:
            return False
        self._tokens[token]["revoked"] = True
        return True

    def allowed(self, root: str, header: str) -> bool:
        """True when an `Authorization` header opens a root: a token is sent as `Basic <token>`, bare."""
        scheme, _, value = header.partition(" ")
        if scheme.lower() != "basic":
            return False
        if root == TOKEN:
            token = self._tokens.get(value.strip())
            return token is not None and not token["revoked"]
        try:
            user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return False
        return user == USER and hmac.compare_digest(password.encode(), self.password.encode())
