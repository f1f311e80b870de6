"""`include:` merges by key; the same key twice shows both places; nothing outside the workspace is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from intent.core.errors import IntentError
from intent.schema.decode import decode
from intent.schema.loader import load

ROOT = "version: 1\nname: a\ninclude: [{}]\n"


def root(*patterns: str) -> str:
    return ROOT.format(", ".join(f'"{item}"' for item in patterns))


def test_sites_of_several_files_come_together() -> None:
    texts = {
        "intent.yaml": root("sites/*.yaml"),
        "sites/par1.yaml": "sites: {par1: {region: eu}}\n",
        "sites/tok1.yaml": "sites: {tok1: {region: jp}}\nqos: {mine: {}}\n",
        "sites/.hidden.yaml": "sites: {par1: {}}\n",
        "other/x.yaml": "rubbish: 1\n",
    }
    loaded = load(texts)
    assert loaded.document is not None
    assert list(loaded.document.sites) == ["par1", "tok1"]
    assert list(loaded.document.qos) == ["mine"]
    assert loaded.files == ("intent.yaml", "sites/par1.yaml", "sites/tok1.yaml")
    assert str(loaded.sources.span(("sites", "tok1", "region"))) == "sites/tok1.yaml:1:24"


def test_a_site_in_two_files_shows_both_places() -> None:
    texts = {
        "intent.yaml": root("sites/*.yaml"),
        "sites/a.yaml": "sites:\n  par1: {}\n",
        "sites/b.yaml": "sites:\n  tok1: {}\n  par1: {}\n",
    }
    (finding,) = load(texts).diagnostics
    assert str(finding) == (
        "sites/b.yaml:3:3: error S008: key 'sites.par1' is given twice, in two files\n"
        "  sites/a.yaml:2:3: first given here\n  hint: keep one of the two"
    )


def test_an_included_file_may_repeat_the_version_but_not_the_name() -> None:
    same = load({"intent.yaml": root("b.yaml"), "b.yaml": "version: 1\nsites: {s: {}}\n"})
    assert same.document is not None
    (finding,) = load({"intent.yaml": root("b.yaml"), "b.yaml": "name: b\n"}).diagnostics
    assert finding.code == "S008"


@pytest.mark.parametrize("pattern", ["../x.yaml", "/etc/passwd", "sites/../../x.yaml", "C:\\x.yaml", ".."])
def test_nothing_outside_the_workspace_is_read(pattern: str) -> None:
    (finding,) = load(
        {"intent.yaml": root(pattern.replace("\\", "\\\\")), "/etc/passwd": "", "../x.yaml": ""}
    ).diagnostics
    assert finding.code == "S030"
    assert str(finding.span) == "intent.yaml:3:11"


def test_a_pattern_without_a_match_is_said() -> None:
    findings = load({"intent.yaml": root("sites/*.yml", "sites/par.yaml"), "sites/par1.yaml": ""}).diagnostics
    assert [item.code for item in findings] == ["S031", "S031"]
    assert findings[1].hint == "did you mean 'sites/par1.yaml'?"


def test_files_that_include_each_other_are_read_once() -> None:
    texts = {
        "intent.yaml": root("a.yaml"),
        "a.yaml": "include: [b.yaml, intent.yaml, a.yaml]\nsites: {a: {}}\n",
        "b.yaml": "include: [a.yaml]\nsites: {b: {}}\n",
    }
    loaded = load(texts)
    assert loaded.document is not None
    assert loaded.files == ("intent.yaml", "a.yaml", "b.yaml")


def test_names_are_relative_to_the_file_that_includes() -> None:
    texts = {
        "intent.yaml": root("sites/all.yaml"),
        "sites/all.yaml": 'include: ["par?/**/*.yaml", "../common.yaml"]\n',
        "sites/par1/x.yaml": "sites: {x: {}}\n",
        "sites/par1/deep/er/y.yaml": "sites: {y: {}}\n",
        "common.yaml": "sites: {z: {}}\n",
    }
    loaded = load(texts)
    assert loaded.document is not None
    assert set(loaded.document.sites) == {"x", "y", "z"}


class Folder(Mapping[str, str]):
    """A folder in which one file is a link that never ends."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def __getitem__(self, path: str) -> str:
        if path == "loop.yaml":
            raise IntentError("loop.yaml is a link to itself", hint="remove it")
        return self.texts[path]

    def __iter__(self) -> Iterator[str]:
        return iter((*self.texts, "loop.yaml"))

    def __len__(self) -> int:
        return len(self.texts) + 1


def test_a_file_that_cannot_be_read_is_said_at_the_include() -> None:
    (finding,) = load(Folder({"intent.yaml": root("*.yaml")})).diagnostics
    assert str(finding) == "intent.yaml:3:11: error S032: loop.yaml is a link to itself\n  hint: remove it"


class Unreadable(Folder):
    """A folder with a file in a foreign encoding, and too many files to list."""

    def __getitem__(self, path: str) -> str:
        return decode(b"\xff\xfea\x00", path) if path == "loop.yaml" else self.texts[path]

    def __iter__(self) -> Iterator[str]:
        raise IntentError("too many files")


def test_what_goes_wrong_while_matching_is_said_at_the_include() -> None:
    findings = load(Unreadable({"intent.yaml": root("loop.yaml", "*.yaml", "x" * 300, "a\\0b")})).diagnostics
    assert [(item.code, str(item.span)) for item in findings] == [
        ("S032", "intent.yaml:3:24"),
        ("S032", "intent.yaml:3:34"),
        ("S026", "intent.yaml:3:338"),
        ("S032", "intent.yaml:3:338"),
        ("S001", "loop.yaml:1:1"),
    ]


def test_a_missing_entry_is_said() -> None:
    (finding,) = load({}).diagnostics
    assert finding.code == "S031"
    assert "intent.yaml" in finding.message


def test_faults_of_every_file_are_reported_together() -> None:
    texts = {"intent.yaml": root("a.yaml", "b.yaml") + "nmae: x\n", "a.yaml": "sites: [\n", "b.yaml": "- 1\n"}
    assert [item.span.file for item in load(texts).diagnostics if item.span] == ["a.yaml", "b.yaml", "intent.yaml"]
