"""A small InfiniBand site as text, with a file of GUIDs, and everything a workspace makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from intent.catalog.hardware import Catalog
from intent.fabric.build import build_site
from intent.fabric.lock import Lock
from intent.schema.loader import load
from intent.workspace.infiniband import Settled, settle

RAILS = 8
NODES = tuple(f"n{number}" for number in range(1, 5))
UFM = "{by: ufm, vip: 10.1.0.20, hosts: [{name: u1, address: 10.1.0.21}, {name: u2, address: 10.1.0.22}]}"
OPENSM = "{by: opensm, hosts: [{name: o1, address: 10.1.0.21}, {name: o2, address: 10.1.0.22}]}"
SPINES = tuple(f"q-s{number:02}" for number in range(1, 5))
TENANTS = """\
tenants:
  physics: {nodes: "n{1..2}", partitions: {train: {fabric: q}}}
  biology: {nodes: "n{3..4}", partitions: {train: {fabric: q, membership: {"*": limited, n3: full}}}}
"""


def fabric_text(manager: str = UFM, *, guids: str = "guids/s.csv", attach: str = "n*") -> str:
    """One NDR fabric of a leaf per rail; HDR where OpenSM manages it, which knows no NDR."""
    told = f", guids: {guids}" if guids else ""
    generation, model = ("hdr", "QM8700") if "by: opensm" in manager else ("ndr", "QM9700")
    return (
        f"{{kind: infiniband, generation: {generation}, topology: {{leaf: {model}, spine: {model}}}, "
        f'attach: {{nodes: "{attach}"}}{told}, subnet_manager: {manager}}}'
    )


def site_text(tenants: str = TENANTS, manager: str = UFM, *, guids: str = "guids/s.csv", fabrics: str = "") -> str:
    """An intent of one site `s` with nodes n1 to n4 and the fabric `q`."""
    return (
        "version: 1\nname: t\nsites:\n  s:\n"
        f'    nodes: [{{name: "n{{1..4}}", type: {"dgx-a100" if "by: opensm" in manager else "dgx-h100"}}}]\n'
        f"    fabrics:\n      q: {fabric_text(manager, guids=guids)}\n{fabrics}{tenants}"
    )


def guid(node: str, rail: int) -> str:
    """Sixteen digits of the port of a node on a rail, both from 1; the card's own GUID is one less."""
    return f"0002c903{int(node.lstrip('nuo')):04x}{ord(node[0]):02x}{rail:x}1"


def guids_csv(nodes: Iterable[str] = NODES, managers: Iterable[str] = (), switches: Iterable[str] = ()) -> str:
    """The file of GUIDs."""
    rows = [f"{node},mlx5_{rail - 1},0x{guid(node, rail)}" for node in nodes for rail in range(1, RAILS + 1)]
    rows += [f"{name},mlx5_0,0x{guid(name, 1)}" for name in managers]
    rows += [f"{name},,0x0002c903ffff{number:04x}" for number, name in enumerate(switches, 1)]
    return "\n".join(["device,port,guid", *rows]) + "\n"


@cache
def catalog() -> Catalog:
    """The hardware, read once."""
    return Catalog.load()


def settled(text: str | None = None, *, lock: Lock | None = None, **files: str) -> Settled:
    """A site built and settled; `files` are further texts, `guids` stands for guids/s.csv."""
    loaded = load({"intent.yaml": text or site_text()})
    assert loaded.document, [str(item) for item in loaded.diagnostics]
    texts: dict[str, Any] = {"guids/s.csv": files.pop("guids", guids_csv()), **files}
    before = lock or Lock("s")
    built = build_site("s", loaded.document.sites["s"], catalog(), loaded.sources, before)
    assert built.fabric, [str(item) for item in built.diagnostics]
    return settle(loaded.document, built, catalog(), loaded.sources, before, texts)


def workspace(folder: Path, text: str | None = None, guids: str | None = None) -> Path:
    """The same as a folder on disk."""
    (folder / "guids").mkdir(parents=True, exist_ok=True)
    (folder / "intent.yaml").write_text(text or site_text(), encoding="utf-8")
    (folder / "guids" / "s.csv").write_text(guids if guids is not None else guids_csv(), encoding="utf-8")
    return folder
