"""Validators are found by path; a bad file is named with its line and the others still run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from intent.core.diagnostic import Severity
from intent.core.errors import IntentError
from intent.verify.registry import Registry, load

GOOD = """from dataclasses import dataclass
from intent.verify.api import Context, Results, check, passed

@dataclass(frozen=True)
class Own:
    number: int

@check("{name}", title="t", subject="s")
def one(context: Context) -> Results:
    yield passed(str(Own(1).number))
"""


def good(name: str) -> str:
    return GOOD.format(name=name)


def write(folder: Path, **sources: str | bytes) -> Path:
    folder.mkdir(exist_ok=True)
    for stem, source in sources.items():
        (folder / f"{stem}.py").write_bytes(source if isinstance(source, bytes) else source.encode())
    return folder


def names(registry: Registry) -> list[str]:
    return [check.name for check in registry.checks]


def test_checks_come_in_the_order_of_files_and_of_definition(tmp_path: Path) -> None:
    folder = write(tmp_path / "validators", b=good("bee"), a=good("two") + good("ay").replace("def one", "def two"))
    registry = load([folder])
    assert names(registry) == ["two", "ay", "bee"]
    assert registry.diagnostics == ()
    assert registry.entries[-1].span.file.endswith("b.py") and registry.entries[-1].span.line == 8


@pytest.mark.parametrize(
    ("source", "code", "line", "words"),
    [
        ("x = 1\ndef broken(:\n", "V002", 2, "not valid Python"),
        (b"x = 1\x00\n", "V002", 1, "null bytes"),
        (b"# coding: nosuch\nx = 1\n", "V002", 1, "not valid Python"),
        (b"\xff\xfe\n", "V002", 1, "not valid Python"),
        ("x = " + "(" * 5000 + ")" * 5000, "V002", 1, "not valid Python"),
        ("\n\nraise RuntimeError('boom\\nsecond line')\n", "V003", 3, "RuntimeError: boom second line"),
        ("\nimport nosuchmodule\n", "V003", 2, "nosuchmodule"),
        ("import sys\nsys.exit(0)\n", "V003", 2, "SystemExit"),
        ("def f():\n    f()\nf()\n", "V003", 2, "RecursionError"),
        ("class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E\n", "V003", 4, "no text"),
        ("from intent.verify.api import check\n@check('Bad Name', title='', subject='')\ndef f(c): ...\n",
         "V003", 2, "check name"),
        ("from intent.verify.api import check\n@check('a', title='', subject='', parts=('optics',))\ndef f(c): ...\n",
         "V003", 2, "no part 'optics'"),
        ("from intent.verify.api import check\n@check('a', title='', subject='', parts='links')\ndef f(c): ...\n",
         "V003", 2, "in parentheses"),
        ("from intent.verify.api import check\n@check('a', title='', subject='', phases=('after',))\ndef f(c): ...\n",
         "V003", 2, "after"),
        ("x = 1\n", "V004", 1, "no check"),
        ("#" * 1_000_001, "V001", 1, "larger than"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named_and_the_others_run(
    tmp_path: Path, source: str | bytes, code: str, line: int, words: str
) -> None:
    folder = write(tmp_path / "validators", bad=source, fine=good("fine"))
    registry = load([folder])
    assert names(registry) == ["fine"]
    (finding,) = registry.diagnostics
    assert (finding.code, finding.span and finding.span.line) == (code, line)
    assert words in finding.message and "\n" not in finding.message
    assert finding.span is not None and finding.span.file == str(folder / "bad.py")
    assert not [name for name in sys.modules if name.startswith("intent._validators.bad_") and code == "V003"]


def test_things_that_are_not_files_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "validators", fine=good("fine"))
    os.mkfifo(folder / "pipe.py")
    (folder / "loop.py").symlink_to(folder / "loop.py")
    (folder / "folder.py").mkdir()
    registry = load([folder, tmp_path / "absent"])
    assert names(registry) == ["fine"]
    assert [(item.code, Path(item.span.file).name) for item in registry.diagnostics if item.span] == [
        ("V001", "absent"), ("V001", "folder.py"), ("V001", "loop.py"), ("V001", "pipe.py"),
    ]  # fmt: skip


def test_a_workspaces_file_replaces_ours_and_its_check_wins(tmp_path: Path) -> None:
    ours = write(tmp_path / "ours", links=good("links"), bgp=good("bgp"))
    theirs = write(tmp_path / "theirs", links=good("own-links"), zz=good("bgp"), _draft=good("draft"))
    registry = load([theirs, ours])
    assert sorted(names(registry)) == ["bgp", "own-links"]
    bgp = next(entry for entry in registry.entries if entry.check.name == "bgp")
    assert bgp.span.file == str(theirs / "zz.py")
    (finding,) = registry.diagnostics
    assert (finding.code, finding.severity) == ("V006", Severity.WARNING)
    assert finding.span and finding.span.file == str(ours / "bgp.py")
    assert finding.related[0][0].file == str(theirs / "zz.py")


def test_a_name_given_twice_in_one_folder_is_an_error_that_shows_both_places(tmp_path: Path) -> None:
    folder = write(tmp_path / "validators", a=good("same"), b=good("same"))
    registry = load([folder])
    assert names(registry) == ["same"]
    (finding,) = registry.diagnostics
    assert (finding.code, finding.severity) == ("V005", Severity.ERROR)
    assert {finding.span.file, finding.related[0][0].file} == {str(folder / "a.py"), str(folder / "b.py")}  # type: ignore[union-attr]


def test_imported_checks_are_not_taken_twice_and_nothing_is_written(tmp_path: Path) -> None:
    folder = write(tmp_path / "validators", a=good("a") + "from intent.verify.registry import load\nagain = one\n")
    assert names(load([folder])) == ["a"]
    assert sorted(path.name for path in folder.iterdir()) == ["a.py"]  # no __pycache__ in a user's folder


def test_two_registries_share_nothing(tmp_path: Path) -> None:
    first = load([write(tmp_path / "one", a=good("a"))])
    second = load([write(tmp_path / "two", a=good("b"))])
    assert (names(first), names(second)) == (["a"], ["b"])


def test_select_takes_names_and_subjects_and_refuses_others(tmp_path: Path) -> None:
    registry = load([write(tmp_path / "v", a=good("a"), b=good("b"))])
    assert [check.name for check in registry.select(["b"])] == ["b"]
    assert [check.name for check in registry.select(["s"])] == ["a", "b"]
    with pytest.raises(IntentError, match="no check or subject 'c'"):
        registry.select(["c"])


def test_what_ships_loads_clean() -> None:
    registry = load([Path(__file__).parents[2] / "validators"])
    assert registry.diagnostics == ()
    subjects = {"links", "cabling", "bgp", "roce", "system", "partitions", "subnet-manager", "nvlink", "validation"}
    assert {check.subject for check in registry.checks} == subjects
    assert not (Path(__file__).parents[2] / "validators" / "__init__.py").exists()
