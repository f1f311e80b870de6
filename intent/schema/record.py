"""The base of everything that can be written in an intent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A mapping with fixed keys; an unknown key is an error, a value never changes once read.

    Attributes:
        later: keys that belong to the language but not to this version, with what they are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True)

    later: ClassVar[Mapping[str, str]] = {}
