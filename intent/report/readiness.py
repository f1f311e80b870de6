"""A plan held against the devices before it is applied."""

from __future__ import annotations

from collections.abc import Sequence

from intent.change.apply import Readiness
from intent.report.changes import row_data
from intent.report.tables import Table
from intent.report.text import json_text
from intent.verify.engine import CheckResult, records


def table(readiness: Readiness) -> Table:
    """One row per device: ready, or why it is left alone."""
    rows = [(device.name, "ready", f"{len(device.differences)} differences") for device in readiness.ready]
    rows += [(row.device, str(row.status), row.detail) for row in readiness.rows]
    return Table("readiness", ("device", "state", "detail"), tuple(rows))


def as_json(readiness: Readiness, results: Sequence[CheckResult]) -> str:
    """Readiness and what the checks said, as JSON."""
    return json_text(
        "readiness",
        {
            "ready": [device.name for device in readiness.ready],
            "devices": [row_data(row) for row in readiness.rows],
            "results": records(results),
        },
    )
