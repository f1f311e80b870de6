"""What a new size of the fabric asks for, told before anything is touched."""

from __future__ import annotations

from rich.text import Text

from intent.fabric.growth import CableMove, Growth
from intent.report.text import clean, fold, joined, json_text, one_line, plural

_MOST_MOVES = 10


def headline(growth: Growth) -> Text:
    """`24 devices new, 24 changed, 0 renumbered, 512 cables to move`."""
    text = Text(f"{plural(len(growth.new), 'device')} new, {len(growth.changed)} changed")
    if growth.removed:
        text.append(f", {len(growth.removed)} removed", "bold yellow")
    text.append(", ").append(f"{len(growth.renumbered)} renumbered", "bold red" if growth.renumbered else "green")
    moves = f"{plural(len(growth.moves), 'cable')} to move" if growth.moves else "no cable to move"
    return text.append(", ").append(moves, "bold yellow" if growth.moves else "green")


def human(growth: Growth, *, most_moves: int = _MOST_MOVES) -> Text:
    """What grows, what must not be renumbered and was, and the first cables to move in their order.

    Args:
        growth: from the compiler.
        most_moves: cables told; the CSV of `intent.report.cabling.moves_csv` has all.
    """
    lines: list[Text | str] = [Text("against the lock: ").append_text(headline(growth))]
    for word, names in (("new", growth.new), ("changed", growth.changed), ("removed", growth.removed)):
        if names and not (growth.first and word == "new"):
            lines.append(f"  {word}: {fold(names)}")
    lines += [Text(f"  renumbered: {clean(text)}", "red") for text in growth.renumbered]
    lines += [f"  {move_words(move)}" for move in growth.moves[:most_moves]]
    rest = len(growth.moves) - most_moves
    if rest > 0:
        lines.append(Text(f"  … and {plural(rest, 'cable')} more, in the order of the moves' CSV", "dim"))
    return joined(lines)


def move_words(move: CableMove) -> str:
    """`1. leaf01 swp33s0: from spine1 swp1s0 to spine5 swp1s0`."""
    before, after = " ".join(move.before), " ".join(move.after)
    return one_line(f"{move.order}. {move.leaf} {move.port}: from {before} to {after}")


def as_json(growth: Growth) -> str:
    """Growth as JSON."""
    body = {
        "first": growth.first,
        "counts": {
            "new": len(growth.new),
            "changed": len(growth.changed),
            "removed": len(growth.removed),
            "renumbered": len(growth.renumbered),
            "moves": len(growth.moves),
        },
        "new": list(growth.new),
        "changed": list(growth.changed),
        "removed": list(growth.removed),
        "renumbered": list(growth.renumbered),
        "moves": [
            {
                "order": move.order,
                "leaf": move.leaf,
                "port": move.port,
                "before": dict(zip(("device", "port"), move.before, strict=True)),
                "after": dict(zip(("device", "port"), move.after, strict=True)),
            }
            for move in growth.moves
        ],
    }
    return json_text("growth", body)
