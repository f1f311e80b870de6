"""What a switch holds before anybody configured it."""

from __future__ import annotations

import ipaddress

from intent.lab.trees import Json
from intent.lab.wiring import Switch


def day_0_tree(spec: Switch, user_hash: str) -> Json:
    """What a switch holds before anything was configured: name, management port, API, user."""
    new = int(spec.release.split(".")[1]) >= 15
    eth0: Json = {"type": "eth"}
    if spec.address:
        address = spec.address if "/" in spec.address else f"{spec.address}/24"
        eth0["ipv4" if new else "ip"] = {"address": {str(ipaddress.ip_interface(address)): {}}}
    elif new:
        eth0["ipv4"] = {"dhcp-client": {"state": "enabled"}}
    else:
        eth0["ip"] = {"address": {"dhcp": {}}}
    if new:
        eth0["vrf"] = "mgmt"
    else:
        eth0["ip"]["vrf"] = "mgmt"
    user = {"role": "system-admin", "hashed-password": user_hash}
    return {
        "interface": {"eth0": eth0},
        "system": {
            "aaa": {"user": {"cumulus": user}},
            "api": {"state": "enabled"},
            "hostname": "cumulus" if spec.factory else _host_name(spec.name),
        },
    }


def _host_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name).strip("-")[:63] or "cumulus"
