"""Typed calls of NVUE's REST API. Says what the device said; decides nothing.

Paths, bodies and states are those of the Cumulus Linux 5.9 to 5.18 user guides and NVIDIA's own client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from intent.core.tree import Tree
from intent.device.deadline import Deadline
from intent.device.errors import BadRequest, NotFound, ProtocolError, ServerError
from intent.device.nvue.revision import Revision, revision_from
from intent.device.rest_session import RestSession

ROOT = "/nvue_v1"
DEFAULT_PORT = 8765
_SURE = {"ays": "ays_yes"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a device says it is.

    Args:
        hostname: its name.
        release: release of the operating system, as `5.16.4`.
        model: hardware model; empty when not reported.
        serial: serial number; empty when not reported.
        uptime_s: seconds since boot; None when not reported.
    """

    hostname: str
    release: str
    model: str = ""
    serial: str = ""
    uptime_s: int | None = None


class NvueSession(RestSession):
    """One device's NVUE API.

    Args:
        transport: made with `root=ROOT`.
    """

    # --- reading

    def read(self, path: str, deadline: Deadline, *, include: Iterable[str] = (), **query: str) -> Any:
        """Operational state at a path.

        Args:
            path: as `/interface`.
            deadline: when to stop.
            include: pointer patterns to keep, as `/*/link/oper-status`.
            query: further parameters (`rev`, `filter`).

        Raises:
            NotFound: there is nothing, which for state means absent.
            DeviceError: by kind of failure.
        """
        wanted = list(include)
        parameters: dict[str, str | list[str]] = {**query, **({"include": wanted} if wanted else {})}
        return self.transport.get(path, parameters, deadline=deadline)

    def facts(self, deadline: Deadline, *, hardware: bool = True) -> Facts:
        """Name, release and, with a second request, model.

        Raises:
            ProtocolError: the device names no release.
            DeviceError: by kind of failure.
        """
        system = _mapping(self.read("/system", deadline), "/system")
        release = _release(system)
        platform: Mapping[str, Any] = {}
        if hardware:
            try:
                platform = _mapping(self.read("/platform", deadline), "/platform")
            except NotFound:
                platform = {}
        uptime = system.get("uptime")
        return Facts(
            str(system.get("hostname") or ""),
            release,
            str(platform.get("product-name") or ""),
            str(platform.get("serial-number") or ""),
            int(uptime) if isinstance(uptime, int | float) and not isinstance(uptime, bool) else None,
        )

    def tree(self, revision: str, deadline: Deadline) -> Tree:
        """Configuration of a revision without defaults (`applied`, `startup`, or a number).

        Nobody may write into it: the same answer of the device is the same object.

        Raises:
            DeviceError: by kind of failure.
        """
        query = {"rev": revision, "filled": "false"}
        return _tree(self.transport.get("/", query, deadline=deadline, remember=True), f"revision {revision}")

    def applied(self, deadline: Deadline) -> Tree:
        """The configuration in force, without defaults."""
        return self.tree("applied", deadline)

    def diff(self, revision: str, against: str, deadline: Deadline) -> Tree:
        """What `revision` holds that `against` does not; None stands where only `against` has a value."""
        query = {"rev": revision, "diff": against, "filled": "false"}
        return _tree(self.transport.get("/", query, deadline=deadline), f"diff of revision {revision}")

    def revisions(self, deadline: Deadline) -> tuple[Revision, ...]:
        """Every revision the device remembers."""
        found = _mapping(self.transport.get("/revision", deadline=deadline), "/revision")
        return tuple(revision_from(str(key), body) for key, body in found.items())

    def revision(self, identifier: str, deadline: Deadline) -> Revision:
        """One revision.

        Raises:
            NotFound: the device does not know it (any more).
            DeviceError: by kind of failure.
        """
        return revision_from(identifier, self.transport.get(_path(identifier), deadline=deadline))

    # --- writing

    def create(self, deadline: Deadline) -> str:
        """A new candidate revision on top of the applied one; returns its identifier.

        Raises:
            ProtocolError: the answer names no revision.
            DeviceError: by kind of failure.
        """
        body = _mapping(self.transport.send("POST", "/revision", deadline=deadline), "new revision")
        if len(body) != 1:
            raise ProtocolError(f"new revision: the answer names {len(body)} revisions, not one")
        return str(next(iter(body)))

    def clear(self, revision: str, deadline: Deadline) -> None:
        """Empty a candidate."""
        self.transport.send("DELETE", "/", {"rev": revision}, deadline=deadline)

    def load(self, revision: str, tree: Mapping[str, Any], deadline: Deadline) -> None:
        """Merge a tree into a candidate; None takes away.

        Raises:
            BadRequest: the tree breaks the release's schema; its violations point into the tree.
            DeviceError: by kind of failure.
        """
        self.transport.send("PATCH", "/", {"rev": revision}, tree, deadline=deadline)

    def apply(self, revision: str, deadline: Deadline, *, confirm_s: int = 0, message: str = "") -> None:
        """Start applying. The answer says nothing about the outcome: read the revision.

        The question whether a reload is wanted is answered; the confirmation never is, and errors of services are
        never forced.

        Args:
            revision: a candidate.
            deadline: when to stop.
            confirm_s: seconds after which the device puts the old configuration back unless confirmed; 0 for never.
            message: note kept by the device.
        """
        body: dict[str, Any] = {"state": "apply", "auto-prompt": dict(_SURE)}
        if confirm_s:
            body["state-controls"] = {"confirm": confirm_s}
        if message:
            body["message"] = message
        self.transport.send("PATCH", _path(revision), body=body, deadline=deadline)

    def confirm(self, revision: str, deadline: Deadline) -> None:
        """Keep what awaits confirmation."""
        self.transport.send("PATCH", _path(revision), body={"state": "confirm_yes"}, deadline=deadline)

    def decline(self, revision: str, deadline: Deadline) -> None:
        """Put back what awaits confirmation."""
        self.transport.send("PATCH", _path(revision), body={"state": "confirm_no"}, deadline=deadline)

    def refuse(self, revision: str, question: str, deadline: Deadline) -> None:
        """Answer a question (`ays`, `ignore_fail`) with no."""
        self.transport.send("PATCH", _path(revision), body={"state": f"{question}_no"}, deadline=deadline)

    def save(self, deadline: Deadline) -> None:
        """Make the applied configuration the one of the next boot."""
        body = {"state": "save", "auto-prompt": dict(_SURE)}
        self.transport.send("PATCH", _path("applied"), body=body, deadline=deadline)

    def discard(self, revision: str, deadline: Deadline) -> bool:
        """Throw a candidate away; True when it is gone, False when the device cannot (it then holds nothing)."""
        try:
            self.transport.send("DELETE", _path(revision), deadline=deadline)
        except NotFound:
            return True
        except (BadRequest, ServerError):
            try:
                self.transport.send("PATCH", _path(revision), body={"state": "detached"}, deadline=deadline)
            except (BadRequest, NotFound, ServerError):
                return False
        return True


def _path(revision: str) -> str:
    return "/revision/" + quote(revision, safe="")


def _tree(body: Any, what: str) -> Tree:
    if not isinstance(body, dict):
        raise ProtocolError(f"{what}: expected an object, got {type(body).__name__}")
    return body


def _mapping(body: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise ProtocolError(f"{what}: expected an object, got {type(body).__name__}")
    return body


def _release(system: Mapping[str, Any]) -> str:
    """The release: `version.product-release` from 5.14, `product-release` from 5.11, `build` before."""
    version = system.get("version")
    version = version if isinstance(version, Mapping) else {}
    named = [part.get(key) for key in ("product-release", "build") for part in (version, system)]
    for found in named:
        if isinstance(found, str) and found.strip():
            return found.strip().removeprefix("Cumulus Linux").strip()
    raise ProtocolError("/system: the device names no release")
