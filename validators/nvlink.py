"""NVLink partitions: their members are those of the intent, and the default partition holds the rest and nothing else.

Read back from NMX-M. A partition without members belongs to no domain that could be told: it is tolerated, for NMX
shows such remains. GPUs are named by their place, chassis.slot.host.gpu.
"""

from collections.abc import Iterable, Iterator

from intent.verify.api import Context, NvlinkPartition, Results, check, failed, passed, skipped, unknown

MOST_NAMED = 8


def words(gpus: Iterable[str]) -> str:
    """Places of GPUs, in order, the first few by name."""
    found = sorted(gpus, key=lambda place: [int(part) for part in place.split(".")])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{' '.join(found[:MOST_NAMED])}{more}" if found else "none"


def rack_of(context: Context, domain: str) -> str:
    """How people call a domain: by its rack."""
    rack = context.nvlink_wanted.racks.get(domain, "") if context.nvlink_wanted is not None else ""
    return rack or domain


def parts_of(context: Context, domain: str) -> Iterator[NvlinkPartition]:
    """Partitions of a domain that have members."""
    return (part for part in context.nvlink.partitions if part.domain == domain and part.gpus)


@check(
    "nvlink-gpus",
    title="Every GPU of the intent's NVLink partitions is there, and in one partition only",
    subject="nvlink",
    parts=("nvlink",),
    roles=("manager",),
)
def nvlink_gpus(context: Context) -> Results:
    """GPUs the manager knows, and how many partitions hold each."""
    if context.nvlink_wanted is None:
        yield skipped("the intent says nothing of these NVLink domains")
        return
    for domain, wanted in sorted(context.nvlink_wanted.partitions.items()):
        known = context.nvlink.gpus.get(domain)
        if known is None:
            yield unknown("Domain", rack_of(context, domain), "the manager knows no GPU of it")
            continue
        missing = frozenset[str]().union(*wanted.values()) - set(known)
        if missing:
            yield failed(
                "Domain",
                rack_of(context, domain),
                "GPUs of the intent are not there",
                expected=words(missing),
                actual="absent",
            )
        else:
            yield passed()
        holders: dict[str, list[str]] = {}
        for part in parts_of(context, domain):
            for gpu in part.gpus:
                holders.setdefault(gpu, []).append(part.name)
        for gpu, names in sorted(holders.items()):
            if len(names) > 1:
                yield failed(
                    "GPU",
                    f"{gpu} of {rack_of(context, domain)}",
                    "in several partitions",
                    expected="one",
                    actual=", ".join(names),
                )


@check(
    "nvlink-partitions",
    title="Every NVLink partition of the intent has the GPUs of the intent and no other",
    subject="nvlink",
    phases=("post", "verify"),
    parts=("nvlink",),
    roles=("manager",),
)
def nvlink_partitions(context: Context) -> Results:
    """Members of each partition, place by place."""
    if context.nvlink_wanted is None:
        yield skipped("the intent says nothing of these NVLink domains")
        return
    for domain, wanted in sorted(context.nvlink_wanted.partitions.items()):
        held = {part.name: frozenset(part.gpus) for part in parts_of(context, domain)}
        for name, gpus in sorted(wanted.items()):
            missing, extra = gpus - held.get(name, frozenset()), held.get(name, frozenset()) - gpus
            if name not in held:
                yield failed(
                    "Partition",
                    f"{name} of {rack_of(context, domain)}",
                    "it holds no GPU",
                    expected=words(gpus),
                    actual="none",
                )
            elif missing:
                yield failed(
                    "Partition",
                    f"{name} of {rack_of(context, domain)}",
                    "GPUs are missing",
                    expected=words(missing),
                    actual="absent",
                )
            elif extra:
                yield failed(
                    "Partition",
                    f"{name} of {rack_of(context, domain)}",
                    "GPUs that are not its own",
                    actual=words(extra),
                )
            else:
                yield passed()


@check(
    "nvlink-default",
    title="The default NVLink partition holds the GPUs no partition of the intent has, and no other",
    subject="nvlink",
    phases=("post", "verify"),
    parts=("nvlink",),
    roles=("manager",),
)
def nvlink_default(context: Context) -> Results:
    """What is left of each domain; GPUs in partitions of somebody else are told, those in none at all too."""
    wanted_of = context.nvlink_wanted
    if wanted_of is None:
        yield skipped("the intent says nothing of these NVLink domains")
        return
    for domain, wanted in sorted(wanted_of.partitions.items()):
        known = context.nvlink.gpus.get(domain)
        if known is None:
            yield unknown("Domain", rack_of(context, domain), "the manager knows no GPU of it")
            continue
        parts = list(parts_of(context, domain))
        default = frozenset(gpu for part in parts if part.default for gpu in part.gpus)
        taken = frozenset[str]().union(*wanted.values())
        theirs = frozenset(gpu for part in parts if (domain, part.name) in wanted_of.excepted for gpu in part.gpus)
        rest = frozenset(known) - taken - theirs
        if default & taken:
            problem = "the default partition still holds GPUs of tenants"
            yield failed("Domain", rack_of(context, domain), problem, expected="none", actual=words(default & taken))
        if rest - default:
            problem = "GPUs that no tenant has are not in the default partition"
            yield failed(
                "Domain",
                rack_of(context, domain),
                problem,
                expected=words(rest - default),
                actual="elsewhere or nowhere",
            )
        if not default & taken and not rest - default:
            yield passed()
