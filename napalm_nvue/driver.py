"""The driver: life cycle and configuration. What it reads lies in `getters`."""

from __future__ import annotations

import json
from typing import Any

from napalm.base.base import NetworkDriver
from napalm.base.exceptions import (
    CommitConfirmException,
    CommitError,
    MergeConfigException,
    ReplaceConfigException,
)

from intent.core.errors import IntentError
from intent.core.tree import Tree, get
from intent.device.deadline import Deadline
from intent.device.endpoint import Endpoint, Timeouts, tls_context
from intent.device.errors import Busy, ConnectionLost, DeadlineExceeded
from intent.device.http import Transport
from intent.device.nvue.agreement import device_differences
from intent.device.nvue.canonical import Canon, Canons
from intent.device.nvue.revision import Revision
from intent.device.nvue.session import DEFAULT_PORT, ROOT, NvueSession
from intent.device.nvue.states import Kind
from intent.device.nvue.waiting import Pace, wait_for
from napalm_nvue.candidate import as_text, as_yaml, combined, parsed, read_text
from napalm_nvue.errors import napalm_errors
from napalm_nvue.getters import Getters

_NAMES = frozenset({"applied", "startup", "pending", "empty", "operational"})


class NVUEDriver(Getters, NetworkDriver):
    """NAPALM driver over NVUE's REST API.

    Args:
        hostname: address or name.
        username: account, of the group `nvapply` to change anything.
        password: its password.
        timeout: seconds one operation may take; an apply gets ten times as long.
        optional_args: `port` (8765), `ca_file` (bundle that signed the certificate), `ssl_context` (a shared one,
            wins over `ca_file`), `server_name` (name in the certificate), `verify_hostname` (False only with a bundle
            of pinned certificates), `apply_timeout` (seconds).
    """

    platform = "nvue"

    def __init__(
        self,
        hostname: str,
        username: str,
        password: str,
        timeout: int = 60,
        optional_args: dict[str, Any] | None = None,
    ) -> None:
        self.hostname = hostname
        self.username = username
        self.password = password
        self.timeout = timeout
        self.optional_args = dict(optional_args or {})
        self.nvue: NvueSession | None = None
        self._candidate = ""
        self._previous: tuple[str, Tree] | None = None
        self._pace = Pace()
        self._release = ""
        self._canons = Canons()

    # --- life

    def open(self) -> None:
        """Connect, and ask for the release so that wrong credentials are told at once."""
        options = self.optional_args
        context = options.get("ssl_context")
        with napalm_errors():
            try:
                verify = options.get("verify_hostname", True) is not False
                context = context or tls_context(options.get("ca_file") or "", verify_hostname=verify)
            except OSError as problem:
                raise IntentError(f"ca_file {options.get('ca_file')}: {problem.strerror or problem}") from None
            seconds = float(self.timeout)
            endpoint = Endpoint(
                name=self.hostname,
                host=self.hostname,
                port=int(options.get("port") or DEFAULT_PORT),
                username=self.username,
                password=self.password,
                context=context,
                server_name=options.get("server_name") or "",
                timeouts=Timeouts(min(seconds, 10.0), seconds, seconds, seconds),
            )
            session = NvueSession(Transport(endpoint, root=ROOT))
            try:
                self._release = session.facts(session.deadline(), hardware=False).release
            except IntentError:
                session.close()
                raise
            self.nvue = session

    def close(self) -> None:
        """Throw a candidate away and close the connections."""
        if self.nvue is None:
            return
        session = self.nvue
        if self._candidate:
            try:
                session.discard(self._candidate, session.deadline(5.0))
            except IntentError:
                # Nothing was applied, and a candidate that stays behind holds nothing.
                self._candidate = ""
        self._candidate = ""
        session.close()
        self.nvue = None

    def is_alive(self) -> Any:
        """From what we know, without a request: REST has no connection to lose."""
        session = getattr(self, "nvue", None)
        return {"is_alive": session is not None and not session.transport.closed}

    # --- candidate

    def load_merge_candidate(self, filename: str | None = None, config: str | None = None) -> None:
        """Lay a tree, or the `set` and `unset` items of an NVUE file, on the candidate."""
        with napalm_errors(MergeConfigException):
            bodies = parsed(read_text(filename, config))
            self._load(bodies, replace=False)

    def load_replace_candidate(self, filename: str | None = None, config: str | None = None) -> None:
        """Make the candidate hold a tree and nothing else; refused when it would lock everybody out."""
        with napalm_errors(ReplaceConfigException):
            bodies = parsed(read_text(filename, config))
            tree = combined(bodies)
            for path in (("system", "aaa", "user"), ("system", "api")):
                if not get(tree, path, None):
                    raise IntentError(f"the configuration lacks {'.'.join(path)}: nobody could log in afterwards")
            self._load(bodies, replace=True)

    def _load(self, bodies: list[Tree], *, replace: bool) -> None:
        session = self._opened()
        deadline = session.deadline()
        if replace:
            self._drop(deadline)
        if not self._candidate:
            self._candidate = session.create(deadline)
        try:
            if replace:
                session.clear(self._candidate, deadline)
            for body in bodies:
                session.load(self._candidate, body, deadline)
        except IntentError:
            self._drop(session.deadline())
            raise

    def compare_config(self) -> str:
        """What the candidate would change; empty when nothing, or when there is no candidate."""
        if not self._candidate:
            return ""
        session = self._opened()
        with napalm_errors():
            deadline = session.deadline()
            forward = session.diff(self._candidate, "applied", deadline)
            backward = session.diff("applied", self._candidate, deadline)
            return as_text(device_differences(self._canon().tree(forward), self._canon().tree(backward)))

    def discard_config(self) -> None:
        """Throw the candidate away; without one nothing happens."""
        with napalm_errors():
            self._drop(self._opened().deadline())

    def _drop(self, deadline: Deadline) -> None:
        if self._candidate:
            name, self._candidate = self._candidate, ""
            self._opened().discard(name, deadline)

    # --- commit

    def commit_config(self, message: str = "", revert_in: int | None = None) -> None:
        """Apply the candidate, wait until the switch has decided, save unless it awaits confirmation."""
        if not self._candidate:
            raise CommitError("no candidate configuration is loaded")
        if revert_in is not None and not 0 < revert_in <= 86_400:
            raise CommitError(f"revert_in must be 1 to 86400 seconds, not {revert_in}")
        session = self._opened()
        with napalm_errors(CommitError):
            held = [item for item in session.revisions(session.deadline()) if item.holding]
            if any(item.kind is Kind.CONFIRM for item in held):
                raise CommitError("a commit awaits confirmation: confirm or roll back first")
            if held:
                raise Busy(f"busy: {held[0].words()}")
            self._previous = (self._in_force(), session.applied(session.deadline()))
            name, self._candidate = self._candidate, ""
            self._apply(name, revert_in or 0, message)

    def _apply(self, name: str, confirm_s: int, message: str) -> None:
        session = self._opened()
        deadline = self._long()
        try:
            session.apply(name, deadline, confirm_s=confirm_s, message=message)
        except (ConnectionLost, DeadlineExceeded):
            session.transport.reconnect()
        waited = wait_for(session, name, deadline, self._pace)
        if waited.decided and waited.kind is Kind.CONFIRM and confirm_s:
            return
        if waited.decided and waited.kind is Kind.GOOD and waited.revision is not None:
            self._save(name, waited.revision, deadline)
            return
        if waited.decided:
            if waited.kind is Kind.QUESTION and waited.revision is not None:
                session.refuse(name, waited.revision.state, session.deadline())
            session.discard(name, session.deadline())
            raise CommitError(f"not applied: {waited.words()}")
        raise CommitError(f"unknown whether it was applied: {waited.words()}")

    def _save(self, name: str, now: Revision, deadline: Deadline) -> None:
        session = self._opened()
        if not now.saved:
            session.transport.sleep(self._pace.first_s)
            now = session.revision(name, deadline)
        if not now.saved:
            session.save(deadline)

    def has_pending_commit(self) -> bool:
        """Asks the switch: whoever confirms may be another process than the one that committed."""
        with napalm_errors(CommitConfirmException):
            return self._awaiting() != ""

    def confirm_commit(self) -> None:
        """Keep what awaits confirmation, and save it."""
        session = self._opened()
        with napalm_errors(CommitConfirmException):
            name = self._awaiting()
            if not name:
                raise CommitConfirmException("no commit awaits confirmation")
            deadline = self._long()
            session.confirm(name, deadline)
            waited = wait_for(session, name, deadline, self._pace, {Kind.GOOD, Kind.BAD, Kind.ENDED})
            if waited.kind is not Kind.GOOD or waited.revision is None:
                raise CommitConfirmException(f"not confirmed: {waited.words()}")
            self._save(name, waited.revision, deadline)

    def rollback(self) -> None:
        """Put back what was there before: decline what awaits confirmation, else undo this driver's last commit."""
        session = self._opened()
        with napalm_errors(CommitError):
            name = self._awaiting()
            if name:
                deadline = self._long()
                session.decline(name, deadline)
                gone = {Kind.GOOD, Kind.BAD, Kind.ENDED, Kind.CANDIDATE}
                waited = wait_for(session, name, deadline, self._pace, gone)
                if not waited.decided or waited.kind is Kind.GOOD:
                    raise CommitError(f"not rolled back: {waited.words()}")
            elif self._previous is not None:
                self._restore(*self._previous)
            else:
                raise CommitError("nothing to roll back: this driver committed nothing")
            self._previous = None

    def _restore(self, name: str, tree: Tree) -> None:
        session = self._opened()
        if not name:
            deadline = session.deadline()
            name = session.create(deadline)
            session.clear(name, deadline)
            session.load(name, tree, deadline)
        self._apply(name, 0, "")

    # --- configuration as text

    def get_config(
        self,
        retrieve: str = "all",
        full: bool = False,
        sanitized: bool = False,
        format: str = "text",  # noqa: A002
    ) -> Any:
        """Running (applied), startup and candidate as an NVUE file; `format` is `text` (YAML) or `json`."""
        del full
        result = {"running": "", "startup": "", "candidate": ""}
        names = {"running": "applied", "startup": "startup", "candidate": self._candidate}
        for kind, name in names.items():
            if retrieve in ("all", kind) and name:
                with napalm_errors():
                    held = self._opened().tree(name, self._opened().deadline())
                tree = self._canon().tree(held) if sanitized else self._canon().expanded(held)
                result[kind] = json.dumps(tree, indent=2, sort_keys=True) if format == "json" else as_yaml(tree)
        return result

    # --- helpers

    def _canon(self) -> Canon:
        return self._canons.of(self._release)

    def _awaiting(self) -> str:
        found = [item for item in self._opened().revisions(self._opened().deadline()) if item.kind is Kind.CONFIRM]
        return found[0].identifier if found else ""

    def _in_force(self) -> str:
        """Identifier of the applied revision, empty when the device does not say."""
        found = self._opened().revisions(self._opened().deadline())
        names = [item.identifier for item in found if item.kind is Kind.GOOD and item.identifier not in _NAMES]
        return names[0] if len(names) == 1 else ""

    def _long(self) -> Deadline:
        seconds = float(self.optional_args.get("apply_timeout") or self.timeout * 10)
        return self._opened().deadline(seconds)
