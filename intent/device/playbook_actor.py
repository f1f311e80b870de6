"""Hosts as devices of a change, configured by playbooks: what nodes and hosts of subnet managers have in common.

A host has no commit timer. What a change replaces is kept on the host itself under the change's handle, so that a
revert is a compensating write any later process can make, and so that a process that died can be asked about.

A kind of host has four plays: `<play>`, `<play>_confirm`, `<play>_revert` and `<play>_status`.
"""

from __future__ import annotations

import json
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, ClassVar, Protocol

from intent.core.errors import IntentError
from intent.core.tree import ABSENT, Difference, Tree, digest
from intent.device.actor import Observed, Outcome, Problem, Request, Session, Status, Wanted
from intent.device.playbook import HostReport, HostStatus, PlaybookRun


@dataclass(frozen=True, slots=True)
class HostConnection:
    """How a host is reached. Secrets stay with ssh: a key file or an agent, never a password.

    Args:
        address: name or address; empty takes the actor's `addresses`, then the target's own, then the host's name.
        port: ssh port.
        user: account; empty takes ssh's default.
        key_file: private key; empty takes the agent's.
        known_hosts: file of host keys; empty takes ssh's default. An unknown key is refused.
        python: interpreter on the host; empty lets Ansible find it.
        become: become root by sudo without a password.
        local: this machine, without ssh.
        root: folder on the host that stands for /; empty for the host itself.
    """

    address: str = ""
    port: int = 22
    user: str = ""
    key_file: str = ""
    known_hosts: str = ""
    python: str = ""
    become: bool = False
    local: bool = False
    root: str = ""

    def variables(self, address: str, play: str = "rails") -> dict[str, Any]:
        """Connection variables of Ansible, and `<play>_root` and `<play>_become` of the plays."""
        common: dict[str, Any] = {f"{play}_root": self.root, f"{play}_become": self.become}
        if self.python:
            common["ansible_python_interpreter"] = self.python
        if self.local:
            return common | {"ansible_connection": "local"}
        options = ["-o StrictHostKeyChecking=yes", "-o BatchMode=yes", "-o ConnectTimeout=10"]
        if self.known_hosts:
            options.append(f"-o UserKnownHostsFile={self.known_hosts}")
        named = {"ansible_user": self.user, "ansible_ssh_private_key_file": self.key_file}
        return (
            common
            | {"ansible_connection": "ssh", "ansible_host": self.address or address, "ansible_port": self.port}
            | {"ansible_ssh_common_args": " ".join(options)}
            | {name: value for name, value in named.items() if value}
        )


class Run(Protocol):
    """Runs a playbook on hosts; `PlaybookRun` is the real one."""

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> Mapping[str, HostReport]: ...


def diff_text(differences: Sequence[Difference]) -> str:
    """Differences of files as a unified diff."""
    lines: list[str] = []
    for item in differences:
        before, after = (("" if side is ABSENT else str(side)).splitlines() for side in (item.before, item.after))
        old, new = ("/dev/null" if side is ABSENT else item.path[-1] for side in (item.before, item.after))
        lines += unified_diff(before, after, old, new, lineterm="")
    return "\n".join(lines)


def file_tree(files: Mapping[str, str]) -> Tree:
    """Files as a tree: `files.<name>`; nothing when there are none."""
    return {"files": dict(sorted(files.items()))} if files else {}


@dataclass(frozen=True, slots=True)
class PlaybookActor(ABC):
    """What kinds of hosts have in common; one call is one run of a playbook over all of them.

    Args:
        playbooks: folder of the plays.
        connections: how each host is reached, by name; `default` for all others.
        default: connection of hosts not in `connections`.
        addresses: management address of each host, without prefix length: confirm, revert and settle know only names.
        run: runs playbooks.
        new_handle: makes the name of a change; unique.
        deadline_s: seconds for a run that only reads, confirms or reverts.
    """

    PLATFORM: ClassVar[str]
    PLAY: ClassVar[str]
    WHAT: ClassVar[str]

    playbooks: Path
    connections: Mapping[str, HostConnection]
    default: HostConnection = HostConnection()
    addresses: Mapping[str, str] = field(default_factory=dict)
    run: Run = field(default_factory=PlaybookRun)
    new_handle: Callable[[], str] = lambda: uuid.uuid4().hex
    deadline_s: float = 120.0

    @property
    def platform(self) -> str:
        """Key by which artefacts name this actor."""
        return self.PLATFORM

    # --- what a kind of host says for itself

    @abstractmethod
    def look(self, wanted: Sequence[Wanted]) -> Mapping[str, HostReport]:
        """Run the play that reads what each host holds in its scope."""

    @abstractmethod
    def seen(self, wanted: Sequence[Wanted], reports: Mapping[str, HostReport]) -> dict[str, Observed]:
        """What that run says of each host. No key is in it."""

    @abstractmethod
    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """What leads from live to wanted. Pure."""

    def refusal(self, wanted: Wanted) -> str:
        """Why what is wanted must not be sent at all; empty when it may. Pure."""
        del wanted
        return ""

    @abstractmethod
    def staged(
        self, requests: Sequence[Request], reports: Mapping[str, HostReport]
    ) -> AbstractContextManager[dict[str, dict[str, Any]]]:
        """Variables of the play by host, while what they point at exists.

        Args:
            requests: the hosts to be written.
            reports: of the run that read what they hold.
        """

    # --- the same for all

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Observed]:
        """Read only: what each host holds in its scope."""
        return self.seen(wanted, self.look(wanted)) if wanted else {}

    def apply(self, requests: Sequence[Request], session: Session) -> dict[str, Outcome]:
        """Write the files of every host whose state is still the planned one."""
        outcomes: dict[str, Outcome] = {}
        ready: list[Request] = []
        for request in requests:
            why = self.refusal(request.wanted)
            if why:
                name = request.wanted.target.name
                outcomes[name] = Outcome(name, Status.FAILED, f"{why}; nothing was sent")
        sent = [request for request in requests if request.wanted.target.name not in outcomes]
        asked = [request.wanted for request in sent]
        reports = self.look(asked) if asked else {}
        seen = self.seen(asked, reports)
        for request in sent:
            name = request.wanted.target.name
            found = seen[name]
            if found.problem is not None:
                outcomes[name] = Outcome(name, Status.FAILED, f"{found.detail}; nothing was written")
            elif found.digest != request.digest:
                outcomes[name] = Outcome(name, Status.STALE, f"its {self.WHAT} changed since the plan")
            elif not self.difference(request.wanted, found):
                outcomes[name] = Outcome(name, Status.UNCHANGED)
            elif session.stopping():
                outcomes[name] = Outcome(name, Status.NOT_ATTEMPTED, "stopped before it was touched")
            else:
                ready.append(request)
        if ready:
            outcomes |= self._write(ready, reports, session)
        return outcomes

    def confirm(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        """Keep the new files."""
        return self._finish(f"{self.PLAY}_confirm", pending, session, Status.CONFIRMED)

    def revert(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        """Put the old files back."""
        return self._finish(f"{self.PLAY}_revert", pending, session, Status.REVERTED)

    def settle(self, pending: Mapping[str, str]) -> dict[str, Outcome]:
        """Ask each host for the record of the change."""
        if not pending:
            return {}
        reports = self.run(self._play(f"{self.PLAY}_status"), self._pending(pending), deadline_s=self.deadline_s)
        return {name: _settled(name, handle, reports[name]) for name, handle in pending.items()}

    def _write(
        self, requests: Sequence[Request], read: Mapping[str, HostReport], session: Session
    ) -> dict[str, Outcome]:
        handle = self.new_handle()
        names = [request.wanted.target.name for request in requests]
        deadline_s = min(request.deadline_s for request in requests)
        try:
            with self.staged(requests, read) as hosts:
                for name in names:
                    session.record(name, "apply", {"handle": handle})
                named = {name: {**hosts[name], f"{self.PLAY}_handle": handle} for name in names}
                reports = self.run(self._play(self.PLAY), named, deadline_s=deadline_s)
        except IntentError as problem:
            return {name: Outcome(name, Status.FAILED, f"{problem.message}; nothing was sent") for name in names}
        outcomes = {name: _written(name, handle, reports[name]) for name in names}
        broken = {name: handle for name in names if reports[name].status is HostStatus.FAILED and reports[name].changed}
        if broken:  # a host half written goes back to where it was
            for name, outcome in self.revert(broken, session).items():
                detail = f"{reports[name].detail}; {outcome.detail or 'what it had was put back'}"
                outcomes[name] = replace(outcome, detail=detail)
        return outcomes

    def _finish(self, play: str, pending: Mapping[str, str], session: Session, status: Status) -> dict[str, Outcome]:
        if not pending:
            return {}
        for name, handle in pending.items():
            session.record(name, play, {"handle": handle})
        reports = self.run(self._play(play), self._pending(pending), deadline_s=self.deadline_s)
        return {
            name: Outcome(name, status)
            if reports[name].status is HostStatus.OK
            else Outcome(name, Status.UNKNOWN, reports[name].detail, handle)
            for name, handle in pending.items()
        }

    def _play(self, name: str) -> Path:
        return self.playbooks / f"{name}.yml"

    def _pending(self, pending: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        return {name: {**self._connection(name), f"{self.PLAY}_handle": handle} for name, handle in pending.items()}

    def _connection(self, name: str, address: str = "") -> dict[str, Any]:
        connection = self.connections.get(name, self.default)
        return connection.variables(self.addresses.get(name) or address or name, self.PLAY)


_PROBLEMS = {
    HostStatus.UNREACHABLE: Problem.UNREACHABLE,
    HostStatus.FAILED: Problem.PROTOCOL,
    HostStatus.NOT_RUN: Problem.TIMEOUT,
}


def observed_files(name: str, report: HostReport, files: Mapping[str, str]) -> Observed:
    """What a run that read files says of one host.

    Args:
        name: the host.
        report: of the run.
        files: what was read, as it is to be compared.
    """
    problem = _PROBLEMS.get(report.status)
    if problem is not None:
        if "Permission denied" in report.detail:
            problem = Problem.AUTHENTICATION
        return Observed(name, problem=problem, detail=report.detail)
    state = file_tree(files)
    return Observed(name, state, digest(state))


def _written(name: str, handle: str, report: HostReport) -> Outcome:
    if report.status is HostStatus.OK:
        return Outcome(name, Status.AWAITING, "", handle)
    if report.status is HostStatus.NOT_RUN or report.changed:
        return Outcome(name, Status.UNKNOWN, report.detail, handle)
    return Outcome(name, Status.FAILED, f"{report.detail}; nothing was written")


def _settled(name: str, handle: str, report: HostReport) -> Outcome:
    if report.status is not HostStatus.OK:
        return Outcome(name, Status.UNKNOWN, report.detail, handle)
    if not report.read:
        return Outcome(name, Status.UNCHANGED, "the change never reached it")
    try:
        state = json.loads(next(iter(report.read.values())))["state"]
    except (ValueError, KeyError, TypeError):
        return Outcome(name, Status.UNKNOWN, f"the record of change {handle} on the host is damaged", handle)
    known = {"awaiting": Status.AWAITING, "confirmed": Status.CONFIRMED, "reverted": Status.REVERTED}
    found = known.get(state, Status.UNKNOWN)
    return Outcome(name, found, "", handle if found in (Status.AWAITING, Status.UNKNOWN) else "")
