"""Does the device mean to change what the plan says, and nothing else?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from intent.core.secret import referenced
from intent.core.tree import ABSENT, Difference, Path, dotted, leaves
from intent.device.nvue.canonical import is_hidden
from intent.device.secrets import MASK

_NAMED = 6


def device_differences(forward: Mapping[str, Any], backward: Mapping[str, Any]) -> tuple[Difference, ...]:
    """One list of differences from a device's diff asked for in both directions, both in canonical form.

    Args:
        forward: what the candidate holds that the applied configuration does not; None where only that one does.
        backward: the reverse.
    """
    new, old = _present(forward), _present(backward)
    found = [Difference(path, old.get(path, ABSENT), value) for path, value in new.items()]
    found += [Difference(path, value, ABSENT) for path, value in old.items() if path not in new]
    return tuple(sorted(found, key=lambda item: item.path))


def _present(tree: Mapping[str, Any]) -> dict[Path, Any]:
    return {path: value for path, value in leaves(tree) if value is not None}


def disagreement(planned: Sequence[Difference], device: Sequence[Difference]) -> tuple[str, ...]:
    """Where the device's own diff and the plan's part, in words; empty when they are the same.

    Values of secrets are not compared, only that they change.

    Args:
        planned: differences of the plan, secrets as placeholders.
        device: differences the device reports, secrets masked.
    """
    mine, theirs = _canonical(planned), _canonical(device)
    words = [
        f"{dotted(path)}: the plan says {_words(item)}, the device reports no change"
        for path, item in mine.items()
        if path not in theirs
    ]
    for path, item in theirs.items():
        expected = mine.get(path)
        if expected is None:
            words.append(f"{dotted(path)}: the device would {_words(item)}, which is not in the plan")
        elif expected == item:
            continue
        elif not _same(expected.before, item.before) or not _same(expected.after, item.after):
            words.append(f"{dotted(path)}: the plan says {_words(expected)}, the device {_words(item)}")
    return tuple(sorted(words))


def summary(words: Sequence[str]) -> str:
    """The first few of several disagreements, and how many more there are."""
    more = len(words) - _NAMED
    return "; ".join(words[:_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _canonical(differences: Iterable[Difference]) -> dict[Path, Difference]:
    """By path, without empty containers that appear or vanish only because something inside them does."""
    found = {item.path: item for item in differences}
    # In order, what lies inside a path follows it at once.
    paths = sorted(found)
    for path, following in pairwise(paths):
        if following[: len(path)] == path and _hollow(found[path]):
            del found[path]
    return found


def _hollow(item: Difference) -> bool:
    return all(value is ABSENT or value == {} for value in (item.before, item.after))


def _secret(value: Any) -> bool:
    return referenced(value) is not None or is_hidden(value) or value == MASK


def _same(mine: Any, theirs: Any) -> bool:
    if mine is ABSENT or theirs is ABSENT:
        return mine is theirs
    if _secret(mine) or _secret(theirs):
        return True
    if isinstance(mine, bool) or isinstance(theirs, bool) or isinstance(mine, Mapping | list):
        return bool(mine == theirs)
    return mine == theirs or str(mine) == str(theirs)


def _words(item: Difference) -> str:
    before, after = _shown(item.before), _shown(item.after)
    if item.before is ABSENT:
        return f"add {after}"
    return f"remove {before}" if item.after is ABSENT else f"change {before} to {after}"


def _shown(value: Any) -> str:
    if value == {}:
        return "it"
    return MASK if _secret(value) else repr(value)[:60]
