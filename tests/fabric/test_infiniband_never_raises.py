"""Whatever sizes an InfiniBand fabric is asked for and whatever readable lock it meets, it is sound or says why not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from infiniband_sites import UFM, check_infiniband, ib_text
from site_builder import build, reread

from intent.core.diagnostic import has_errors
from intent.fabric.kinds import KINDS
from intent.fabric.lock import Lock, dump, parse

MODELS = st.sampled_from(["QM8700", "QM9700", "QM9790", "Q3400-RA", "Q3400-RD"])
KINDS_OF_NODE = st.sampled_from(
    [("dgx-a100", "hdr"), ("dgx-h100", "ndr"), ("dgx-b300", "xdr"), ("gb200-nvl72", "ndr"), ("gb300-nvl72", "xdr")]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    kind, generation = draw(KINDS_OF_NODE)
    unit = draw(st.integers(1, 12))
    word = "racks" if "nvl72" in kind else "nodes"
    parts = [
        f"design: {draw(st.sampled_from(['fat-tree', 'leaf-spine', 'dragonfly-plus']))}",
        f"attach_by: {draw(st.sampled_from(['rail', 'rack']))}",
        f"leaf: {draw(MODELS)}",
        f"spine: {draw(MODELS)}",
        f"unit: {{{word}: {unit}, planned: {draw(st.integers(1, 9))}}}",
    ]
    if draw(st.booleans()):
        parts.append(f"core: {draw(MODELS)}")
    if draw(st.booleans()):
        parts.append(f"spine_group: {draw(st.sampled_from(['rail', 'unit']))}")
    if draw(st.booleans()):
        parts.append(f"uplinks: {draw(st.integers(1, 80))}")
    if draw(st.booleans()):
        parts.append(f"oversubscription: '{draw(st.integers(1, 4))}:{draw(st.integers(1, 3))}'")
    count = draw(st.integers(1, 3 * unit))
    return ib_text(count, kind, "{" + ", ".join(parts) + "}", generation, draw(st.sampled_from(["", UFM])))


@settings(max_examples=60, deadline=None)
@given(texts())
def test_any_sizes(text: str) -> None:
    built = build(text)
    assert (built.fabric is None) == has_errors(built.diagnostics)
    assert all(item.message for item in built.diagnostics)
    if built.fabric:
        check_infiniband(built.fabric)
        again = build(text, reread(built.lock))
        assert again.fabric and again.fabric.links == built.fabric.links
        assert (again.growth.new, again.growth.changed, again.growth.moves) == ((), (), ())


VALUES = st.sampled_from(
    ["q:1.1", "q:1.32", "q:2.1", "q:9.9", "x:1.1", "q:1.1.31", "q:1.0.0", "q:9.9.999999", "q:1.2.100000", "3", "0",
     "64", "1.0 1.1", "q-l1", "tiers=3", "tiers=2 uplinks=32"]
)  # fmt: skip
PLAIN = build(ib_text(20, "dgx-h100", "{unit: {nodes: 8}, leaf: QM9700, spine: QM9700, core: QM9700}", "ndr", UFM))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_readable_lock(data: st.DataObject) -> None:
    held = {kind: dict(owners) for kind, owners in PLAIN.lock.held.items()}
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(sorted(held)))
        owner = data.draw(st.sampled_from(sorted(held[kind])))
        value = data.draw(VALUES | st.sampled_from(sorted(held[kind].values())))
        if KINDS[kind].valid(value):
            held[kind][owner] = value
    lock, problems = parse(dump(Lock("lab", held, {})), "f", "lab")
    if problems:
        return
    built = build(
        ib_text(20, "dgx-h100", "{unit: {nodes: 8}, leaf: QM9700, spine: QM9700, core: QM9700}", "ndr", UFM), lock
    )
    assert (built.fabric is None) == has_errors(built.diagnostics)
    if built.fabric:
        check_infiniband(built.fabric)
