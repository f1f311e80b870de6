"""Links: every cabled port is up, at the speed and with the MTU of the intent. What is not cabled is not judged."""

from intent.verify.api import Cabled, Context, Results, check, failed, passed, unknown


def far_end(cabled: Cabled) -> str:
    """The port's name with what hangs at the other end, for messages."""
    return f"{cabled.port.name} (to {cabled.far.device} {cabled.far.port})"


@check("link-up", title="Every cabled port is up", subject="links", parts=("links",))
def link_up(context: Context) -> Results:
    """Operational state of every cabled port."""
    for cabled in context.cabled():
        state = context.links.get(cabled.port.name)
        if state is None:
            yield failed("Port", far_end(cabled), "the device has no such port", expected="up", actual="absent")
        elif state.oper == "up":
            yield passed()
        elif state.oper == "down" or state.admin == "down":
            problem = "administratively down" if state.admin == "down" else "not up"
            yield failed("Port", far_end(cabled), problem, expected="up", actual=state.oper or "down")
        else:
            yield unknown("Port", far_end(cabled), "state not reported", expected="up", actual=state.oper or "nothing")


@check("link-speed", title="Every link runs at the speed of the intent", subject="links", parts=("links",))
def link_speed(context: Context) -> Results:
    """Speed of every cabled port that is up; one that is down has no speed and is link-up's matter."""
    for cabled in context.cabled():
        state = context.links.get(cabled.port.name)
        wanted = f"{cabled.link.speed_gbps}G"
        if state is None or state.oper != "up":
            yield unknown("Port", far_end(cabled), "no speed while the port is not up", expected=wanted)
        elif state.speed_gbps is None:
            yield unknown("Port", far_end(cabled), "speed not reported", expected=wanted)
        elif state.speed_gbps == cabled.link.speed_gbps:
            yield passed()
        else:
            yield failed("Port", far_end(cabled), "wrong speed", expected=wanted, actual=f"{state.speed_gbps:g}G")


@check("link-mtu", title="Every cabled port has the MTU of the intent", subject="links", parts=("links",))
def link_mtu(context: Context) -> Results:
    """MTU of every cabled port, by the tier of its link."""
    for cabled in context.cabled():
        wanted = context.expected.mtu_bytes.get(cabled.link.tier)
        state = context.links.get(cabled.port.name)
        if wanted is None:
            yield unknown("Port", far_end(cabled), f"the intent gives {cabled.link.tier} links no MTU")
        elif state is None or state.mtu is None:
            yield unknown("Port", far_end(cabled), "MTU not reported", expected=wanted)
        elif state.mtu == wanted:
            yield passed()
        else:
            yield failed("Port", far_end(cabled), "wrong MTU", expected=wanted, actual=state.mtu)
