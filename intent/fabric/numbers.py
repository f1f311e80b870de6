"""Names and numbers of a site's switches: what the lock knows stays, what is new comes from the pools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.fabric import pools as pool
from intent.fabric.design import Pools
from intent.fabric.lock import Allocator, Lock

# Source: NVUE `system.hostname`, which takes no dot since a domain is set apart; RFC 1123 for letters and length.
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_POOLS = {"loopback": "loopbacks", "asn": "asns", "management": "management", "host-prefix": "hosts"}

_TELL_APART = (
    "let the template (names.leaf, names.spine) tell fabrics, planes and rails apart; a name whose switch is gone is "
    "free again after `intent lock prune`"
)
_LETTERS = "at most 63 letters, digits and '-', none at the ends: change the template or the fabric's name"


class Numbers:
    """Gives names and numbers; findings are collected.

    Args:
        pools: the site's pools.
        lock: allocations as committed.
        allocator: gives out what is new.
    """

    def __init__(self, pools: Pools, lock: Lock, allocator: Allocator) -> None:
        self.pools = pools
        self.lock = lock
        self.allocator = allocator
        self._loopbacks = pool.loopbacks(pools)
        self._asns = pool.asns(pools)
        self._management = pool.management(pools)
        self._prefixes: dict[int, Iterator[str]] = {}
        self._busy: pool.Ranges | None = None
        self._found: dict[tuple[str, str], Diagnostic] = {}
        self._outside: dict[str, list[str]] = {}
        self._kept: dict[tuple[str, str], list[str]] = {}

    def name(self, position: str, proposal: str, role: str, fabric: str, span: Span | None) -> str:
        """Name of the switch at a position of its fabric: the locked one, else the proposal."""
        value = self.allocator.claim("name", position, proposal)
        if value is None:
            message = f"fabric {fabric}: the name {proposal} belongs to another switch"
            self._report("F007", f"{fabric} {role}", message, span, _TELL_APART)
        elif not _HOST_NAME.fullmatch(value):
            message = f"fabric {fabric}: {value!r} is no host name a switch takes"
            self._report("F009", f"{fabric} {role}", message, span, _LETTERS)
        elif value != proposal:
            self._kept.setdefault((fabric, role), []).append(f"{value} (not {proposal})")
        return value or proposal

    @property
    def misnamed(self) -> bool:
        """Whether a name was refused; what is built on such names means nothing."""
        return any(code in ("F007", "F009") for code, _ in self._found)

    def loopback(self, owner: str) -> str:
        """Loopback address of a switch."""
        return self._take("loopback", owner, self._loopbacks)

    def asn(self, owner: str) -> int:
        """Autonomous system number of a switch."""
        return int(self._take("asn", owner, self._asns) or 0)

    def management(self, owner: str) -> str:
        """Management address of a switch with prefix length; empty when it comes by DHCP."""
        net = self.pools.management
        value = self._take("management", owner, self._management) if net else ""
        return f"{value}/{net.prefixlen}" if net and value else ""

    def host_prefix(self, owner: str, ports: int) -> str:
        """Prefix of a leaf with so many host ports."""
        if self._busy is None:
            known = (self.lock.held, self.lock.released)
            self._busy = pool.Ranges(IPv4Network(v) for part in known for v in part.get("host-prefix", {}).values())
        if ports not in self._prefixes:
            self._prefixes[ports] = pool.host_prefixes(self.pools, ports, self._busy)
        value = self._take("host-prefix", owner, self._prefixes[ports])
        if value:
            network = IPv4Network(value)
            self._busy.add(network)
            if network.prefixlen > pool.prefix_length(ports):
                message = f"locked host prefix {value} of {owner} is too small for {ports} ports"
                hint = "the leaf's model was changed: build a new fabric for it"
                self._report("F011", "size", message, self.pools.spans.get("hosts"), hint)
        return value

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Everything found."""
        yield from self._found.values()
        for where, owners in self._outside.items():
            yield Diagnostic(
                "F011",
                f"pool {where} no longer holds {_some(owners)}",
                self.pools.spans.get(where),
                hint="what is built keeps its values: let the pool hold them too, or take them out of the lock to have "
                "these switches renumbered",
            )
        for (fabric, role), names in self._kept.items():
            yield Diagnostic(
                "F013",
                f"fabric {fabric}: the template of {role} names gives other names than the lock; kept: {_some(names)}",
                self.pools.spans.get("names"),
                Severity.WARNING,
                hint="what is built keeps its name; the template names what is new",
            )

    def _take(self, kind: str, owner: str, candidates: Iterator[str]) -> str:
        where = _POOLS[kind]
        value = self.allocator.take(kind, owner, candidates)
        if value is None:
            released = len(self.lock.released.get(kind, {}))
            more = f"; {released} released values wait for `intent lock prune`" if released else ""
            span = self.pools.spans.get(where)
            self._report("F005", where, f"pool {where} is exhausted at {owner}", span, f"enlarge the pool{more}")
        elif self.lock.value(kind, owner) == value and not pool.holds(self.pools, kind, value):
            self._outside.setdefault(where, []).append(f"{value} of {owner}")
        return value or ""

    def _report(self, code: str, key: str, message: str, span: Span | None, hint: str) -> None:
        self._found.setdefault((code, key), Diagnostic(code, message, span, hint=hint))


def _some(words: list[str]) -> str:
    return words[0] + (f" and {len(words) - 1} more" if len(words) > 1 else "")
