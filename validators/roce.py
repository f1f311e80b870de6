"""RoCE: mode, priority flow control and marking in force are those of the intent's QoS profile."""

from intent.verify.api import Context, Result, Results, check, failed, passed, skipped, unknown


def numbers(values: set[int]) -> str:
    """A set of numbers in words."""
    return ", ".join(str(value) for value in sorted(values)) if values else "none"


@check("roce-mode", title="RoCE runs in the mode of the intent", subject="roce", parts=("roce",))
def roce_mode(context: Context) -> Results:
    """Mode and trust."""
    profile = context.qos
    if profile is None:
        yield skipped("the intent gives this device no QoS profile")
        return
    mode, trust = context.roce.mode, context.roce.trust
    if mode == profile.mode:
        yield passed()
    else:
        yield failed("RoCE", "mode", f"not that of {profile.name}", expected=profile.mode, actual=mode or "off")
    if not trust:
        yield unknown("RoCE", "trust", "not reported", expected="dscp")
    elif "dscp" in trust.replace(" ", "").split(","):
        yield passed()
    else:
        yield failed("RoCE", "trust", "markings are not trusted", expected="dscp", actual=trust)


@check("roce-pfc", title="PFC is on for the priorities of the intent and no other", subject="roce", parts=("roce",))
def roce_pfc(context: Context) -> Results:
    """Priority flow control."""
    profile = context.qos
    if profile is None:
        yield skipped("the intent gives this device no QoS profile")
        return
    wanted, actual = set(profile.pfc_priorities), set(context.roce.pfc_priorities)
    if wanted == actual:
        yield passed()
    else:
        yield failed("PFC", "priorities", "not those of the intent", expected=numbers(wanted), actual=numbers(actual))


@check("roce-ecn", title="ECN marks RoCE traffic at the thresholds of the intent", subject="roce", parts=("roce",))
def roce_ecn(context: Context) -> Results:
    """Marking: the classes that mark, and both thresholds with the slack of the hardware's steps."""
    profile = context.qos
    if profile is None:
        yield skipped("the intent gives this device no QoS profile")
        return
    wanted, actual = set(profile.ecn_traffic_classes), set(context.roce.ecn_traffic_classes)
    if wanted <= actual:
        yield passed()
    else:
        yield failed("ECN", "traffic classes", "too few mark", expected=numbers(wanted), actual=numbers(actual))
    yield threshold(context, "minimum", profile.ecn_min_bytes, context.roce.ecn_min_bytes)
    yield threshold(context, "maximum", profile.ecn_max_bytes, context.roce.ecn_max_bytes)


def threshold(context: Context, name: str, wanted: int, actual: int | None) -> Result:
    """One threshold in bytes."""
    slack = context.expected.ecn_read_back
    if actual is None:
        return unknown("ECN", f"{name} threshold", "not reported", expected=f"{wanted} bytes")
    if actual == wanted or (slack is not None and slack.equal(wanted, actual)):
        return passed()
    return failed("ECN", f"{name} threshold", "too far off", expected=f"{wanted} bytes", actual=f"{actual} bytes")


@check("roce-exceptions", title="No port differs from the RoCE profile", subject="roce", parts=("roce",))
def roce_exceptions(context: Context) -> Results:
    """Ports the device itself lists as different from the profile."""
    if context.qos is None:
        yield skipped("the intent gives this device no QoS profile")
    elif not context.roce.exceptions:
        yield passed()
    for port in sorted(context.roce.exceptions) if context.qos is not None else ():
        yield failed("Port", port, "differs from the RoCE profile", expected="no exception", actual="exception")
