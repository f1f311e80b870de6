"""Nodes as devices of a change: their rail interfaces, through a playbook.

A node has no commit timer. What a change replaces is kept on the node itself under the change's handle, so that a
revert is a compensating write any later process can make, and so that a process that died can be asked about.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from intent.core.tree import ABSENT, Difference, Tree, difference, digest
from intent.device.actor import Disruption, Observed, Outcome, Problem, Request, Session, Status, Wanted
from intent.device.playbook import HostReport, HostStatus, PlaybookRun

PLATFORM = "host"
_PREFIX, _SUFFIX = "60-intent-", ".network"


@dataclass(frozen=True, slots=True)
class HostConnection:
    """How a node is reached. Secrets stay with ssh: a key file or an agent, never a password.

    Args:
        address: name or address; empty takes the actor's `addresses`, then the target's own, then the node's name.
        port: ssh port.
        user: account; empty takes ssh's default.
        key_file: private key; empty takes the agent's.
        known_hosts: file of host keys; empty takes ssh's default. An unknown key is refused.
        python: interpreter on the node; empty lets Ansible find it.
        become: become root by sudo without a password.
        local: this machine, without ssh.
        root: folder on the node that stands for /; empty for the node itself.
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

    def variables(self, address: str) -> dict[str, Any]:
        """Connection variables of Ansible."""
        common: dict[str, Any] = {"rails_root": self.root, "rails_become": self.become}
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


def network_files(body: Mapping[str, Any], template: str) -> dict[str, str]:
    """The files a node's compiled data becomes: name → text, as the playbook writes them.

    Args:
        body: one node's document of `intent.render.hosts.host_data`.
        template: text of `rail.network.j2`.
    """
    from jinja2 import Environment, StrictUndefined

    # Ansible's own settings, so that both read one template to the same bytes.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True, autoescape=False)  # noqa: S701
    compiled = environment.from_string(template)
    return {f"{_PREFIX}{rail['name']}{_SUFFIX}": compiled.render(rail=rail) for rail in body["rails"]}


def diff_text(differences: Sequence[Difference]) -> str:
    """Differences of files as a unified diff."""
    lines: list[str] = []
    for item in differences:
        before, after = (("" if side is ABSENT else str(side)).splitlines() for side in (item.before, item.after))
        old, new = ("/dev/null" if side is ABSENT else item.path[-1] for side in (item.before, item.after))
        lines += unified_diff(before, after, old, new, lineterm="")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class HostActor:
    """Configures nodes; one call is one run of a playbook over all of them.

    A `Wanted` holds in `body` the node's document of `host_data`; what is compared are the files it becomes, at
    `files.<name>`.

    Args:
        playbooks: folder of `rails.yml` and its companions.
        connections: how each node is reached, by name; `default` for all others.
        default: connection of nodes not in `connections`.
        addresses: management address of each node, without prefix length: confirm, revert and settle know only names.
        run: runs playbooks.
        new_handle: makes the name of a change; unique.
        deadline_s: seconds for a run that only reads, confirms or reverts.
    """

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
        return PLATFORM

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Observed]:
        """The network files of ours each node has: `rails.yml` in check mode, which writes nothing."""
        if not wanted:
            return {}
        reports = self.run(self._play("rails"), self._hosts(wanted), deadline_s=self.deadline_s, check=True)
        return {item.target.name: _observed(item.target.name, reports[item.target.name]) for item in wanted}

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """Files to write, change or remove."""
        template = (self.playbooks / "templates" / "rail.network.j2").read_text(encoding="utf-8")
        return tuple(difference(observed.state, _tree(network_files(wanted.body, template))))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:  # noqa: ARG002
        """A reload of networkd reconfigures the interfaces whose files changed, and no other."""
        reason = "networkctl(1), reload: new and changed .network files are applied to their interfaces"
        names = [item.path[-1].removeprefix(_PREFIX).removesuffix(_SUFFIX) for item in differences]
        return tuple(Disruption("flap", f"port {name}", reason) for name in dict.fromkeys(names))

    def revert_words(self, wanted: Wanted) -> str:  # noqa: ARG002 - the same for every node
        """How a node comes back."""
        return "by a compensating write: the files replaced are kept on the node; nothing reverts by itself"

    def apply(self, requests: Sequence[Request], session: Session) -> dict[str, Outcome]:
        """Write the files of every node whose state is still the planned one."""
        outcomes: dict[str, Outcome] = {}
        ready: list[Request] = []
        seen = self.observe([request.wanted for request in requests])
        for request in requests:
            name = request.wanted.target.name
            found = seen[name]
            if found.problem is not None:
                outcomes[name] = Outcome(name, Status.FAILED, f"{found.detail}; nothing was written")
            elif found.digest != request.digest:
                outcomes[name] = Outcome(name, Status.STALE, "its network files changed since the plan")
            elif not self.difference(request.wanted, found):
                outcomes[name] = Outcome(name, Status.UNCHANGED)
            elif session.stopping():
                outcomes[name] = Outcome(name, Status.NOT_ATTEMPTED, "stopped before it was touched")
            else:
                ready.append(request)
        if ready:
            outcomes |= self._write(ready, session)
        return outcomes

    def confirm(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        """Keep the new files."""
        return self._finish("rails_confirm", pending, session, Status.CONFIRMED)

    def revert(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        """Put the old files back."""
        return self._finish("rails_revert", pending, session, Status.REVERTED)

    def settle(self, pending: Mapping[str, str]) -> dict[str, Outcome]:
        """Ask each node for the record of the change."""
        if not pending:
            return {}
        reports = self.run(self._play("rails_status"), self._pending(pending), deadline_s=self.deadline_s)
        return {name: _settled(name, handle, reports[name]) for name, handle in pending.items()}

    def _write(self, requests: Sequence[Request], session: Session) -> dict[str, Outcome]:
        handle = self.new_handle()
        names = [request.wanted.target.name for request in requests]
        hosts = self._hosts([request.wanted for request in requests])
        for name in names:
            session.record(name, "apply", {"handle": handle})
        reports = self.run(
            self._play("rails"),
            {name: {**variables, "rails_handle": handle} for name, variables in hosts.items()},
            deadline_s=min(request.deadline_s for request in requests),
        )
        outcomes = {name: _written(name, handle, reports[name]) for name in names}
        broken = {name: handle for name in names if reports[name].status is HostStatus.FAILED and reports[name].changed}
        if broken:  # a node half written goes back to where it was
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

    def _hosts(self, wanted: Sequence[Wanted]) -> dict[str, dict[str, Any]]:
        return {
            item.target.name: {
                **self._connection(item.target.name, item.target.address),
                "rails": item.body["rails"],
            }
            for item in wanted
        }

    def _pending(self, pending: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        return {name: {**self._connection(name), "rails_handle": handle} for name, handle in pending.items()}

    def _connection(self, name: str, address: str = "") -> dict[str, Any]:
        connection = self.connections.get(name, self.default)
        return connection.variables(self.addresses.get(name) or address or name)


def _tree(files: Mapping[str, str]) -> Tree:
    return {"files": dict(sorted(files.items()))} if files else {}


_PROBLEMS = {
    HostStatus.UNREACHABLE: Problem.UNREACHABLE,
    HostStatus.FAILED: Problem.PROTOCOL,
    HostStatus.NOT_RUN: Problem.TIMEOUT,
}


def _observed(name: str, report: HostReport) -> Observed:
    problem = _PROBLEMS.get(report.status)
    if problem is not None:
        if "Permission denied" in report.detail:
            problem = Problem.AUTHENTICATION
        return Observed(name, problem=problem, detail=report.detail)
    state = _tree({PurePosixPath(path).name: text for path, text in report.read.items()})
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
        return Outcome(name, Status.UNKNOWN, f"the record of change {handle} on the node is damaged", handle)
    known = {"awaiting": Status.AWAITING, "confirmed": Status.CONFIRMED, "reverted": Status.REVERTED}
    found = known.get(state, Status.UNKNOWN)
    return Outcome(name, found, "", handle if found in (Status.AWAITING, Status.UNKNOWN) else "")
