"""Growth and shrink: nothing that persists changes its name, its numbers or its host ports; cables move least."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from cable_bench import carry_out, least_moves
from hypothesis import given, settings
from hypothesis import strategies as st
from site_builder import b300, build, check_fabric, dump_of, reread, site_text, switches

from intent.fabric.build import Built
from intent.fabric.lock import Lock, dump
from intent.fabric.model import Fabric, Role, Tier

SIZES = st.integers(1, 24)


def small(nodes: list[int], planned: int = 1, uplinks: int = 6) -> str:
    """A small fabric of real parts: 200G ports, two nodes per leaf, spines of few ports."""
    names = ", ".join(f"{{name: n{number:03}, type: dgx-h100}}" for number in nodes)
    topology = (
        f"{{attach_by: rack, link: 100G, uplinks: {uplinks}, unit: {{nodes: 2, planned: {planned}}}, "
        "leaf: {model: SN4700, racks: 2}, spine: SN3700C}"
    )
    return site_text(
        f"[{names}]", topology, '{nodes: "n*", nics: north-south}',
        "management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}",
    )  # fmt: skip


def facts(fabric: Fabric) -> dict[str, str]:
    """What must never change, by what it belongs to."""
    found = {f"numbers of {d.name}": f"{d.loopback} {d.asn} {d.management} {d.role}" for d in fabric.switches}
    for link in fabric.links:
        if link.tier is Tier.HOST:
            near, far = (fabric.devices[end.device].ports[end.port] for end in (link.a, link.b))
            found[f"host port {link.a}"] = f"{link.b} {near.address} {far.address}"
    for leaf in switches(fabric, Role.LEAF):
        found[f"place {leaf.plane}/{leaf.rail}/{leaf.index}"] = leaf.name
    return found


@dataclass
class History:
    """A site over the years: each value with the first owner that had it."""

    lock: Lock = field(default_factory=lambda: Lock("lab"))
    fabric: Fabric | None = None
    ever: dict[str, str] = field(default_factory=dict)
    values: dict[tuple[str, str], str] = field(default_factory=dict)

    def step(self, text: str) -> Built:
        """Compile, and hold the result against everything before."""
        built = build(text, self.lock)
        assert built.fabric, [str(item) for item in built.diagnostics]
        check_fabric(built.fabric)
        for what, value in facts(built.fabric).items():
            assert self.ever.setdefault(what, value) == value, what
        for kind in ("asn", "loopback", "management", "host-prefix", "name", "slot"):
            for part in (built.lock.held, built.lock.released):
                for owner, value in part.get(kind, {}).items():
                    assert self.values.setdefault((kind, value), owner) == owner, f"{kind} {value}"
        assert built.growth.renumbered == ()
        if self.fabric:
            carry_out(self.fabric, built.fabric, built.growth.moves)
            assert len(built.growth.moves) == least_moves(self.fabric, built.fabric)
            self._check_growth(built)
        again = build(text, reread(built.lock))
        assert dump(again.lock) == dump(built.lock)
        assert (again.growth.new, again.growth.changed, again.growth.moves) == ((), (), ())
        self.lock, self.fabric = reread(built.lock), built.fabric
        return built

    def _check_growth(self, built: Built) -> None:
        assert self.fabric and built.fabric
        old = {device.name for device in self.fabric.switches}
        new = {device.name for device in built.fabric.switches}
        assert set(built.growth.new) == new - old
        assert set(built.growth.removed) == old - new
        untouched = (old & new) - set(built.growth.changed)
        for name in untouched:
            assert list(self.fabric.neighbors(name)) == list(built.fabric.neighbors(name))

    def prune(self) -> None:
        """Forget what is released; what was given out may now belong to others."""
        self.lock = reread(self.lock.pruned())
        assert self.fabric
        self.ever = facts(self.fabric)
        self.values = {
            (kind, value): owner for kind, owners in self.lock.held.items() for owner, value in owners.items()
        }


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("nodes"), st.sets(SIZES, min_size=1, max_size=24), st.integers(1, 12)),
            st.tuples(st.just("prune"), st.just(set()), st.just(1)),
        ),
        min_size=2, max_size=6,
    ),
    st.sampled_from([1, 2, 6, 10, 12, 18, 30]),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_any_history_keeps_what_persists(
    steps: list[tuple[str, set[int], int]], uplinks: int, order: random.Random
) -> None:
    history = History()
    history.step(small([1], uplinks=uplinks))
    for what, nodes, planned in steps:
        if what == "prune":
            history.prune()
            continue
        listed = sorted(nodes)
        order.shuffle(listed)
        # Uplinks that end on one spine only carry 32 leaves of them; more planned units than that do not fit.
        history.step(small(listed, min(planned, 32), uplinks))


def railed(nodes: list[int]) -> str:
    """Two planes, eight rails, two nodes per leaf; spines of 32 ports."""
    names = ", ".join(f"{{name: b{number}, type: dgx-b300}}" for number in nodes)
    leaf = "{model: SN5600, racks: 2}"
    topology = f"{{attach_by: rail, planes: 2, link: 400G, uplinks: 6, leaf: {leaf}, spine: SN4700}}"
    return site_text(f"[{names}]", topology, '{nodes: "b*"}')


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sets(st.integers(1, 8), min_size=1), min_size=2, max_size=4), st.booleans())
def test_any_history_of_two_planes_by_rail(steps: list[set[int]], prune: bool) -> None:
    history = History()
    for nodes in steps:
        history.step(railed(sorted(nodes, reverse=True)))
        if prune:
            history.prune()


def test_values_come_back_to_their_owner_until_pruned() -> None:
    history = History()
    first = history.step(small([1, 2, 3, 4, 5, 6]))
    shrunk = history.step(small([1, 2, 5, 6]))
    assert shrunk.lock.released["slot"] == {"ew/n003": "ew:2.1", "ew/n004": "ew:2.2"}
    assert shrunk.lock.released["name"] == {"ew/p1/r0/l2": "ew-l02"}
    grown = history.step(small([1, 2, 5, 6, 7]))
    assert grown.lock.held["slot"]["ew/n007"] == "ew:4.1"
    back = history.step(small([1, 2, 3, 4, 5, 6]))
    assert back.fabric and first.fabric
    assert facts(back.fabric) == facts(first.fabric)
    # Nobody took the cables of the leaf that came back.
    assert back.fabric.links == first.fabric.links
    # Of two that went, the second comes back first: its cables, not those of the first.
    history.step(small([1, 2]))
    second = history.step(small([1, 2, 5, 6]))
    assert second.fabric
    cables = {link for link in first.fabric.links if link.a.device == "ew-l03"}
    assert cables and cables <= set(second.fabric.links)
    history.prune()
    reused = history.step(small([1, 2, 5, 6, 7]))
    assert reused.lock.held["slot"]["ew/n007"] == "ew:2.1"


def test_one_unit_to_two_without_planning() -> None:
    history = History()
    history.step(b300(64))
    growth = history.step(b300(128)).growth
    assert (len(growth.new), len(growth.changed), len(growth.removed)) == (24, 24, 0)
    assert (len(growth.moves), growth.renumbered) == (512, ())
    # Half of each old leaf's uplinks.
    assert {sum(move.leaf == leaf for move in growth.moves) for leaf in {move.leaf for move in growth.moves}} == {32}


def test_one_unit_to_two_when_two_were_planned() -> None:
    topology = "{planes: 2, link: 400G, unit: {nodes: 64, planned: 2}, leaf: SN5600, spine: SN5600}"
    history = History()
    first = history.step(b300(64, topology=topology))
    assert first.fabric and len(switches(first.fabric, Role.SPINE)) == 16
    growth = history.step(b300(128, topology=topology)).growth
    assert len(growth.new) == 16 and all("-l02" in name for name in growth.new)
    assert len(growth.changed) == 16 and all("-s" in name for name in growth.changed)
    assert growth.moves == ()


def test_planning_later_recables_once_and_says_so() -> None:
    history = History()
    history.step(b300(64))
    topology = "{planes: 2, link: 400G, unit: {nodes: 64, planned: 2}, leaf: SN5600, spine: SN5600}"
    planned = history.step(b300(64, topology=topology)).growth
    assert (len(planned.new), len(planned.changed), len(planned.moves)) == (8, 24, 512)
    assert history.step(b300(128, topology=topology)).growth.moves == ()


def test_prune_lets_the_spine_tier_shrink() -> None:
    history = History()
    history.step(b300(128))
    kept = history.step(b300(64))
    assert kept.fabric and len(switches(kept.fabric, Role.SPINE)) == 16 and kept.growth.moves == ()
    assert [item.code for item in kept.diagnostics] == ["F010"]
    history.prune()
    shrunk = history.step(b300(64))
    assert shrunk.fabric and len(switches(shrunk.fabric, Role.SPINE)) == 8
    assert len(shrunk.growth.removed) == 8 and all("-s" in name for name in shrunk.growth.removed)
    # Eight links of each pair stay, eight of the spines that go come over.
    assert len(shrunk.growth.moves) == 16 * 32
    assert all(move.before[0] in shrunk.growth.removed for move in shrunk.growth.moves)
    assert shrunk.diagnostics == ()


def test_order_of_entries_does_not_matter_once_locked() -> None:
    nodes = ['{name: "b300-{0001..0008}", type: dgx-b300}', '{name: "b300-{0009..0080}", type: dgx-b300}']
    lock = build(site_text(f"[{', '.join(nodes)}]")).lock
    again = build(site_text(f"[{', '.join(reversed(nodes))}]"), lock)
    assert dump(again.lock) == dump(lock)
    assert (again.growth.changed, again.growth.moves) == ((), ())


def test_order_of_fabrics_and_of_the_lock_does_not_matter_once_locked() -> None:
    fabrics = [
        f"{name}:\n  topology: {{attach_by: {by}, leaf: SN5600, spine: SN5600}}\n"
        f'  attach: {{nodes: "b300-*", nics: {nics}}}'
        for name, by, nics in (("data", "rack", "north-south"), ("gpu", "rail", "east-west"))
    ]
    one = build(site_text(topology="", fabrics="\n".join(fabrics)))
    assert one.fabric
    check_fabric(one.fabric)
    mixed = Lock("lab", dict(reversed([*one.lock.held.items()])), {})
    mixed = Lock("lab", {kind: dict(reversed([*owners.items()])) for kind, owners in mixed.held.items()}, {})
    other = build(site_text(topology="", fabrics="\n".join(reversed(fabrics))), mixed)
    assert dump(other.lock) == dump(one.lock)
    assert (other.growth.new, other.growth.changed, other.growth.moves) == ((), (), ())


def test_equal_input_gives_equal_bytes() -> None:
    assert dump_of(b300(40)) == dump_of(b300(40))


def test_a_rack_whose_other_half_comes_later_keeps_its_ports() -> None:
    half = site_text("[]", "{leaf: SN5600, spine: SN5600}", '{nodes: "gpu01-{01..09}"}',
        'racks: [{name: "gpu{01..02}", type: gb200-nvl72}]')  # fmt: skip
    whole = half.replace("gpu01-{01..09}", "gpu01 gpu02")
    history = History()
    history.step(half)
    history.step(whole)


def test_pools_may_grow_round_what_they_hold() -> None:
    small_pools = (
        "pools: {loopbacks: 10.255.0.0/27, hosts: 10.64.0.0/20, asns: 65000-65023}\n"
        "management: {prefix: 10.1.0.0/27, gateway: 10.1.0.30}"
    )
    wide_pools = (
        "pools: {loopbacks: 10.255.0.0/18, hosts: 10.64.0.0/12, asns: 64900-65500}\n"
        "management: {prefix: 10.1.0.0/22, gateway: 10.1.0.30}"
    )
    before = build(b300(64, more=small_pools))
    assert before.fabric, [str(item) for item in before.diagnostics]
    after = build(b300(128, more=wide_pools), reread(before.lock))
    assert after.fabric and after.growth.renumbered == ()
    check_fabric(after.fabric)
    for device in before.fabric.switches:
        assert after.fabric.devices[device.name].management == device.management.replace("/27", "/22")
        assert after.fabric.devices[device.name].asn == device.asn
