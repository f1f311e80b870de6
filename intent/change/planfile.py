"""A plan as a file: strict JSON that holds all an apply needs, and says when it was tampered with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path as FilePath
from typing import Any

from intent.change.files import replace_file
from intent.change.masking import clear_secrets, mask_differences
from intent.change.ours import DumpedOurs, Ours, load_ours
from intent.change.packing import pack, unpack
from intent.change.plan import DevicePlan, DeviceState, Plan, digest_wanted
from intent.change.planfile_parts import (
    DumpedImpacts,
    dump_differences,
    dump_origins,
    load_differences,
    load_impacts,
    load_origins,
    picked,
)
from intent.change.reading import Bad, Reader, parse
from intent.change.selection import Scope
from intent.change.strategy import Strategy
from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.core.tree import digest
from intent.device.actor import Disruption, Target, Wanted

SCHEMA_VERSION = 3
MAX_FILE_BYTES = 512 * 1024 * 1024
MAX_DEVICES = 50_000


def dump_plan(plan: Plan) -> str:
    """The plan as text: readable head, one compressed content per device, a checksum over all of it.

    Raises:
        IntentError: a tree holds a secret in clear.
    """
    impacts = DumpedImpacts(device.disruptions for device in plan.devices)
    ours = DumpedOurs(device.wanted for device in plan.devices)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": plan.kind,
        "rolls_back": plan.rolls_back,
        "intent": plan.intent_name,
        "created_at": plan.created_at,
        "digest": plan.digest,
        "scope": asdict(plan.scope),
        "strategy": dump_strategy(plan.strategy),
        "notes": list(plan.notes),
        **impacts.dump(),
        "ours": ours.dump(),
        "devices": [_dump_device(device, impacts, ours) for device in plan.devices],
    }
    document["checksum"] = digest(document)
    return json.dumps(document, indent=1) + "\n"


def write_plan(file: FilePath, plan: Plan) -> None:
    """Write the plan's file, whole or not at all, readable by its owner only."""
    replace_file(file, dump_plan(plan).encode())


def read_plan(file: FilePath) -> Plan:
    """Read a plan's file.

    Raises:
        IntentError: it cannot be read, is no plan, is damaged, too large, or was changed since it was written.
    """
    try:
        content = read_regular(file, MAX_FILE_BYTES)
    except FileNotFoundError:
        raise IntentError(
            f"there is no plan at {file}", hint="`intent plan` makes one, `intent hosts plan` that of nodes"
        ) from None
    except OSError as error:
        raise IntentError(f"{file} - cannot be read: {error.strerror or error}") from error
    try:
        return load_plan(content)
    except IntentError as error:
        raise IntentError(f"{file} - {error.message}", hint=error.hint, exit_code=error.exit_code) from None


def load_plan(content: str | bytes) -> Plan:
    """The plan in a text.

    Raises:
        IntentError: the text is no plan, is damaged, too large, or was changed since it was written.
    """
    if len(content) > MAX_FILE_BYTES:
        raise IntentError(f"too large for a plan - expected up to {MAX_FILE_BYTES} bytes, actual {len(content)}")
    try:
        return _load(content)
    except Bad as error:
        raise IntentError(f"not a usable plan: {error}", hint="make a new one with `intent plan --out`") from None


def _load(content: str | bytes) -> Plan:
    top = parse(content)
    if not isinstance(top, dict):
        raise Bad("expected an object at the top")
    if top.get("schema_version") != SCHEMA_VERSION:
        raise Bad(f"schema_version - expected {SCHEMA_VERSION}, actual {str(top.get('schema_version'))[:20]!r}")
    checksum = top.pop("checksum", None)
    if checksum != digest(top):
        raise Bad("its checksum does not hold: it was changed or damaged after it was written")
    reader = Reader(top, "plan")
    reader.integer("schema_version")
    devices = reader.items("devices", MAX_DEVICES)
    impacts = load_impacts(reader)
    ours = load_ours(reader)
    expected = reader.text("digest")
    plan = Plan(
        kind=reader.choice("kind", ("apply", "rollback")),
        intent_name=reader.text("intent"),
        created_at=reader.text("created_at"),
        scope=_load_scope(reader.child("scope")),
        strategy=load_strategy(reader.child("strategy")),
        devices=tuple(_load_device(Reader(item, f"devices[{at}]"), impacts, ours) for at, item in enumerate(devices)),
        rolls_back=reader.text("rolls_back"),
        notes=reader.texts("notes"),
    )
    reader.finish()
    if len({device.name for device in plan.devices}) != len(plan.devices):
        raise Bad("a device stands in it twice")
    if plan.digest != expected:
        raise Bad("its digest does not follow from its devices")
    return plan


def _load_scope(reader: Reader) -> Scope:
    scope = Scope(reader.text("site"), reader.texts("devices"), reader.texts("limit"), reader.integer("total"))
    reader.finish()
    return scope


def dump_strategy(strategy: Strategy) -> dict[str, Any]:
    """A strategy as JSON."""
    values = {item.name: getattr(strategy, item.name) for item in fields(Strategy)}
    return {**values, "max_unavailable": dict(strategy.max_unavailable)}


def load_strategy(reader: Reader) -> Strategy:
    """The inverse of `dump_strategy`."""
    limits = reader.child("max_unavailable")
    values = {key: limits.integer(key) for key in limits.names()}
    whole = {"canary", "confirm_s", "max_failures", "batch_devices"}
    numbers: dict[str, Any] = {
        item.name: reader.integer(item.name) if item.name in whole else reader.number(item.name)
        for item in fields(Strategy)
        if item.name != "max_unavailable"
    }
    reader.finish()
    try:
        return Strategy(max_unavailable=values, **numbers)
    except IntentError as error:
        raise Bad(error.message) from None


def _dump_device(device: DevicePlan, impacts: DumpedImpacts, ours: DumpedOurs) -> dict[str, Any]:
    target = device.wanted.target
    return {
        "name": device.name,
        "state": str(device.state),
        "new": device.new,
        "detail": device.detail,
        "platform": target.platform,
        "address": target.address,
        "release": target.release,
        "model": target.model,
        "labels": dict(target.labels),
        "wanted": device.wanted_digest,
        "live": device.live_digest,
        "differences": len(device.differences),
        "disruptions": impacts.number(device.disruptions),
        "revert": device.revert,
        "ours": ours.number(device.wanted),
        "content": pack(_content(device)),
    }


def _content(device: DevicePlan) -> dict[str, Any]:
    if clear_secrets(device.wanted.body):
        raise IntentError(f"{device.name} - its tree holds a secret in clear - the plan was not written")
    return {
        "body": device.wanted.body,
        "not_compared": [list(path) for path in device.not_compared],
        "differences": dump_differences(mask_differences(device.differences), device.wanted.body),
        "origins": dump_origins(device.origins),
    }


def _load_device(reader: Reader, impacts: Sequence[tuple[Disruption, ...]], ours: Sequence[Ours]) -> DevicePlan:
    name = reader.text("name")
    reader.where = name or reader.where
    labels = reader.child("labels")
    target = Target(
        name=name,
        address=reader.text("address"),
        platform=reader.text("platform"),
        release=reader.text("release"),
        model=reader.text("model"),
        labels={key: labels.text(key) for key in labels.names()},
    )
    content = Reader(unpack(reader.text("content"), name), name)
    wanted = Wanted(target, content.tree("body"), *picked(ours, reader.integer("ours"), name))
    mark = reader.text("wanted")
    if digest_wanted(wanted) != mark:
        raise Bad(f"{name} - its tree does not match its digest")
    differences = load_differences(content.maybe("differences", None), wanted.body, name)
    device = DevicePlan(
        wanted=wanted,
        state=DeviceState(reader.choice("state", tuple(DeviceState))),
        wanted_digest=mark,
        live_digest=reader.text("live"),
        differences=differences,
        origins=load_origins(content.child("origins")),
        disruptions=picked(impacts, reader.integer("disruptions"), name),
        revert=reader.text("revert"),
        new=reader.boolean("new"),
        detail=reader.text("detail"),
        not_compared=content.paths("not_compared"),
    )
    if reader.integer("differences") != len(differences) or len(device.origins) != len(differences):
        raise Bad(f"{name} - differences and origins do not match")
    content.finish()
    reader.finish()
    _check_device(device)
    return device


def _check_device(device: DevicePlan) -> None:
    if (device.state is DeviceState.CHANGE) != bool(device.differences):
        raise Bad(f"{device.name} - state {device.state} with {len(device.differences)} differences")
