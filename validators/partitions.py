"""Partition keys: every port holds the keys of the intent and no other, and the fabric did not fall open.

OpenSM that cannot read its partition file drops every partition, makes every port a full member of the default one,
and says SUBNET UP. Ports known to be limited there are the canaries: one that holds 0xffff is the proof.
"""

from intent.verify.api import Context, Results, check, failed, passed, skipped, unknown

FULL_DEFAULT = 0xFFFF
FULL_BIT = 0x8000
MOST_NAMED = 20


@check(
    "partitions-canary",
    title="The fabric did not fall open: no limited port is full in the default partition",
    subject="partitions",
    parts=("pkeys",),
    roles=("manager",),
)
def partitions_canary(context: Context) -> Results:
    """Every canary must not hold 0xffff; without a canary it cannot be told."""
    subnet = context.subnet
    if subnet is None:
        yield skipped("the intent says nothing of this subnet")
        return
    if not subnet.canaries:
        problem = "no port is limited in the default partition, so a fabric that fell open looks the same"
        yield unknown("Fabric", subnet.fabric, problem)
    for guid in subnet.canaries:
        table = context.pkeys.get(guid)
        if table is None:
            yield unknown("Port", guid, "its keys were not read")
        elif FULL_DEFAULT in table:
            problem = "the fabric fell open: a limited port is full in the default partition"
            yield failed("Port", guid, problem, expected="0x7fff", actual="0xffff")
        else:
            yield passed()


@check(
    "partitions-tables",
    title="Every port holds the partition keys of the intent and no other",
    subject="partitions",
    parts=("pkeys",),
    roles=("manager",),
)
def partitions_tables(context: Context) -> Results:
    """Keys of every end port, membership bits included; what stands at index 0 too."""
    subnet = context.subnet
    if subnet is None:
        yield skipped("the intent says nothing of this subnet")
        return
    for guid, wanted in sorted(subnet.pkeys.items()):
        table = context.pkeys.get(guid)
        if table is None:
            yield unknown("Port", guid, "its keys were not read")
            continue
        held = {key for key in table if key}
        missing, extra = wanted - held, held - wanted
        if missing or extra:
            problem = "wrong partition keys"
            yield failed("Port", guid, problem, expected=words(wanted), actual=words(held))
        elif guid in subnet.index0 and table[0] != subnet.index0[guid]:
            expected, actual = f"0x{subnet.index0[guid]:04x}", f"0x{table[0]:04x}"
            yield failed("Port", guid, "wrong key at index 0", expected=expected, actual=actual)
        else:
            yield passed()
    for guid in sorted(set(context.pkeys) - set(subnet.pkeys)):
        strange = {key for key in context.pkeys[guid] if key and key | FULL_BIT != FULL_DEFAULT}
        if strange:
            yield failed("Port", guid, "a port the intent does not know is in partitions", actual=words(strange))


def words(keys: object) -> str:
    """Keys as hexadecimal numbers, in order."""
    found = sorted(keys) if isinstance(keys, set | frozenset) else []
    shown = " ".join(f"0x{key:04x}" for key in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{shown}{more}" if found else "none"
