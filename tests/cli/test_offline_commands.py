"""Commands that touch no device: their output, their exit codes, what they write and what they leave alone."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import yaml
from command import SMALL, intent, workspace

from intent.core.exitcode import ExitCode


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return workspace(tmp_path / "small")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_init_makes_a_workspace_that_lints_and_compiles(tmp_path: Path) -> None:
    made = intent("init", "aurora", "--into", tmp_path / "aurora")
    assert made.code == ExitCode.OK, made.err
    first = (tmp_path / "aurora" / "intent.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=intent.schema.json"
    assert intent("lint", "-C", tmp_path / "aurora").code == ExitCode.OK
    assert intent("compile", "-C", tmp_path / "aurora").code == ExitCode.OK


def test_init_overwrites_nothing(small: Path) -> None:
    before = files(small)
    said = intent("init", "other", "--into", small)
    assert said.code == ExitCode.ERROR
    assert "exists already" in said.err
    assert files(small) == before


def test_init_refuses_a_bad_name(tmp_path: Path) -> None:
    said = intent("init", "no good", "--into", tmp_path / "x")
    assert said.code == ExitCode.ERROR
    assert "no good" in said.err
    assert not (tmp_path / "x").exists()


def test_compile_twice_is_byte_identical(small: Path) -> None:
    assert intent("compile", "-C", small).code == ExitCode.OK
    first = files(small)
    again = intent("compile", "-C", small)
    assert files(small) == first
    assert "0 devices new, 0 changed, 0 renumbered, no cable to move" in again.out
    assert "updated" not in again.out


def test_compile_writes_what_it_says(small: Path) -> None:
    intent("compile", "-C", small)
    build = small / "build" / "lab1"
    leaf = build / "east-west-r1-l01"
    startup = yaml.safe_load((leaf / "startup.yaml").read_text(encoding="utf-8"))
    body = json.loads((leaf / "config.json").read_text(encoding="utf-8"))
    assert startup[0]["header"]["version"] == "Cumulus Linux 5.16.4"
    assert startup[1]["set"] == body
    commands = (leaf / "commands.sh").read_text(encoding="utf-8")
    assert "nv set interface swp1s0 link mtu 9216" in commands
    with (build / "cabling.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18 * 4 + 4 * 4
    assert len({row["cable"] for row in rows}) == len(rows)
    hosts = json.loads((build / "hosts.json").read_text(encoding="utf-8"))
    assert len(hosts) == 18


def test_no_secret_and_no_carriage_return_in_any_output(small: Path) -> None:
    text = (small / "intent.yaml").read_text(encoding="utf-8")
    (small / "intent.yaml").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert intent("compile", "-C", small).code == ExitCode.OK
    for name, content in files(small / "build").items():
        assert b"\r" not in content, name
        assert b"$6$" not in content, name
    leaf = (small / "build" / "lab1" / "east-west-r1-l01" / "startup.yaml").read_text(encoding="utf-8")
    assert "$secret:cumulus_hash$" in leaf


def test_lint_says_where_and_writes_nothing(small: Path) -> None:
    text = (small / "intent.yaml").read_text(encoding="utf-8")
    (small / "intent.yaml").write_text(text.replace("leaf: SN5600", "leaf: SN5601"), encoding="utf-8")
    before = files(small)
    said = intent("lint", "-C", small)
    assert said.code == ExitCode.FINDINGS
    assert "intent.yaml:12:61: error F001" in said.out
    assert "SN5600" in said.out
    assert files(small) == before
    assert intent("compile", "-C", small).code == ExitCode.ERROR
    assert files(small) == before


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab"])
def test_lint_formats(small: Path, form: str) -> None:
    text = (small / "intent.yaml").read_text(encoding="utf-8")
    (small / "intent.yaml").write_text(text.replace("kind: ethernet", "kind: ethernt"), encoding="utf-8")
    said = intent("lint", "-C", small, "--format", form)
    assert said.code == ExitCode.FINDINGS
    assert "ethernt" in said.out
    if form != "github":
        json.loads(said.out)


def test_locked_refuses_a_lock_that_would_change(small: Path) -> None:
    said = intent("compile", "-C", small, "--locked")
    assert said.code == ExitCode.ERROR
    assert "sites/lab1.lock" in said.err
    assert not (small / "build").exists()
    intent("compile", "-C", small)
    assert intent("compile", "-C", small, "--locked").code == ExitCode.OK
    assert intent("lock", "check", "-C", small).code == ExitCode.OK


def test_a_tampered_lock_stops_everything(small: Path) -> None:
    intent("compile", "-C", small)
    lock = small / "sites" / "lab1.lock"
    lock.write_text(lock.read_text(encoding="utf-8").replace("10.255.0.2", "10.255.0.1"), encoding="utf-8")
    said = intent("lint", "-C", small)
    assert said.code == ExitCode.FINDINGS
    assert "loopback 10.255.0.1" in said.out
    lock.write_text("{", encoding="utf-8")
    assert intent("compile", "-C", small).code == ExitCode.ERROR


def test_why_names_the_line(small: Path) -> None:
    said = intent("why", "east-west-r1-l01", "interface.swp1s0.ipv4", "-C", small)
    assert said.code == ExitCode.OK
    assert "intent.yaml" in said.out
    assert "host pool" in said.out
    missing = intent("why", "east-west-r1-l01", "interface.swp1s0.link.mtuu", "-C", small)
    assert missing.code == ExitCode.ERROR
    assert "mtu" in missing.err
    assert intent("why", "east-west-r1-l1", "-C", small).code == ExitCode.ERROR


def test_show_as_table_and_json(small: Path) -> None:
    for what in ("devices", "links", "allocations", "cabling"):
        table = intent("show", what, "-C", small)
        assert table.code == ExitCode.OK, table.err
        assert "east-west-r1-l01" in table.out
        assert json.loads(intent("show", what, "-C", small, "--json").out)["schema_version"]
    config = intent("show", "config", "east-west-s01", "-C", small)
    assert yaml.safe_load(config.out)["system"]["hostname"] == "east-west-s01"
    assert intent("show", "config", "nobody", "-C", small).code == ExitCode.ERROR


def test_cabling_plan_is_csv(small: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(intent("cabling", "plan", "-C", small).out)))
    assert {row["tier"] for row in rows} == {"host-leaf", "leaf-spine"}


def test_overrides_are_typed_checked_and_named(small: Path) -> None:
    text = (
        SMALL
        + '    overrides: {"role=spine": {system: {message: {pre-login: NO}}, interface: {lo: {link: {mtu: 9000}}}}}\n'
    )
    workspace(small, text=text)
    config = yaml.safe_load(intent("show", "config", "east-west-s01", "-C", small).out)
    assert config["system"]["message"]["pre-login"] == "NO"
    assert config["interface"]["lo"]["link"]["mtu"] == 9000
    assert "override role=spine" in intent("why", "east-west-s01", "system.message.pre-login", "-C", small).out
    leaf = yaml.safe_load(intent("show", "config", "east-west-r1-l01", "-C", small).out)
    assert "message" not in leaf["system"]
    workspace(small, text=text.replace("mtu: 9000", "mtu: 90000"))
    said = intent("lint", "-C", small)
    assert said.code == ExitCode.FINDINGS
    assert "intent.yaml:17:97: error N004" in said.out
    assert "90000" in said.out


def test_usage_errors_end_with_64(small: Path) -> None:
    assert intent("lint", "--nonsense").code == ExitCode.USAGE
    assert intent("nonsense").code == ExitCode.USAGE
    assert intent("lint", "--format", "nonsense", "-C", small).code == ExitCode.USAGE


def test_no_workspace_is_a_clear_error(tmp_path: Path) -> None:
    said = intent("compile", "-C", tmp_path / "nothing")
    assert said.code == ExitCode.ERROR
    assert "intent init" in said.err
    assert "Traceback" not in said.err


def test_a_device_command_without_a_lab_says_so(small: Path) -> None:
    said = intent("drift", "--lab", "-C", small)
    assert said.code == ExitCode.ERROR
    assert "intent lab up" in said.err


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00a", b"a: [", b"&a [*a, *a]", b"x" * 100_000, b"- 1\n- 2\n", b"version: 2\n", b"\x00" * 64],
)
def test_bad_files_are_refused_without_a_trace(small: Path, content: bytes) -> None:
    (small / "intent.yaml").write_bytes(content)
    said = intent("compile", "-C", small)
    assert said.code == ExitCode.ERROR
    assert "intent.yaml" in said.err
    assert "Traceback" not in said.err
    assert "internal error" not in said.err
    assert not (small / "build").exists()
    assert not (small / "sites").exists()


def with_template(folder: Path, text: str) -> Path:
    workspace(folder, text=SMALL + '    overrides: {"role=spine": banner.yaml.j2}\n')
    (folder / "templates").mkdir(exist_ok=True)
    (folder / "templates" / "banner.yaml.j2").write_text(text, encoding="utf-8")
    return folder


def test_an_override_may_be_a_template(small: Path) -> None:
    with_template(small, "system: {message: {pre-login: '{{ name }} {{ asn }} {{ ports | length }} ports'}}\n")
    config = yaml.safe_load(intent("show", "config", "east-west-s01", "-C", small).out)
    assert config["system"]["message"]["pre-login"] == "east-west-s01 4200100004 16 ports"
    assert "override role=spine" in intent("why", "east-west-s01", "system.message.pre-login", "-C", small).out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("system: {message: {pre-login: '{{ nmae }}'}}\n", "banner.yaml.j2:1"),
        ("system: {message: {pre-login: '{{ ports[0].spede }}'}}\n", "spede"),
        ("system: {mesage: {}}\n", "mesage"),
        ("- a list\n", "expected a mapping"),
        ("a: [\n", "banner.yaml.j2 for east-west-s01"),
        ("{% for x in range(10**9) %}{% endfor %}", "banner.yaml.j2"),
        ("{{ ''.__class__.__mro__ }}", "banner.yaml.j2"),
    ],
)
def test_d05_a_template_that_fails_stops_everything(small: Path, text: str, words: str) -> None:
    with_template(small, text)
    said = intent("lint", "-C", small)
    assert said.code == ExitCode.FINDINGS
    assert words in said.out
    assert "east-west-s01" in said.out or "did you mean" in said.out
    assert intent("compile", "-C", small).code == ExitCode.ERROR
    assert not (small / "build").exists()


def test_a_template_that_is_not_there_is_named(small: Path) -> None:
    workspace(small, text=SMALL + '    overrides: {"role=spine": nothing.j2}\n')
    said = intent("lint", "-C", small)
    assert said.code == ExitCode.FINDINGS
    assert "nothing.j2" in said.out
    workspace(small, text=SMALL + '    overrides: {"role=spine": ../../etc/passwd.j2}\n')
    assert intent("lint", "-C", small).code == ExitCode.FINDINGS
