"""One switch, what it holds, and what is asked of it."""

from __future__ import annotations

from fake_switch import Bench, FakeSwitch

from intent.core.tree import copy, put
from intent.device.actor import Request, Wanted

LIVE = {
    "system": {
        "hostname": "leaf01",
        "aaa": {"user": {"cumulus": {"hashed-password": "*"}}},
        "api": {"state": "enabled"},
    },
    "interface": {
        "swp1": {"type": "swp", "link": {"mtu": 9216, "speed": "400G"}},
        "swp2": {"type": "swp", "link": {"mtu": 9216}},
        "swp9": {"type": "swp", "description": "by hand"},
    },
    "qos": {"roce": {"state": "enabled"}},
}
OWNED = (("interface",), ("qos",))


def wanted(bench: Bench, name: str = "leaf01", **changes: object) -> Wanted:
    """Two ports and the QoS, with changes as `a__b__c=value`."""
    body = {"interface": copy(LIVE["interface"]), "qos": copy(LIVE["qos"])}
    del body["interface"]["swp9"]
    for path, value in changes.items():
        put(body, tuple(path.split("__")), value)
    return Wanted(bench.target(name), body, OWNED)


def request(bench: Bench, what: Wanted, confirm_s: int = 120, deadline_s: float = 300.0) -> Request:
    """A request made of what stands there now."""
    seen = bench.actor.observe([what])[what.target.name]
    assert seen.problem is None, seen.detail
    return Request(what, bench.actor.difference(what, seen), seen.digest, confirm_s, deadline_s)


def one(**options: object) -> Bench:
    """A bench with this one switch."""
    return Bench({"leaf01": FakeSwitch(copy(LIVE), **options)})
