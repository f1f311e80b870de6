"""Subnets of fabrics that UFM manages: what is expected of them, and what UFM and its hosts say.

UFM's REST API shows no tables of ports, and a compute node's own files show every key as that of a full member. So the
ports are asked with infiniband-diags on UFM's hosts, as on those of OpenSM; where none is named they stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from intent.fabric.model import Device, Fabric, Network, Role
from intent.operate.managed import Managed

if TYPE_CHECKING:
    from intent.device.actor import Actor, Target
    from intent.device.observation import Observation, OwnCheck
    from intent.device.ufm.subnet import RestSubnet
    from intent.fabric.partitions import FabricPartitions
    from intent.formats.partitions.model import Partition
    from intent.render.controllers import Controller
    from intent.workspace.compile import Compiled

PLATFORM, HOSTS = "ufm", "ufm-files"
REST_CHECKS = frozenset({"sm-routing", "ib-unhealthy", "ufm-validation"})
"""Checks that UFM's REST API can answer for by itself."""

_PORTS = ("ib_ports", "ib_errors", "pkeys", "sm", "lids")
NO_HOST = (
    "UFM's REST API shows no tables of ports: name UFM's hosts under subnet_manager.hosts, where they can be asked "
    "by ssh"
)


def ufm_managed(compiled: Compiled, name: str, *, laboratory: bool = False) -> Managed:
    """What is expected of one subnet that UFM manages. Its first host is UFM itself, whose change moves the keys.

    Args:
        compiled: the site.
        name: the fabric.
        laboratory: a lab's model of UFM stands in for it, which has no ports.
    """
    from intent.formats.partitions.reader import read
    from intent.verify.subnets import end_ports_of, subnet_of

    ufm = next(c.name for c in compiled.controllers.values() if (c.platform, c.fabric) == (PLATFORM, name))
    part = compiled.fabric.only(Network.INFINIBAND, name)
    wanted = compiled.site.fabrics[name].subnet_manager
    hosts = tuple(host.name for host in wanted.hosts)
    guids = [port.guid for host in hosts if host in part.devices for port in part.devices[host].ports.values()]
    ports, _ = end_ports_of(compiled.fabric, name)
    extension = read(wanted.extension.encode(), "extension").partitions if wanted.extension else ()
    expected = subnet_of(
        name,
        [*definitions(compiled.partitions.fabrics[name], [guid for guid in guids if guid], extension)],
        ports,
        # One whose GUID nobody told could be the master: then who manages is not judged.
        managers={} if "" in guids else dict.fromkeys(guids, 0),
        engine=wanted.engine,
        sets_aside=True,
        one_at_a_time=True,
    )
    devices = {**part.devices, ufm: Device(ufm, Role.MANAGER, "", compiled.name, name, network=Network.INFINIBAND)}
    checks = REST_CHECKS if laboratory else frozenset()
    return Managed(expected, (ufm, *hosts), Fabric(part.site, devices, part.links), checks=checks, blind=not hosts)


def definitions(
    fabric: FabricPartitions, managers: list[str], extension: Sequence[Partition] = ()
) -> Iterator[Partition]:
    """Partitions as UFM gives them to its subnet manager; those that are not complete are not sent.

    Args:
        fabric: the partitions.
        managers: port GUIDs of its hosts, which UFM makes full members of the default partition, as it does switches.
        extension: partitions of the user's extension.
    """
    from intent.formats.partitions.model import DEFAULT_PKEY, Keyword, Member, Membership, Partition

    nodes = Membership.FULL if fabric.default_full else Membership.LIMITED
    everybody = (
        Member(Keyword.ALL, nodes),
        Member(Keyword.ALL_SWITCHES, Membership.FULL),
        *(Member(int(guid, 16), Membership.FULL) for guid in managers),
        Member(Keyword.SELF, Membership.FULL),
    )
    yield Partition(name="management", pkey=DEFAULT_PKEY, ipoib=True, members=everybody)
    yield from extension
    for item in fabric.partitions:
        if item.complete:
            kinds = {True: Membership.FULL, False: Membership.LIMITED}
            members = tuple(Member(int(each.guid, 16), kinds[each.full]) for each in item.members)
            yield Partition(name=item.label, pkey=item.key, members=members, ipoib=item.ipoib, index0=item.index0)


def ufm_observation(
    compiled: Compiled, actors: Mapping[str, Actor], managed: Managed, *, validate: bool = False
) -> Observation:
    """What UFM says over REST, and what the first of its hosts that answers sees of the ports.

    Args:
        compiled: the site.
        actors: by platform.
        managed: the subnet.
        validate: have UFM run its own tests too.
    """
    from intent.device.ufm.actor import UfmActor

    ufm, *hosts = managed.hosts
    rest = _rest(compiled.controllers[ufm], actors.get(PLATFORM))
    seen = _ports([compiled.controllers[host] for host in hosts], actors.get(HOSTS), ufm)
    why = seen.problems.get("device")
    problems = dict.fromkeys(_PORTS, why) if why is not None else dict(seen.problems)
    problems = {part: text for part, text in problems.items() if part not in ("routing", "unhealthy")}
    actor = actors.get(PLATFORM)
    own: Mapping[str, OwnCheck] | None = None
    if validate and isinstance(actor, UfmActor):
        own, why_not = actor.own_checks(_target(compiled.controllers[ufm]))
        problems |= {"own_checks": why_not} if why_not else {}
    return replace(
        seen,
        device=ufm,
        own_checks=own,
        routing=rest.engine,
        unhealthy=None if rest.unhealthy is None else tuple(port.key for port in rest.unhealthy),
        problems={**problems, **rest.problems},
    )


def _target(item: Controller) -> Target:
    from intent.device.actor import Target

    return Target(item.name, item.address, item.platform, item.release, item.model, item.labels)


def _rest(ufm: Controller, actor: Actor | None) -> RestSubnet:
    from intent.device.ufm.actor import UfmActor
    from intent.device.ufm.subnet import RestSubnet

    if not isinstance(actor, UfmActor):
        return RestSubnet(problems=dict.fromkeys(("routing", "unhealthy"), "UFM is not reached"))
    return actor.subnets([_target(ufm)])[ufm.name]


def _ports(hosts: list[Controller], actor: Actor | None, ufm: str) -> Observation:
    """What the first host that answers sees; of none, what the last one said."""
    from datetime import UTC, datetime

    from intent.device.observation import Observation
    from intent.device.opensm_state import gather_subnets
    from intent.device.ufm.hosts import UfmFilesActor

    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    observed = Observation(ufm, stamp, problems={"device": NO_HOST})
    if not isinstance(actor, UfmFilesActor):
        return observed
    for host in hosts:
        observed = gather_subnets(actor, [_target(host)])[host.name]
        if "device" not in observed.problems:
            break
    return observed
