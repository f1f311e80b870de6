"""Connection options per platform: the shipped `inventory/` files with the workspace's own laid on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.tree import Tree, get, merge
from intent.device.endpoint import Timeouts
from intent.device.settings import only, read_settings

_TIMEOUTS = {"connect": (int, float), "read": (int, float), "write": (int, float), "operation": (int, float)}
_TLS = {"ca": str, "server_name": str, "verify_hostname": bool}
_EXTRAS = {"timeouts": dict, "tls": dict, "max_body_bytes": int}
_CONNECTION = {"hostname": str, "port": int, "username": str, "password": str, "platform": str, "extras": dict}
_GROUP = {
    "hostname": str,
    "port": int,
    "username": str,
    "password": str,
    "platform": str,
    "connection_options": dict,
    "data": dict,
}


@dataclass(frozen=True, slots=True)
class PlatformOptions:
    """How devices of one platform are reached.

    Args:
        username: account; empty when not given.
        password: its password or a placeholder for it.
        port: TCP port.
        ca: bundle of authorities, empty for the system's.
        server_name: name in the certificate, empty for the address.
        verify_hostname: False with a bundle of pinned certificates.
        timeouts: limits.
        max_body_bytes: largest answer accepted.
        napalm: options of the `napalm` connection as Nornir takes them.
        token: the password is an access token.
    """

    username: str
    password: str = field(repr=False)
    port: int
    ca: str = ""
    server_name: str = ""
    verify_hostname: bool = True
    timeouts: Timeouts = field(default_factory=Timeouts)
    max_body_bytes: int = 64 * 1024 * 1024
    napalm: Mapping[str, Any] = field(default_factory=dict)
    token: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Everything the `inventory/` folders say.

    Args:
        defaults: of every device.
        groups: by platform.
        max_in_flight: devices worked on at the same time.
    """

    defaults: Tree
    groups: Tree
    max_in_flight: int = 32

    @classmethod
    def load(cls, folders: Sequence[Path]) -> ConnectionSettings:
        """Read `defaults.yaml` and `groups.yaml` of several folders, the most specific first.

        Raises:
            IntentError: a file is malformed; says where.
        """
        defaults: Tree = {}
        groups: Tree = {}
        for folder in reversed(folders):
            defaults = merge(defaults, _checked_element(folder / "defaults.yaml"))
            groups = merge(groups, _checked_groups(folder / "groups.yaml"))
        number = get(defaults, ("data", "max_in_flight"), 32)
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= 1000:
            raise IntentError(f"inventory: data.max_in_flight must be 1 to 1000, not {number!r}")
        return cls(defaults, groups, number)

    def platform(self, name: str, *, default_port: int) -> PlatformOptions:
        """Options of one platform: its connection, its group, then the defaults.

        Raises:
            IntentError: a value is out of range.
        """
        group = merge(self.defaults, self.groups.get(name) or {})
        connections = group.get("connection_options") or {}
        own = connections.get(name) or connections.get(f"{name}-rest") or {}
        extras = own.get("extras") or {}
        tls = extras.get("tls") or {}
        port = own.get("port") or group.get("port") or default_port
        if not 0 < port < 65536:
            raise IntentError(f"inventory: group {name!r}: port {port} is not a TCP port")
        return PlatformOptions(
            username=own.get("username") or group.get("username") or "",
            password=own.get("password") or group.get("password") or "",
            port=port,
            ca=tls.get("ca") or "",
            server_name=tls.get("server_name") or "",
            verify_hostname=tls.get("verify_hostname", True) is not False,
            timeouts=_timeouts(extras.get("timeouts") or {}, name),
            max_body_bytes=extras.get("max_body_bytes") or 64 * 1024 * 1024,
            napalm=connections.get("napalm") or {},
            token=_authentication(group.get("data") or {}, name) == "token",
        )


def _authentication(data: Mapping[str, Any], name: str) -> str:
    how = data.get("authentication", "basic")
    if how not in ("basic", "token"):
        raise IntentError(f"inventory: group {name!r}: data.authentication is basic or token, not {how!r}")
    return str(how)


def _timeouts(given: Mapping[str, Any], name: str) -> Timeouts:
    for key, value in given.items():
        if value is not None and not 0 < value <= 86_400:
            raise IntentError(f"inventory: group {name!r}: timeouts.{key} must be above 0 and at most 86400 s")
    return Timeouts(**{f"{key}_s": float(value) for key, value in given.items() if value is not None})


def _checked_groups(file: Path) -> Tree:
    if not file.is_file():
        return {}
    groups = read_settings(file)
    for name, group in groups.items():
        if group is None:
            continue
        if not isinstance(group, dict):
            raise IntentError(f"{file}: group {name!r} must be a mapping")
        _check_element(group, f"{file}: group {name!r}")
    return {name: group or {} for name, group in groups.items()}


def _checked_element(file: Path) -> Tree:
    if not file.is_file():
        return {}
    element = read_settings(file)
    _check_element(element, str(file))
    return element


def _check_element(element: Mapping[str, Any], where: str) -> None:
    only(element, _GROUP, where)
    for name, options in (element.get("connection_options") or {}).items():
        at = f"{where}: connection_options.{name}"
        if not isinstance(options, dict):
            raise IntentError(f"{at} must be a mapping")
        only(options, _CONNECTION, at)
        extras = options.get("extras") or {}
        if name == "napalm":
            continue
        only(extras, _EXTRAS, f"{at}.extras")
        only(extras.get("timeouts") or {}, _TIMEOUTS, f"{at}.extras.timeouts")
        only(extras.get("tls") or {}, _TLS, f"{at}.extras.tls")
