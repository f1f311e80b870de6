"""What a renderer of subnet managers' files needs to know of one fabric, with what is missing found on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.fabric.model import Device, Fabric, Network, Role
from intent.schema.infiniband import SubnetManager


@dataclass(frozen=True, slots=True)
class ManagerHost:
    """A host that runs a subnet manager.

    Args:
        name: its name.
        guids: GUIDs of its ports in this fabric, sixteen digits each, in order.
        priority: its priority; the highest is master.
        release: release the intent names for it; empty when it names none.
        span: where it was written.
    """

    name: str
    guids: tuple[str, ...]
    priority: int
    release: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Managed:
    """A fabric from the side of its subnet managers.

    Args:
        fabric: its name.
        generation: `hdr`, `ndr` or `xdr`.
        design: its design, in the words of the language.
        wanted: what is written about its subnet manager.
        hosts: the hosts, the preferred one first.
        roots: GUIDs of the switches that routing takes as roots.
        span: where the subnet manager was written.
    """

    fabric: str
    generation: str
    design: str
    wanted: SubnetManager
    hosts: tuple[ManagerHost, ...]
    roots: tuple[str, ...]
    span: Span | None = None


def managed_fabric(
    site: Fabric, name: str, *, generation: str, design: str, wanted: SubnetManager, span: Span | None = None
) -> tuple[Managed, tuple[Diagnostic, ...]]:
    """Collect what is known of one fabric.

    Args:
        site: the compiled site.
        name: the InfiniBand fabric.
        generation: its generation; empty takes that of its switches.
        design: its design, in the words of the language.
        wanted: what is written about its subnet manager.
        span: where that was written.

    Returns:
        The fabric, and findings: what is not known yet leaves a gap that must not reach a host.
    """
    part = site.only(Network.INFINIBAND, name)
    collector = _Collector(part, name, wanted, span)
    hosts = tuple(collector.hosts())
    roots = tuple(collector.roots())
    generation = generation or next((switch.generation for switch in part.switches), "")
    managed = Managed(name, generation, design, wanted, hosts, roots, span)
    return managed, tuple(collector.diagnostics)


def root_switches(part: Fabric, wanted: SubnetManager) -> list[Device]:
    """Switches that routing takes as roots: those the intent picks, else the top tier.

    Args:
        part: one InfiniBand fabric.
        wanted: what is written about its subnet manager.
    """
    if wanted.roots is not None:
        picks = selector.parse(wanted.roots)
        return [switch for switch in part.switches if picks.matches(switch.labels)]
    cores = [switch for switch in part.switches if switch.role is Role.CORE]
    return cores or [switch for switch in part.switches if switch.role is Role.SPINE]


class _Collector:
    """Looks up hosts and roots of one fabric."""

    def __init__(self, part: Fabric, name: str, wanted: SubnetManager, span: Span | None) -> None:
        self.part = part
        self.name = name
        self.wanted = wanted
        self.span = span
        self.diagnostics: list[Diagnostic] = []

    def error(self, code: str, message: str, hint: str, *, span: Span | None = None, device: str = "") -> None:
        self.diagnostics.append(
            Diagnostic(code, f"fabric {self.name}: {message}", span or self.span, hint=hint, device=device)
        )

    def hosts(self) -> Iterator[ManagerHost]:
        priorities = self.wanted.priorities()
        if not self.wanted.hosts:
            self.error(
                "M009",
                "no host runs its subnet manager",
                "name the hosts under subnet_manager.hosts; without a manager no port comes up",
            )
        for host in self.wanted.hosts:
            device = self.part.devices.get(host.name)
            if device is None or device.is_switch:
                self.error("M009", f"subnet manager {host.name} has no port in it", "give it a port, or another name")
                continue
            unknown = [port.name for port in device.ports.values() if not port.guid]
            if unknown:
                self.error(
                    "M007",
                    f"port {', '.join(unknown)} of subnet manager {host.name} has no GUID",
                    f"add `{host.name},{unknown[0]},0x…` to the file named by guids",
                    span=device.span,
                    device=host.name,
                )
                continue
            guids = tuple(port.guid for port in device.ports.values())
            yield ManagerHost(host.name, guids, priorities[host.name], device.release, device.span)

    def roots(self) -> Iterator[str]:
        chosen = root_switches(self.part, self.wanted)
        if not chosen:
            self.error("M012", f"roots {self.wanted.roots!r} match no switch", "a selector such as role=spine")
        unknown = [switch.name for switch in chosen if not switch.guid]
        if unknown:
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            self.error(
                "M006",
                f"root switch {unknown[0]}{more} has no GUID",
                f"add `{unknown[0]},,0x…` to the file named by guids; routing needs every root",
            )
        yield from (switch.guid for switch in chosen if switch.guid)
