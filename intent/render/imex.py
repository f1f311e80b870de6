"""NVLink partitions → IMEX's `nodes_config.cfg` on each tray: the addresses of the trays in its partition.

Every tray of a partition gets the same file, or none of them gets one: IMEX does not come up where two differ.
"""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.errors import IntentError
from intent.core.span import Span
from intent.fabric.model import Fabric
from intent.fabric.nvlink import Domain, Partition
from intent.formats.imex import NAME, digest, write
from intent.schema.nvlink import MANAGEMENT

NO_ADDRESS = "I010"
NO_FILE = "I011"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class ImexFacts:
    """Where IMEX keeps its list, and what reads it.

    Args:
        path: of the file on a tray.
        service: name of the systemd service.
    """

    path: str
    service: str


@dataclass(frozen=True, slots=True)
class ImexDomain:
    """Trays that share memory through IMEX: those of one NVLink partition.

    Args:
        partition: name of the NVLink partition.
        rack: its rack.
        trays: names of the nodes.
        addresses: of the trays, in order of addresses.
        span: where the tenant asks for the partition.
    """

    partition: str
    rack: str
    trays: tuple[str, ...]
    addresses: tuple[str, ...]
    span: Span | None = None

    @property
    def text(self) -> str:
        """The file."""
        return write(self.addresses)

    @property
    def sha256(self) -> str:
        """Hash of the file, the same on every tray."""
        return digest(self.text)


@dataclass(frozen=True, slots=True)
class Imex:
    """IMEX of a site.

    Args:
        domains: partitions whose trays get a file.
        diagnostics: why others get none.
    """

    domains: tuple[ImexDomain, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def by_tray(self) -> dict[str, ImexDomain]:
        """The domain of each tray."""
        return {tray: domain for domain in self.domains for tray in domain.trays}


@dataclass(frozen=True, slots=True)
class Network:
    """Where the trays reach each other.

    Args:
        name: `management`, or an Ethernet fabric of the site.
        addresses: management address of each node, as far as it is known.
        span: where the network is named.
    """

    name: str
    addresses: Mapping[str, str] = field(default_factory=dict)
    span: Span | None = None

    def address(self, fabric: Fabric, node: str) -> str:
        """Address of a node in it; empty when it has none."""
        if node not in fabric.devices:
            return ""
        if self.name == MANAGEMENT:
            return self.addresses.get(node, "")
        own = (
            port.address
            for port, far, _ in fabric.neighbors(node)
            if port.address and fabric.devices[far.device].fabric == self.name
        )
        return next((str(ipaddress.ip_interface(address).ip) for address in own), "")

    @property
    def remedy(self) -> str:
        """What gives a node an address in it."""
        if self.name == MANAGEMENT:
            return "write them into inventory/nodes.csv (name,address)"
        return f"attach them to fabric {self.name}, or say imex: {MANAGEMENT}"


def imex_facts() -> ImexFacts:
    """Source: `intent/catalog/data/hosts.toml`."""
    text = (files("intent") / "catalog" / "data" / "hosts.toml").read_text(encoding="utf-8")
    return ImexFacts(**tomllib.loads(text)["imex"])


def imex(partitions: Sequence[Partition], racks: Sequence[Domain], fabric: Fabric, network: Network) -> Imex:
    """The IMEX domains of a site's NVLink partitions.

    Args:
        partitions: NVLink partitions of tenants.
        racks: the NVLink domains they are in.
        fabric: the compiled site.
        network: where the trays reach each other.
    """
    by_name = {rack.name: rack for rack in racks}
    domains: list[ImexDomain] = []
    found: list[Diagnostic] = []
    for partition in partitions:
        trays = tuple(_trays(partition, by_name[partition.domain]))
        addresses = {tray: network.address(fabric, tray) for tray in trays}
        missing = [tray for tray, address in addresses.items() if not address]
        where = f"NVLink partition {partition.name} of rack {partition.domain}"
        if missing:
            found.append(_missing(where, missing, len(trays), network))
            continue
        try:
            lines = write(addresses.values()).split()
        except IntentError as problem:
            found.append(Diagnostic(NO_FILE, f"{where}: {problem.message}", network.span, hint=problem.hint))
            continue
        domains.append(ImexDomain(partition.name, partition.domain, trays, tuple(lines), partition.span))
    return Imex(tuple(domains), tuple(found))


def _trays(partition: Partition, rack: Domain) -> Iterator[str]:
    held = set(partition.gpus)
    return (tray for tray, gpus in rack.trays.items() if held.intersection(gpus))


def _missing(where: str, trays: Sequence[str], count: int, network: Network) -> Diagnostic:
    names = f"{', '.join(trays[:_NAMED])}{' …' if len(trays) > _NAMED else ''}"
    message = (
        f"{where}: {len(trays)} of {count} trays have no address on {network.name} ({names}): {NAME} is not rendered"
    )
    return Diagnostic(NO_ADDRESS, message, network.span, Severity.WARNING, f"{network.remedy}; IMEX needs all or none")
