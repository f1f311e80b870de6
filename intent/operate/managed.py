"""What is expected of a subnet whose managers' hosts are ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from intent.catalog.subnet_managers import SubnetManagers
from intent.fabric.model import Fabric, Network, Role

if TYPE_CHECKING:
    from intent.verify.api import Check, Subnet
    from intent.workspace.compile import Compiled

PLATFORM = "opensm"


@dataclass(frozen=True, slots=True)
class Managed:
    """A subnet whose managers' hosts are ours.

    Args:
        expected: what the checks expect of it.
        hosts: names of the hosts, the master first; of a fabric that UFM manages UFM itself, then its hosts.
        fabric: the site, in which whoever looks has the role of a manager.
        subjects: checks of these subjects are run, any other one is skipped; empty runs all.
        behind_ufm: a lab simulates it behind this UFM, and is asked itself; empty asks the hosts.
        checks: these checks are run, any other one is skipped; empty runs all.
        blind: the intent names nobody who could be asked about the ports.
    """

    expected: Subnet
    hosts: tuple[str, ...]
    fabric: Fabric
    subjects: frozenset[str] = frozenset()
    behind_ufm: str = ""
    checks: frozenset[str] = frozenset()
    blind: bool = False

    def runs(self, check: Check) -> bool:
        """True when a check can be answered for this subnet."""
        return (not self.subjects or check.subject in self.subjects) and (not self.checks or check.name in self.checks)


def managed(compiled: Compiled, name: str, *, laboratory: bool = False) -> Managed:
    """One fabric whose managers' hosts have artefacts.

    Args:
        compiled: the site.
        name: the fabric.
        laboratory: a lab stands in for it.
    """
    from intent.device.opensm_files import kind_of
    from intent.formats.partitions.reader import read_strict
    from intent.verify.subnets import end_ports_of, subnet_of

    manager = SubnetManagers().manager(PLATFORM)
    wanted = compiled.site.fabrics[name].subnet_manager
    priorities = wanted.priorities()
    own = [host.name for host in wanted.hosts if host.name in compiled.artifacts]
    hosts = tuple(sorted(own, key=lambda host: -priorities[host]))
    files = compiled.artifacts[hosts[0]].body["files"]
    text = next(text for path, text in files.items() if kind_of(path, manager) == "partitions")
    part = compiled.fabric.only(Network.INFINIBAND, name)
    guids = {host: next(port.guid for port in part.devices[host].ports.values() if port.guid) for host in hosts}
    ports, _ = end_ports_of(compiled.fabric, name)
    expected = subnet_of(
        name,
        read_strict(text.encode()),
        ports,
        managers={guids[host]: priorities[host] for host in hosts},
        engine=wanted.engine,
        laboratory=laboratory,
        sets_aside="unhealthy-ports" in manager.features,
    )
    # A node may run the manager beside its work; to the checks it is the manager's host.
    devices = {**part.devices, **{h: replace(part.devices[h], role=Role.MANAGER, fabric=name) for h in hosts}}
    return Managed(expected, hosts, Fabric(part.site, devices, part.links))
