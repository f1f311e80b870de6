"""What NMX takes of an NVLink partition. Source: `intent/catalog/data/nmx.toml`, with the source of each row."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any


def _data() -> dict[str, Any]:
    return tomllib.loads((files("intent") / "catalog" / "data" / "nmx.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class NmxFacts:
    """What can be said to NMX-M over REST, and what only to NMX-C over gRPC."""

    _facts: Mapping[str, Any] = field(default_factory=_data)

    @property
    def rest(self) -> str:
        """The REST API, as messages name it."""
        return str(self._facts["rest"]["title"])

    @property
    def call(self) -> str:
        """The call that makes a partition over gRPC."""
        return str(self._facts["grpc"]["call"])

    @property
    def sent(self) -> frozenset[str]:
        """Keys of a tenant's `nvlink` that REST has a field for."""
        return frozenset(self._facts["rest"]["fields"].values())

    def attribute(self, key: str, value: str) -> tuple[str, str]:
        """Field and word by which gRPC takes a value.

        Args:
            key: of a tenant's `nvlink`.
            value: as written.

        Raises:
            KeyError: gRPC has no such attribute, or not this value.
        """
        row = self._facts["grpc"]["attributes"][key]
        return str(row["field"]), str(row["values"][value]) if "values" in row else value
