"""Hosts of OpenSM as devices of a change: their files, through a playbook.

Files are judged by our own grammars before anything leaves us: given one bad line, OpenSM drops every partition and
makes every port a full member of the default one. Keys are filled in only while pushing, in a private folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from intent.catalog.subnet_managers import Manager, SubnetManagers
from intent.core.tree import ABSENT, Difference, difference
from intent.device.actor import Disruption, Observed, Request, Target, Wanted
from intent.device.opensm_files import (
    filled,
    judge_files,
    kind_of,
    masked,
    needs_restart,
    refusal_words,
    secrets_of,
)
from intent.device.playbook import HostReport, PlaybookRun
from intent.device.playbook_actor import PlaybookActor, Run, file_tree, observed_files
from intent.device.private_folder import memory_folder, private_folder, write_private
from intent.device.secrets import SecretStore

PLATFORM = "opensm"
# Seconds to read every port of a subnet one by one, 20 ms each, at 30,000 ports.
ASKING_S = 600.0


@dataclass(frozen=True, slots=True)
class OpenSmService:
    """How OpenSM on a host is told of new files.

    Args:
        hup: command that has it read its files again, as words.
        restart: command that restarts it, as words.
        log: its log, which tells whether it took them; empty when there is none.
        tools: words put before each diagnostic tool; a laboratory's simulator needs some.
    """

    hup: tuple[str, ...] = ("systemctl", "kill", "--signal=HUP", "opensm.service")
    restart: tuple[str, ...] = ("systemctl", "restart", "opensm.service")
    log: str = "/var/log/opensm.log"
    tools: tuple[str, ...] = ()


def _opensm() -> Manager:
    return SubnetManagers().manager("opensm")


def in_memory() -> Run:
    """Runs playbooks in a folder in memory, where there is one."""
    return PlaybookRun(folder=memory_folder())


@dataclass(frozen=True, slots=True)
class OpenSmActor(PlaybookActor):
    """Configures hosts of OpenSM.

    A `Wanted` holds in `body` texts by path at `files.<path>`, keys as references to secrets.

    Args:
        run: runs playbooks; in memory, for what is read back holds keys.
        secrets: keys of the subnets.
        manager: what runs on the hosts.
        services: how each host's OpenSM is told of new files, by name; `service` for all others.
        service: see `services`.
    """

    PLATFORM: ClassVar[str] = PLATFORM
    PLAY: ClassVar[str] = "opensm"
    WHAT: ClassVar[str] = "files of the subnet manager"

    run: Run = field(default_factory=in_memory)
    secrets: SecretStore = field(default_factory=SecretStore)
    manager: Manager = field(default_factory=_opensm)
    services: Mapping[str, OpenSmService] = field(default_factory=dict)
    service: OpenSmService = OpenSmService()

    def refusal(self, wanted: Wanted) -> str:
        """What is wrong with the files; nothing is sent then."""
        if not wanted.body.get("files"):
            return "no file is to be left: without any, OpenSM makes every port a full member of the default partition"
        return refusal_words(judge_files(wanted.body["files"], self.manager))

    def look(self, wanted: Sequence[Wanted]) -> Mapping[str, HostReport]:
        """Read the files each host has."""
        hosts = {
            item.target.name: {
                **self._connection(item.target.name, item.target.address),
                "opensm_paths": list(item.body.get("files", ())),
            }
            for item in wanted
        }
        return self.run(self._play("opensm_read"), hosts, deadline_s=self.deadline_s)

    def seen(self, wanted: Sequence[Wanted], reports: Mapping[str, HostReport]) -> dict[str, Observed]:
        """The files, keys masked."""
        seen: dict[str, Observed] = {}
        for item in wanted:
            name = item.target.name
            root = str(self._connection(name)["opensm_root"])
            texts = {path.removeprefix(root): text for path, text in reports[name].read.items()}
            shown, unknown = self._masked(item, texts)
            found = observed_files(name, reports[name], shown)
            seen[name] = replace(
                found,
                detail=self.secrets.redact(found.detail),
                not_compared=tuple(("files", path) for path in unknown),
            )
        return seen

    def ask(self, play: str, targets: Sequence[Target]) -> Mapping[str, HostReport]:
        """Run a play that only reads on these hosts; the tables of a large fabric take their time."""
        hosts = {item.name: self._connection(item.name, item.address) for item in targets}
        return self.run(self._play(play), hosts, deadline_s=max(self.deadline_s, ASKING_S))

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """Files to write or change."""
        return tuple(difference(observed.state, file_tree(wanted.body.get("files", {}))))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """What new files do to traffic, from the catalog; a restart where an option is read at the start only."""
        found: dict[Disruption, None] = {}
        for item in differences:
            paths = item.path[1:] or tuple(wanted.body.get("files", ()))
            for path in paths:
                kind = kind_of(path, self.manager)
                effect = self.manager.effects.get(kind)
                if effect is not None:
                    found[Disruption(effect.severity, effect.scope, f"{path}: {effect.reason}")] = None
        starting = self._restarting(wanted, _before(wanted, differences))
        effect = self.manager.effects.get("restart")
        if starting and effect is not None:
            found[Disruption(effect.severity, effect.scope, f"{', '.join(starting)}: {effect.reason}")] = None
        return tuple(sorted(found, key=lambda item: item.severity == "none"))

    def revert_words(self, wanted: Wanted) -> str:  # noqa: ARG002 - the same for every host
        """How a host comes back."""
        return "by a compensating write: the files replaced are kept on the host; nothing reverts by itself"

    @contextmanager
    def staged(
        self, requests: Sequence[Request], reports: Mapping[str, HostReport]
    ) -> Iterator[dict[str, dict[str, Any]]]:
        """The files with their keys, in a private folder that is gone afterwards.

        Raises:
            IntentError: a secret is missing, or is no key.
        """
        seen = self.seen([request.wanted for request in requests], reports)
        with private_folder() as folder:
            hosts: dict[str, dict[str, Any]] = {}
            for number, request in enumerate(requests):
                wanted = request.wanted
                name = wanted.target.name
                own = folder / str(number)
                own.mkdir(mode=0o700)
                before = _before(wanted, self.difference(wanted, seen[name]))
                hosts[name] = {
                    **self._connection(name, wanted.target.address),
                    "opensm_files": self._stage(own, wanted.body["files"]),
                    "opensm_action": "restart" if self._restarting(wanted, before) else "hup",
                }
            yield hosts

    def _stage(self, folder: Path, files: Mapping[str, str]) -> list[dict[str, Any]]:
        staged: list[dict[str, Any]] = []
        # The options last: a manager that starts meanwhile finds the files they name.
        ordered = sorted(files, key=lambda path: kind_of(path, self.manager) == "conf")
        for number, path in enumerate(ordered):
            secret = "$secret:" in files[path]
            data = (filled(files[path], self.manager, self.secrets) if secret else files[path]).encode()
            source = folder / f"{number}-{PurePosixPath(path).name}"
            write_private(source, data)
            digest = hashlib.sha256(data).hexdigest()
            staged.append({"path": path, "source": str(source), "sha256": digest, "secret": secret})
        return staged

    def _restarting(self, wanted: Wanted, before: Mapping[str, str]) -> tuple[str, ...]:
        """Options that change and are read at the start only.

        Args:
            wanted: what the host must hold.
            before: texts of the files that change; empty where there was none.
        """
        found: list[str] = []
        for path, text in before.items():
            if kind_of(path, self.manager) == "conf":
                found += needs_restart(text, wanted.body.get("files", {}).get(path, ""), self.manager)
        return tuple(found)

    def _masked(self, wanted: Wanted, texts: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        shown: dict[str, str] = {}
        unknown: list[str] = []
        for path, text in texts.items():
            if kind_of(path, self.manager) != "conf":
                shown[path] = text
                continue
            secrets = secrets_of(wanted.body.get("files", {}).get(path, ""), self.manager)
            shown[path], left = masked(text, self.manager, secrets, self.secrets)
            unknown += [path] if left else []
        return shown, unknown

    def _connection(self, name: str, address: str = "") -> dict[str, Any]:
        service = self.services.get(name, self.service)
        # Not super(): a dataclass with slots is another class than the one its methods were written in.
        return {
            **PlaybookActor._connection(self, name, address),
            "opensm_hup": list(service.hup),
            "opensm_restart": list(service.restart),
            "opensm_log": service.log,
            "opensm_tools": list(service.tools),
        }


def _before(wanted: Wanted, differences: Sequence[Difference]) -> dict[str, str]:
    """Texts of the files that change; empty where there was none."""
    found: dict[str, str] = {}
    for item in differences:
        for path in item.path[1:] or tuple(wanted.body.get("files", ())):
            found[path] = "" if item.before is ABSENT or len(item.path) == 1 else str(item.before)
    return found
