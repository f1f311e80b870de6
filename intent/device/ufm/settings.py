"""Settings of a UFM's subnet manager as values: what a tree asks for, what UFM shows. Pure.

A key is never a text here: it is a `Hidden` from the moment it was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from intent.catalog.subnet_managers import Manager, Option
from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.core.tree import ABSENT, Difference
from intent.device.errors import ProtocolError
from intent.device.secrets import MASK, SecretStore
from intent.formats.opensm.values import number

ROOT = "setting"
"""Branch of a UFM's tree that holds them."""

LARGEST_KEY = 2**64 - 1
"""Keys of a subnet have 64 bits."""
_DIGITS = 16  # of a key, hexadecimal
_LONGEST = 1000  # characters of a value; the manager's own lines are no longer


@dataclass(frozen=True, slots=True)
class Hidden:
    """A key as UFM shows it: compared and written back by this process, printed by nobody.

    Args:
        number: the key.
        as_number: UFM shows it as a number, not as text.
        usual: it is the one everybody knows, which a subnet manager starts with.
    """

    number: int = field(repr=False)
    as_number: bool = False
    usual: bool = False

    @property
    def recorded(self) -> str:
        """What may be written down of it."""
        return hexadecimal(self.number) if self.usual else MASK


Shown = Mapping[str, Any]
"""Values by option, as UFM shows them; keys are `Hidden`."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What changes of one setting.

    Args:
        name: the option.
        before: as UFM showed it; `(secret)` for a key that this process never read.
        after: as it is to be: a text of opensm.conf, or a reference to a secret; in what undoes a change the other
            way round.
    """

    name: str
    before: Any
    after: Any

    @property
    def inverse(self) -> SettingChange:
        """What undoes it."""
        return SettingChange(self.name, self.after, self.before)

    @property
    def removals(self) -> int:
        """Nothing is ever taken away."""
        return 0

    def differences(self) -> list[Difference]:
        """As a plan shows it."""
        return [Difference((ROOT, self.name), shown_text(self.before), shown_text(self.after))]


def asked_for(tree: Mapping[str, Any]) -> dict[str, str]:
    """What a tree asks for, by option.

    Raises:
        IntentError: something in it makes no sense.
    """
    found = tree.get(ROOT, {})
    if not isinstance(found, Mapping):
        raise IntentError(f"{ROOT}: expected a mapping, got {type(found).__name__}")
    for name, value in found.items():
        if not isinstance(value, str):
            raise IntentError(f"{ROOT} {name[:40]}: expected text, got {type(value).__name__}")
    return dict(found)


def has_keys(tree: Mapping[str, Any]) -> bool:
    """True when a tree gives the subnet manager a key."""
    return any(referenced(value) is not None for value in asked_for(tree).values())


def shown_by(body: Any, names: Sequence[str], manager: Manager, secrets: SecretStore) -> dict[str, Any]:
    """The settings asked for, from UFM's answer; what it does not show is left out, and so is everything else.

    Args:
        body: of GET /app/smconf.
        names: options.
        manager: says which of them are keys.
        secrets: told of the keys, so that they are cut out of every text.

    Raises:
        ProtocolError: the answer is not of the documented form.
    """
    if not isinstance(body, Mapping):
        raise ProtocolError(f"/app/smconf: expected an object, got {type(body).__name__}")
    found: dict[str, Any] = {}
    for name in names:
        if name not in body:
            continue
        value = body[name]
        if not isinstance(value, bool | int | str):
            raise ProtocolError(f"/app/smconf: {name} is shown as {type(value).__name__}")
        if (isinstance(value, str) and len(value) > _LONGEST) or (isinstance(value, int) and abs(value) > LARGEST_KEY):
            raise ProtocolError(f"/app/smconf: {name} is shown as what no option can be")
        option = option_of(manager, name)
        found[name] = _hidden(option, value, secrets) if option.secret else value
    return found


def _hidden(option: Option, value: Any, secrets: SecretStore) -> Hidden:
    key = value if isinstance(value, int) and not isinstance(value, bool) else number(str(value).strip())
    if key is None or not 0 <= key <= LARGEST_KEY:
        secrets.remember(str(value))
        raise ProtocolError(f"/app/smconf: {option.name} is no key of 64 bits")
    usual = key == number(option.default or "")
    if not usual:  # what everybody knows is no secret, and stands in innocent texts
        secrets.remember(str(value))
        cut_out(key, secrets)
    return Hidden(key, isinstance(value, int), usual)


def recalled(changes: Sequence[Any], kept: Mapping[str, Hidden]) -> tuple[Any, ...]:
    """Changes of a handle with the keys this process still knows."""
    return tuple(
        replace(item, before=kept[item.name]) if isinstance(item, SettingChange) and item.name in kept else item
        for item in changes
    )


def cut_out(key: int, secrets: SecretStore) -> None:
    """Have a key cut out of every text, however somebody spells it."""
    for text in (f"{key:0{_DIGITS}x}", f"{key:0{_DIGITS}X}", f"{key:x}", f"{key:X}", str(key)):
        secrets.remember(text)


def option_of(manager: Manager, name: str) -> Option:
    """An option of the manager; one it does not know is text."""
    return manager.options.get(name) or Option(name, "text")


def hexadecimal(key: int) -> str:
    """A key as the manager's file spells it."""
    return f"0x{key:0{_DIGITS}x}"


def shown_text(value: Any) -> Any:
    """A value as it may stand in a plan."""
    if value is ABSENT or isinstance(value, str):
        return value
    if isinstance(value, Hidden):
        return MASK
    return str(value).upper() if isinstance(value, bool) else str(value)
