"""Subnet managers: the right one is master, the others stand by, and the engine that routes is the one asked for."""

from collections.abc import Mapping

from intent.verify.api import Context, Results, SmState, Subnet, check, failed, passed, skipped, unknown


@check(
    "sm-roles",
    title="The subnet manager of the highest priority is master, every other one stands by",
    subject="subnet-manager",
    parts=("sm",),
    roles=("manager",),
)
def sm_roles(context: Context) -> Results:
    """Role and priority of every manager of the intent, and managers it does not know."""
    subnet = context.subnet
    if subnet is None or not subnet.managers:
        yield skipped("the intent names no subnet manager of this subnet")
        return
    found = {state.guid: state for state in context.sm}
    if subnet.one_at_a_time:
        yield from one_master(subnet, found)
        return
    first = max(subnet.managers, key=lambda guid: subnet.managers[guid])
    for guid, priority in sorted(subnet.managers.items()):
        state = found.get(guid)
        wanted = "master" if guid == first else "standby"
        if state is None:
            yield failed("Subnet manager", guid, "does not answer", expected=wanted, actual="absent")
        elif state.state != wanted:
            yield failed("Subnet manager", guid, "wrong role", expected=wanted, actual=state.state)
        elif state.priority != priority:
            yield failed("Subnet manager", guid, "wrong priority", expected=priority, actual=state.priority)
        else:
            yield passed()
    for guid in sorted(set(found) - set(subnet.managers)):
        yield failed("Subnet manager", guid, "the intent does not know it", actual=found[guid].state)


def one_master(subnet: Subnet, found: Mapping[str, SmState]) -> Results:
    """One manager of the intent is master, whichever, and nobody else manages."""
    masters = [guid for guid, state in found.items() if state.state == "master"]
    known = [guid for guid in masters if guid in subnet.managers]
    if len(known) == 1:
        yield passed()
    else:
        problem = "no manager of the intent is master" if not known else "several managers are master"
        actual = ", ".join(sorted(masters)) or "none"
        yield failed("Fabric", subnet.fabric, problem, expected="one master", actual=actual)
    for guid in sorted(set(found) - set(subnet.managers)):
        yield failed("Subnet manager", guid, "the intent does not know it", actual=found[guid].state)


@check(
    "sm-routing",
    title="The routing engine at work is the one of the intent",
    subject="subnet-manager",
    parts=("routing",),
    roles=("manager",),
)
def sm_routing(context: Context) -> Results:
    """An engine that gives up is replaced by minhop without a failure; a laboratory's stand-in is never a pass."""
    subnet = context.subnet
    if subnet is None or not subnet.engine:
        yield skipped("the intent names no routing engine for this subnet")
    elif not context.routing:
        yield unknown("Fabric", subnet.fabric, "nothing was routed yet", expected=subnet.engine)
    elif subnet.stand_in and context.routing == subnet.stand_in:
        yield skipped(f"the laboratory cannot run {subnet.engine}: {subnet.stand_in} stands in for it")
    elif context.routing == subnet.engine:
        yield passed()
    else:
        wanted = subnet.stand_in or subnet.engine
        yield failed("Fabric", subnet.fabric, "routed by another engine", expected=wanted, actual=context.routing)


@check(
    "lid-stability",
    title="No port got another local identifier",
    subject="subnet-manager",
    phases=("post", "verify"),
    parts=("lids",),
    roles=("manager",),
)
def lid_stability(context: Context) -> Results:
    """LIDs of ports known from before; connections over a LID that changes end."""
    subnet = context.subnet
    if subnet is None or subnet.lids is None:
        yield skipped("no local identifiers from before are known")
        return
    for guid, before in sorted(subnet.lids.items()):
        now = context.lids.get(guid)
        if now is None:
            yield unknown("Port", guid, "no longer in the subnet", expected=f"LID {before}")
        elif now == before:
            yield passed()
        else:
            yield failed("Port", guid, "another local identifier", expected=f"LID {before}", actual=f"LID {now}")
    if not subnet.lids:
        yield unknown("Fabric", subnet.fabric, "no local identifiers from before are known")
