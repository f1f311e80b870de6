"""InfiniBand links: cabled as planned, active, as wide and fast as the intent says, without errors, none set aside.

The plan names ends by device and port, the subnet by GUID and port number. An end whose GUID nobody told cannot be
found in the subnet: it is unknown, never green.
"""

from collections.abc import Iterator

from intent.verify.api import Cabled, Context, Device, IbPort, Port, Results, check, failed, passed, skipped, unknown


def key_of(device: Device, port: Port) -> str:
    """How the subnet names a port; empty while its GUID is not known."""
    if device.is_switch:
        return f"{device.guid}/{port.number}" if device.guid else ""
    return f"{port.guid}/{port.number}" if port.guid else ""


def ends(context: Context) -> Iterator[tuple[Cabled, str, str]]:
    """Every cabled port of the subnet's switches with its key and that of the far end, each cable once."""
    seen: set[str] = set()
    for device in context.fabric.switches:
        if device.fabric != context.device.fabric:
            continue
        for port, far, link in context.fabric.neighbors(device.name):
            if link.cable in seen or (context.scope is not None and not context.scope(link)):
                continue
            seen.add(link.cable)
            there = context.fabric.devices[far.device]
            cabled = Cabled(port, link, far, there, there.ports[far.port])
            yield cabled, key_of(device, port), key_of(there, there.ports[far.port])


def name_of(cabled: Cabled) -> str:
    """Both ends in the words of the plan."""
    near = cabled.link.b if cabled.far == cabled.link.a else cabled.link.a
    return f"{near.device} {near.port} to {cabled.far.device} {cabled.far.port}"


def found(context: Context, near: str, far: str) -> IbPort | None:
    """The link as the subnet has it, seen from whichever end it lists."""
    return context.ib_ports.get(near) or context.ib_ports.get(far)


@check(
    "ib-cabling",
    title="Every link ends where the cabling plan says",
    subject="cabling",
    parts=("ib_ports",),
    roles=("manager",),
)
def ib_cabling(context: Context) -> Results:
    """Far end of every planned link."""
    for cabled, near, far in ends(context):
        port = context.ib_ports.get(near)
        if not near or not far:
            yield unknown("Link", name_of(cabled), "the GUID of an end is not known")
        elif port is None:
            yield failed("Link", name_of(cabled), "the subnet has no such port", expected=far, actual="absent")
        elif not port.peer:
            yield failed("Link", name_of(cabled), "nothing at the other end", expected=far, actual=port.physical)
        elif f"{port.peer}/{port.peer_number}" == far:
            yield passed()
        else:
            actual = f"{port.peer}/{port.peer_number}"
            yield failed("Link", name_of(cabled), "wrong cable", expected=far, actual=actual)


@check(
    "ib-links",
    title="Every cabled link is active, at the width and speed of the intent",
    subject="links",
    parts=("ib_ports",),
    roles=("manager",),
)
def ib_links(context: Context) -> Results:
    """State, then width and speed, of every planned link."""
    for cabled, near, far in ends(context):
        port = found(context, near, far)
        wanted = f"{cabled.link.speed_gbps}G"
        if not near and not far:
            yield unknown("Link", name_of(cabled), "the GUID of an end is not known")
        elif port is None:
            yield failed("Link", name_of(cabled), "the subnet has no such port", expected="active", actual="absent")
        elif port.state != "active":
            actual = f"{port.state}, {port.physical}"
            yield failed("Link", name_of(cabled), "not active", expected="active", actual=actual)
        elif port.lanes is None or port.speed_gbps is None:
            yield unknown("Link", name_of(cabled), "width or speed not reported", expected=wanted)
        elif port.lanes != cabled.port.lanes:
            expected, actual = f"{cabled.port.lanes} lanes", f"{port.lanes} lanes"
            yield failed("Link", name_of(cabled), "wrong width", expected=expected, actual=actual)
        elif port.speed_gbps != cabled.link.speed_gbps:
            yield failed("Link", name_of(cabled), "wrong speed", expected=wanted, actual=f"{port.speed_gbps}G")
        else:
            yield passed()


@check(
    "ib-errors",
    title="No cabled port counts symbol errors",
    subject="links",
    parts=("ib_ports", "ib_errors"),
    roles=("manager",),
)
def ib_errors(context: Context) -> Results:
    """Symbol errors of both ends of every planned link."""
    most = context.subnet.most_symbol_errors if context.subnet is not None else 0
    for cabled, near, far in ends(context):
        keys = [key for key in (near, far) if key in context.ib_ports]
        if not keys:
            yield unknown("Link", name_of(cabled), "neither end is in the subnet")
            continue
        counts = [
            context.ib_errors[key].counters.get("SymbolErrorCounter", 0) for key in keys if key in context.ib_errors
        ]
        worst = max(counts, default=0)
        if worst > most:
            yield failed("Link", name_of(cabled), "symbol errors", expected=f"at most {most}", actual=worst)
        else:
            yield passed()


@check(
    "ufm-validation",
    title="UFM's own validation of partition keys finds nothing",
    subject="validation",
    phases=("verify",),
    roles=("manager",),  # no part: most managers have no tests of their own, and UFM's are run when asked for
)
def ufm_validation(context: Context) -> Results:
    """Tests UFM ran itself; run only when asked for by name, for they go through the whole fabric."""
    why = context.observation.problems.get("own_checks")
    if why:
        yield unknown("Tests", "of UFM", why)
        return
    if not context.observation.own_checks:
        yield skipped("the subnet's manager offers no test of partition keys, or was not asked to run it")
        return
    for name, own in context.observation.own_checks.items():
        if own.found:
            for line in own.found:
                yield failed("Test", name, line)
        elif own.why:
            yield unknown("Test", name, own.why)
        else:
            yield passed()


@check(
    "ib-unhealthy",
    title="The subnet manager set no cabled port aside",
    subject="links",
    roles=("manager",),  # no part: where the manager keeps no list there is none to read
)
def ib_unhealthy(context: Context) -> Results:
    """Ports marked unhealthy, planned ones by their names."""
    if context.subnet is not None and not context.subnet.sets_aside:
        yield skipped("the subnet manager keeps no list of unhealthy ports")
        return
    names = {key: name_of(cabled) for cabled, near, far in ends(context) for key in (near, far) if key}
    if not names:
        yield skipped("the plan has no link whose GUIDs are known")
    for key in context.unhealthy:
        yield failed("Link", names.get(key, key), "set aside as unhealthy")
    if names and not context.unhealthy:
        yield passed()
