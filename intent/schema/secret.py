"""References to secrets."""

from __future__ import annotations

from pydantic import Field

from intent.schema.record import Record
from intent.schema.types import SecretName


class SecretRef(Record):
    """A reference to a secret; its value never stands in an intent."""

    secret: SecretName = Field(description="Name under which the secret is kept.")
