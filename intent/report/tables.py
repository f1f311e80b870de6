"""Tables: of devices, links, allocations and cables; as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from intent.fabric.lock import Lock
from intent.fabric.model import Device, Fabric, Link, Network, Port
from intent.fabric.nvlink import Partition
from intent.fabric.partitions import SitePartitions
from intent.report.text import clean, joined, json_text, one_line

# A cell that begins so is taken for a formula by spreadsheets (OWASP, "CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t")

# Characters the widest column keeps when it is folded to fit a terminal.
_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under named columns.

    Args:
        kind: what the rows are: `devices`, `links`; the `kind` of its JSON.
        columns: names, lower case, `_` between words: keys of the JSON and heads of the CSV.
        rows: one text per column.
        numbers: columns that are set to the right.
        styles: style of a cell by its text, per column.
    """

    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str] = frozenset()
    styles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def devices(fabric: Fabric, *, nodes: bool = False) -> Table:
    """Switches, and nodes when asked for.

    Args:
        fabric: the compiled fabric.
        nodes: list nodes too.
    """
    columns = ("name", "role", "model", "fabric", "plane", "rail", "unit", "release", "loopback", "asn", "management",
               "ports")  # fmt: skip
    chosen = fabric.devices.values() if nodes else fabric.switches
    rows = tuple(
        (d.name, str(d.role), d.model, d.fabric, _number(d.plane), _number(d.rail), _number(d.unit), d.release,
         d.loopback, _number(d.asn), _management(d), str(len(d.ports)))
        for d in chosen
    )  # fmt: skip
    return Table("devices", columns, rows, frozenset({"plane", "rail", "unit", "asn", "ports"}))


def files(texts: Mapping[str, str]) -> Table:
    """Files by name, with their sizes."""
    rows = tuple((name, str(text.count("\n")), str(len(text.encode()))) for name, text in texts.items())
    return Table("files", ("file", "lines", "bytes"), rows, frozenset({"lines", "bytes"}))


def _management(device: Device) -> str:
    """An Ethernet switch without an address of ours has one by DHCP; an InfiniBand one may have none at all."""
    return device.management or ("dhcp" if device.is_switch and device.network is Network.ETHERNET else "")


def partitions(site: SitePartitions, nvlink: Sequence[Partition] = ()) -> Table:
    """Partitions of tenants: of InfiniBand fabrics by key, then NVLink partitions by rack.

    Args:
        site: partitions of the site's InfiniBand fabrics.
        nvlink: NVLink partitions.
    """
    columns = ("tenant", "partition", "fabric", "key", "nodes", "full", "limited", "not_learnt", "flags")
    rows = [
        (item.tenant, item.name, item.fabric, item.key_text, str(len({member.end.device for member in item.members})),
         str(sum(member.full for member in item.members)), str(sum(not member.full for member in item.members)),
         _number(len(item.unlearnt)), " ".join(["index0"] * item.index0 + ["ipoib"] * item.ipoib))
        for item in site
    ]  # fmt: skip
    rows += [(item.tenant, "nvlink", item.domain, "", "", str(len(item.gpus)), "", "", "GPUs") for item in nvlink]
    return Table("partitions", columns, tuple(rows), frozenset({"nodes", "full", "limited", "not_learnt"}))


def links(fabric: Fabric) -> Table:
    """Logical links in cabling order."""
    columns = ("a_device", "a_port", "b_device", "b_port", "tier", "speed", "plane", "rail")
    rows = tuple(
        (link.a.device, link.a.port, link.b.device, link.b.port, str(link.tier), f"{link.speed_gbps}G",
         _number(link.plane), _number(link.rail))
        for link in fabric.links
    )  # fmt: skip
    return Table("links", columns, rows, frozenset({"speed", "plane", "rail"}))


def allocations(lock: Lock) -> Table:
    """What the lock has given out, what is released but still reserved last."""
    rows = [
        (kind, owner, state, value)
        for state, part in (("held", lock.held), ("released", lock.released))
        for kind, owners in sorted(part.items())
        for owner, value in owners.items()
    ]
    # The value comes last: some are long, and padding after them would push the rest away.
    return Table("allocations", ("kind", "owner", "state", "value"), tuple(rows), styles=_LOCK_STYLES)


_LOCK_STYLES = {"state": {"released": "yellow"}}

_END = ("device", "model", "cage", "sub_port", "port", "address")
_CABLING = (
    "cable", "tier", "plane", "rail", "speed", *(f"a_{c}" for c in _END), *(f"b_{c}" for c in _END), "length"
)  # fmt: skip


def cabling(fabric: Fabric, lengths_m: Mapping[str, float] | None = None) -> Table:
    """The cabling plan: one row per logical link, host links and fabric links in cabling order.

    Args:
        fabric: the compiled fabric.
        lengths_m: length in metres by cable; the column is empty where it is not known.
    """
    known = lengths_m or {}
    rows = tuple(_cable(fabric, link, known) for link in fabric.links)
    return Table("cabling", _CABLING, rows, frozenset({"plane", "rail", "speed", "length"}))


def _cable(fabric: Fabric, link: Link, lengths_m: Mapping[str, float]) -> tuple[str, ...]:
    a, b = fabric.devices[link.a.device], fabric.devices[link.b.device]
    length = lengths_m.get(link.cable)
    return (
        link.cable,
        str(link.tier),
        _number(link.plane),
        _number(link.rail),
        f"{link.speed_gbps}G",
        *_end(a, a.ports[link.a.port]),
        *_end(b, b.ports[link.b.port]),
        "" if length is None else f"{length:g}",
    )


def _end(device: Device, port: Port) -> tuple[str, ...]:
    part = "" if port.sub_port is None else str(port.sub_port)
    return (device.name, device.model, port.cage, part, port.name, port.address)


def _number(value: int) -> str:
    return str(value) if value else ""


def table_csv(table: Table) -> str:
    """A table as CSV (RFC 4180 quoting, `\\n` line ends); a cell a spreadsheet would run is led by an apostrophe."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_inert(cell) for cell in row] for row in table.rows)
    return stream.getvalue()


def _inert(cell: str) -> str:
    text = clean(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def table_json(table: Table) -> str:
    """A table as JSON: one object per row, values as texts."""
    return json_text(table.kind, {table.kind: [dict(zip(table.columns, row, strict=True)) for row in table.rows]})


def table_text(table: Table, console: Console | None = None) -> RenderableType:
    """A table to print on a console.

    Columns are padded with blanks and nothing else, so `awk` and `sort` work on it. On a terminal too narrow for the
    rows the widest column is folded where that is enough; nothing is ever cut.

    Args:
        table: the table.
        console: where it will be printed; None never folds.
    """
    heads = [column.replace("_", " ").upper() for column in table.columns]
    rows = [[one_line(cell) for cell in row] for row in table.rows]
    keep = [at for at in range(len(heads)) if not rows or any(row[at] for row in rows)]
    widths = {at: max([cell_len(heads[at]), *(cell_len(row[at]) for row in rows)]) for at in keep}
    if console is not None and console.is_terminal:
        widest = max(keep, key=widths.__getitem__)
        rest = sum(widths.values()) - widths[widest] + 2 * (len(keep) - 1)
        if rest + _NARROWEST <= console.width < rest + widths[widest]:
            return _folded(table, heads, rows, keep, widest)
    right = {at for at in keep if table.columns[at] in table.numbers}
    styles = {at: table.styles.get(table.columns[at], {}) for at in keep}
    lines = [_line([heads[at] for at in keep], [widths[at] for at in keep], [at in right for at in keep], "bold")]
    for row in rows:
        style = next((styles[at][row[at]] for at in keep if row[at] in styles[at]), "")
        lines.append(_line([row[at] for at in keep], [widths[at] for at in keep], [at in right for at in keep], style))
    return joined(lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], style: str) -> Text:
    padded = []
    for cell, width, to_right in zip(cells, widths, right, strict=True):
        blank = " " * (width - cell_len(cell))
        padded.append(blank + cell if to_right else cell + blank)
    return Text("  ".join(padded).rstrip(), style)


def _folded(
    table: Table, heads: Sequence[str], rows: Iterable[Sequence[str]], keep: Sequence[int], widest: int
) -> RichTable:
    shown = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at in keep:
        to_right = table.columns[at] in table.numbers
        shown.add_column(heads[at], overflow="fold", no_wrap=at != widest, justify="right" if to_right else "left")
    for row in rows:
        styles = (table.styles.get(table.columns[at], {}).get(row[at], "") for at in keep)
        shown.add_row(*(Text(row[at], style) for at, style in zip(keep, styles, strict=True)))
    return shown
