"""Runs the command in this process and keeps what it says."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from intent.cli.main import run


@dataclass(frozen=True)
class Said:
    """Exit code and what stood on both streams."""

    code: int
    out: str
    err: str


def intent(*arguments: object) -> Said:
    """Run `intent` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(word) for word in arguments])
    return Said(code, out.getvalue(), err.getvalue())


SMALL = """\
version: 1
name: small
sites:
  lab1:
    management: {prefix: 10.1.0.0/24, gateway: 10.1.0.1}
    releases: {cumulus: RELEASE}
    users: {cumulus: {hashed_password: {secret: cumulus_hash}}}
    racks: [{name: "gpu{01..RACKS}", type: gb200-nvl72}]
    fabrics:
      east-west:
        kind: ethernet
        topology: {design: fat-tree, attach_by: rail, leaf: SN5600, spine: SN5600, uplinks: 4}
        attach: {racks: "gpu*", nics: east-west}
        adaptive_routing: true
        qos: roce-lossless
    changes: {strategy: {canary: 1, batch: 50%, soak: 0s, confirm: 10m}}
"""


def workspace(folder: Path, *, racks: int = 1, release: str = "5.16.4", text: str = SMALL) -> Path:
    """A small workspace: four leaves and a spine."""
    folder.mkdir(parents=True, exist_ok=True)
    written = text.replace("RELEASE", release).replace("RACKS", f"{racks:02}")
    (folder / "intent.yaml").write_text(written, encoding="utf-8")
    return folder
