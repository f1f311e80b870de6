"""Every command and every option says what it does; examples in help are commands that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from command import intent

from intent.cli.main import app

_EXAMPLE = re.compile(r"^  (intent .+?)(?:  +.*)?$", re.MULTILINE)


def commands() -> Iterator[tuple[str, Any]]:
    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for word, child in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {word}".strip(), child)

    yield from walk("", typer.main.get_command(app))


ALL = dict(commands())


@pytest.mark.parametrize("name", ALL)
def test_every_command_argument_and_option_has_help(name: str) -> None:
    command = ALL[name]
    assert (command.help or "").strip(), name
    for parameter in command.params:
        text = (getattr(parameter, "help", "") or "").strip()
        assert text, f"intent {name}: {parameter.name}"
        assert text.endswith("."), f"intent {name}: {parameter.name}: {text!r}"


@pytest.mark.parametrize("name", [name for name, command in ALL.items() if name and not hasattr(command, "commands")])
def test_every_command_shows_an_example_that_its_own_options_take(name: str) -> None:
    examples = [shlex.split(line) for line in _EXAMPLE.findall(ALL[name].help or "")]
    own = [words for words in examples if words[1 : 1 + len(name.split())] == name.split()]
    assert own, name
    known = {text for parameter in ALL[name].params for text in (*parameter.opts, *parameter.secondary_opts)}
    for words in own:
        for word in words[1:]:
            assert not word.startswith("-") or word in known, f"{name}: {word} is no option"


def test_help_names_commands_by_the_words_one_types() -> None:
    text = intent("--help").out
    assert " compile " in text
    assert "compiling" not in text
    assert "Exit codes" in text


def test_help_flows_to_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert "never touch two planes at once. Each device" in " ".join(intent("apply", "--help").out.split())
    assert "Waves begin with a canary and never touch two planes at once." in intent("apply", "--help").out
