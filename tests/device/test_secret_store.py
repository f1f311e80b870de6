"""Secrets: where they come from, that they are named when missing, and that none gets out."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.errors import IntentError
from intent.core.secret import reference
from intent.device.secrets import MASK, SecretStore

CANARY = "CANARY-value-3141"


def store(tmp_path: Path, text: str, **environment: str) -> SecretStore:
    folder = tmp_path / "inventory"
    folder.mkdir(exist_ok=True)
    (folder / "secrets.yaml").write_text(text, encoding="utf-8")
    return SecretStore.load(folder, environment=environment)


def test_each_provider(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text(CANARY + "\n", encoding="utf-8")
    script = tmp_path / "ansible-vault"
    script.write_text(f'#!/bin/sh\ntest "$1" = view || exit 3\necho "a: {CANARY}"\n', encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    text = (
        "a: env:SOME_VARIABLE\n"
        "b: file:plain\n"
        f"""c: 'cmd:["printf", "%s", "{CANARY}"]'\n"""
        "d: ansible-vault:vault.yml#a\n"
    )
    secrets = store(tmp_path, text, SOME_VARIABLE=CANARY, PATH=f"{tmp_path}:/usr/bin:/bin")
    assert [secrets.resolve(name) for name in "abcd"] == [CANARY] * 4


def test_the_environment_is_asked_without_a_mapping() -> None:
    assert SecretStore(environment={"INTENT_SECRET_SNMP_RO": CANARY}).resolve("snmp-ro") == CANARY


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: env:MISSING", "environment variable MISSING is not set"),
        ("x: file:nowhere", "No such file"),
        ("x: 'cmd:[\"false\"]'", "ended with code 1"),
        ("x: cmd:sops -d", "JSON list"),
        ("x: 'cmd:[\"no-such-program\"]'", "not installed"),
        ("x: vault:secret/path#key", "not part of this installation"),
        ("x: keyring:service/user", "not part of this installation"),
        ("other: env:A", "has no entry"),
    ],
)
def test_what_is_missing_is_named_with_where_it_was_looked_for(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(IntentError, match="secret 'x'") as caught:
        store(tmp_path, text, PATH="/usr/bin:/bin").resolve("x")
    assert words in caught.value.message
    assert "secrets.yaml" in caught.value.message


def test_a_command_that_fails_does_not_have_its_output_repeated(tmp_path: Path) -> None:
    text = f"""x: 'cmd:["sh", "-c", "echo {CANARY}; echo {CANARY} >&2; exit 1"]'"""
    with pytest.raises(IntentError) as caught:
        store(tmp_path, text, PATH="/usr/bin:/bin").resolve("x")
    assert CANARY not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    "text", ["x: hunter2-CANARY", "x: [1]", "x: 5", "- a", "x: env:A\nx: env:B", "x: !!python/none a"]
)
def test_a_mapping_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(IntentError) as caught:
        store(tmp_path, text).resolve("x")
    assert "CANARY" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize("data", [b"\xff\xfea\x00", b"x: " + b"a" * 2_000_000, b"[" * 5000, b"a: &a [*a]"])
def test_hostile_mapping_files(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "inventory"
    folder.mkdir()
    (folder / "secrets.yaml").write_bytes(data)
    with pytest.raises(IntentError):
        SecretStore.load(folder, environment={})


def test_fill_replaces_values_and_keys_and_checks_hashes() -> None:
    secrets = SecretStore(known={"ro": CANARY, "hash": "$6$salt$abcdef", "clear": "hunter2"}, environment={})
    tree = {
        "snmp": {reference("ro"): {"access": {}}},
        "user": {"a": {"hashed-password": reference("hash")}},
        "l": ["x"],
    }
    assert secrets.fill(tree) == {
        "snmp": {CANARY: {"access": {}}},
        "user": {"a": {"hashed-password": "$6$salt$abcdef"}},
        "l": ["x"],
    }
    with pytest.raises(IntentError, match="not a crypt hash") as caught:
        secrets.fill({"hashed-password": reference("clear")})
    assert "hunter2" not in str(caught.value)


def test_peek_of_a_missing_secret_is_none_and_asked_only_once(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    secrets = store(tmp_path, f"""x: 'cmd:["sh", "-c", "echo >> {mark}; exit 1"]'""", PATH="/usr/bin:/bin")
    assert (secrets.peek("x"), secrets.peek("x")) == (None, None)
    assert mark.read_text() == "\n"


@given(st.text(min_size=4, max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_redact_leaves_no_secret(value: str, before: str, after: str) -> None:
    secrets = SecretStore(known={"x": value}, environment={})
    shown = secrets.redact(before + value + after)
    assert value not in shown or value in MASK or value in before + MASK + after


def test_repr_holds_nothing() -> None:
    assert CANARY not in repr(SecretStore({"a": "env:A"}, known={"a": CANARY}))
