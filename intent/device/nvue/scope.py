"""A device's configuration as we compare it: owned subtrees, canonical keys, secrets out of sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intent.core.secret import referenced
from intent.core.tree import ABSENT, Difference, Path, Tree, difference, digest, get, put
from intent.device.actor import Wanted
from intent.device.nvue.canonical import expand_ranges, is_masked, mask_secrets, restrict
from intent.device.secrets import MASK, SecretStore, placeholders


@dataclass(frozen=True, slots=True)
class Scoped:
    """What of a device's configuration is compared.

    Args:
        state: the tree, without any secret's value.
        not_compared: paths of secrets that could not be compared; `state` holds what is wanted there.
    """

    state: Tree
    not_compared: tuple[Path, ...]

    @property
    def digest(self) -> str:
        """Digest of the state."""
        return digest(self.state)


def owned_paths(wanted: Wanted) -> tuple[Path, ...]:
    """Subtrees that are ours: all of the device when it is replaced."""
    return ((),) if wanted.replace else wanted.owned


def wanted_tree(wanted: Wanted) -> Tree:
    """What the device must hold, in scope and in canonical keys; secrets as placeholders."""
    return restrict(expand_ranges(wanted.body), owned_paths(wanted), wanted.excepted)


def scoped(live: Mapping[str, Any], wanted: Wanted, secrets: SecretStore) -> Scoped:
    """What of a live tree is compared with `wanted`.

    A live secret that equals the wanted one shows as its placeholder, any other as `(secret)`. One that cannot be
    compared (the device hides it, or the reference cannot be resolved here) shows as the placeholder and is listed.

    Args:
        live: tree as read, without defaults.
        wanted: what the device must hold.
        secrets: to compare with.
    """
    tree = expand_ranges(live)
    tree = _keys_hidden(tree, wanted.body, secrets)
    tree = restrict(tree, owned_paths(wanted), wanted.excepted)
    words: dict[Path, str] = {}
    silent: list[Path] = []
    for path, name in placeholders(wanted.body):
        value = get(tree, path)
        if value is ABSENT or isinstance(value, Mapping):
            continue
        mine = None if is_masked(value) else secrets.peek(name)
        if mine is None:
            silent.append(path)
        words[path] = str(get(wanted.body, path)) if mine is None or mine == value else MASK
    tree = mask_secrets(tree)
    for path, text in words.items():
        put(tree, path, text)
    return Scoped(tree, tuple(sorted(silent)))


def _keys_hidden(live: Tree, body: Mapping[str, Any], secrets: SecretStore) -> Tree:
    """`live` with keys that are secrets (an SNMP community) replaced, wherever `body` has a placeholder as a key."""
    names = [name for key in body if (name := referenced(key)) is not None]
    result: Tree = {}
    plain = {key for key in body if referenced(key) is None}
    values = {secrets.peek(name): key for name in names for key in body if referenced(key) == name}
    for key, value in live.items():
        shown = key
        if names and key not in plain:
            shown = values.get(key, MASK)
        below = body.get(shown)
        hidden = (
            _keys_hidden(value, below, secrets) if isinstance(value, dict) and isinstance(below, Mapping) else value
        )
        if shown == MASK and MASK in result:
            shown = f"{MASK} {sum(1 for known in result if known.startswith(MASK)) + 1}"
        result[shown] = hidden
    return result


def changes(wanted: Wanted, state: Mapping[str, Any]) -> tuple[Difference, ...]:
    """What leads from a scoped state to what is wanted."""
    return tuple(difference(state, wanted_tree(wanted)))
