"""What happens to a switch as a whole: reboots, restarts of its services, and changes on its console."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from intent.core.tree import from_dotted
from intent.lab.day_0 import day_0_tree
from intent.lab.machine import Machine
from intent.lab.semantics import judge
from intent.lab.store import Revision
from intent.lab.tools import BadBody, Refusal


def reboot(machine: Machine, now: float, seconds: float) -> None:
    """Down for a while, then up with what was saved: nothing that was under way survives."""
    store = machine.store
    machine.applying.abandon()
    booted = store.create("root", now)
    booted.blob, booted.state = store.startup, "applied_and_saved"
    store.put_in_force(booted.id, store.startup)
    _down(machine, now, seconds)


def factory_reset(machine: Machine, now: float, seconds: float) -> None:
    """As it left the factory: no configuration, no revisions, the published password, which must be changed first."""
    machine.applying.abandon()
    machine.held.start_anew(day_0_tree(replace(machine.spec, factory=True), machine.tools.user_hash))
    machine.accounts.factory = True
    _down(machine, now, seconds)


def _down(machine: Machine, now: float, seconds: float) -> None:
    machine.faults.lost = False
    machine.faults.unreachable, machine.faults.until = "refuse", now + seconds
    machine.booted_at = now + seconds
    machine.serves_from = now + seconds + machine.tools.timing.nvued_s
    machine.accounts.forget_tokens()

    def booted_up(_: float) -> None:
        machine.tools.epoch.number += 1

    machine.tools.agenda.after(seconds, booted_up, since=now)
    machine.come_in_force()


def restart(machine: Machine, now: float, seconds: float) -> None:
    """The NVUE service starts anew: nginx answers 502 meanwhile, and tokens are void. What is in force stays."""
    machine.serves_from = now + seconds
    machine.accounts.forget_tokens()


def change_by_hand(machine: Machine, now: float, sets: dict[str, Any], unsets: list[str]) -> Revision:
    """Somebody on the console changes something; it is in force at once.

    Args:
        machine: the switch.
        now: lab time.
        sets: values by dotted path or JSON pointer; an empty object for a member of a set.
        unsets: paths.

    Raises:
        BadBody: the schema refuses it.
        Refusal: the switch refuses it, or another revision holds the machine.
    """
    holder, held = machine.applying.holder, machine.held
    if holder is not None:
        raise Refusal(409, f"revision {holder.id} holds the switch")
    revision = held.create("cumulus", now)
    try:
        for text in unsets:
            held.clear(revision.id, from_dotted(text))
        for text, value in sets.items():
            held.merge(revision.id, from_dotted(text), value)
        found = judge(held.tree(revision.blob), machine.panel)
        if found:
            raise Refusal(400, f"{found[0].location}: {found[0].reason}")
    except (BadBody, Refusal):
        del held.store.revisions[revision.id]
        raise
    revision.message = "changed by hand"
    machine.applying.put_in_force(revision)
    machine.applying.finish(revision, now)
    return revision
