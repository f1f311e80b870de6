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
    OPENSM = "opensm"
    UFM_OPENSM = "ufm-opensm"


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
    if path.name == "opensm.conf":
        return FileKind.UFM_OPENSM if "ufm" in path.resolve().parts else FileKind.OPENSM
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
    try:
        data = read_regular(path, _MAX_BYTES)
    except OSError as error:
        raise IntentError(f"{path}: cannot be read: {error.strerror or error}", hint=_UNREADABLE[kind]) from error
    return _findings(data, str(path), kind), {str(path): data.decode("utf-8", errors="replace")}


def _findings(data: bytes, name: str, kind: FileKind) -> tuple[Diagnostic, ...]:
    if kind is FileKind.PARTITIONS:
        from intent.formats.partitions.reader import read

        return read(data, name).diagnostics
    from intent.catalog.subnet_managers import SubnetManagers
    from intent.formats.opensm.conf import read_conf

    manager = SubnetManagers().manager("opensm" if kind is FileKind.OPENSM else "nvidia")
    return read_conf(data, manager, name).diagnostics


_UNREADABLE = {
    FileKind.PARTITIONS: "where OpenSM cannot read it either, it makes every port a full member of the default "
    "partition and logs nothing",
    FileKind.OPENSM: "where OpenSM cannot read it either, it runs with its defaults",
    FileKind.UFM_OPENSM: "where UFM's subnet manager cannot read it either, it runs with its defaults",
}
