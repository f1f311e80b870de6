"""Release, model and name: the device is the one of the intent and runs what the intent says."""

from intent.verify.api import Context, Results, check, failed, passed, skipped, unknown


def covers(wanted: str, actual: str) -> bool:
    """True when `actual` is the wanted release or a patch of it, component by component: 5.1 does not cover 5.14."""
    parts, found = wanted.strip().split("."), actual.strip().split(".")
    return found[: len(parts)] == parts


@check("release", title="The device runs the release of the intent", subject="system", parts=("system",))
def release(context: Context) -> Results:
    """Release, whole components compared."""
    wanted, actual = context.device.release, context.system.release
    if not wanted:
        yield skipped("the intent names no release")
    elif not actual:
        yield unknown("Device", context.device.name, "release not reported", expected=wanted)
    elif covers(wanted, actual):
        yield passed()
    else:
        yield failed("Device", context.device.name, "wrong release", expected=wanted, actual=actual)


@check("model", title="The device is of the model of the intent", subject="system", parts=("system",))
def model(context: Context) -> Results:
    """Hardware model."""
    wanted, actual = context.device.model, context.system.model
    if not actual:
        yield unknown("Device", context.device.name, "model not reported", expected=wanted)
    elif actual.casefold() == wanted.casefold():
        yield passed()
    else:
        yield failed("Device", context.device.name, "wrong model", expected=wanted, actual=actual)


@check(
    "hostname",
    title="The device calls itself what the intent calls it",
    subject="system",
    phases=("post", "verify"),  # before the first change a device still has its factory name
    parts=("system",),
)
def hostname(context: Context) -> Results:
    """Host name, without domain and case: an answer by the wrong device shows here."""
    wanted, actual = context.device.name, context.system.hostname
    if not actual:
        yield unknown("Device", wanted, "host name not reported")
    elif context.directory.find(actual) == wanted:
        yield passed()
    else:
        yield failed("Device", wanted, "answers under another name", expected=wanted, actual=actual)
