"""Back to the state before a change: the journal's before-state goes through the same plan and apply."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from intent.change import steps
from intent.change.history import ChangeRecord, get_change, list_changes
from intent.change.journal import Journal
from intent.change.masking import masked_paths
from intent.change.plan import Plan
from intent.change.planning import plan_wanted
from intent.change.selection import Scope, natural
from intent.change.strategy import Strategy
from intent.core.errors import IntentError
from intent.core.tree import Path, Tree, copy, dotted
from intent.device.actor import Actor, Status, Wanted
from intent.render.artifact import Origin


def rollback_plan(
    journal: Journal,
    change: str,
    actors: Mapping[str, Actor],
    *,
    created_at: str,
    settings: Strategy,
    devices: Collection[str] = (),
    over_later: bool = False,
) -> Plan:
    """A plan that brings devices back to what they held before a change.

    A secret whose old value was never known to us is left as it is; the plan's notes name it.

    Args:
        journal: where the change stands.
        change: its number, or a beginning of it.
        actors: by platform.
        created_at: UTC, ISO 8601.
        settings: strategy the rollback will follow.
        devices: only these; none means every device the change was about.
        over_later: also undo later changes of the same devices, which the rollback cannot leave in place.

    Raises:
        IntentError: no such change, it is not finished, it touched none of these devices, or later changes touched
            them and `over_later` is False.
    """
    record = get_change(journal, change)
    if not record.finished:
        raise IntentError(f"change {record.id} never ended", hint="settle it first: the next apply of its site does")
    wanted = _before(journal, record, devices)
    notes = [*_later(journal, record, wanted.keys(), over_later)]
    for name, item in wanted.items():
        wanted[name], unknown = _without_masked(item)
        notes += [f"{name}: {dotted(path)} stays as it is: its old value is a secret we never knew" for path in unknown]
    origin = Origin(None, f"state before change {record.id}")
    return plan_wanted(
        wanted,
        actors,
        scope=Scope(record.site, tuple(sorted(wanted, key=natural)), tuple(devices), len(record.rows)),
        intent_name=record.intent_name,
        created_at=created_at,
        settings=settings,
        why=lambda name, path: origin,  # noqa: ARG005 - one origin for all
        known=wanted.keys(),
        kind="rollback",
        rolls_back=record.id,
        notes=tuple(notes),
    )


def _before(journal: Journal, record: ChangeRecord, devices: Collection[str]) -> dict[str, Wanted]:
    touched = {row.device for row in record.rows if row.status is not Status.NOT_ATTEMPTED}
    missing = sorted(set(devices) - touched, key=natural)
    if missing:
        raise IntentError(f"change {record.id} did not touch {', '.join(missing)}", hint="see `intent history`")
    found = {
        entry.device: steps.wanted_from(journal, entry.data, "before")
        for entry in journal.entries(record.id, steps=(steps.BEFORE,))
        if entry.device in touched and (not devices or entry.device in devices)
    }
    if not found:
        raise IntentError(f"change {record.id} touched no device: there is nothing to roll back")
    return found


def _later(journal: Journal, record: ChangeRecord, names: Collection[str], allowed: bool) -> list[str]:
    changes = list_changes(journal, site=record.site, since=record.started)
    newer = changes[: next(at for at, item in enumerate(changes) if item.id == record.id)]
    clashes = {
        item.id: sorted(
            (r.device for r in item.rows if r.device in names and r.status is Status.CONFIRMED), key=natural
        )
        for item in newer
    }
    texts = [f"also undoes change {id_} on {', '.join(found)}" for id_, found in clashes.items() if found]
    if texts and not allowed:
        raise IntentError(
            f"rolling back {record.id} {texts[0]}{f' (and {len(texts) - 1} more)' if len(texts) > 1 else ''}",
            hint="roll back the later changes first, or say --over-later",
        )
    return texts


def _without_masked(wanted: Wanted) -> tuple[Wanted, tuple[Path, ...]]:
    unknown = masked_paths(wanted.body)
    if not unknown:
        return wanted, ()
    body: Tree = copy(wanted.body)
    for path in unknown:
        node = body
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]
    return replace(wanted, body=body, excepted=(*wanted.excepted, *unknown)), unknown
