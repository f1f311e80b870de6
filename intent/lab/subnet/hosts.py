"""Hosts that run OpenSM: a folder of each stands for its file system, and OpenSM obeys the files in it.

Paths in the options are those of a real host; OpenSM gets them pointing into the folder. What only NVIDIA's manager
routes is routed by the plain engine. Nothing else of the host's files is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from intent.catalog.subnet_managers import SubnetManagers
from intent.lab.subnet.manager import OpenSm
from intent.lab.subnet.processes import put
from intent.lab.subnet.room import SubnetRoom
from intent.lab.subnet.spec import Manager

HOSTS = "hosts"
_ROOT = "root"
_ETC, _LOGS = "etc/opensm", "var/log"
_CONF, _PARTITIONS, _LOG = "opensm.conf", "partitions.conf", "opensm.log"
_OURS = "/nonexistent"


class HostedSubnet(SubnetRoom):
    """A subnet whose managers run on hosts of their own."""

    def make(self, spec: Manager) -> OpenSm:
        """An OpenSM on a host that nobody configured yet."""
        home = self.folder / HOSTS / spec.name
        home.mkdir(parents=True)
        root = home / _ROOT
        for folder in (home.parent, home, root):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        (root / _ETC).mkdir(parents=True)
        (root / "var").mkdir()
        for folder in (root / "etc", root / _ETC, root / "var"):
            folder.chmod(0o755)
        self.processes.folder(root / _LOGS)
        work = self.processes.folder(home / "work")
        return OpenSm(
            spec, self.simulator, self.processes, work, root / _LOGS / _LOG, lambda: self._configuration(spec)
        )

    def root_of(self, name: str) -> Path:
        """The folder that stands for a host's file system."""
        return self.folder / HOSTS / name / _ROOT

    def log_of(self, name: str) -> Path:
        """A host's log of OpenSM."""
        return self.root_of(name) / _LOGS / _LOG

    def environment_of(self, name: str) -> dict[str, str]:
        """What a program on a host is told of the fabric."""
        return self.simulator.environment(self.simulator.node(self.managers[name].spec.at))

    def order(self, name: str, action: str) -> str:
        """What the host's service manager would be asked: `hup` or `restart`.

        Raises:
            IntentError: OpenSM does not run on it, or it cannot do that.
        """
        manager = self.managers[name]
        if action == "hup":
            manager.tell()
        else:
            self.worker.ask(f"start {name}", lambda: self.anew(manager, manager.restart))
        return f"{name}: {action}"

    def push(self, name: str, data: bytes) -> None:
        """Somebody puts a file in place of a host's partitions.conf by hand, and has it read."""
        put(self.root_of(name) / _ETC / _PARTITIONS, data)
        self.worker.ask(f"reload {name}", self.managers[name].reload)

    def _configuration(self, spec: Manager) -> str:
        """The options of the host's own file, fit for the lab; those of OpenSM where it has none."""
        found = dict(_options(self.root_of(spec.name) / _ETC / _CONF))
        held = {
            "sm_priority": str(spec.priority),
            "partition_config_file": f"/{_ETC}/{_PARTITIONS}",
            "log_file": f"/{_LOGS}/{_LOG}",
            "dump_files_dir": f"/{_LOGS}",
            "force_log_flush": "TRUE",
            "console": "off",
            **found,
            "per_module_logging_file": _OURS,
            "prefix_routes_file": _OURS,
        }
        if "routing_engine" in found:
            known = SubnetManagers()
            engines = [known.plain_engine(name.strip()) for name in found["routing_engine"].split(",")]
            held["routing_engine"] = ",".join(engines)
        return "".join(f"{name} {_inside(value)}\n" for name, value in held.items())


def _options(file: Path) -> Iterator[tuple[str, str]]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        name, _, value = line.partition("#")[0].strip().partition(" ")
        if name:
            yield name, value.strip()


def _inside(value: str) -> str:
    """A path of the host, as it is reached from where its OpenSM works."""
    return value if not value.startswith("/") or value == _OURS else f"../{_ROOT}{value}"
