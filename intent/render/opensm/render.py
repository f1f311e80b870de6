"""Managed fabric → the files of every host that runs OpenSM for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intent.catalog.subnet_managers import Manager
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import DiagnosticError
from intent.formats.opensm.conf import read_conf_strict
from intent.formats.opensm.guids import read_guid_list
from intent.formats.partitions.model import Partition
from intent.formats.partitions.reader import read
from intent.render.artifact import Artifact, Origin
from intent.render.opensm.managed import Managed, ManagerHost
from intent.render.opensm.settings import PER_HOST, Files, judge, sections

if TYPE_CHECKING:
    from intent.render.templates import Templates

PLATFORM = "opensm"


@dataclass(frozen=True, slots=True)
class Rendered:
    """What came of rendering one fabric's managers.

    Args:
        artifacts: what each host must hold; empty when an error was found.
        diagnostics: everything found.
    """

    artifacts: tuple[Artifact, ...]
    diagnostics: tuple[Diagnostic, ...]


def render_hosts(
    managed: Managed, manager: Manager, partitions: str, templates: Templates, *, folder: str = ""
) -> Rendered:
    """The files of every host of a fabric: the same on all, but for GUID and priority.

    Args:
        managed: the fabric.
        manager: the subnet manager its hosts run.
        partitions: text of its partitions.conf.
        templates: where `opensm/*.j2` are looked for.
        folder: folder of the files on the hosts; empty for the manager's usual one.

    Raises:
        DiagnosticError: a template of the workspace made a file the manager would not take as written.
        IntentError: a template fails.
    """
    files = Files.of(manager, folder)
    reading = read(partitions.encode(), files.partitions)
    found = [*judge(managed, manager), *reading.diagnostics, *_judge_levels(managed, reading.partitions)]
    engine = manager.engines.get(managed.wanted.engine)
    if engine is not None and engine.roots and not managed.roots:
        hint = "name the switches under subnet_manager.roots and their GUIDs in the file named by guids"
        found.append(
            Diagnostic("M006", f"fabric {managed.fabric}: no root of routing is known", managed.span, hint=hint)
        )
    if has_errors(found):
        return Rendered((), tuple(found))
    shared = shared_files(managed, files, reading.partitions, partitions, templates)
    artifacts: list[Artifact] = []
    for host in managed.hosts:
        conf = conf_text(managed, manager, host, files, templates)
        read_conf_strict(conf.encode(), manager, files.conf, placeholders=True)
        artifacts.append(_artifact(managed, manager, host, {files.conf: conf, **shared}))
    found += _apart(managed, artifacts)
    return Rendered(() if has_errors(found) else tuple(artifacts), tuple(found))


def _apart(managed: Managed, artifacts: Sequence[Artifact]) -> Iterator[Diagnostic]:
    """Hosts that a template gave unlike files: after a takeover the other one would rewrite the fabric."""
    for words in unlike({item.device: item.body["files"] for item in artifacts}):
        hint = "a template must not depend on the host; only guid and sm_priority may differ"
        yield Diagnostic("M015", f"fabric {managed.fabric}: {words}", managed.span, hint=hint)


def conf_text(managed: Managed, manager: Manager, host: ManagerHost, files: Files, templates: Templates) -> str:
    """The options of one host, as its file has them; keys are references to secrets."""
    groups = [
        {
            "title": section.title,
            "options": [{"name": name, "value": value} for name, value in section.options.items()],
        }
        for section in sections(managed, manager, host, files)
    ]
    values = {"fabric": managed.fabric, "sections": groups}
    return templates.render("opensm/opensm.conf.j2", values, device=host.name)


def shared_files(
    managed: Managed, files: Files, read_partitions: tuple[Partition, ...], partitions: str, templates: Templates
) -> dict[str, str]:
    """Files that are the same on every host."""
    found = {files.partitions: partitions}
    if managed.roots:
        values = {"fabric": managed.fabric, "guids": list(managed.roots)}
        text = templates.render("opensm/root_guid.conf.j2", values)
        guids, diagnostics = read_guid_list(text.encode(), files.roots)
        if diagnostics or len(guids) != len(managed.roots):
            raise DiagnosticError(diagnostics)
        found[files.roots] = text
    if managed.wanted.qos is not None:
        levels = [{"pkey": f"{pkey:04x}", "sl": level} for pkey, level in _levels(read_partitions).items()]
        found[files.qos_policy] = templates.render(
            "opensm/qos-policy.conf.j2", {"fabric": managed.fabric, "levels": levels}
        )
    return found


def unlike(files: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """In which files hosts of one set differ beyond what they must, each in words; compared by hash.

    Args:
        files: texts by path, by host.
    """
    hosts = list(files)
    paths = dict.fromkeys(path for texts in files.values() for path in texts)
    found = []
    for path in paths:
        hashes = {host: _hash(files[host].get(path)) for host in hosts}
        if len(set(hashes.values())) > 1:
            shown = ", ".join(f"{host} {value[:12]}" for host, value in hashes.items())
            found.append(f"{path} differs: {shown}")
    return tuple(found)


def _hash(text: str | None) -> str:
    if text is None:
        return "(absent)"
    kept = [line for line in text.splitlines() if line.split(None, 1)[:1] not in ([name] for name in PER_HOST)]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def _levels(partitions: tuple[Partition, ...]) -> dict[int, int]:
    return {item.pkey: item.flags.service_level for item in partitions if item.flags.service_level is not None}


def _judge_levels(managed: Managed, partitions: tuple[Partition, ...]) -> tuple[Diagnostic, ...]:
    levels = _levels(partitions)
    qos = managed.wanted.qos
    if qos is None and any(levels.values()):
        pkey = next(key for key, level in levels.items() if level)
        return (
            Diagnostic(
                "M013",
                f"fabric {managed.fabric}: partition 0x{pkey:04x} has service level {levels[pkey]} but there is no "
                "QoS: the manager would take level 0 without a word",
                managed.span,
                hint="give subnet_manager.qos, or the partition no service level",
            ),
        )
    known = {level.sl for level in qos.levels.values()} | {0} if qos is not None else {0}
    return tuple(
        Diagnostic(
            "M013",
            f"fabric {managed.fabric}: partition 0x{pkey:04x} has service level {level}, which no class names: lane 0",
            managed.span,
            Severity.WARNING,
            "name a class of that level under subnet_manager.qos.levels",
        )
        for pkey, level in levels.items()
        if level not in known
    )


def _artifact(managed: Managed, manager: Manager, host: ManagerHost, texts: Mapping[str, str]) -> Artifact:
    reason = f"subnet manager of fabric {managed.fabric}"
    return Artifact(
        device=host.name,
        platform=PLATFORM,
        release=host.release,
        model=manager.name,
        body={"files": dict(texts)},
        owned=(("files",),),
        origins={
            ("files",): Origin(managed.span, reason),
            **{("files", path): Origin(managed.span, f"{reason}: {path.rpartition('/')[2]}") for path in texts},
        },
    )
