"""Secrets by name: resolved only while pushing, never printed, cut out of any text that leaves us.

A name is looked up in the mapping file of the workspace (`inventory/secrets.yaml`), else in the environment
as `INTENT_SECRET_<NAME>`. A mapping names a provider:

    cumulus_hash: env:CUMULUS_HASH
    snmp_ro: file:/run/secrets/snmp_ro
    device_password: 'cmd:["sops", "-d", "--extract", "[\\"password\\"]", "secrets.enc.yaml"]'
    tacacs: ansible-vault:secrets/vault.yml#tacacs
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.core.tree import Path as TreePath
from intent.core.tree import leaves
from intent.device.providers import PROVIDERS, Surroundings, provide
from intent.device.settings import read_settings

MASK = "(secret)"
_SHORT = 4  # values shorter than this would cut innocent text
_CRYPT = re.compile(r"^\$(?:1|2[abxy]|5|6|7|y|gy|sha1|md5)\$[./A-Za-z0-9,=$-]+$")
_HASHED = frozenset({"hashed-password", "hashed_password"})


class SecretStore:
    """Values of secrets by name, kept only in memory.

    Args:
        mapping: name → `provider:argument`.
        source: file the mapping came from, for messages.
        root: folder that relative paths of providers start from.
        environment: environment variables.
        known: values given directly, as by a lab.
    """

    def __init__(
        self,
        mapping: Mapping[str, str] | None = None,
        *,
        source: str = "",
        root: Path | None = None,
        environment: Mapping[str, str] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self._mapping = dict(mapping or {})
        self._source = source
        self._surroundings = Surroundings(root or Path(), os.environ if environment is None else environment)
        self._values: dict[str, str] = dict(known or {})
        self._missing: dict[str, IntentError] = {}
        self._extra: set[str] = set()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"SecretStore({len(self._mapping)} names)"

    @classmethod
    def load(
        cls,
        folder: Path | None,
        *,
        environment: Mapping[str, str] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> SecretStore:
        """The store of a workspace's `inventory/` folder; without `secrets.yaml` only the environment is asked.

        Raises:
            IntentError: the file is malformed or names an unknown provider.
        """
        file = folder / "secrets.yaml" if folder else None
        if file is None or not file.is_file():
            return cls(environment=environment, known=known, root=folder.parent if folder else None)
        mapping = read_settings(file)
        for name, text in mapping.items():
            provider = text.partition(":")[0] if isinstance(text, str) else ""
            if provider not in PROVIDERS:
                raise IntentError(
                    f"{file}: secret {name!r} does not name a provider",
                    hint=f"write one of {', '.join(f'{key}:…' for key in PROVIDERS)}, never the value itself",
                )
        return cls(mapping, source=str(file), root=file.parent.parent, environment=environment, known=known)

    def resolve(self, name: str) -> str:
        """The value of a secret.

        Raises:
            IntentError: there is none; names the secret and where it was looked for.
        """
        with self._lock:
            if name in self._values:
                return self._values[name]
            if name in self._missing:
                raise self._missing[name]
            try:
                value = self._looked_up(name)
            except IntentError as problem:
                self._missing[name] = problem
                raise
            self._values[name] = value
            return value

    def peek(self, name: str) -> str | None:
        """The value of a secret, None where it cannot be had."""
        try:
            return self.resolve(name)
        except IntentError:
            return None

    def remember(self, value: str) -> None:
        """Have a value cut out of texts although it was not resolved here."""
        with self._lock:
            self._extra.add(value)

    def redact(self, text: str) -> str:
        """The text with every known secret replaced."""
        with self._lock:
            values = sorted({*self._values.values(), *self._extra}, key=len, reverse=True)
        for value in values:
            if len(value) >= _SHORT:
                text = text.replace(value, MASK)
        return text

    def fill(self, tree: Any, path: TreePath = ()) -> Any:
        """A copy of a tree with every placeholder, value or key, replaced by its secret.

        Raises:
            IntentError: a secret is missing, or one used as a hashed password is no crypt hash.
        """
        if isinstance(tree, Mapping):
            filled: dict[str, Any] = {}
            for key, value in tree.items():
                name = self._value(key, path) if key[:1] == "$" else key
                kind = value.__class__
                plain = kind is int or kind is bool or (kind is str and value[:1] != "$")
                filled[name] = value if plain else self.fill(value, (*path, key))
            return filled
        if isinstance(tree, list):
            return [self.fill(value, path) for value in tree]
        return self._value(tree, path)

    def _value(self, value: Any, path: TreePath) -> Any:
        name = referenced(value) if isinstance(value, str) and value.startswith("$") else None
        if name is None:
            return value
        secret = self.resolve(name)
        if path and path[-1] in _HASHED and not _CRYPT.match(secret):
            raise IntentError(
                f"secret {name!r} is used as a hashed password but is not a crypt hash",
                hint="store the output of `mkpasswd -m sha-512` (it starts with $6$), not the password",
            )
        return secret

    def _looked_up(self, name: str) -> str:
        variable = "INTENT_SECRET_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper()
        text = self._mapping.get(name)
        if text is not None:
            return provide(name, text, self._source, self._surroundings)
        value = self._surroundings.environment.get(variable)
        if value:
            return value
        where = f"{self._source} has no entry for it" if self._source else "there is no inventory/secrets.yaml"
        raise IntentError(
            f"secret {name!r} is missing: {where} and {variable} is not set",
            hint=f"add `{name}: env:…` (or file:, cmd:, ansible-vault:) to inventory/secrets.yaml",
        )


def placeholders(tree: Mapping[str, Any]) -> Iterator[tuple[TreePath, str]]:
    """Every leaf that is a placeholder: its path and the secret's name."""
    for path, value in leaves(tree):
        if isinstance(value, str) and value.startswith("$"):
            name = referenced(value)
            if name is not None:
                yield path, name
