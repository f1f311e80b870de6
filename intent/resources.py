"""Where the shipped templates, inventory, playbooks and validators lie, installed or in a checkout."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from intent.core.errors import IntentError

KINDS = ("templates", "inventory", "playbooks", "validators")


def shipped(kind: str) -> Path:
    """The folder of one kind of data that comes with the program.

    An installed wheel carries it as `intent/_data/<kind>`; in a checkout (and an editable install) it stands
    beside the package.

    Args:
        kind: one of `KINDS`.

    Raises:
        IntentError: the folder is missing, or the package was installed as an archive.
    """
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}: one of {', '.join(KINDS)}")
    package = resources.files("intent")
    if not isinstance(package, Path):
        raise IntentError(
            "the package is installed as an archive, its data files have no path",
            hint="install it with pip, which unpacks it",
        )
    for folder in (package / "_data" / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise IntentError(
        f"the shipped {kind} are missing beside {package}",
        hint="reinstall fabric-intent; a partial copy of the package is not enough",
    )


def search_path(kind: str, *own: Path | None) -> tuple[Path, ...]:
    """Folders to look in, the user's own first, ours last; those that do not exist are left out.

    Args:
        kind: one of `KINDS`.
        own: folders of the user, the most specific first.
    """
    return (*(folder for folder in own if folder is not None and folder.is_dir()), shipped(kind))


def find(kind: str, name: str, *own: Path | None) -> Path:
    """The file `name` from the first folder that has it.

    Raises:
        IntentError: no folder has it; or `name` points outside the folder.
    """
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise IntentError(f"{kind} file {name!r} points outside its folder")
    folders = search_path(kind, *own)
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = ", ".join(str(folder) for folder in folders)
    raise IntentError(f"no file {name!r} among the {kind}", hint=f"looked in {looked}")
