"""Words of the journal, and what of a device is written there before it is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from intent.change.journal import Journal, JournalError, Note, state_key
from intent.change.masking import masked_text
from intent.change.ours import dump_ours, load_wanted
from intent.change.reading import Bad, Reader
from intent.device.actor import Observed, Target, Wanted

BEGIN = "change.begin"
ABANDONED = "change.abandoned"
END = "change.end"
WAVE = "wave.begin"
BEFORE = "device.before"
SUBMIT = "device.submit"
CONFIRM = "device.confirm"
REVERT = "device.revert"
PENDING = "device.pending"
VERDICT = "device.verdict"
RESULT = "device.result"
SETTLED = "device.settled"
TROUBLE = "change.trouble"
ACTOR = "actor."


def handle_in(data: Mapping[str, Any]) -> str:
    """The device's own name for what is pending, where an entry tells it; empty where it does not."""
    value = data.get("handle", data.get("revision", ""))
    return value if isinstance(value, str) else ""


def before_note(wanted: Wanted, live: Observed) -> tuple[Note, dict[str, bytes]]:
    """The entry that lets a device be put back, and the trees it names, as canonical JSON."""
    old, new = masked_text(live.state), masked_text(wanted.body)
    before, after = state_key(old), state_key(new)
    data = {
        "target": {**asdict(wanted.target), "labels": dict(wanted.target.labels)},
        **dump_ours(wanted),
        "live": live.digest,
        "before": before,
        "wanted": after,
    }
    return Note(wanted.target.name, BEFORE, data), {before: old, after: new}


def wanted_from(journal: Journal, data: Mapping[str, Any], which: str) -> Wanted:
    """What a device had to hold, from its `device.before` entry.

    Args:
        journal: where the trees are kept.
        data: the entry's data.
        which: `before` for the state found, `wanted` for the one asked for.
    """
    try:
        reader = Reader(dict(data), BEFORE)
        place = reader.child("target")
        labels = place.child("labels")
        words = {key: place.text(key) for key in ("name", "address", "platform", "release", "model")}
        target = Target(**words, labels={key: labels.text(key) for key in labels.names()})
        return load_wanted(target, journal.state(reader.text(which)), reader)
    except Bad as error:
        raise JournalError(f"{journal.file} - an entry cannot be read: {error}") from None
