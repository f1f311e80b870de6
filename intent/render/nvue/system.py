"""The switch itself: name, clock, services, users, API, management interface."""

from __future__ import annotations

from intent.core.secret import reference
from intent.core.tree import Tree
from intent.render.nvue.facts import Facts, Part, keys

_SELECTOR = "fabric"


def system(facts: Facts) -> Part:
    """System settings of a switch."""
    part = Part()
    default = facts.of_fabric("always set")
    part.own(("system", "hostname"), facts.device.name, facts.of_site("name of the device", "names"))
    timezone = facts.of_site("time zone of the site", "timezone")
    part.own(("system", "date-time", "timezone"), facts.site.timezone, timezone)
    part.own(("system", "api", "state"), "enabled", default)
    part.own(("system", "config", "auto-save", "state"), "enabled", default)
    _services(facts, part)
    _users(facts, part)
    _management(facts, part)
    return part


def _services(facts: Facts, part: Part) -> None:
    services = facts.site.services
    if services.ntp:
        servers: Tree = {host: {"iburst": "enabled"} for host in services.ntp}
        ntp = {"state": "enabled", "vrf": "mgmt", "server": servers}
        part.own(("system", "ntp"), ntp, facts.of_site("time servers", "services", "ntp"))
    if services.dns:
        servers = {host: {"vrf": "mgmt"} for host in services.dns}
        part.own(("system", "dns", "server"), servers, facts.of_site("name servers", "services", "dns"))
    if services.syslog:
        origin = facts.of_site("log receivers", "services", "syslog")
        chosen: Tree = {"1": {"selector-id": _SELECTOR}}
        receivers = {
            item.host: {"port": item.port, "protocol": "udp", "vrf": item.vrf, "selector": dict(chosen)}
            for item in services.syslog
        }
        part.own(("system", "syslog", "server"), receivers, origin)
        part.own(("system", "syslog", "selector", _SELECTOR), {"severity": "info"}, origin)


def _users(facts: Facts, part: Part) -> None:
    for name, user in facts.site.users.items():
        account = {"role": user.role, "hashed-password": reference(user.hashed_password.secret)}
        part.own(("system", "aaa", "user", name), account, facts.of_site("account", "users", name))


def _management(facts: Facts, part: Part) -> None:
    management = facts.site.management
    if not facts.device.management or management is None:
        return
    tree: Tree = {
        "type": "eth",
        "vrf": "mgmt",
        "ipv4": {"address": keys([facts.device.management]), "gateway": keys([str(management.gateway)])},
    }
    part.own(("interface", "eth0"), tree, facts.of_site("management network", "management"))
