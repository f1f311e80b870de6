"""Files of an OpenSM host: judged before they are sent, keys filled in and masked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from intent.catalog.subnet_managers import Manager
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.device.secrets import MASK, SecretStore
from intent.formats.opensm.conf import read_conf
from intent.formats.opensm.guids import read_guid_list
from intent.formats.opensm.values import number
from intent.formats.partitions.reader import read

_LINE = re.compile(r"^([ \t]*)(\w+)([ \t]+)(\S+)[ \t]*(?:#.*)?$")
_LARGEST_KEY = 0xFFFF_FFFF_FFFF_FFFF
_NAMING = {"partition_config_file": "partitions", "root_guid_file": "roots", "qos_policy_file": "qos_policy"}


def kind_of(path: str, manager: Manager) -> str:
    """Which of the manager's files a path is, in the words of the catalog; empty when none."""
    name = PurePosixPath(path).name
    return next((kind for kind, own in manager.paths.items() if kind != "folder" and own == name), "")


def judge_files(files: Mapping[str, str], manager: Manager) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a host's files, each and together.

    Args:
        files: texts by path, keys as references to secrets.
        manager: the subnet manager that reads them.
    """
    found: list[Diagnostic] = []
    for path, text in files.items():
        kind = kind_of(path, manager)
        data = text.encode()
        if kind == "conf":
            reading = read_conf(data, manager, path, placeholders=True)
            found += reading.diagnostics
            found += _named(reading.values, files, path)
        elif kind == "partitions":
            found += read(data, path).diagnostics
        elif kind == "roots":
            found += read_guid_list(data, path)[1]
        elif kind != "qos_policy":
            found.append(Diagnostic("O030", f"{path} is no file of {manager.title}", hint="it is not sent"))
    return tuple(found)


def refusal_words(diagnostics: tuple[Diagnostic, ...]) -> str:
    """The first errors in one line; empty when there is none."""
    errors = [item for item in diagnostics if item.severity is Severity.ERROR]
    if not errors:
        return ""
    first = errors[0]
    place = f"{first.span}: " if first.span else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{place}{first.message}{more}"


def _named(values: Mapping[str, str], files: Mapping[str, str], path: str) -> list[Diagnostic]:
    """Files that the options name but nobody sends: OpenSM starts without them and says nothing."""
    return [
        Diagnostic("O031", f"{path}: {option} names {values[option]}, which is not among the files", hint="send both")
        for option in _NAMING
        if option in values and values[option] not in files
    ]


def secrets_of(text: str, manager: Manager) -> dict[str, str]:
    """Option → name of its secret, for each reference in a file of options."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        name = referenced(match[4]) if match else None
        if match and name is not None and _secret(match[2], manager):
            found[match[2]] = name
    return found


def filled(text: str, manager: Manager, secrets: SecretStore) -> str:
    """A file of options with its keys.

    Raises:
        IntentError: a secret is missing, or is no key of 64 bits.
    """

    def fill(line: str) -> str:
        match = _LINE.match(line)
        name = referenced(match[4]) if match else None
        if match is None or name is None:
            return line
        return f"{match[1]}{match[2]}{match[3]}{_key(name, secrets.resolve(name))}"

    lines = [fill(line) if "$secret:" in line else line for line in text.split("\n")]
    return "\n".join(lines) if manager.options else text


def masked(text: str, manager: Manager, wanted: Mapping[str, str], secrets: SecretStore) -> tuple[str, list[str]]:
    """A file of options as it may be shown: a key that is the wanted one is its reference, any other a mask.

    Args:
        text: the file as it lies on the host.
        manager: the subnet manager that reads it.
        wanted: option → name of the secret it should hold.
        secrets: to compare with.

    Returns:
        The text, and options whose key could not be compared; those show as wanted.
    """
    unknown: list[str] = []

    def mask(line: str) -> str:
        match = _LINE.match(line)
        if match is None or not _secret(match[2], manager):
            return line
        name = wanted.get(match[2])
        value = secrets.peek(name) if name is not None else None
        if name is not None and value is None:
            unknown.append(match[2])
        same = value is not None and number(match[4]) is not None and number(match[4]) == number(value.strip())
        secrets.remember(match[4])
        shown = f"$secret:{name}$" if name is not None and (same or value is None) else MASK
        return f"{match[1]}{match[2]}{match[3]}{shown}"

    return "\n".join(mask(line) for line in text.split("\n")), unknown


def needs_restart(before: str, after: str, manager: Manager) -> tuple[str, ...]:
    """Options that change and that the manager reads only when it starts."""
    old = read_conf(before.encode(), manager, placeholders=True).values
    new = read_conf(after.encode(), manager, placeholders=True).values
    changed = [
        name for name in dict.fromkeys([*old, *new]) if _effective(old, name, manager) != _effective(new, name, manager)
    ]
    return tuple(name for name in changed if not manager.options[name].live)


def _effective(values: Mapping[str, str], name: str, manager: Manager) -> str:
    return values.get(name, manager.options[name].default or "")


def _secret(option: str, manager: Manager) -> bool:
    known = manager.options.get(option)
    return known is not None and known.secret


def _key(name: str, value: str) -> str:
    found = number(value.strip())
    if found is None or not 0 < found <= _LARGEST_KEY:
        raise IntentError(
            f"secret {name!r} is no key of 64 bits", hint="store a number such as 0x and sixteen hexadecimal digits"
        )
    return f"0x{found:016x}"
