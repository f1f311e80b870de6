"""Hosts of UFM as devices of a change: single settings of files UFM writes itself, and files that are ours as a whole.

UFM's pair keeps its files on a replicated disk that is mounted on the active host alone. So the other one holds none,
which is no fault once it says that it stands by and the active one was read; nobody's files are never taken for right.
Nothing here restarts UFM: the plan says what takes effect with a restart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from intent.catalog.subnet_managers import Manager, SubnetManagers
from intent.core.tree import ABSENT, Difference, difference, digest
from intent.device.actor import Disruption, Observed, Problem, Request, Target, Wanted
from intent.device.opensm import ASKING_S, in_memory
from intent.device.opensm_files import filled, refusal_words
from intent.device.playbook import HostReport
from intent.device.playbook_actor import PlaybookActor, Run, observed_files
from intent.device.private_folder import private_folder, write_private
from intent.device.secrets import SecretStore
from intent.device.ufm.host_files import FILES, GV, OPENSM, ROLE, STANDBY, HostFiles

PLATFORM = "ufm-files"


@dataclass(frozen=True, slots=True)
class UfmHost:
    """What is particular of a host of UFM.

    Args:
        role: command that says which role its replicated disk has, as words.
        sync: command that has UFM take in the user's extension of its partitions, as words; empty waits until it does.
        log: log of its subnet manager; empty when there is none.
        tools: words put before each diagnostic tool; a laboratory's simulator needs some.
    """

    role: tuple[str, ...] = ("drbdadm", "role", "all")
    sync: tuple[str, ...] = ()
    log: str = ""
    tools: tuple[str, ...] = ()


def _nvidia() -> Manager:
    return SubnetManagers().manager("nvidia")


@dataclass(frozen=True, slots=True)
class UfmFilesActor(PlaybookActor):
    """Configures hosts of UFM.

    A `Wanted` holds in `body` what `HostFiles` takes; the target's label `fabric` names the set a host belongs to.

    Args:
        run: runs playbooks; in memory, for what is read back holds keys.
        secrets: keys of the subnets.
        manager: the subnet manager UFM runs.
        hosts: what is particular of each host, by name; `host` for all others.
        host: see `hosts`.
    """

    PLATFORM: ClassVar[str] = PLATFORM
    PLAY: ClassVar[str] = "opensm"  # files are put in place, confirmed and put back by the plays of OpenSM's hosts
    WHAT: ClassVar[str] = "files"

    run: Run = field(default_factory=in_memory)
    secrets: SecretStore = field(default_factory=SecretStore)
    manager: Manager = field(default_factory=_nvidia)
    hosts: Mapping[str, UfmHost] = field(default_factory=dict)
    host: UfmHost = UfmHost()

    def refusal(self, wanted: Wanted) -> str:
        """What is wrong with what is wanted; nothing is sent then."""
        return refusal_words(HostFiles(wanted, self.manager).judge())

    def look(self, wanted: Sequence[Wanted]) -> Mapping[str, HostReport]:
        """Read the files each host has."""
        hosts = {
            item.target.name: {
                **self._connection(item.target.name, item.target.address),
                "opensm_paths": list(HostFiles(item, self.manager).paths),
                "ufm_role": list(self.hosts.get(item.target.name, self.host).role),
            }
            for item in wanted
        }
        return self.run(self._play("ufm_read"), hosts, deadline_s=self.deadline_s)

    def seen(self, wanted: Sequence[Wanted], reports: Mapping[str, HostReport]) -> dict[str, Observed]:
        """What each host holds of what is ours, keys masked."""
        seen = {item.target.name: self._observed(item, reports[item.target.name]) for item in wanted}
        active = {_set_of(item) for item in wanted if _holds(seen[item.target.name])}
        for item in wanted:
            name = item.target.name
            if _stands_by(seen[name]) and _set_of(item) not in active:
                detail = "it stands by, and the active host of its set was not read: nobody's files were seen"
                seen[name] = Observed(name, problem=Problem.MISMATCH, detail=detail)
        return seen

    def ask(self, play: str, targets: Sequence[Target]) -> Mapping[str, HostReport]:
        """Run a play that only reads on these hosts; the tables of a large fabric take their time."""
        hosts = {
            item.name: {
                **self._connection(item.name, item.address),
                "opensm_log": self.hosts.get(item.name, self.host).log,
                "opensm_tools": list(self.hosts.get(item.name, self.host).tools),
            }
            for item in targets
        }
        return self.run(self._play(play), hosts, deadline_s=max(self.deadline_s, ASKING_S))

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """Settings and files to write or change; a whole file is never taken away."""
        if _stands_by(observed):
            return ()
        found = difference(observed.state, HostFiles(wanted, self.manager).tree)
        return tuple(item for item in found if not (item.path[0] == FILES and item.after is ABSENT))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """What the differences do once they are in force, from the catalog; one line for each effect."""
        files = HostFiles(wanted, self.manager)
        parts = {GV: "gv", OPENSM: "conf"}
        found: dict[str, list[str]] = {}
        for item in differences:
            kind = parts.get(item.path[0]) or files.kind(item.path[-1])
            name = item.path[-1] if item.path[0] != GV else " ".join((f"[{item.path[1]}]", *item.path[2:]))
            found.setdefault(kind, []).append(name)
        told = [
            Disruption(effect.severity, effect.scope, f"{_some(names)}: {effect.reason}")
            for kind, names in found.items()
            if (effect := self.manager.effects.get(kind)) is not None
        ]
        return tuple(sorted(told, key=lambda item: item.severity == "none"))

    def revert_words(self, wanted: Wanted) -> str:  # noqa: ARG002 - the same for every host
        """How a host comes back."""
        return "by a compensating write: the files replaced are kept on the host; nothing reverts by itself"

    @contextmanager
    def staged(
        self, requests: Sequence[Request], reports: Mapping[str, HostReport]
    ) -> Iterator[dict[str, dict[str, Any]]]:
        """The edited files, keys among them, in a private folder that is gone afterwards.

        What is written is the file as it was read just now with what is ours in it, and the host refuses it if it
        changes meanwhile.

        Raises:
            IntentError: a secret is missing or no key, or a file cannot be edited.
        """
        with private_folder() as folder:
            hosts: dict[str, dict[str, Any]] = {}
            for number, request in enumerate(requests):
                wanted, name = request.wanted, request.wanted.target.name
                own = folder / str(number)
                own.mkdir(mode=0o700)
                connection = self._connection(name, wanted.target.address)
                files = HostFiles(wanted, self.manager)
                texts = _texts(reports[name], str(connection["opensm_root"]), files.paths)
                staged = self._stage(own, files, texts)
                extended = any(files.kind(item["path"]) == "user_extension" for item in staged)
                told = "hup" if extended and self.hosts.get(name, self.host).sync else "none"
                hosts[name] = {**connection, "opensm_files": staged, "opensm_action": told}
            yield hosts

    def _stage(self, folder: Path, files: HostFiles, texts: Mapping[str, str]) -> list[dict[str, Any]]:
        staged: list[dict[str, Any]] = []
        for number, (path, text) in enumerate(files.written(texts, self._filled).items()):
            source = folder / f"{number}-{PurePosixPath(path).name}"
            write_private(source, text.encode())
            # Beside what is ours UFM's own files may hold anything, passwords too: they are never shown.
            edited = path in files.edited
            was = {"was": _sha256(texts[path])} if edited else {}
            staged.append({"path": path, "source": str(source), "sha256": _sha256(text), "secret": edited, **was})
        return staged

    def _filled(self, value: str) -> str:
        return filled(f"key {value}", self.manager, self.secrets).removeprefix("key ")

    def _observed(self, wanted: Wanted, report: HostReport) -> Observed:
        name = wanted.target.name
        found = observed_files(name, report, {})
        if found.problem is not None:
            return replace(found, detail=self.secrets.redact(found.detail))
        root = str(self._connection(name)["opensm_root"])
        files = HostFiles(wanted, self.manager)
        texts = _texts(report, root, files.paths)
        held = files.held(texts, self.secrets)
        if not held.missing:
            return Observed(name, held.state, digest(held.state), not_compared=held.not_compared)
        if len(held.missing) == len(files.edited) and _secondary(report, texts):
            state = {ROLE: STANDBY}
            return Observed(name, state, digest(state))
        detail = f"{', '.join(held.missing)} is not there: UFM makes it, and it is not made for it"
        return Observed(name, problem=Problem.MISMATCH, detail=detail)

    def _connection(self, name: str, address: str = "") -> dict[str, Any]:
        host = self.hosts.get(name, self.host)
        # Not super(): a dataclass with slots is another class than the one its methods were written in.
        return {
            **PlaybookActor._connection(self, name, address),
            "opensm_hup": list(host.sync),
            "opensm_log": "",
        }


def _texts(report: HostReport, root: str, paths: Collection[str]) -> dict[str, str]:
    found = {path.removeprefix(root): text for path, text in report.read.items()}
    return {path: text for path, text in found.items() if path in paths}


def _secondary(report: HostReport, texts: Collection[str]) -> bool:
    """The host says that every one of its replicated disks is another one's copy.

    Args:
        report: of the run, whose last answer tells the role where UFM's own files are not there.
        texts: files that were read.
    """
    said = list(report.read.values())[-1] if len(report.read) > len(texts) else ""
    roles = [line.split()[0].partition("/")[0] for line in said.splitlines() if line.strip()]
    return bool(roles) and set(roles) == {"Secondary"}


def _stands_by(observed: Observed) -> bool:
    return observed.state.get(ROLE) == STANDBY


def _holds(observed: Observed) -> bool:
    return observed.problem is None and not _stands_by(observed)


def _set_of(wanted: Wanted) -> str:
    return wanted.target.labels.get("fabric", "")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _some(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]
