"""What the transactions of many switches share."""

from __future__ import annotations

from dataclasses import dataclass

from intent.catalog.stages import StageRule, stage_rules
from intent.device.nvue.canonical import Canons
from intent.device.nvue.scope import Scopes
from intent.device.nvue.waiting import Pace
from intent.device.secrets import SecretStore


@dataclass(frozen=True, slots=True)
class Means:
    """What transactions share.

    Args:
        secrets: resolved while loading a candidate, cut out of every text.
        pace: how often to ask while waiting.
        canons: canonical forms by release.
        scopes: what of each device is compared.
        rules: which changes take several revisions.
    """

    secrets: SecretStore
    pace: Pace
    canons: Canons
    scopes: Scopes
    rules: tuple[StageRule, ...]

    @classmethod
    def made(cls, secrets: SecretStore, pace: Pace | None = None) -> Means:
        """Means of one run."""
        canons = Canons()
        return cls(secrets, pace or Pace(), canons, Scopes(canons), stage_rules())
