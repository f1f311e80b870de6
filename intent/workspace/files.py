"""Files of a workspace: the only place that knows where things lie. Reading is lazy, writing is atomic."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from errno import EFBIG, EISDIR
from pathlib import Path

from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.schema.decode import decode

ENTRY = "intent.yaml"
_MAX_FILES = 20_000
_MAX_BYTES = 32 * 1024 * 1024
_SKIPPED = {"node_modules", "__pycache__"}


class Texts(Mapping[str, str]):
    """Texts of a workspace's YAML files by relative path; each is read when asked for, once.

    Args:
        root: folder of the workspace.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, str] = {}
        self._names: tuple[str, ...] | None = None

    def __getitem__(self, name: str) -> str:
        if name not in self._read:
            path = self._root / name
            if not path.is_file():
                raise KeyError(name)
            if not path.resolve().is_relative_to(self._root.resolve()):
                raise IntentError(f"{name}: leads out of the workspace", hint="copy the file, or include it from there")
            self._read[name] = decode(_bytes(path, name), name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            self._names = tuple(_walk(self._root))
        return iter(self._names)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _bytes(path: Path, name: str) -> bytes:
    try:
        return read_regular(path, _MAX_BYTES)
    except OSError as error:
        if error.errno == EFBIG:
            raise IntentError(f"{name}: {error.strerror}", hint="split it with include:") from None
        raise IntentError(f"{name}: cannot be read: {error.strerror}") from error


def _walk(root: Path) -> Iterator[str]:
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if name.endswith((".yaml", ".yml")):
                count += 1
                if count > _MAX_FILES:
                    raise IntentError(
                        f"more than {_MAX_FILES} YAML files under {root}", hint="run intent in its own folder"
                    )
                yield Path(folder, name).relative_to(root).as_posix()


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a workspace lies.

    Args:
        root: its folder.
        entry: name of the file to begin with, relative to `root`.
        state: folder of journal, snapshots and plans; not committed.
    """

    root: Path
    entry: str
    state: Path

    @classmethod
    def open(cls, path: Path, state: Path | None = None) -> Workspace:
        """The workspace at a folder or at its entry file.

        Args:
            path: folder, or the entry file itself.
            state: folder of the state; None for `.intent` in the workspace.

        Raises:
            IntentError: nothing is there.
        """
        if path.is_dir():
            root, entry = path, ENTRY
        else:
            root, entry = path.parent, path.name
        if not (root / entry).is_file():
            raise IntentError(
                f"no intent at {path}: {root / entry} does not exist", hint="`intent init NAME` makes a workspace"
            )
        kept = state or root / ".intent"
        if kept.exists() and not kept.is_dir():
            raise IntentError(f"{kept}: not a folder", hint="--state names the folder of journal, plans and lab state")
        return cls(root, entry, kept)

    def texts(self) -> Texts:
        """The workspace's YAML files."""
        return Texts(self.root)

    def lock_path(self, site: str) -> Path:
        """The lock of a site."""
        return self.root / "sites" / f"{site}.lock"

    def lock_name(self, site: str) -> str:
        """The lock's name in messages."""
        return f"sites/{site}.lock"

    def read_lock(self, site: str) -> str | None:
        """Text of a site's lock; None when there is none yet."""
        path = self.lock_path(site)
        return decode(_bytes(path, self.lock_name(site)), self.lock_name(site)) if os.path.lexists(path) else None

    def write_lock(self, site: str, text: str) -> bool:
        """Write a site's lock if it differs; True when it was written."""
        if self.read_lock(site) == text:
            return False
        write(self.lock_path(site), text)
        return True

    def overlay(self, kind: str) -> Path | None:
        """The workspace's own `templates`, `inventory`, `playbooks` or `validators`; None when it has none."""
        folder = self.root / kind
        return folder if folder.is_dir() else None


def require_writable(path: Path) -> None:
    """Make sure that `write` will be able to, before work begins whose result nobody could keep otherwise.

    Raises:
        IntentError: no file can be made there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        raise IntentError(f"{path}: cannot be written: {error.strerror}") from error


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all: a temporary file beside it, flushed, then renamed.

    Raises:
        IntentError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise IntentError(f"{path}: cannot be written: {error.strerror}") from error
