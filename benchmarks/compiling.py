"""What building trees, strict check and provenance cost, each output apart, and the fabric itself."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import designs
from measure import Table, median_ms, ratio, retained_kib

from intent.formats.nvue.emit import json_text, nv_set_script, startup_yaml
from intent.render.artifact import Artifact
from intent.workspace.compile import check

Outputs = dict[str, Callable[[Artifact], object]]
OUTPUTS: Outputs = {
    "startup.yaml": lambda item: startup_yaml(item.body, model=item.model, release=item.release),
    "nv set": lambda item: nv_set_script(item.body),
    "JSON": lambda item: json_text(item.body),
}


def trees(nodes: Sequence[int], releases: Sequence[str], runs: int) -> Table:
    """CPU and memory per switch of tree, strict check and provenance, and CPU of each output."""
    rows = []
    for release in releases:
        by_size: list[tuple[int, dict[str, float]]] = []
        for count in nodes:
            with tempfile.TemporaryDirectory() as folder:
                by_size.append(_one(designs.load(designs.write(Path(folder), count, release=release)), runs))
        for switches, found in by_size:
            all_ms = sum(value for key, value in found.items() if key != "KiB")
            cells = (f"{found[key]:.2f}" for key in ("tree", *OUTPUTS))
            rows.append((release, str(switches), *cells, f"{all_ms:.2f}", f"{found['KiB']:.0f}"))
        growth = (ratio([(n, found[key]) for n, found in by_size]) for key in ("tree", *OUTPUTS))
        total = ratio([(n, sum(v for k, v in found.items() if k != "KiB")) for n, found in by_size])
        rows.append((release, "growth", *growth, total, ratio([(n, found["KiB"]) for n, found in by_size])))
    columns = (
        "release",
        "switches",
        "tree + check + provenance ms",
        *(f"{name} ms" for name in OUTPUTS),
        "all ms",
        "KiB",
    )
    notes = (
        "CPU milliseconds per switch, median of several runs; KiB is what one artefact keeps. The row `growth` is the "
        "cost per switch at the largest size over that at the smallest: 1.00 is linear growth.",
    )
    return Table("Trees and outputs, per switch", columns, tuple(rows), notes)


def _one(design: designs.Design, runs: int) -> tuple[int, dict[str, float]]:
    count, switches = design.switches, design.compiled.fabric.switches
    renderer = design.renderer()
    found = {"tree": median_ms(lambda: renderer.render(switches), runs) / count}
    rendered, kib = retained_kib(lambda: renderer.render(switches))
    artifacts = list(rendered.artifacts.values())
    if len(artifacts) != count:
        raise SystemExit(f"{count - len(artifacts)} switches have no artefact: {rendered.diagnostics[0]}")
    for name, write in OUTPUTS.items():
        found[name] = median_ms(lambda w=write: [w(item) for item in artifacts], runs) / count  # type: ignore[misc]
    return count, {**found, "KiB": kib / count}


def fabrics(nodes: Sequence[int], runs: int) -> Table:
    """CPU of reading, linting and building a site, without its trees."""
    rows, costs = [], []
    for count in nodes:
        with tempfile.TemporaryDirectory() as folder:
            design = designs.load(designs.write(Path(folder), count))
            whole = median_ms(lambda d=design: check(d.workspace, d.catalog, render=False), runs)  # type: ignore[misc]
            costs.append((design.switches, whole / design.switches))
            links = len(design.compiled.fabric.links)
            rows.append((str(design.switches), str(links), f"{whole:.0f}", f"{whole / design.switches:.2f}"))
    rows.append(("growth", "", "", ratio(costs)))
    return Table("From text to fabric", ("switches", "links", "whole site ms", "per switch ms"), tuple(rows))
