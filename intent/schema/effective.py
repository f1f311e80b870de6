"""What holds at a site: its own values laid on those of the document, key by key."""

from __future__ import annotations

from typing import TypeVar

from intent.schema.model import Document
from intent.schema.policy import Changes
from intent.schema.record import Record

_Model = TypeVar("_Model", bound=Record)


def changes_of(document: Document, site: str) -> Changes:
    """The policy of changes at a site: what the site writes wins, what it leaves out is the document's.

    Args:
        document: the document.
        site: name of one of its sites.
    """
    own = document.sites[site].changes
    return document.changes if own is None else overlaid(document.changes, own)


def overlaid(base: _Model, over: _Model) -> _Model:
    """`base` with every value that was written in `over`; mappings with fixed keys are laid on each other."""
    update = {}
    for name in over.model_fields_set:
        value, present = getattr(over, name), getattr(base, name)
        nested = isinstance(value, Record) and isinstance(present, Record)
        update[name] = overlaid(present, value) if nested else value
    return base.model_copy(update=update)
