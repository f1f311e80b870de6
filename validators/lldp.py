"""LLDP against the cabling plan: what each port sees is what the plan says is plugged in there.

Names are compared without domain and case, otherwise exactly. A MAC address as port identifier is looked up in the
inventory; when it is not there, it cannot be told which port it is. No neighbour seen is not a wrong cable.
"""

from intent.verify.api import (
    Cabled,
    Context,
    LldpNeighbor,
    Result,
    Results,
    Verdict,
    check,
    failed,
    normal_mac,
    passed,
    skipped,
    unknown,
)

# Kinds of port identifier (IEEE 802.1AB 8.5.3.2) that are free text or local numbers and name no port.
VAGUE_KINDS = {"ifalias", "alias", "description", "local", "component", "portcomponent", "circuitid", "agentcircuitid"}


@check("lldp-cabling", title="Every port sees the neighbour of the cabling plan", subject="cabling", parts=("lldp",))
def lldp_cabling(context: Context) -> Results:
    """Neighbours of every cabled port, and planned neighbours seen where nothing is planned."""
    silent = []
    for cabled in context.cabled():
        seen = context.lldp.get(cabled.port.name, ())
        if seen:
            yield judge(context, cabled, seen)
        elif cabled.far_device.role in context.expected.lldp_roles:
            yield unknown("Port", cabled.port.name, "no neighbour seen", expected=planned(cabled))
        else:
            silent.append(cabled.port.name)
    if silent:
        yield skipped(f"no neighbour seen on {len(silent)} ports to nodes, which need not send LLDP")
    yield from unplanned(context)


def judge(context: Context, cabled: Cabled, seen: tuple[LldpNeighbor, ...]) -> Result:
    """What the neighbours on one cabled port say about its cable."""
    results = {neighbor: compare(context, cabled, neighbor) for neighbor in seen}
    if len(seen) == 1:
        return results[seen[0]]
    several = f"several neighbours: {', '.join(text(neighbor) for neighbor in seen)}"
    verdicts = {result.verdict for result in results.values()}
    ages = {neighbor: neighbor.age_s for neighbor in seen}
    if verdicts == {Verdict.PASS}:
        return passed(f"Port: {cabled.port.name} - {several}")
    if verdicts == {Verdict.FAIL}:
        return failed("Port", cabled.port.name, several, expected=planned(cabled))
    known_ages = [age for age in ages.values() if age is not None]
    if len(known_ages) == len(seen):
        # A cable that was moved leaves its old neighbour behind until it times out: the youngest is the present one.
        youngest = [results[neighbor] for neighbor in seen if ages[neighbor] == min(known_ages)]
        if len(youngest) == 1 and youngest[0].verdict is Verdict.PASS:
            return passed(f"Port: {cabled.port.name} - {several}; the youngest is the planned one")
        if len(youngest) == 1 and youngest[0].verdict is Verdict.FAIL:
            return failed("Port", cabled.port.name, f"{several}; the youngest is wrong", expected=planned(cabled))
    return unknown("Port", cabled.port.name, f"cannot tell, {several}", expected=planned(cabled))


def compare(context: Context, cabled: Cabled, neighbor: LldpNeighbor) -> Result:
    """One neighbour against the planned far end."""
    mac = normal_mac(neighbor.remote_port)
    if mac is not None:
        owner = context.expected.mac_owners.get(mac)
        if owner is not None:
            return passed() if owner == cabled.far else wrong(cabled, f"{owner.device} {owner.port}")
    device = context.directory.find(neighbor.system) if neighbor.system else None
    if not neighbor.system:
        return unknown("Port", cabled.port.name, "cannot tell, the neighbour sends no name", expected=planned(cabled))
    if device != cabled.far.device:
        return wrong(cabled, text(neighbor))
    if neighbor.remote_port == cabled.far.port:
        return passed()
    kind = neighbor.remote_port_type.replace("-", "").replace("_", "").replace(" ", "").lower()
    if mac is not None or kind in VAGUE_KINDS or " " in neighbor.remote_port.strip() or not neighbor.remote_port:
        what = "a MAC address that is not in the inventory" if mac is not None else "no interface name"
        problem = f"cannot tell which port of {device} it is: {neighbor.remote_port or 'nothing'} is {what}"
        return unknown("Port", cabled.port.name, problem, expected=planned(cabled))
    return wrong(cabled, text(neighbor))


def unplanned(context: Context) -> Results:
    """A port of the cabling plan, seen where the plan has no cable: one end of a cable is in the wrong place."""
    for port, seen in sorted(context.lldp.items()):
        if context.fabric.peer(context.device.name, port) is not None:
            continue
        for neighbor in seen:
            device = context.directory.find(neighbor.system)
            if device is not None and context.fabric.peer(device, neighbor.remote_port) is not None:
                yield failed("Port", port, "wrong cable", expected="nothing plugged in", actual=text(neighbor))


def wrong(cabled: Cabled, actual: str) -> Result:
    """A cable in the wrong place."""
    return failed("Port", cabled.port.name, "wrong cable", expected=planned(cabled), actual=actual)


def planned(cabled: Cabled) -> str:
    """The far end of the plan."""
    return f"{cabled.far.device} {cabled.far.port}"


def text(neighbor: LldpNeighbor) -> str:
    """A neighbour as it names itself."""
    return f"{neighbor.system or '(no name)'} {neighbor.remote_port or '(no port)'}"
