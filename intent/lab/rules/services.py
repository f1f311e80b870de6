"""System services and accounts."""

from __future__ import annotations

from collections.abc import Iterator

from intent.lab.facts import mapping
from intent.lab.rules.candidate import Candidate, Invalid, Rule


def ntp_vrf_defined(it: Candidate) -> Iterator[Invalid]:
    """System services run in VRFs that exist."""
    known = {"default", "mgmt", *mapping(it.tree, "vrf")}
    for service in ("ntp", "dns", "syslog"):
        held = mapping(it.tree, "system", service)
        places = [((), held), *((("server", key), mapping(value)) for key, value in mapping(held, "server").items())]
        for path, node in places:
            vrf = node.get("vrf")
            if isinstance(vrf, str) and vrf not in known:
                yield Invalid(("system", service, *path, "vrf"), f"vrf {vrf} is not defined")


def users_have_roles(it: Candidate) -> Iterator[Invalid]:
    """A user's role is built in or defined."""
    known = {"system-admin", "nvue-admin", "nvue-monitor", *mapping(it.tree, "system", "aaa", "role")}
    for name, user in mapping(it.tree, "system", "aaa", "user").items():
        role = mapping(user).get("role")
        if isinstance(role, str) and role not in known:
            yield Invalid(("system", "aaa", "user", name, "role"), f"role {role} is not defined")


RULES: tuple[Rule, ...] = (
    ntp_vrf_defined,
    users_have_roles,
)
