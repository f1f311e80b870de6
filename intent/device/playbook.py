"""One run of one playbook over several hosts, and the truth about each of them."""

from __future__ import annotations

import base64
import binascii
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.device.lifeline import lifeline

_FILE = "@@ file "
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
# What a run needs of our environment. Everything else stays out of it: the runner writes its environment to a file.
_ENVIRONMENT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSH_AUTH_SOCK", "TMPDIR")

# Characters of a task's result. The runner's callback empties what is longer than 700,000, as if no file were there;
# this is more than the files of any host.
_LARGEST_RESULT = 1 << 30
# How long the runner waits for words of Ansible before it asks whether to stop; its own measure is 5 s.
_ASKED_EVERY_S = 0.5


class HostStatus(StrEnum):
    """How a run ended on one host."""

    OK = "ok"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a task changed, or would change, in one file."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class HostReport:
    """What a run did on one host.

    Args:
        status: how it ended.
        changed: names of tasks that changed something (in check mode: would change), or may have when it was lost.
        detail: why it failed, on one line.
        diffs: differences of file contents.
        read: contents of files the play read or printed, by path.
    """

    status: HostStatus
    changed: tuple[str, ...] = ()
    detail: str = ""
    diffs: tuple[FileDiff, ...] = ()
    read: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Gathering:
    """A host's events as they come in."""

    finished: bool = False
    reached: bool = False
    status: HostStatus | None = None
    detail: str = ""
    changed: dict[str, None] = field(default_factory=dict)
    diffs: list[FileDiff] = field(default_factory=list)
    read: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlaybookRun:
    """How playbooks are run.

    Args:
        forks: hosts at the same time.
        clock: seconds, monotonic.
        stopped: asked now and then; true ends the run at once, wherever it is.
        folder: where the run keeps its own folder, mode 0700; None for the system's place.
    """

    forks: int = 20
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False
    folder: Path | None = None

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        """Run a playbook on exactly these hosts.

        Args:
            playbook: file.
            hosts: variables of each host, connection variables included. No secret may be among them: the runner
                writes them to a file.
            deadline_s: seconds after which the run is ended.
            check: change nothing, say what would change.

        Returns:
            A report for every host; a host no task ran on is `not run`, never a success.

        Raises:
            IntentError: no host, a host name or value that Ansible would take for a pattern or a template, or
                ansible-playbook is missing.
        """
        _refuse(hosts)
        if not playbook.is_file():
            raise IntentError(f"no playbook {playbook}")
        with tempfile.TemporaryDirectory(
            prefix="intent-play-", dir=self.folder
        ) as folder:  # mode 0700, gone afterwards
            return self._run(Path(folder), playbook, hosts, deadline_s, check)

    def _run(
        self, folder: Path, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], deadline_s: float, check: bool
    ) -> dict[str, HostReport]:
        from ansible_runner.interface import init_runner

        gathered = {name: _Gathering() for name in hosts}
        end = self.clock() + deadline_s
        runner = init_runner(  # type: ignore[no-untyped-call]
            private_data_dir=str(folder),
            playbook=str(playbook.resolve()),
            inventory={"all": {"hosts": {name: dict(variables) for name, variables in hosts.items()}}},
            cmdline=f"--diff --forks {max(1, self.forks)}" + (" --check" if check else ""),
            event_handler=lambda event: _take(event, gathered),
            cancel_callback=lambda: self.stopped() or self.clock() > end,
            quiet=True,
        )
        runner.config.env = _environment(runner.config.env, folder)
        runner.config.pexpect_timeout = _ASKED_EVERY_S
        with lifeline(folder):
            runner.run()
        why = _why_not(runner.status, late=self.clock() > end, returncode=runner.rc)
        return {name: _report(found, why) for name, found in gathered.items()}


def _refuse(hosts: Mapping[str, Mapping[str, Any]]) -> None:
    if not hosts:
        raise IntentError("no host to run a playbook on")
    if not shutil.which("ansible-playbook", path=_path()):
        raise IntentError("ansible-playbook is not installed", hint="pip install 'ansible-core>=2.19'")
    for name, variables in hosts.items():
        if not _HOST.fullmatch(name):
            raise IntentError(f"host name {name!r}: letters, digits, '_', '.', '-' only")
        if _templated(variables):
            raise IntentError(f"{name}: a value holds a Jinja2 marker, which Ansible would execute")


def _templated(value: Any) -> bool:
    if isinstance(value, str):
        return any(mark in value for mark in ("{{", "{%", "{#"))
    if isinstance(value, Mapping):
        return any(_templated(key) or _templated(item) for key, item in value.items())
    return isinstance(value, list | tuple) and any(_templated(item) for item in value)


def _path() -> str:
    # `ansible-playbook` stands beside our interpreter even when the environment was not activated.
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))


def _environment(prepared: Mapping[str, str], folder: Path) -> dict[str, str]:
    own = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    made = {name: value for name, value in prepared.items() if name not in os.environ}
    (folder / "ansible.cfg").write_text("", encoding="utf-8")
    settings = {
        "PATH": _path(),
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),  # a stray ansible.cfg must not change what we do
        "ANSIBLE_HOME": str(folder / "home"),
        "ANSIBLE_HOST_KEY_CHECKING": "True",
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
        "ANSIBLE_SSH_ARGS": _multiplexing(folder),
        # Ansible's own place is shared by all runs: a later one would talk over an earlier one's connection, whose
        # host key was judged by other rules and whose server may be gone.
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(folder / "cp"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PIPELINING": "True",  # modules by standard input: no temporary files on the node, half the round trips
        "MAX_EVENT_RES": str(_LARGEST_RESULT),
    }
    return {**own, **made, **settings}


def _multiplexing(folder: Path) -> str:
    # A socket's path holds about 100 characters, of which ssh adds some thirty; a long TMPDIR leaves no room for it.
    if len(str(folder)) > 60:
        return "-C -o ControlMaster=no"
    return "-C -o ControlMaster=auto -o ControlPersist=15s"


def _take(event: Mapping[str, Any], gathered: Mapping[str, _Gathering]) -> bool:
    data = event.get("event_data") or {}
    kind = str(event.get("event", ""))
    if kind == "playbook_on_stats":
        for name in data.get("processed") or ():
            if name in gathered:
                gathered[name].finished = True
        return False
    found = gathered.get(str(data.get("host", "")))
    if found is None:
        return False
    result = data.get("res") or {}
    task = str(data.get("task", "task"))
    if kind == "runner_on_unreachable":
        found.status, found.detail = HostStatus.UNREACHABLE, _words(result)
        if found.reached:  # lost in the middle of a task, whatever that did
            found.changed[task] = None
    elif kind == "runner_on_failed" and not data.get("ignore_errors"):
        found.status, found.detail = HostStatus.FAILED, f"{task}: {found.detail or _words(result)}"
        if result.get("changed"):
            found.changed[task] = None
    elif kind == "runner_item_on_failed":
        found.detail = _words(result)
    elif kind in ("runner_on_ok", "runner_item_on_ok"):
        found.reached = True
        _keep(found, task, result)
    return False  # the runner need not keep a file per event


def _keep(found: _Gathering, task: str, result: Mapping[str, Any]) -> None:
    if result.get("changed"):
        found.changed[task] = None
    if "results" in result:
        return  # a loop: each item came as an event of its own
    differences = result.get("diff") or []
    for item in differences if isinstance(differences, list) else [differences]:
        before, after = item.get("before"), item.get("after")
        if isinstance(before, str) and isinstance(after, str) and before != after:
            path = str(result.get("dest") or result.get("path") or item.get("before_header") or "")
            found.diffs.append(FileDiff(path, before, after))
    if result.get("encoding") == "base64" and isinstance(result.get("content"), str):
        try:
            content = base64.b64decode(result["content"], validate=True).decode("utf-8", errors="replace")
        except binascii.Error:
            return
        found.read[str(result.get("source", ""))] = content
    try:
        found.read.update(_printed(result.get("stdout")))
    except binascii.Error:
        found.status, found.detail = HostStatus.FAILED, f"{task}: what the host printed is damaged"


def _printed(text: Any) -> Iterator[tuple[str, str]]:
    """Files a task printed: `@@ file <path>`, then the content in base64. One task for many files takes one module.

    Raises:
        binascii.Error: a content is damaged.
    """
    if not isinstance(text, str) or not text.startswith(_FILE):
        return
    for part in text.removeprefix(_FILE).split(f"\n{_FILE}"):
        path, _, lines = part.partition("\n")
        yield path, base64.b64decode("".join(lines.split()), validate=True).decode("utf-8", errors="replace")


def _words(result: Mapping[str, Any], limit: int = 300) -> str:
    said = result.get("msg")
    if said == "non-zero return code":  # of a command: its own words say more
        said = result.get("stderr") or said
    text = " ".join(str(said or result.get("stderr") or "no reason given").split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _why_not(status: str, *, late: bool, returncode: int | None) -> str:
    if status == "canceled":
        return "the run was ended at its deadline" if late else "the run was stopped"
    if status == "successful":
        return "the play did not run on this host"
    return f"the run ended as {status} (code {returncode}) before this host was done"


def _report(found: _Gathering, why: str) -> HostReport:
    status, detail = found.status, found.detail
    if status is None:
        # A host is fine only when the play's own statistics say it was gone through: "no hosts matched" is rc 0.
        status, detail = (HostStatus.OK, "") if found.finished else (HostStatus.NOT_RUN, why)
    return HostReport(status, tuple(found.changed), detail, tuple(found.diffs), found.read)
