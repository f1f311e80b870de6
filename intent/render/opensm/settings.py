"""What is written about a subnet manager → the options of its file, with the reason of each.

What the manager cannot do is a finding: an error where a person asked for it, a note where only a default did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from intent.catalog.subnet_managers import Manager
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.secret import reference
from intent.formats.opensm.values import Wrong, check_value
from intent.render.opensm.managed import Managed, ManagerHost
from intent.render.opensm.quality import quality

PER_HOST = ("guid", "sm_priority")
"""Options in which the managers of one fabric differ, and no other."""

FIELDS: Mapping[str, str] = {
    "guid": "hosts",
    "sm_priority": "hosts.priority",
    "routing_engine": "routing",
    "root_guid_file": "roots",
    "m_key": "keys.m_key",
    "sm_key": "keys.sm_key",
    "sa_key": "keys.sa_key",
    "m_key_protection_level": "keys.protection",
    "allowed_sm_guids": "allowed",
    "subnet_prefix": "subnet_prefix",
    "lmc": "lmc",
    "sweep_interval": "sweep",
    "sminfo_polling_timeout": "poll",
    "polling_retry_number": "retries",
    "qos": "qos",
    "sharp_enabled": "sharp",
    "congestion_control": "congestion_control",
    "mlnx_congestion_control": "congestion_control",
    "partition_config_file": "(it is written by intent)",
    "qos_policy_file": "(it is written by intent)",
}
"""Options that fields of the language set; a free option of that name would contradict its field."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where the manager's files lie.

    Args:
        conf: its options.
        partitions: its partitions.
        roots: GUIDs of the roots of routing.
        qos_policy: service levels of partitions.
    """

    conf: str
    partitions: str
    roots: str
    qos_policy: str

    @classmethod
    def of(cls, manager: Manager, folder: str = "") -> Files:
        """The manager's usual names, in its usual folder or another one."""
        place = folder or manager.paths["folder"]
        return cls(**{key: f"{place}/{manager.paths[key]}" for key in ("conf", "partitions", "roots", "qos_policy")})


@dataclass(frozen=True, slots=True)
class Section:
    """Options that belong together.

    Args:
        title: what they are about.
        options: value by name; keys are references to secrets.
    """

    title: str
    options: Mapping[str, str]


@dataclass(slots=True)
class Findings:
    """Findings about one fabric's subnet manager."""

    managed: Managed
    found: list[Diagnostic] = field(default_factory=list)

    def add(self, code: str, message: str, hint: str, severity: Severity = Severity.ERROR) -> None:
        """Note one."""
        text = f"fabric {self.managed.fabric}: {message}"
        self.found.append(Diagnostic(code, text, self.managed.span, severity, hint))

    def lacks(self, written: str, message: str, hint: str) -> None:
        """The manager cannot do something: an error where the field was written, a note where it is a default."""
        asked = written in self.managed.wanted.model_fields_set
        self.add("M004", message, hint, Severity.ERROR if asked else Severity.INFO)


def judge(managed: Managed, manager: Manager) -> tuple[Diagnostic, ...]:
    """What the manager cannot do of what is asked, and what was forgotten."""
    findings = Findings(managed)
    _judge_generation(findings, manager)
    _judge_engine(findings, manager)
    _judge_features(findings, manager)
    _judge_keys(findings, manager)
    _judge_options(findings, manager)
    return tuple(findings.found)


def sections(managed: Managed, manager: Manager, host: ManagerHost, files: Files) -> tuple[Section, ...]:
    """The options of one host's file, in groups; what the manager does not know is left out (`judge` tells of it)."""
    groups = {
        "Identity": _identity(managed, manager, host),
        "Keys of the subnet": _keys(managed, manager),
        "Partitions": {
            "partition_config_file": files.partitions,
            "part_enforce": "both",
            "allow_both_pkeys": "FALSE",
            "keep_pkey_indexes": "TRUE",
        },
        "Routing": _routing(managed, manager, files),
        "Takeover between managers": _takeover(managed, manager, host),
        "Service levels": quality(managed.wanted.qos, managed.wanted.hardening, manager, files.qos_policy),
        "Abilities": dict(_abilities(managed, manager)),
        "Log": {"force_log_flush": "TRUE", "log_flags": "0x03", "console": "off"},
        "Further options of the intent": dict(managed.wanted.options),
    }
    further = set(managed.wanted.options)
    kept = {
        title: {name: value for name, value in options.items() if title.startswith("Further") or name not in further}
        for title, options in groups.items()
    }
    return tuple(Section(title, options) for title, options in kept.items() if options)


def _identity(managed: Managed, manager: Manager, host: ManagerHost) -> dict[str, str]:
    several = manager.options["guid"].kind == "guids"  # OpenSM manages through one port
    guids = ",".join(f"0x{guid}" for guid in (host.guids if several else host.guids[:1]))
    return {"guid": guids, "subnet_prefix": str(managed.wanted.subnet_prefix), "lmc": str(managed.wanted.lmc)}


def _keys(managed: Managed, manager: Manager) -> dict[str, str]:
    keys = managed.wanted.keys
    named = {"m_key": keys.m_key, "sm_key": keys.sm_key, "sa_key": keys.sa_key}
    found = {name: reference(key.secret) for name, key in named.items() if key is not None}
    # Where every port gets a key of its own there is one to protect without a secret of ours.
    protected = keys.m_key is not None or (managed.wanted.hardening and "hardening" in manager.features)
    return found | ({"m_key_protection_level": str(keys.protection)} if protected else {})


def _routing(managed: Managed, manager: Manager, files: Files) -> dict[str, str]:
    name = managed.wanted.engine
    engine = manager.engines.get(name)
    found = {"routing_engine": name}
    if engine is not None and engine.roots:
        found["root_guid_file"] = files.roots
    if engine is not None and engine.adaptive:
        found |= manager.on.get("adaptive-routing", {})
    if name == "nue" and managed.wanted.qos is not None:
        found["nue_max_num_vls"] = str(managed.wanted.qos.lanes)
    return found


def _takeover(managed: Managed, manager: Manager, host: ManagerHost) -> dict[str, str]:
    wanted = managed.wanted
    found = {
        "sm_priority": str(host.priority),
        "sminfo_polling_timeout": str(round(wanted.poll.milliseconds)),
        "polling_retry_number": str(wanted.retries),
        "honor_guid2lid_file": "TRUE",
        "sweep_interval": str(round(wanted.sweep.seconds)),
    }
    if wanted.allowed == "hosts" and "allowed-managers" in manager.features:
        found["allowed_sm_guids"] = ",".join(f"0x{guid}" for one in managed.hosts for guid in one.guids)
    return found


def _abilities(managed: Managed, manager: Manager) -> Iterator[tuple[str, str]]:
    wanted = managed.wanted
    asked = {"sharp": wanted.sharp, "congestion-control": wanted.congestion_control, "hardening": wanted.hardening}
    for feature, on in asked.items():
        if on:
            yield from manager.on.get(feature, {}).items()


def _judge_generation(findings: Findings, manager: Manager) -> None:
    generation = findings.managed.generation
    if generation not in manager.generations:
        why = manager.why_not or "not known to work"
        findings.add(
            "M001",
            f"{generation.upper() or 'its generation'} under {manager.title} - {why}",
            "use UFM (by: ufm), or switches of an older generation",
        )


def _judge_engine(findings: Findings, manager: Manager) -> None:
    managed, name = findings.managed, findings.managed.wanted.engine
    engine = manager.engines.get(name)
    if engine is None:
        findings.add(
            "M002",
            f"routing engine {name} is not one {manager.title} knows: it would route by minhop and log one line",
            f"known: {', '.join(manager.engines)}",
        )
        return
    if managed.generation in manager.generations and not manager.runs(name, managed.generation):
        only = ", ".join(manager.only.get(managed.generation, ()))
        findings.add("M002", f"routing engine {name} is not supported on {managed.generation.upper()}", f"use {only}")
    if managed.design in engine.unfit:
        fit = [item.name for item in manager.engines.values() if managed.design not in item.unfit and not item.roots]
        findings.add("M003", f"routing engine {name} on {managed.design}: it {engine.unfit[managed.design]}",
                     f"consider {', '.join(fit)}")  # fmt: skip
    lanes = managed.wanted.qos.lanes if managed.wanted.qos is not None else 1
    if engine.lanes > lanes:
        findings.add(
            "M005",
            f"routing engine {name} needs {engine.lanes} lanes and more to be free of deadlock - there are {lanes}",
            "give qos: {lanes: 4} or more",
        )


def _judge_features(findings: Findings, manager: Manager) -> None:
    wanted = findings.managed.wanted
    if wanted.sharp and "sharp" not in manager.features:
        findings.lacks("sharp", f"{manager.title} has no in-network reduction", "use UFM (by: ufm), or sharp: false")
    if wanted.congestion_control and "congestion-control" in manager.experimental:
        findings.add(
            "M010",
            f"congestion control of {manager.title} is experimental, by its own word, and untuned",
            "try it on a fabric you can lose, and give its thresholds under options",
            Severity.WARNING,
        )
    if wanted.allowed == "hosts" and "allowed-managers" not in manager.features:
        findings.lacks(
            "allowed",
            f"{manager.title} has no list of allowed subnet managers",
            "a secret sm_key (keys.sm_key) keeps strangers from becoming master",
        )
    if wanted.hardening and "hardening" not in manager.features:
        findings.lacks(
            "hardening",
            f"{manager.title} has no keys per port and class, and no trust model for queries",
            "keys.m_key with protection 2 and keys.sa_key are what it has",
        )


def _judge_keys(findings: Findings, manager: Manager) -> None:
    wanted = findings.managed.wanted
    if not wanted.hardening:
        return
    open_list = wanted.allowed != "hosts" or "allowed-managers" not in manager.features
    if wanted.keys.sm_key is None and open_list:
        findings.add(
            "M011",
            "sm_key is the one everybody knows, and nothing else says who may be master",
            "name a secret under keys.sm_key",
            Severity.WARNING,
        )
    if wanted.keys.m_key is None and "hardening" not in manager.features:
        findings.add(
            "M011",
            "without an m_key any node may configure the ports of the fabric",
            "name a secret under keys.m_key",
            Severity.WARNING,
        )


def _judge_options(findings: Findings, manager: Manager) -> None:
    for name, value in findings.managed.wanted.options.items():
        option = manager.options.get(name)
        if name in FIELDS:
            findings.add("M008", f"option {name} has a field of its own", f"set subnet_manager.{FIELDS[name]}")
        elif option is None:
            findings.add("M008", f"{manager.title} has no option {name}", "it would be skipped in silence")
        elif option.secret:
            findings.add("M008", f"option {name} is a secret and stands in the open", "keep it out of the intent")
        else:
            try:
                check_value(option, str(value), manager)
            except Wrong as wrong:
                findings.add("M008", f"option {name}: {wrong.problem}", wrong.hint)
