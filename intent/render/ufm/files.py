"""Managed fabric → what the files of its UFM hosts must say: gv.cfg, opensm.conf, and files that are ours as a whole.

UFM writes gv.cfg, opensm.conf and partitions.conf itself. Of the first two only single settings are ours; partitions go
through REST, and what REST cannot say stands in the user's extension of partitions.conf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from intent.catalog.subnet_managers import Manager
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.tree import Path
from intent.formats.opensm.conf import read_conf_strict
from intent.formats.partitions.model import DEFAULT_PKEY, Partition
from intent.formats.partitions.reader import read
from intent.render.artifact import Artifact, Origin
from intent.render.opensm.managed import Managed
from intent.render.opensm.render import Rendered, shared_files
from intent.render.opensm.settings import PER_HOST, Files, judge, sections

if TYPE_CHECKING:
    from intent.render.templates import Templates

PLATFORM = "ufm-files"
_SECTION = "SubnetManager"
# UFM runs the subnet manager on one host at a time, over its own port, and generates the partitions.
_UFMS_OWN = {*PER_HOST, "partition_config_file", "honor_guid2lid_file", "force_log_flush", "log_flags", "console"}


@dataclass(frozen=True, slots=True)
class UfmSettings:
    """What UFM's files must say, the same on every host of the pair.

    Args:
        gv: settings of gv.cfg by section and key.
        opensm: options of opensm.conf; keys are references to secrets.
        files: texts of whole files by path.
    """

    gv: dict[str, dict[str, str]]
    opensm: dict[str, str]
    files: dict[str, str]


def render_ufm(managed: Managed, manager: Manager, templates: Templates, *, topoconfig: str = "") -> Rendered:
    """What every UFM host of a fabric must hold.

    Args:
        managed: the fabric.
        manager: NVIDIA's subnet manager.
        templates: where `opensm/*.j2` are looked for.
        topoconfig: the links of the plan as the manager takes them; empty to leave them to whoever keeps them.

    Raises:
        DiagnosticError: a template of the workspace made a file the manager would not take as written.
        IntentError: a template fails.
    """
    found = [*judge(managed, manager), *_notes(managed), *judge_extension(managed)]
    if has_errors(found) or not managed.hosts:
        return Rendered((), tuple(found))
    settings = ufm_settings(managed, manager, templates, topoconfig=topoconfig)
    return Rendered(host_artifacts(managed, manager, settings), tuple(found))


def host_artifacts(managed: Managed, manager: Manager, settings: UfmSettings) -> tuple[Artifact, ...]:
    """What every UFM host of a fabric must hold: the same on all of them.

    Args:
        managed: the fabric.
        manager: NVIDIA's subnet manager.
        settings: what its files must say.

    Raises:
        DiagnosticError: an option the manager would not take as written.
    """
    read_conf_strict(opensm_fragment(settings).encode(), manager, manager.paths["conf"], placeholders=True)
    return tuple(_artifact(managed, manager, host.name, settings) for host in managed.hosts)


def judge_extension(managed: Managed, taken: Mapping[int, str] | None = None) -> tuple[Diagnostic, ...]:
    """What is wrong with the partitions of the user's extension.

    Args:
        managed: the fabric.
        taken: name of each partition that is made elsewhere, by key.
    """
    found: list[Diagnostic] = []
    for item in read(_extension(managed).encode(), "extension").diagnostics if _extension(managed) else ():
        place = f"line {item.span.line}: " if item.span else ""
        text = f"fabric {managed.fabric}: extension: {place}{item.message}"
        found.append(replace(item, message=text, span=managed.span))
    for partition in extension_partitions(managed):
        name = (taken or {}).get(partition.pkey, "the default one" if partition.pkey == DEFAULT_PKEY else "")
        if name:
            text = f"fabric {managed.fabric}: extension: partition 0x{partition.pkey:04x} is {name} too"
            hint = "UFM appends the extension to its own partitions, and the last line of a key decides"
            found.append(Diagnostic("M016", text, managed.span, hint=hint))
    return tuple(found)


def extension_partitions(managed: Managed) -> tuple[Partition, ...]:
    """Partitions of the user's extension, as far as they can be read."""
    text = _extension(managed)
    return read(text.encode(), "extension").partitions if text else ()


def _extension(managed: Managed) -> str:
    """The text of the extension; empty when it holds nothing but comments."""
    text = managed.wanted.extension or ""
    return text if any(line.strip() and not line.strip().startswith("#") for line in text.splitlines()) else ""


def ufm_settings(managed: Managed, manager: Manager, templates: Templates, *, topoconfig: str = "") -> UfmSettings:
    """The settings alone; arguments as for `render_ufm`."""
    files = Files.of(manager)
    gv = {"default_membership": str(managed.wanted.default_membership)}
    if managed.wanted.hardening:
        gv |= manager.gv.get("hardening", {})
    if topoconfig:
        gv |= manager.gv.get("topoconfig", {})
    options = {
        name: value
        for section in sections(managed, manager, managed.hosts[0], files)
        for name, value in section.options.items()
        if name not in _UFMS_OWN
    }
    texts = shared_files(managed, files, extension_partitions(managed), "", templates)
    del texts[files.partitions]
    if managed.wanted.extension is not None:
        texts[manager.paths["user_extension"]] = managed.wanted.extension.rstrip("\n") + "\n"
    if topoconfig:
        texts[f"{manager.paths['folder']}/{manager.paths['topoconfig']}"] = topoconfig
    return UfmSettings({_SECTION: gv}, options, texts)


def gv_fragment(settings: UfmSettings) -> str:
    """Our settings of gv.cfg, as the file writes them."""
    lines: list[str] = []
    for section, values in settings.gv.items():
        lines += [f"[{section}]", *(f"{name} = {value}" for name, value in values.items()), ""]
    return "\n".join(lines)


def opensm_fragment(settings: UfmSettings) -> str:
    """Our options of opensm.conf, as the file writes them."""
    return "".join(f"{name} {value}\n" for name, value in settings.opensm.items())


def fragments(settings: UfmSettings) -> dict[str, str]:
    """Everything as files by their usual names: what to merge into UFM's own, and files that are ours as a whole."""
    found = {"gv.cfg": gv_fragment(settings), "opensm.conf": opensm_fragment(settings)}
    return found | {path.rpartition("/")[2]: text for path, text in settings.files.items()}


def _notes(managed: Managed) -> tuple[Diagnostic, ...]:
    notes = ["gv.cfg and most of opensm.conf are read when UFM starts: ufm_ha_cluster stop, then start"]
    if managed.wanted.sharp:
        notes.append("in-network reduction also needs UFM's aggregation manager on; it is not set here")
    return tuple(Diagnostic("M014", f"fabric {managed.fabric}: {note}", managed.span, Severity.INFO) for note in notes)


def _artifact(managed: Managed, manager: Manager, host: str, settings: UfmSettings) -> Artifact:
    body = {"gv": settings.gv, "opensm": settings.opensm, "files": settings.files}
    owned: list[Path] = [("gv", section, name) for section, values in settings.gv.items() for name in values]
    owned += [("opensm", name) for name in settings.opensm]
    owned += [("files", path) for path in settings.files]
    reason = f"subnet manager of fabric {managed.fabric}"
    return Artifact(
        device=host,
        platform=PLATFORM,
        release="",
        model=manager.name,
        body=body,
        owned=tuple(owned),
        origins={(part,): Origin(managed.span, reason) for part in body},
    )
