"""Settings of a UFM's subnet manager held against each other, and written one like the other. Pure.

UFM shows a number as a number or as text, a switch as true or as text; so values are compared by what they mean, and
one is written in the form UFM shows it in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.catalog.subnet_managers import Manager
from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.core.tree import Tree
from intent.device.compensation import Standing
from intent.device.secrets import MASK, SecretStore
from intent.device.ufm.settings import (
    LARGEST_KEY,
    ROOT,
    Hidden,
    SettingChange,
    Shown,
    cut_out,
    hexadecimal,
    option_of,
    shown_text,
)
from intent.formats.opensm.values import Wrong, check_value, number


class Settings:
    """Holds values against each other.

    Args:
        manager: UFM's subnet manager.
        secrets: keys to compare with, and to write.
    """

    def __init__(self, manager: Manager, secrets: SecretStore) -> None:
        self._manager = manager
        self._secrets = secrets

    def judge(self, name: str, value: str) -> None:
        """Check one setting that is asked for.

        Raises:
            IntentError: the subnet manager would not take it as written, or a key stands in the open.
        """
        option = self._manager.options.get(name)
        if option is None:
            raise IntentError(f"{ROOT} {name[:40]}: {self._manager.title} has no such option")
        if option.secret and referenced(value) is None:
            raise IntentError(f"{ROOT} {name}: a key is given by reference, never in the open")
        try:
            check_value(option, value, self._manager, placeholders=True)
        except Wrong as wrong:
            raise IntentError(f"{ROOT} {name}: {wrong.problem}", hint=wrong.hint) from None

    def alike(self, name: str, one: Any, other: Any) -> bool:
        """Two spellings of one value. A key nobody knows is like no other."""
        first, second = self._meaning(name, one), self._meaning(name, other)
        return first is not None and first == second

    def _meaning(self, name: str, value: Any) -> Any:
        if isinstance(value, Hidden):
            return value.number
        text = str(value).strip()
        secret = referenced(text)
        if secret is not None:
            known = self._secrets.peek(secret)
            return None if known is None else number(known.strip())
        if text == MASK:
            return None
        if option_of(self._manager, name).kind == "boolean":
            return text.upper() == "TRUE"
        figure = number(text)
        return text if figure is None else figure

    def unread(self, asked: Mapping[str, str]) -> tuple[str, ...]:
        """Keys whose secret cannot be had, so that nobody can compare them."""
        named = {name: referenced(value) for name, value in asked.items()}
        return tuple(name for name, secret in named.items() if secret and self._secrets.peek(secret) is None)

    def state(self, asked: Mapping[str, str], shown: Shown) -> Tree:
        """What UFM holds of what is asked for, in the intent's spelling where the two mean the same, keys masked."""
        unread = self.unread(asked)
        return {
            name: asked[name] if name in unread or self.alike(name, value, asked[name]) else shown_text(value)
            for name, value in shown.items()
            if name in asked
        }

    def changes(self, asked: Mapping[str, str], shown: Shown) -> tuple[SettingChange, ...]:
        """What leads from what UFM shows to what is asked for; what it does not show is not among it."""
        unread = self.unread(asked)
        return tuple(
            SettingChange(name, shown[name], value)
            for name, value in sorted(asked.items())
            if name in shown and name not in unread and not self.alike(name, shown[name], value)
        )

    # --- how far it got

    def standing(self, planned: Sequence[SettingChange], shown: Shown, *, force: bool = False) -> Standing[Any]:
        """Hold changes against what UFM shows now; arguments as for `intent.device.ufm.changes.standing`."""
        left: list[SettingChange] = []
        done = 0
        others: list[str] = []
        stays: list[str] = []
        for change in planned:
            now = shown.get(change.name)
            where = f"{ROOT} {change.name}"
            if now is None:
                others.append(f"{where} is not shown any more")
            elif self._unknown(change.before) or self._unknown(change.after):
                others.append(f"{where} could not be compared: its secret cannot be had")
            elif change.after == MASK:
                # Undoing: the old key is known to nobody any more. Where ours is not in force there is nothing to undo.
                ours = self.alike(change.name, now, change.before)
                done += not ours
                stays += [f"{where} stays as written: the key it replaced is written down nowhere"] if ours else []
            elif self.alike(change.name, now, change.after):
                done += 1
            elif force or change.before == MASK or self.alike(change.name, now, change.before):
                left.append(change)
            else:
                old, new = self._words(change.name, change.before), self._words(change.name, change.after)
                others.append(f"{where} is {shown_text(now)}, neither {old} nor {new}")
        return Standing(tuple(left), done, len(left), tuple(others), tuple(stays))

    def _unknown(self, value: Any) -> bool:
        """A secret that cannot be had."""
        name = referenced(value)
        return name is not None and self._secrets.peek(name) is None

    def _words(self, name: str, value: Any) -> Any:
        secret = option_of(self._manager, name).secret
        return MASK if secret and referenced(value) is None else shown_text(value)

    # --- writing

    def written(self, change: SettingChange, now: Any) -> Any:
        """A value as UFM takes it: in the form it shows the present one in.

        Raises:
            IntentError: it cannot be said in that form, or its secret cannot be had.
        """
        value, where = change.after, f"{ROOT} {change.name}"
        if isinstance(now, Hidden):
            key = value.number if isinstance(value, Hidden) else self._key(str(value))
            return key if now.as_number else hexadecimal(key)
        if isinstance(value, str) and isinstance(now, bool):
            if value.upper() not in ("TRUE", "FALSE"):
                raise IntentError(f"{where}: UFM shows true or false there, {value[:40]!r} is neither")
            return value.upper() == "TRUE"
        if isinstance(value, str) and isinstance(now, int):
            figure = number(value.strip())
            if figure is None:
                raise IntentError(f"{where}: UFM shows a number there, {value[:40]!r} is none")
            return figure
        return value

    def _key(self, text: str) -> int:
        name = referenced(text)
        key = number((self._secrets.resolve(name) if name is not None else text).strip())
        if key is None or not 0 <= key <= LARGEST_KEY or (name is not None and not key):
            raise IntentError(
                f"secret {name!r} is no key of 64 bits", hint="store a number such as 0x and sixteen hexadecimal digits"
            )
        if name is not None:
            cut_out(key, self._secrets)
        return key
