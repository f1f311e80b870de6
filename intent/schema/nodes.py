"""What stands in a file before anything is known of its meaning: texts, lists and mappings, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from intent.core.span import Span


@dataclass(slots=True)
class TextNode:
    """A scalar as written.

    Args:
        span: where it begins.
        text: its text; of a quoted one what stands between the quotes, escapes resolved.
        plain: written without quotes.
    """

    span: Span
    text: str
    plain: bool = True


@dataclass(slots=True)
class ListNode:
    """A list. `size` counts the nodes in it, `height` the levels, both as if every alias were written out."""

    span: Span
    items: tuple[Node, ...]
    size: int = 1
    height: int = 1


@dataclass(slots=True)
class MapNode:
    """A mapping: key as written to the key's node and the value. `size` and `height` as in a list."""

    span: Span
    entries: dict[str, tuple[TextNode, Node]]
    size: int = 1
    height: int = 1


Node: TypeAlias = TextNode | ListNode | MapNode


def kind(node: Node) -> str:
    """What a person calls it."""
    if isinstance(node, MapNode):
        return "a mapping"
    if isinstance(node, ListNode):
        return "a list"
    return "nothing" if is_nothing(node) else "a text"


def is_nothing(node: Node) -> bool:
    """True for an empty value, `~` and `null` without quotes."""
    return isinstance(node, TextNode) and node.plain and node.text in ("", "~", "null", "Null", "NULL")


def size(node: Node) -> int:
    """How many nodes it is when every alias is written out."""
    return 1 if isinstance(node, TextNode) else node.size


def height(node: Node) -> int:
    """How many levels of lists and mappings it has when every alias is written out."""
    return 0 if isinstance(node, TextNode) else node.height
