"""The cabling plan and the cables to move, as CSV for those who pull the cables."""

from __future__ import annotations

from collections.abc import Mapping

from intent.fabric.growth import Growth
from intent.fabric.model import Fabric
from intent.report.tables import Table, cabling, table_csv


def cabling_csv(fabric: Fabric, lengths_m: Mapping[str, float] | None = None) -> str:
    """One row per logical link: cable, tier, plane, rail, speed, both ends, length.

    Args:
        fabric: the compiled fabric.
        lengths_m: length in metres by cable, where known.
    """
    return table_csv(cabling(fabric, lengths_m))


def moves(growth: Growth) -> Table:
    """Cables to move, in the order in which they can be moved."""
    columns = ("order", "leaf", "port", "from_spine", "from_port", "to_spine", "to_port")
    rows = tuple((str(m.order), m.leaf, m.port, *m.before, *m.after) for m in growth.moves)
    return Table("moves", columns, rows, frozenset({"order"}))


def moves_csv(growth: Growth) -> str:
    """One row per cable to move: order, the leaf's end that stays, the spine's end before and after."""
    return table_csv(moves(growth))
