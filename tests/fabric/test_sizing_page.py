"""Every table of docs/sizing.md is what the compiler says."""

from __future__ import annotations

from pathlib import Path

from published_infiniband import ROWS
from site_builder import B300, b300, build, catalog, counts, fabric_of, pairs, switches

from intent.fabric.build import build_site
from intent.fabric.clos import spine_count
from intent.fabric.lock import Lock
from intent.fabric.model import Role, Tier
from intent.schema.loader import load

ROOT = Path(__file__).resolve().parents[2]


def table(heading: str) -> list[dict[str, str]]:
    """Rows of the first table under a heading, by column."""
    text = (ROOT / "docs" / "sizing.md").read_text("utf-8")
    lines = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    header, _, *rows = cells
    assert rows and all(len(row) == len(header) for row in rows)
    return [dict(zip(header, row, strict=True)) for row in rows]


def numbers(row: dict[str, str], *columns: str) -> tuple[int, ...]:
    return tuple(int(row[column]) for column in columns)


COUNTED = ("leaves", "spines", "host links", "fabric links")


def test_twin_plane_table() -> None:
    rows = table("B300 twin plane")
    assert [row["units"] for row in rows] == ["1", "2", "4", "8", "16"]
    for row in rows:
        fabric = fabric_of(b300(int(row["nodes"])))
        assert counts(fabric) == numbers(row, *COUNTED)
        assert set(pairs(fabric).values()) == {int(row["links per pair"])}
        assert int(row["published cables per tier"]) * 2 == int(row["host links"]) == int(row["fabric links"])


def test_in_between_table() -> None:
    for row in table("Sizes in between"):
        fabric = fabric_of(b300(int(row["nodes"])))
        assert counts(fabric)[:2] == numbers(row, "leaves", "spines")
        last = switches(fabric, Role.LEAF)[-1]
        used = sum(link.tier is Tier.HOST for _, _, link in fabric.neighbors(last.name))
        assert 64 - used == int(row["free host ports of the last leaf"])


def test_nvl72_table() -> None:
    for row in table("NVL72 racks"):
        loaded = load({"intent.yaml": (ROOT / "examples" / row["example"] / "intent.yaml").read_text("utf-8")})
        assert loaded.document
        name, site = next(iter(loaded.document.sites.items()))
        built = build_site(name, site, catalog(), loaded.sources, Lock(name))
        assert built.fabric
        assert counts(built.fabric) == numbers(row, *COUNTED)
        assert len(built.fabric.nodes) == 18 * int(row["racks"])
        leaves = switches(built.fabric, Role.LEAF)
        assert max(leaf.plane for leaf in leaves) in (0, int(row["planes"]))
        per_leaf = max(
            len({end.device.rpartition("-")[0] for _, end, link in built.fabric.neighbors(leaf.name)
                 if link.tier is Tier.HOST})
            for leaf in leaves
        )  # fmt: skip
        assert per_leaf == min(int(row["racks"]), int(row["racks per leaf"]))


def test_oversubscription_table() -> None:
    for row in table("Oversubscription"):
        topology = B300.replace("}", f", oversubscription: '{row['oversubscription']}'}}")
        fabric = fabric_of(b300(int(row["host ports"]), topology=topology))
        (ports,) = {len(leaf.ports) for leaf in switches(fabric, Role.LEAF)}
        assert len(switches(fabric, Role.LEAF)) == 16
        assert ports == sum(numbers(row, "host ports", "uplinks"))
        assert len(switches(fabric_of(b300(int(row["host ports"]) + 1, topology=topology)), Role.LEAF)) == 32


def test_divisor_table() -> None:
    for row in table("Divisor rule"):
        leaves, uplinks, ports = numbers(row, "leaves", "uplinks", "spine ports")
        assert spine_count(leaves, uplinks, ports) == int(row["spines"])
        assert -(-leaves * uplinks // ports) == int(row["ceiling"])


def test_infiniband_table_is_the_published_rows() -> None:
    rows = {row.table: row for row in ROWS}
    seen = []
    for row in table("InfiniBand, published"):
        printed = rows[f"{row['table']}-{row['units']}"].printed
        seen.append(f"{row['table']}-{row['units']}")
        columns = {"leaves": "leaves", "spines": "spines", "core": "cores", "host links": "host links",
                   "leaf-spine": "leaf-spine", "nodes": "nodes"}  # fmt: skip
        for shown, key in columns.items():
            if row[shown] and key in printed:
                assert int(row[shown]) == printed[key], (row, shown)
        if row["spine-core"]:
            assert int(row["spine-core"]) == printed["spine-core"]
    assert seen == list(rows)


def test_growth_table() -> None:
    for row in table("Growth"):
        unit = f", unit: {{nodes: 64, planned: {row['planned units']}}}}}"
        topology = B300.replace("}", unit)
        first = build(b300(int(row["from nodes"]), topology=topology))
        growth = build(b300(int(row["to nodes"]), topology=topology), first.lock).growth
        found = (len(growth.new), len(growth.changed), len(growth.moves), growth.renumbered)
        assert found == (*numbers(row, "new", "changed", "cables to move"), ())
