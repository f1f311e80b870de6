"""Management addresses of nodes, from the workspace's `inventory/nodes.csv`."""

from __future__ import annotations

import csv
import io
import ipaddress
import os

from intent.core.diagnostic import Diagnostic
from intent.core.errors import DiagnosticError, IntentError
from intent.core.regular import read_regular
from intent.core.span import Span
from intent.schema.decode import decode
from intent.workspace.files import Workspace

_NAME = "inventory/nodes.csv"
_MAX_BYTES = 16 * 1024 * 1024
_COLUMNS = ("name", "address")


def node_addresses(workspace: Workspace) -> dict[str, str]:
    """Address of each node by name; empty when the workspace has no such file.

    Raises:
        DiagnosticError: rows that mean nothing, all of them.
        IntentError: the file cannot be read.
    """
    path = workspace.root / _NAME
    if not os.path.lexists(path):
        return {}
    try:
        data = read_regular(path, _MAX_BYTES)
    except OSError as error:
        raise IntentError(f"{_NAME}: cannot be read: {error.strerror}") from error
    if not path.resolve().is_relative_to(workspace.root.resolve()):
        raise IntentError(f"{_NAME}: leads out of the workspace", hint="copy the file")
    return _rows(decode(data, _NAME))


def _rows(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    problems: list[Diagnostic] = []
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        head = next(reader, [])
        if tuple(head) != _COLUMNS:
            raise DiagnosticError([_problem(1, f"columns {', '.join(head) or 'none'} - expected name, address")])
        for row in filter(None, reader):
            message = _wrong(row, found)
            if message:
                problems.append(_problem(reader.line_num, message))
            else:
                found[row[0]] = row[1]
    except csv.Error as error:
        problems.append(_problem(reader.line_num, f"not CSV: {error}"))
    if problems:
        raise DiagnosticError(problems)
    return found


def _wrong(row: list[str], found: dict[str, str]) -> str:
    if len(row) != len(_COLUMNS):
        return f"{len(row)} columns - expected {len(_COLUMNS)}"
    if row[0] in found:
        return f"node {row[0]!r} stands here twice"
    try:
        ipaddress.ip_address(row[1])
    except ValueError:
        return f"node {row[0]}: address {row[1]!r} - expected an IP address"
    return ""


def _problem(line: int, message: str) -> Diagnostic:
    return Diagnostic("W001", message, Span(_NAME, line))
