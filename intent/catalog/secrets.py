"""Where an NVUE tree holds secrets."""

from __future__ import annotations

from dataclasses import dataclass

from intent.catalog.patterns import match
from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class SecretPaths:
    """Which leaves and which keys of maps are secret.

    Args:
        leaves: last keys of secret leaves.
        patterns: paths of secret leaves, `*` for any key.
        maps: last keys of maps whose keys are secret.
    """

    leaves: frozenset[str]
    patterns: tuple[Path, ...]
    maps: frozenset[str]

    @classmethod
    def load(cls) -> SecretPaths:
        """Read `data/nvue_secrets.toml`."""
        data = read("nvue_secrets")
        patterns = tuple(from_pointer(text) for text in data["paths"])
        return cls(frozenset(data["leaves"]), patterns, frozenset(data["maps"]))

    def is_leaf(self, path: Path) -> bool:
        """True when the scalar at a path is secret."""
        if not path:
            return False
        return path[-1] in self.leaves or any(match(pattern, path) is not None for pattern in self.patterns)

    def has_secret_keys(self, path: Path) -> bool:
        """True when the keys of the map at a path are secret."""
        return bool(path) and path[-1] in self.maps
