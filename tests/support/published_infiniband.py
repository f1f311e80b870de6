"""Published InfiniBand tables as data: how each row is written, what the source prints, what it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from infiniband_sites import NVL72, UFM, XDR, ib_text

GB300 = "{unit: {racks: 8}, leaf: Q3400-RD, spine: Q3400-RD}"


@dataclass(frozen=True)
class Row:
    """A published row, and how its design is written.

    Args:
        table: name of the table and its units.
        text: the intent.
        printed: what the source prints.
        errata: columns the source gets wrong: what we get, and why.
    """

    table: str
    text: str
    printed: dict[str, int]
    errata: dict[str, tuple[int, str]] = field(default_factory=dict)


def _t1(units: int, leaves: int, spines: int, hosts: int, fabric: int) -> Row:
    nodes = 32 * units - 1
    printed = {"nodes": nodes, "gpus": 8 * nodes, "leaves": leaves, "spines": spines, "cores": 0}
    return Row(f"T1-{units}", ib_text(nodes, manager=UFM), printed | {"host links": hosts, "leaf-spine": fabric})


def _t2(
    units: int,
    gpus: int,
    leaves: int,
    spines: int,
    cores: int,
    links: int,
    errata: dict[str, tuple[int, str]] | None = None,
) -> Row:
    printed = {"nodes": 32 * units, "gpus": gpus, "leaves": leaves, "spines": spines, "cores": cores}
    printed |= {"host links": links, "leaf-spine": links, "spine-core": links if cores else 0}
    kind = "dgx-b200" if units == 2 else "dgx-h100"
    return Row(f"T2-{units}", ib_text(32 * units, kind), printed, errata or {})


def _t3(units: int, gpus: int, leaves: int, spines: int, cores: int | None) -> Row:
    printed = {"gpus": gpus, "leaves": leaves, "spines": spines} | ({} if cores is None else {"cores": cores})
    return Row(f"T3-{units}", ib_text(8 * units, "gb200-nvl72", NVL72, manager=UFM), printed)


def _t4(
    units: int, gpus: int, leaves: int, spines: int, links: int, errata: dict[str, tuple[int, str]] | None = None
) -> Row:
    printed = {"nodes": 72 * units, "gpus": gpus, "leaves": leaves, "spines": spines, "cores": 0}
    printed |= {"host links": links, "leaf-spine": links}
    return Row(f"T4-{units}", ib_text(72 * units, "dgx-b300", XDR, "xdr"), printed, errata or {})


def _t6(units: int, leaves: int, spines: int, links: int) -> Row:
    # The node's eight XDR ports are those of a B300.
    printed = {"nodes": 72 * units, "gpus": 576 * units, "leaves": leaves, "spines": spines}
    printed |= {"host links": links, "leaf-spine": links}
    return Row(f"T6-{units}", ib_text(72 * units, "dgx-b300", XDR, "xdr"), printed)


ROWS = [
    _t1(1, 8, 4, 252, 256),
    _t1(2, 16, 8, 508, 512),
    _t1(3, 24, 16, 764, 768),
    _t1(4, 32, 16, 1020, 1024),
    _t2(2, 512, 16, 8, 0, 512),
    _t2(4, 1024, 32, 16, 0, 1024),
    _t2(8, 2048, 64, 32, 0, 2048),
    _t2(16, 4096, 128, 128, 64, 4096),
    _t2(32, 8192, 256, 256, 128, 8192),
    _t2(64, 16384, 512, 512, 256, 16384),
    _t3(1, 576, 32, 24, None),
    _t3(2, 1152, 64, 48, 18),
    _t3(4, 2304, 128, 96, 36),
    _t3(8, 4608, 256, 192, 72),
    _t3(16, 9216, 512, 384, 144),
    _t4(1, 576, 8, 4, 576),
    _t4(2, 1152, 16, 8, 1152),
    _t4(4, 2304, 32, 18, 2304),
    _t4(8, 4608, 64, 36, 4608),
    _t4(18, 9216, 144, 72, 10368, {"gpus": (10368, "1296 nodes of 8 GPUs; its cable count says so too")}),
    _t6(1, 8, 4, 576),
    _t6(2, 16, 8, 1152),
    _t6(4, 32, 18, 2304),
    _t6(8, 64, 36, 4608),
    _t6(16, 128, 72, 9216),  # second table of the source; the first prints 64, which does not divide 72 uplinks
    Row(
        "T7-2",
        ib_text(16, "gb300-nvl72", GB300, "xdr"),
        {"gpus": 1152, "leaves": 16, "spines": 8},
    ),
]
