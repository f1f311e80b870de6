"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WorkspacePath = Annotated[
    Path, typer.Option("--workspace", "-C", help="Folder of the workspace, or its intent file.", metavar="PATH")
]
Site = Annotated[str, typer.Option("--site", help="Site to work on; needed when there are several.")]
State = Annotated[
    Path | None,
    typer.Option("--state", help="Folder of journal, plans and lab state.", metavar="DIR", show_default=".intent"),
]
Limit = Annotated[
    list[str],
    typer.Option(
        "--limit", "-l", help="Only these devices: names, patterns or labels, as in 'leaf*' or role=leaf,plane=1."
    ),
]
Lab = Annotated[bool, typer.Option("--lab", help="Talk to the lab of this workspace instead of the real devices.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AllowRecabling = Annotated[bool, typer.Option("--allow-recabling", help="Accept that cables have to move.")]
Locked = Annotated[
    bool, typer.Option("--locked", help="Fail when the site's lock would change (for CI and change windows).")
]
Patience = Annotated[
    float | None,
    typer.Option(
        "--patience",
        help="Seconds the checks of a wave may wait for the fabric to converge.",
        min=0,
        show_default="120",
    ),
]
AllowRemovals = Annotated[
    bool, typer.Option("--allow-removals", help="Remove partitions and members that only a controller knows.")
]
PlanFile = Annotated[
    Path | None,
    typer.Argument(help="The plan file; left out, the last plan of this workspace.", show_default=False),
]
Reason = Annotated[str, typer.Option("--reason", "-m", help="Why, for the journal.")]
AddressBase = Annotated[
    str, typer.Option("--address-base", help="Loopback address the switches of a lab are numbered from.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

HERE = Path()
