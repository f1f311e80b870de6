"""Any combination of real parts, and any lock that can be read, gives a sound fabric or findings with hints."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from site_builder import b300, build, catalog, check_fabric, site_text

from intent.core.diagnostic import Severity
from intent.fabric.build import Built
from intent.fabric.lock import Lock, dump, parse

SWITCHES = st.sampled_from(sorted(catalog().switches))
NODES = st.sampled_from(sorted(catalog().nodes))
NICS = st.sampled_from(["east-west", "north-south", "management"])
RATIOS = st.sampled_from(["1:1", "2:1", "5:3", "1:2", "100:1", "1:100"])


def judge(built: Built) -> None:
    found = [item for item in built.diagnostics if item.severity is Severity.ERROR]
    if built.fabric is None:
        assert found and all(item.message for item in found)
        return
    assert not found
    check_fabric(built.fabric)
    assert parse(dump(built.lock), "lab.lock", "lab") == (built.lock, ())


@st.composite
def topologies(draw: st.DrawFn) -> str:
    words = [
        f"attach_by: {draw(st.sampled_from(['rail', 'rack']))}",
        f"planes: {draw(st.sampled_from([1, 1, 2, 4]))}",
        f"spine: {draw(SWITCHES)}",
        f"oversubscription: '{draw(RATIOS)}'",
    ]
    racks = draw(st.sampled_from([None, None, 1, 2, 5]))
    leaf = draw(SWITCHES)
    words.append(f"leaf: {{model: {leaf}, racks: {racks}}}" if racks else f"leaf: {leaf}")
    if link := draw(st.sampled_from([None, 1, 25, 50, 100, 200, 400, 800])):
        words.append(f"link: {link}G")
    if uplinks := draw(st.sampled_from([None, None, 1, 3, 8, 64])):
        words.append(f"uplinks: {uplinks}")
    if unit := draw(st.sampled_from([None, None, "nodes: 4", "racks: 1", "nodes: 36, planned: 3"])):
        words.append(f"unit: {{{unit}}}")
    return "{" + ", ".join(words) + "}"


@settings(max_examples=150, deadline=None)
@given(topologies(), NODES, NICS, st.integers(1, 40))
def test_any_parts(topology: str, kind: str, nics: str, count: int) -> None:
    if catalog().nodes[kind].is_rack:
        racks = min(count, 4)
        more = f'racks: [{{name: "n{{1..{racks}}}", type: {kind}}}]'
        judge(build(site_text("[]", topology, f"{{racks: 'n*', nics: {nics}}}", more)))
    else:
        nodes = f'[{{name: "n{{1..{count}}}", type: {kind}}}]'
        judge(build(site_text(nodes, topology, f"{{nodes: 'n*', nics: {nics}}}")))


BASE = b300(6, topology="{planes: 2, link: 400G, uplinks: 4, leaf: {model: SN5600, racks: 2}, spine: SN5600}",
            more="management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}")  # fmt: skip
LOCK = build(BASE).lock
KINDS = sorted(LOCK.held)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_lock_that_can_be_read(data: st.DataObject) -> None:
    held = {kind: dict(owners) for kind, owners in LOCK.held.items()}
    released: dict[str, dict[str, str]] = {}
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(KINDS))
        owners = held[kind]
        if not owners:
            continue
        owner = data.draw(st.sampled_from(sorted(owners)))
        change = data.draw(st.sampled_from(["drop", "release", "swap", "rename", "odd"]))
        if change in ("drop", "release"):
            value = owners.pop(owner)
            if change == "release" and kind != "wiring":
                released.setdefault(kind, {})[owner] = value
        elif change == "swap":
            other = data.draw(st.sampled_from(sorted(owners)))
            owners[owner], owners[other] = owners[other], owners[owner]
        elif change == "rename":
            owners["another"] = owners.pop(owner)
        else:
            owners[owner] = data.draw(st.sampled_from([
                "7", "10.64.0.9", "10.64.0.0/30", "ew:9.9", "ew:1.2", "4.127 3.127 2.127 1.127", "1.0 1.1 1.2 1.3",
                "rails=9", "0", "f" * 16, "one-name",
            ]))  # fmt: skip
    lock, problems = parse(dump(Lock("lab", held, released)), "lab.lock", "lab")
    if not problems:
        judge(build(BASE, lock))
