"""Where secrets come from: one function per provider, each taking what stands after `provider:`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from intent.core.errors import IntentError

_LARGEST = 65_536
_COMMAND_S = 30


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a provider may look at.

    Args:
        root: folder that relative paths start from.
        environment: environment variables.
    """

    root: Path
    environment: Mapping[str, str]


def provide(name: str, text: str, source: str, surroundings: Surroundings) -> str:
    """The value that `provider:argument` stands for; one line end at its end is taken off.

    Args:
        name: the secret's name, for messages.
        text: `provider:argument`.
        source: file it stands in, for messages.
        surroundings: environment and root folder.

    Raises:
        IntentError: it cannot be had; never holds the value.
    """
    kind, _, argument = text.partition(":")
    provider = PROVIDERS.get(kind)
    if provider is None:
        raise IntentError(f"{source}: secret {name!r}: unknown provider {kind!r}")
    try:
        value = provider(argument.strip(), surroundings)
    except IntentError as problem:
        raise IntentError(f"secret {name!r} ({source or kind}): {problem.message}", hint=problem.hint) from None
    value = value.removesuffix("\n").removesuffix("\r")
    if not value:
        raise IntentError(f"secret {name!r} ({source or kind}): {kind} gave an empty value")
    if len(value) > _LARGEST or "\0" in value:
        raise IntentError(f"secret {name!r} ({source or kind}): {kind} gave something that is no secret")
    return value


def _from_environment(argument: str, surroundings: Surroundings) -> str:
    value = surroundings.environment.get(argument)
    if value is None:
        raise IntentError(f"environment variable {argument} is not set")
    return value


def _from_file(argument: str, surroundings: Surroundings) -> str:
    file = surroundings.root / argument
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as problem:
        raise IntentError(f"{file}: {problem.strerror or 'cannot be read'}") from None
    return _text(data, str(file))


def _from_command(argument: str, surroundings: Surroundings) -> str:
    try:
        words = json.loads(argument)
    except ValueError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise IntentError('cmd: takes a JSON list of words, as cmd:["sops", "-d", "file"]')
    return _ran(words, surroundings)


def _from_ansible_vault(argument: str, surroundings: Surroundings) -> str:
    name, _, key = argument.partition("#")
    if shutil.which("ansible-vault", path=surroundings.environment.get("PATH")) is None:
        raise IntentError("ansible-vault is not installed", hint="it comes with ansible-core")
    text = _ran(["ansible-vault", "view", str(surroundings.root / name)], surroundings)
    if not key:
        return text
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        raise IntentError(f"{name} holds no YAML") from None
    value = values.get(key) if isinstance(values, dict) else None
    if not isinstance(value, str):
        raise IntentError(f"{name} holds no text under {key!r}")
    return value


def _unavailable(extra: str, package: str) -> Callable[[str, Surroundings], str]:
    def refuse(_argument: str, _surroundings: Surroundings) -> str:
        raise IntentError(
            f"the provider {extra}: is not part of this installation",
            hint=f'use cmd:["…"] with the client of {package}, or file: with a mounted secret',
        )

    return refuse


def _ran(words: list[str], surroundings: Surroundings) -> str:
    try:
        done = subprocess.run(
            words,
            cwd=surroundings.root,
            env=dict(surroundings.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMMAND_S,
            check=False,
        )
    except FileNotFoundError:
        raise IntentError(f"{words[0]} is not installed") from None
    except OSError as problem:
        raise IntentError(f"{words[0]}: {problem.strerror or 'cannot be run'}") from None
    except subprocess.TimeoutExpired:
        raise IntentError(f"{words[0]} gave no answer within {_COMMAND_S} s") from None
    if done.returncode:
        # Its own words are not repeated: they may hold what it was about to print.
        raise IntentError(f"{words[0]} ended with code {done.returncode}", hint="run it by hand to see why")
    return _text(done.stdout, words[0])


def _text(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise IntentError(f"{what}: not text") from None


PROVIDERS: Mapping[str, Callable[[str, Surroundings], str]] = {
    "env": _from_environment,
    "file": _from_file,
    "cmd": _from_command,
    "ansible-vault": _from_ansible_vault,
    "vault": _unavailable("vault", "HashiCorp Vault"),
    "keyring": _unavailable("keyring", "the desktop's keyring"),
}
