"""Secrets in a configuration: passwords become hashes, other secrets are sealed with the switch's own key."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from intent.lab import trees as lab_trees
from intent.lab.crypt512 import hashed
from intent.lab.facts import mapping
from intent.lab.trees import Json

PREFIX = "$nvsec$"


class Seal:
    """Seals what a body holds of secrets.

    Args:
        switch: name of the switch, which makes its key.
        names: last keys of the leaves to seal; none on releases that keep secrets readable.
    """

    __slots__ = ("_key", "_names")

    def __init__(self, switch: str, names: frozenset[str]) -> None:
        self._key = hashlib.blake2b(switch.encode(), digest_size=16).digest()
        self._names = names

    def body(self, body: Json) -> Json:
        """The body as it is stored; the same object when it holds no secret."""
        return lab_trees.mapped(_hashed(body), self._names, self._sealed)

    def _sealed(self, value: str) -> str:
        if value.startswith(PREFIX):
            return value
        return PREFIX + hmac.new(self._key, value.encode(), "sha256").hexdigest()


def _hashed(body: Json) -> Json:
    users = mapping(body, "system", "aaa", "user")
    fresh = {}
    for name, user in users.items():
        password = mapping(user).get("password")
        if isinstance(password, str):
            kept = {key: value for key, value in user.items() if key != "password"}
            fresh[name] = {**kept, "hashed-password": hashed(password, secrets.token_hex(8))}
    if not fresh:
        return body
    aaa = {**body["system"]["aaa"], "user": {**users, **fresh}}
    return {**body, "system": {**body["system"], "aaa": aaa}}
