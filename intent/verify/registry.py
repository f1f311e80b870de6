"""Finds checks in folders of plain Python files. A bad file is a finding; the others still run."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.errors import IntentError
from intent.core.secret import without_hashes
from intent.core.span import Span
from intent.verify.api import Check

LARGEST_FILE_BYTES = 1_000_000
_HINT = "correct the file, or rename it to start with '_' to leave it out"


@dataclass(frozen=True, slots=True)
class Registered:
    """A check and where it was found."""

    check: Check
    span: Span


@dataclass(frozen=True, slots=True)
class Registry:
    """Checks found in a set of folders. Each load makes its own; nothing is kept between two.

    Args:
        entries: checks in the order of files and, within a file, of definition.
        diagnostics: files that could not be used and names given twice (codes V001 to V006).
    """

    entries: tuple[Registered, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks alone."""
        return tuple(entry.check for entry in self.entries)

    def select(self, names: Iterable[str]) -> tuple[Check, ...]:
        """The checks of these names or subjects, in registry order.

        Raises:
            IntentError: a word that is neither; the message says which there are.
        """
        words = tuple(names)
        known = {word for check in self.checks for word in (check.name, check.subject)}
        strange = [word for word in words if word not in known]
        if strange:
            raise IntentError(f"no check or subject {strange[0]!r}", hint=f"there are {', '.join(sorted(known))}")
        return tuple(check for check in self.checks if check.name in words or check.subject in words)


def load(folders: Sequence[Path]) -> Registry:
    """Every check in the folders.

    Args:
        folders: the most specific first (a workspace's `validators/`, then ours). A file of the same name, and a
            check of the same name, in an earlier folder replaces the one in a later folder. Files whose names start
            with `_` or `.` are left out.

    Returns:
        The checks and what was wrong with files; never raises for a file.
    """
    files: dict[str, Path] = {}
    diagnostics: list[Diagnostic] = []
    for folder in folders:
        try:
            found = sorted(path for path in folder.iterdir() if path.suffix == ".py" and path.name[0] not in "._")
        except OSError as error:
            diagnostics.append(_finding("V001", folder, 1, f"cannot read the folder: {error.strerror or error}"))
            continue
        for path in found:
            files.setdefault(path.name, path)
    rank = {folder: number for number, folder in enumerate(folders)}
    entries: list[Registered] = []
    for name in sorted(files):
        found_here, problems = load_file(files[name])
        entries += found_here
        diagnostics += problems
    return _without_doubles(entries, rank, diagnostics)


def load_file(path: Path) -> tuple[tuple[Registered, ...], tuple[Diagnostic, ...]]:
    """The checks of one file, or what is wrong with it."""
    try:
        source = _read(path)
    except (OSError, IntentError) as error:
        return (), (_finding("V001", path, 1, f"cannot read: {error}"),)
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        return (), (_finding("V002", path, error.lineno or 1, f"not valid Python: {error.msg}", error.offset or 1),)
    except (ValueError, RecursionError, MemoryError) as error:
        return (), (_finding("V002", path, 1, f"not valid Python: {error or type(error).__name__}"),)
    module = _module(path)
    sys.modules[module.__name__] = module  # first, or dataclasses of the file cannot find their own module
    try:
        exec(code, module.__dict__)  # noqa: S102 - running the user's own checks is the purpose
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__, None)
        what = f"raised while loading: {type(error).__name__}: {one_line(error)}"
        return (), (_finding("V003", path, _line_in(error, path), what),)
    checks = [value for value in vars(module).values() if isinstance(value, Check)]
    own = [check for check in dict.fromkeys(checks) if getattr(check.function, "__module__", "") == module.__name__]
    if not own:
        return (), (_finding("V004", path, 1, "holds no check: decorate a function with @check(…)", warning=True),)
    return tuple(Registered(check, Span(str(path), check.function.__code__.co_firstlineno)) for check in own), ()


def one_line(error: BaseException, limit: int = 200) -> str:
    """The text of an exception on one line, cut to `limit` characters; a text that cannot be had is said so."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an exception of a user's file may break even here; its type still names it
        return "(no text)"
    text = without_hashes(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise IntentError("not a regular file")
    with path.open("rb") as stream:
        source = stream.read(LARGEST_FILE_BYTES + 1)
    if len(source) > LARGEST_FILE_BYTES:
        raise IntentError(f"larger than {LARGEST_FILE_BYTES} bytes")
    return source


def _module(path: Path) -> ModuleType:
    # A private name that no import statement can hit, one per path: `validators/` is no package (PyPI has one).
    mark = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:12]
    name = f"intent._validators.{path.stem}_{mark}"
    spec = spec_from_file_location(name, path) or ModuleSpec(name, None, origin=str(path))
    return module_from_spec(spec)


def _line_in(error: BaseException, path: Path) -> int:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return lines[-1] if lines else 1


def _finding(code: str, path: Path, line: int, message: str, column: int = 1, *, warning: bool = False) -> Diagnostic:
    severity = Severity.WARNING if warning else Severity.ERROR
    return Diagnostic(code, message, Span(str(path), line, max(column, 1)), severity, _HINT)


def _without_doubles(entries: Sequence[Registered], rank: dict[Path, int], diagnostics: list[Diagnostic]) -> Registry:
    def place(entry: Registered) -> int:
        return rank.get(Path(entry.span.file).parent, len(rank))

    kept: dict[str, Registered] = {}
    for entry in entries:
        name = entry.check.name
        first = kept.get(name)
        if first is None:
            kept[name] = entry
            continue
        winner, loser = (entry, first) if place(entry) < place(first) else (first, entry)
        kept[name] = winner
        same_folder = place(entry) == place(first)
        diagnostics.append(
            Diagnostic(
                "V005" if same_folder else "V006",
                f"check {name!r} is defined twice; the other one runs",
                loser.span,
                Severity.ERROR if same_folder else Severity.WARNING,
                "give one of them another name",
                ((winner.span, "this one runs"),),
            )
        )
    return Registry(tuple(kept.values()), tuple(diagnostics))
