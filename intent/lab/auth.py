"""Who may call a switch: accounts follow the applied configuration, as they do on a switch."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from intent.lab.crypt512 import matches
from intent.lab.dialect import switched_on
from intent.lab.facts import mapping

FACTORY_PASSWORD = "cumulus"  # noqa: S105 - the published factory password
_REMEMBERED = 4096
_MAX_TOKENS = 64
# Roles that come with NVUE and whether they may change the configuration. Source: user guide, User Accounts.
_ROLES = {"system-admin": True, "nvue-admin": True, "nvue-monitor": False}
DEFAULT_ROLE = "nvue-monitor"


class Denied(Enum):
    """Why a call is refused."""

    WHO = 401
    FACTORY = 403


@dataclass(frozen=True, slots=True)
class Account:
    """A local account.

    Args:
        hash: crypt hash; anything else locks it.
        writes: may change the configuration (group nvapply).
        enabled: may log in.
    """

    hash: str
    writes: bool
    enabled: bool


@dataclass(frozen=True, slots=True)
class Caller:
    """Who made a call, once known."""

    user: str
    writes: bool


class Passwords:
    """Checks passwords against hashes and remembers the answers: 5,000 rounds for every call would be slow."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], bool] = {}
        self._salt = secrets.token_bytes(16)

    def match(self, password: str, stored: str) -> bool:
        """True when the password has this hash."""
        key = (stored, hashlib.blake2b(password.encode(), key=self._salt).digest())
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = matches(password, stored)
        return self._known[key]


class Accounts:
    """The accounts of one switch.

    Args:
        passwords: shared by the switches of a lab.
        factory: the factory password of `cumulus` is still set.
    """

    __slots__ = ("_passwords", "_tokens", "factory", "users")

    def __init__(self, passwords: Passwords, *, factory: bool) -> None:
        self._passwords = passwords
        self._tokens: dict[str, tuple[str, float]] = {}
        self.factory = factory
        self.users: dict[str, Account] = {}

    def follow(self, tree: Mapping[str, Any]) -> None:
        """Accounts as a tree that came in force says; one it does not name is gone."""
        users = {}
        for name, held in mapping(tree, "system", "aaa", "user").items():
            user = mapping(held)
            previous = self.users.get(name)
            stored = user.get("hashed-password", previous.hash if previous else "*")
            users[name] = Account(
                hash=stored if isinstance(stored, str) else "*",
                writes=_writes(tree, user.get("role", DEFAULT_ROLE)),
                enabled=switched_on(user, default=True),
            )
        if users != self.users:
            self._tokens.clear()
        self.users = users

    def set_password(self, user: str, stored: str) -> None:
        """A password changed on the switch itself, as the first login or a ZTP script does."""
        present = self.users.get(user)
        self.users[user] = Account(stored, present.writes if present else True, enabled=True)
        self.factory = False
        self._tokens.clear()

    def token(self, user: str, now: float, seconds: float) -> str:
        """A new bearer token, good for so many seconds."""
        while len(self._tokens) >= _MAX_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        made = secrets.token_urlsafe(32)
        self._tokens[made] = (user, now + seconds)
        return made

    def forget_tokens(self) -> None:
        """Tokens end with a restart."""
        self._tokens.clear()

    def caller(self, header: str, now: float, *, tokens: bool) -> Caller | Denied:
        """Who an `Authorization` header stands for, or why it stands for nobody.

        Args:
            header: value of the header, empty when there is none.
            now: lab time in seconds.
            tokens: bearer tokens are known to the release and not switched off.
        """
        scheme, _, value = header.partition(" ")
        if scheme.lower() == "bearer" and tokens:
            user, until = self._tokens.get(value.strip(), ("", 0.0))
            account = self.users.get(user)
            return Caller(user, account.writes) if account and until > now else Denied.WHO
        if scheme.lower() != "basic":
            return Denied.WHO
        try:
            user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return Denied.WHO
        if self.factory:
            return Denied.FACTORY if (user, password) == ("cumulus", FACTORY_PASSWORD) else Denied.WHO
        account = self.users.get(user)
        if account is None or not account.enabled or not self._passwords.match(password, account.hash):
            return Denied.WHO
        return Caller(user, account.writes)


def _writes(tree: Mapping[str, Any], role: Any) -> bool:
    if role in _ROLES:
        return _ROLES[role]
    return isinstance(role, str) and "nvapply" in mapping(tree, "system", "aaa", "role", role, "class")
