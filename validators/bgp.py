"""BGP: one established session per link of the intent, with the planned neighbour's number.

Sessions are counted against the intent, not against what the device lists: of four links between the same two
switches, one established session is three missing ones.
"""

from intent.verify.api import Cabled, Context, Results, Tier, check, failed, passed, skipped, unknown

VRF = "default"


def expected_sessions(context: Context) -> dict[str, Cabled]:
    """By neighbour key: the port's name where the link is unnumbered, else the address of the far end."""
    sessions = {}
    for cabled in context.cabled():
        if cabled.link.tier is Tier.FABRIC and cabled.far_device.asn and context.device.asn:
            key = cabled.far_port.address.partition("/")[0] if cabled.port.address else cabled.port.name
            sessions[key or cabled.port.name] = cabled
    return sessions


def name_of(key: str, cabled: Cabled) -> str:
    """The session in words."""
    return f"{key} (to {cabled.far.device} {cabled.far.port})"


@check("bgp-sessions", title="Every fabric link carries an established BGP session", subject="bgp", parts=("bgp",))
def bgp_sessions(context: Context) -> Results:
    """Sessions per link; the missing ones by name."""
    found = {session.neighbor: session for session in context.bgp if session.vrf == VRF}
    wanted = expected_sessions(context)
    if not wanted:
        yield skipped("the intent plans no BGP session here")
    for key, cabled in wanted.items():
        session = found.get(key)
        if session is None:
            problem, actual = "session missing", "no session"
        elif session.state == "established":
            yield passed()
            continue
        elif not session.state:
            yield unknown("BGP neighbor", name_of(key, cabled), "state not reported", expected="established")
            continue
        else:
            problem, actual = "session not established", session.state
            problem += f" ({session.reason})" if session.reason else ""
        yield failed("BGP neighbor", name_of(key, cabled), problem, expected="established", actual=actual)


@check("bgp-remote-asn", title="Every BGP neighbour has the planned number", subject="bgp", parts=("bgp",))
def bgp_remote_asn(context: Context) -> Results:
    """Remote autonomous system numbers; a swapped cable or a wrong peer shows here even when its session is up."""
    found = {session.neighbor: session for session in context.bgp if session.vrf == VRF}
    wanted = expected_sessions(context)
    if not wanted:
        yield skipped("the intent plans no BGP session here")
    for key, cabled in wanted.items():
        session, asn = found.get(key), cabled.far_device.asn
        if session is None or session.remote_asn is None:
            problem = "no session" if session is None else "remote number not reported"
            yield unknown("BGP neighbor", name_of(key, cabled), problem, expected=f"AS {asn}")
        elif session.remote_asn == asn:
            yield passed()
        else:
            actual = f"AS {session.remote_asn}"
            yield failed("BGP neighbor", name_of(key, cabled), "wrong number", expected=f"AS {asn}", actual=actual)
