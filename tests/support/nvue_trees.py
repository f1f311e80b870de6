"""Canonical NVUE trees for tests, and where the shared reference folder is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def shared() -> Path:
    """The reference folder beside the checkout; skips the test where there is none."""
    named = os.environ.get("INTENT_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    if not folder.is_dir():
        pytest.skip("no reference folder: set INTENT_SHARED")
    return folder


def port(number: int, sub: int) -> dict[str, Any]:
    """A host-facing part of a split cage."""
    return {
        "type": "swp",
        "description": f"b300-{number:03}",
        "link": {"mtu": 9216, "speed": "400G", "fec": "rs", "auto-negotiate": "enabled", "state": {"up": {}}},
        "ipv4": {"address": {f"10.64.{number}.{sub * 2}/31": {}}},
        "router": {"adaptive-routing": {"state": "enabled"}},
        "qos": {"pfc-watchdog": {"state": "enable"}},
    }


def system() -> dict[str, Any]:
    """System services of a leaf."""
    return {
        "hostname": "leaf01",
        "date-time": {"timezone": "Etc/UTC"},
        "ntp": {"state": "enabled", "vrf": "mgmt", "server": {"192.0.2.123": {"iburst": "enabled"}}},
        "dns": {"server": {"192.0.2.53": {"vrf": "mgmt"}}, "search": {"dc1.example.net": {}}},
        "snmp-server": {
            "state": "enabled",
            "listening-address": {"192.0.2.11": {"vrf": "mgmt"}},
            "readonly-community": {"$secret:snmp_ro$": {"access": {"192.0.2.0/24": {}}}},
        },
        "aaa": {
            "authentication": {"order": ["tacacs", "local"]},
            "tacacs": {
                "server": {"192.0.2.49": {"secret": "$secret:tacacs$", "port": 49, "priority": 1}},
                "vrf": "mgmt",
            },
            "user": {"cumulus": {"role": "system-admin", "hashed-password": "$secret:cumulus_hash$"}},
        },
        "api": {"state": "enabled", "port": 8765, "listening-address": {"192.0.2.11": {}}},
        "config": {"auto-save": {"state": "enabled"}},
        "lldp": {"tx-interval": 30, "tx-hold-multiplier": 4},
    }


def qos() -> dict[str, Any]:
    """Lossless RoCE."""
    return {
        "roce": {"state": "enabled", "mode": "lossless"},
        "pfc": {"default-global": {"switch-priority": {"3": {}}, "rx": "enable", "tx": "enable", "cable-length": 50}},
        "congestion-control": {
            "default-global": {
                "traffic-class": {
                    "3": {"ecn": "enable", "min-threshold": 150000, "max-threshold": 1500000, "probability": 100}
                }
            }
        },
        "mapping": {"default-global": {"trust": "both", "dscp": {"26": {"switch-priority": 3}}}},
        "pfc-watchdog": {"polling-interval": 100, "robustness": 3},
        "traffic-pool": {"default-lossy": {"memory-percent": 10}, "roce-lossless": {"memory-percent": 90}},
    }


def leaf(cages: int = 64, *, services: bool = True) -> dict[str, Any]:
    """A leaf of a routed RoCE fabric, canonical dialect: half its cages to hosts, half to spines, split by two."""
    interface: dict[str, Any] = {
        "eth0": {"type": "eth", "vrf": "mgmt", "ipv4": {"address": {"192.0.2.11/24": {}}}},
        "lo": {"type": "loopback", "ipv4": {"address": {"10.255.0.11/32": {}}}},
        "vlan110": {
            "type": "svi",
            "vlan": 110,
            "ipv4": {
                "address": {"10.110.0.2/24": {}},
                "vrr": {"state": "enabled", "vrr-state": {"up": {}}, "address": {"10.110.0.1/24": {}}},
            },
        },
    }
    neighbor: dict[str, Any] = {}
    for number in range(1, cages + 1):
        interface[f"swp{number}"] = {"type": "swp", "link": {"breakout": {"2x": {}}}}
        for sub in (0, 1):
            name = f"swp{number}s{sub}"
            interface[name] = port(number, sub)
            if number > cages // 2:
                del interface[name]["ipv4"]
                neighbor[name] = {"type": "unnumbered", "peer-group": "UNDERLAY", "remote-as": 4200000000 + number}
    return {
        "system": system() if services else {"hostname": "leaf01"},
        "interface": interface,
        "bridge": {"domain": {"br_default": {"type": "vlan-aware", "vlan": {"110": {"vni": {"10110": {}}}}}}},
        "qos": qos(),
        "router": {
            "adaptive-routing": {"state": "enabled"},
            "bfd": {"profile": {"fabric": {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}}},
            "bgp": {"state": "enabled", "autonomous-system": 4200000011, "router-id": "10.255.0.11"},
        },
        "vrf": {
            "mgmt": {
                "router": {
                    "static": {
                        "0.0.0.0/0": {
                            "address-family": "ipv4-unicast",
                            "via": {"192.0.2.1": {"type": "ipv4-address"}},
                        }
                    }
                }
            },
            "default": {
                "router": {
                    "bgp": {
                        "state": "enabled",
                        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
                        "address-family": {
                            "ipv4-unicast": {
                                "state": "enabled",
                                "multipaths": {"ebgp": 64},
                                "redistribute": {"connected": {"state": "enabled"}},
                            }
                        },
                        "peer-group": {
                            "UNDERLAY": {
                                "bfd": {"profile": "fabric"},
                                "capabilities": {"extended-nexthop": "enabled"},
                                "address-family": {"ipv4-unicast": {"state": "enabled"}},
                            }
                        },
                        "neighbor": neighbor,
                    }
                }
            },
        },
    }
