"""Nodes of a site: what each must hold, how it is reached, and how a change of its files is judged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.change.engine import Judgement
    from intent.change.plan import Plan
    from intent.device.actor import Target
    from intent.device.hosts import HostActor
    from intent.operate.context import Work
    from intent.render.artifact import Artifact
    from intent.report.imex import Told

PLATFORM = "host"


def node_artifacts(work: Work) -> Mapping[str, Artifact]:
    """What each node must hold."""
    from intent.render.hosts import host_artifacts, host_defaults

    return host_artifacts(work.compiled.fabric, host_defaults(), work.compiled.imex)


def node_targets(work: Work) -> dict[str, Target]:
    """Every node, as the device layer sees it."""
    from intent.device.actor import Target
    from intent.workspace.nodes import node_addresses

    addresses = node_addresses(work.workspace)
    return {
        node.name: Target(node.name, addresses.get(node.name, ""), PLATFORM, model=node.model, labels=node.labels)
        for node in work.compiled.fabric.nodes
    }


def node_actor(
    work: Work, known: Mapping[str, Target], *, user: str, key: str, become: bool, local: bool, root: str
) -> HostActor:
    """What writes the files of nodes.

    Args:
        work: the site.
        known: every node.
        user: account on the nodes; empty for ssh's default.
        key: private key file; empty for the agent's.
        become: become root by sudo.
        local: this machine, without ssh.
        root: folder on the node that stands for /.
    """
    from intent.device.hosts import HostActor, HostConnection
    from intent.resources import find

    play = find("playbooks", "rails.yml", work.workspace.overlay("playbooks"))
    # On this machine the interpreter we run on is the one that is known to work.
    python = sys.executable if local else ""
    connection = HostConnection(user=user, key_file=key, python=python, become=become, local=local, root=root)
    addresses = {name: target.address or name for name, target in known.items()}
    return HostActor(play.parent, {}, default=connection, addresses=addresses)


def judge_nodes(plan: Plan, actor: HostActor) -> Callable[[Sequence[str], frozenset[str]], Mapping[str, Judgement]]:
    """How the nodes of a wave are judged: what is read back must be what was to be written.

    Args:
        plan: the change.
        actor: reads the nodes.
    """
    from intent.change.engine import Judgement
    from intent.core.verdict import Verdict

    wanted = {device.name: device.wanted for device in plan.devices}

    def judge(names: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        del in_force
        seen = actor.observe([wanted[name] for name in names])
        verdicts: dict[str, Judgement] = {}
        for name in names:
            if seen[name].problem:
                verdicts[name] = Judgement(Verdict.UNKNOWN, (seen[name].detail,))
            elif actor.difference(wanted[name], seen[name]):
                verdicts[name] = Judgement(Verdict.FAIL, ("Files: read back - not as written",))
            else:
                verdicts[name] = Judgement(Verdict.PASS)
        return verdicts

    return judge


def identical_lists(work: Work, plan: Plan, actor: HostActor) -> Told | None:
    """Hold IMEX's lists of all trays of the partitions a plan touches against each other, by their hashes.

    Returns:
        What came of it; None where the plan touches no partition.
    """
    from intent.change.asking import wanted_of
    from intent.device.hosts import imex_hashes
    from intent.report.imex import told

    touched = {device.name for device in plan.to_change}
    domains = [item for item in work.compiled.imex.domains if touched.intersection(item.trays)]
    if not domains:
        return None
    artifacts, known = node_artifacts(work), node_targets(work)
    hashes = imex_hashes(actor, [wanted_of(artifacts[tray], known[tray]) for item in domains for tray in item.trays])
    return told(domains, hashes)
