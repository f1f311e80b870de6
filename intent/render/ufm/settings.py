"""Managed fabric → the settings of its subnet manager that go through UFM's REST API, and what does not.

They are rendered only where UFM is named by its virtual address alone: where its hosts are named their files are ours,
and nothing is written by two ways. Only what the intent says is asked for: what it leaves to its defaults stays as UFM
has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from intent.catalog.subnet_managers import Manager
from intent.catalog.ufm import UfmFacts
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.tree import Path
from intent.render.opensm.managed import Managed, ManagerHost
from intent.render.opensm.settings import FIELDS, PER_HOST, Files, sections
from intent.schema.infiniband import SubnetManager

ROOT = "setting"
"""Branch of a UFM's tree that holds them."""

_NOBODY = ManagerHost("", (), 0)
# UFM runs the subnet manager over its own port and looks after these itself.
_UFMS_OWN = frozenset({*PER_HOST, "partition_config_file", "honor_guid2lid_file", "force_log_flush", "log_flags"})
# Not fields of the language: every file we write says them.
_OURS = frozenset({"part_enforce", "allow_both_pkeys", "keep_pkey_indexes", "console"})
_FEATURES = {
    "sharp": "sharp",
    "congestion-control": "congestion_control",
    "hardening": "hardening",
    "adaptive-routing": "routing",
}


@dataclass(frozen=True, slots=True)
class RestSettings:
    """What goes through UFM's REST API of one fabric.

    Args:
        options: value by option; keys are references to secrets.
        fields: where each stands in the intent, below `subnet_manager`.
        diagnostics: what the intent says and REST does not take.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Path] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def by_rest_alone(wanted: SubnetManager) -> bool:
    """True when UFM is reached under its virtual address and none of its hosts is named."""
    return wanted.by == "ufm" and wanted.vip is not None and not wanted.hosts


def rest_settings(managed: Managed, manager: Manager, facts: UfmFacts, release: str) -> RestSettings:
    """What of a subnet manager's settings goes through REST, and what is said of the rest.

    Args:
        managed: the fabric, whose UFM is named by its virtual address alone.
        manager: NVIDIA's subnet manager.
        facts: what UFM's REST API takes.
        release: version of UFM the intent names; empty when it names none.
    """
    wanted = managed.wanted
    options: dict[str, str] = {}
    fields: dict[str, Path] = {}
    left: dict[str, str] = {}
    for name, value in _options(managed, manager).items():
        where = _field_of(name, wanted, manager)
        known = facts.takes(release, name) if release else name in facts.settings
        if known and _said(where, wanted):
            options[name] = value
            fields[name] = tuple(where.split("."))
        elif not known:
            left[where] = name
    for where in _of_files(wanted):
        left.setdefault(where, "a file of UFM")
    return RestSettings(options, fields, tuple(_told(managed, left, release)))


def _options(managed: Managed, manager: Manager) -> dict[str, str]:
    """Every option a host of this UFM would get."""
    return {
        name: value
        for section in sections(managed, manager, _NOBODY, Files.of(manager))
        for name, value in section.options.items()
        if name not in _UFMS_OWN and name not in _OURS
    }


def _field_of(name: str, wanted: SubnetManager, manager: Manager) -> str:
    """The field of `subnet_manager` that an option comes from."""
    if name in wanted.options:
        return f"options.{name}"
    named = FIELDS.get(name, "")
    if named and not named.startswith("("):  # in brackets: what is written for every intent
        return named
    made = (own for feature, own in _FEATURES.items() if name in manager.on.get(feature, {}))
    # What is left are lanes and service levels: of `qos`, or of the hardening where there is none.
    return next(made, "qos" if wanted.qos is not None else "hardening")


def _of_files(wanted: SubnetManager) -> Iterator[str]:
    """Fields that only files of UFM can hold: gv.cfg, the user's extension, the static topology."""
    yield "default_membership"
    if wanted.hardening:
        yield "hardening"
    if wanted.extension is not None:
        yield "extension"
    if wanted.topoconfig:
        yield "topoconfig"


def _said(where: str, wanted: SubnetManager) -> bool:
    """True when the intent says a field, and does not leave it to its default."""
    top, _, rest = where.partition(".")
    if top != "keys":
        return top in wanted.model_fields_set
    keys = wanted.keys
    # A key is hardly worth its name at the level of protection somebody else chose.
    return getattr(keys, rest) is not None if rest != "protection" else keys.m_key is not None


def _told(managed: Managed, left: Mapping[str, str], release: str) -> Iterator[Diagnostic]:
    said = [where for where in left if _said(where, managed.wanted)]
    default = [where for where in left if where not in said]
    by = f"UFM {release}" if release else "UFM"
    hint = "name its hosts under subnet_manager.hosts: their files take every setting"
    start = f"fabric {managed.fabric}:"
    if said:
        words = ", ".join(sorted(said))
        yield Diagnostic(
            "M018", f"{start} {by} does not take {words} by REST: not written", managed.span, Severity.WARNING, hint
        )
    if default:
        words = ", ".join(sorted(default))
        text = f"{start} left to their defaults, and not written by REST: {words}"
        yield Diagnostic("M018", text, managed.span, Severity.INFO, hint)
