"""Subtrees that older releases say in another form, one function each; `nvue_dialects.toml` names them.

A function gets a subtree in the form of 5.15 and later, its path and the whole tree, and says piece by piece where it
goes. A piece whose value is an empty mapping may also say that a leaf is told by the place itself (the VRF in a path).
The caller renames keys and words by the release's schema, so that the pieces may use today's words.
"""

# ruff: noqa: ARG001 - the functions share one signature

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from intent.core.diagnostic import Severity
from intent.core.tree import Path, get, leaves

Form: TypeAlias = Mapping[str, Any]


class Piece(NamedTuple):
    """One leaf and its place in the release.

    Args:
        source: path it comes from.
        target: path in the release.
        value: scalar, or an empty mapping for the member of a set.
    """

    source: Path
    target: Path
    value: Any


class Lost(NamedTuple):
    """One leaf the release has no place for.

    Args:
        source: path it comes from.
        message: what is lost.
        severity: error, or warning where the release does nearly the same.
    """

    source: Path
    message: str
    severity: Severity = Severity.ERROR


Result: TypeAlias = Iterator[Piece | Lost]
Shape: TypeAlias = Callable[[Form, Path, Form], Result]


def _rest(node: Form, path: Path, handled: tuple[str, ...], what: str) -> Iterator[Lost]:
    for at, _ in leaves({key: value for key, value in node.items() if key not in handled}, path):
        yield Lost(at, f"{what} has no such setting in this release")


def ntp(node: Form, path: Path, tree: Form) -> Result:
    """`system ntp` with one VRF: `service ntp VRF server|pool`."""
    vrf = node.get("vrf", "default")
    base: Path = ("service", "ntp", vrf)
    if node.get("state", "enabled") != "enabled":
        yield Lost((*path, "state"), "NTP cannot be switched off in this release: leave its servers out")
        return
    if node.get("server"):
        yield from (Piece((*path, key), base, {}) for key in ("vrf", "state") if key in node)
    for name, server in node.get("server", {}).items():
        at: Path = (*path, "server", name)
        kind = server.get("association-type", "server")
        target: Path = (*base, kind, name)
        if server.get("state", "enabled") != "enabled":
            yield Lost((*at, "state"), "a server cannot be switched off in this release: leave it out")
            continue
        yield Piece(at, target, {})
        yield from (Piece((*at, key), target, {}) for key in ("association-type", "state") if key in server)
        if "iburst" in server:
            yield Piece((*at, "iburst"), (*target, "iburst"), server["iburst"])
        yield from _rest(server, at, ("association-type", "state", "iburst"), "an NTP server")
    listen = list(node.get("listen", {}))
    if len(listen) == 1:
        yield Piece((*path, "listen", listen[0]), (*base, "listen"), listen[0])
    elif listen:
        yield Lost((*path, "listen"), "NTP listens on one interface only in this release")
    yield from _rest(node, path, ("vrf", "state", "server", "listen"), "NTP")


def dns(node: Form, path: Path, tree: Form) -> Result:
    """`system dns server X vrf V`: `service dns V server X`."""
    servers = node.get("server", {})
    vrfs = list(dict.fromkeys(server.get("vrf", "default") for server in servers.values())) or ["default"]
    for name, server in servers.items():
        at: Path = (*path, "server", name)
        target: Path = ("service", "dns", server.get("vrf", "default"), "server", name)
        yield Piece(at, target, {})
        if "vrf" in server:
            yield Piece((*at, "vrf"), target, {})
        yield from _rest(server, at, ("vrf",), "a name server")
    for name, entry in node.get("search", {}).items():
        at = (*path, "search", name)
        for vrf in vrfs:
            yield Piece(at, ("service", "dns", vrf, "search", name), {})
        yield from _rest(entry, at, (), "a search domain")
    for key in node:
        if key not in ("server", "search"):
            for at, value in leaves({key: node[key]}, path):
                yield Piece(at, at, value)


def syslog(node: Form, path: Path, tree: Form) -> Result:
    """`system syslog server X vrf V`: `service syslog V server X`; selectors came later."""
    for name, server in node.get("server", {}).items():
        at: Path = (*path, "server", name)
        target: Path = ("service", "syslog", server.get("vrf", "default"), "server", name)
        yield Piece(at, target, {})
        if "vrf" in server:
            yield Piece((*at, "vrf"), target, {})
        for key in ("port", "protocol"):
            if key in server:
                yield Piece((*at, key), (*target, key), server[key])
        for below, _ in leaves({"selector": server["selector"]} if "selector" in server else {}, at):
            yield Lost(below, "syslog has no selectors in this release: every message is sent", Severity.WARNING)
        yield from _rest(server, at, ("vrf", "port", "protocol", "selector"), "a syslog server")
    for at, _ in leaves({"selector": node["selector"]} if "selector" in node else {}, path):
        yield Lost(at, "syslog has no selectors in this release: every message is sent", Severity.WARNING)
    yield from _rest(node, path, ("server", "selector"), "syslog")


def authentication_order(node: Form, path: Path, tree: Form) -> Result:
    """A list in order: numbered entries, ten apart."""
    for position, word in enumerate(node.get("order", ()), start=1):
        yield Piece((*path, "order"), ("system", "aaa", "authentication-order", str(position * 10), word), {})
    yield from _rest(node, path, ("order",), "authentication")


def tacacs_servers(node: Form, path: Path, tree: Form) -> Result:
    """Servers by address with a priority: by number with `host`, and TACACS+ switched on."""
    if node:
        yield Piece(path, (*path[:-1], "enable"), "enabled")
    ranked = sorted(node.items(), key=lambda item: (item[1].get("priority", 99), item[0]))
    for number, (address, server) in enumerate(ranked, start=1):
        at: Path = (*path, address)
        target: Path = (*path, str(server.get("priority", number)))
        yield Piece(at, (*target, "host"), address)
        if "priority" in server:
            yield Piece((*at, "priority"), target, {})
        for key in ("port", "secret"):
            if key in server:
                yield Piece((*at, key), (*target, key), server[key])
        yield from _rest(server, at, ("priority", "port", "secret"), "a TACACS+ server")


def bfd_profiles(node: Form, path: Path, tree: Form) -> Result:
    """Profiles dissolve into the neighbors that name them; see `bfd_timers`."""
    used = set(_profiles_in_use(tree))
    for name in node.get("profile", {}):
        if name not in used:
            yield Lost((*path, "profile", name), f"no neighbor uses BFD profile {name}", Severity.WARNING)
    if node.get("state", "enabled") != "enabled":
        yield Lost((*path, "state"), "BFD is switched on by its neighbors in this release")
    yield from _rest(node, path, ("profile", "state"), "BFD")


def _profiles_in_use(tree: Form) -> Iterator[str]:
    for vrf in _maps(tree, "vrf"):
        bgp = get(vrf, ("router", "bgp"), {})
        for peer in (*_maps(bgp, "neighbor"), *_maps(bgp, "peer-group")):
            name = get(peer, ("bfd", "profile"), "")
            if isinstance(name, str):
                yield name


def _maps(node: Any, key: str) -> Iterator[Form]:
    below = node.get(key) if isinstance(node, Mapping) else None
    if isinstance(below, Mapping):
        yield from (item for item in below.values() if isinstance(item, Mapping))


def bfd_timers(node: Form, path: Path, tree: Form) -> Result:
    """The profile a neighbor names becomes its own timers."""
    name = node.get("profile")
    if name is not None:
        profile = get(tree, ("router", "bfd", "profile", str(name)), None)
        if not isinstance(profile, Mapping):
            yield Lost((*path, "profile"), f"BFD profile {name} is not defined")
            return
        source: Path = ("router", "bfd", "profile", str(name))
        on = "disabled" if profile.get("shutdown") == "enabled" else "enabled"
        yield Piece((*path, "profile"), (*path, "enable"), on)
        if get(tree, ("router", "bfd", "state"), "") == "enabled":
            yield Piece(("router", "bfd", "state"), (*path, "enable"), on)
        for key in ("detect-multiplier", "min-rx-interval", "min-tx-interval"):
            if key in profile:
                yield Piece((*source, key), (*path, key), profile[key])
        handled = ("detect-multiplier", "min-rx-interval", "min-tx-interval", "shutdown")
        defaults = {"passive-mode": "disabled"}
        kept = {key: value for key, value in profile.items() if defaults.get(key) != value}
        yield from _rest(kept, source, handled, "the BFD session of a neighbor")
    yield from _rest(node, path, ("profile",), "the BFD session of a neighbor")


def dhcp_relay(node: Form, path: Path, tree: Form) -> Result:
    """Server groups with their interfaces: servers and interfaces side by side."""
    groups = node.get("server-group", {})
    if len(groups) > 1:
        yield Lost((*path, "server-group"), "a DHCP relay has one group of servers in this release")
        return
    for name, group in groups.items():
        at: Path = (*path, "server-group", name)
        for server in group.get("server", {}):
            yield Piece((*at, "server", server), (*path, "server", server), {})
        for port in group.get("upstream-interface", {}):
            yield Piece((*at, "upstream-interface", port), (*path, "interface", port), {})
        yield from _rest(group, at, ("server", "upstream-interface"), "a DHCP relay")
    for port, entry in node.get("downstream-interface", {}).items():
        at = (*path, "downstream-interface", port)
        yield Piece(at, (*path, "interface", port), {})
        yield from (Piece(below, (*path, "interface", port), {}) for below, _ in leaves(entry, at))
    for key in node:
        if key not in ("server-group", "downstream-interface"):
            for at, value in leaves({key: node[key]}, path):
                yield Piece(at, at, value)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        shape.__name__: shape
        for shape in (
            ntp,
            dns,
            syslog,
            authentication_order,
            tacacs_servers,
            bfd_profiles,
            bfd_timers,
            dhcp_relay,
        )
    }
)
