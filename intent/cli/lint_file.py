"""`intent lint FILE`: a file of somebody else's that we know how to read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.regular import read_regular

_MAX_BYTES = 64 * 1024 * 1024
_WORKSPACE_SUFFIXES = (".yaml", ".yml")


class FileKind(StrEnum):
    """Kinds of file that can be linted alone."""

    PARTITIONS = "partitions"


def kind_of(path: Path, told: FileKind | None) -> FileKind | None:
    """What a path is; None for a workspace.

    Args:
        path: what was given.
        told: what the user says it is; it decides.

    Raises:
        IntentError: the name says nothing.
    """
    if told is not None:
        return told
    if path.is_dir() or path.suffix in _WORKSPACE_SUFFIXES:
        return None
    if path.name.startswith("partitions.conf"):
        return FileKind.PARTITIONS
    kinds = ", ".join(FileKind)
    raise IntentError(
        f"{path}: neither a workspace nor a file known by its name",
        hint=f"say what it is: --as {kinds}",
        exit_code=ExitCode.USAGE,
    )


def lint_file(path: Path, kind: FileKind) -> tuple[tuple[Diagnostic, ...], Mapping[str, str]]:
    """Findings about a file, and its text for excerpts.

    Args:
        path: the file.
        kind: what it is.

    Raises:
        IntentError: it cannot be read.
    """
    from intent.formats.partitions.reader import read

    try:
        data = read_regular(path, _MAX_BYTES)
    except OSError as error:
        raise IntentError(f"{path}: cannot be read: {error.strerror or error}", hint=_UNREADABLE[kind]) from error
    return read(data, str(path)).diagnostics, {str(path): data.decode("utf-8", errors="replace")}


_UNREADABLE = {
    FileKind.PARTITIONS: "where OpenSM cannot read it either, it makes every port a full member of the default "
    "partition and logs nothing"
}
