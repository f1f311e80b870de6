"""From the text of a file to nodes with places. Strict: no tags, no key twice, no tabs, no bombs; resolves nothing.

PyYAML's C parser gives events; the nodes are built here, without recursion, so that no input can exhaust the stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml import events as yaml_events

from intent.core.span import Span
from intent.schema.codes import Code
from intent.schema.decode import LARGEST_BYTES, too_large, unix
from intent.schema.findings import Findings, shown
from intent.schema.nodes import ListNode, MapNode, Node, TextNode, height, is_nothing, size

DEEPEST = 64
"""Levels of nesting beyond which a file is refused; example 3 of the language has 9."""

MOST_ALIASED = 200_000
"""Nodes that aliases may add to a file when they are written out."""

_BREAKS = re.compile("[\x85\u2028\u2029]")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Composed:
    """What a file holds.

    Args:
        root: its node; None when there is none or the text could not be read to its end.
        comments: comments that speak to us (`# intent: …`), without the `#`, by the line they speak of.
    """

    root: Node | None
    comments: Mapping[int, str] = field(default_factory=dict)


def compose(text: str, file: str, findings: Findings) -> Composed:
    """Read the text of one file; what is wrong goes to `findings`, and nothing is raised."""
    text = unix(text)
    if len(text) > LARGEST_BYTES:
        findings.add(too_large(file, len(text)))
        return Composed(None)
    strange = _BREAKS.search(text)
    if strange:
        # The parser counts these as ends of lines and editors do not: every place after it would be wrong.
        before = text[: strange.start()]
        span = Span(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        findings.error(Code.CHARACTER, f"character {strange[0]!a} ends a line that editors do not end", span)
        return Composed(None)
    builder = _Builder(file, findings)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except _Stop:
        return Composed(None)
    except yaml.YAMLError as error:
        _syntax(error, text, file, findings)
        return Composed(None)
    except UnicodeError:
        findings.error(Code.ENCODING, "the text holds characters that no file can hold", Span(file, 1))
        return Composed(None)
    if builder.root is None:
        findings.error(Code.EMPTY, "the file is empty", Span(file, 1), hint="expected a mapping with version: 1")
    _tabs(text, file, builder.scalars, findings)
    return Composed(builder.root, dict(_comments(text, builder.scalars)))


class _Stop(Exception):
    """Reading on would be pointless or dangerous; the finding is recorded."""


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end has not come yet."""

    span: Span
    anchor: str | None
    mapping: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[TextNode, Node]] = field(default_factory=dict)
    merges: list[tuple[TextNode, Node]] = field(default_factory=list)
    key: Node | None = None
    size: int = 1
    height: int = 0


class _Builder:
    """Builds nodes from events."""

    def __init__(self, file: str, findings: Findings) -> None:
        self.root: Node | None = None
        self.scalars: list[tuple[int, int]] = []
        self._file = file
        self._findings = findings
        self._stack: list[_Frame] = []
        self._anchors: dict[str, Node] = {}
        self._aliased = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        """Take the next event."""
        if isinstance(event, yaml_events.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, (yaml_events.MappingStartEvent, yaml_events.SequenceStartEvent)):
            self._open(event)
        elif isinstance(event, yaml_events.CollectionEndEvent):
            self._close()
        elif isinstance(event, yaml_events.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml_events.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._stop(Code.DOCUMENTS, "a second document begins here", event, "one document per file")

    def _scalar(self, event: Any) -> None:
        span = self._span(event)
        self._untagged(event, span)
        self.scalars.append((event.start_mark.index, event.end_mark.index))
        node = TextNode(span, event.value, not event.style)
        if event.anchor:
            self._anchors[event.anchor] = node
        self._put(node)

    def _open(self, event: Any) -> None:
        span = self._span(event)
        self._untagged(event, span)
        if len(self._stack) >= DEEPEST:
            self._stop(Code.TOO_DEEP, f"nested deeper than {DEEPEST} levels", event, "an intent has about ten levels")
        self._stack.append(_Frame(span, event.anchor, isinstance(event, yaml_events.MappingStartEvent)))

    def _close(self) -> None:
        frame = self._stack.pop()
        node: Node
        if frame.mapping:
            self._merge(frame)
            node = MapNode(frame.span, frame.entries, frame.size, frame.height + 1)
        else:
            node = ListNode(frame.span, tuple(frame.items), frame.size, frame.height + 1)
        if frame.anchor:
            self._anchors[frame.anchor] = node
        self._put(node)

    def _alias(self, event: Any) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            hint = "write the anchor before it and not around it, or quote a text that begins with *"
            # Its name is not shown: a password without quotes may begin with a star.
            self._stop(Code.ALIASES, "an alias (*name) without its anchor (&name)", event, hint)
            return
        self._aliased += size(node)
        if self._aliased > MOST_ALIASED:
            self._stop(Code.ALIASES, f"aliases add more than {MOST_ALIASED} values", event, "write what differs only")
        if len(self._stack) + height(node) > DEEPEST:
            self._stop(Code.TOO_DEEP, f"nested deeper than {DEEPEST} levels by an alias", event, "")
        self._put(node)

    def _put(self, node: Node) -> None:
        if not self._stack:
            self.root = None if is_nothing(node) else node
            return
        frame = self._stack[-1]
        frame.size += size(node)
        # What `<<` brings in stands beside the other keys, not below them.
        raised = (1 + isinstance(node, ListNode)) if _merging(frame.key) else 0
        frame.height = max(frame.height, height(node) - raised)
        if not frame.mapping:
            frame.items.append(node)
        elif frame.key is None:
            frame.key = node
        else:
            key, frame.key = frame.key, None
            self._entry(frame, key, node)

    def _entry(self, frame: _Frame, key: Node, value: Node) -> None:
        if not isinstance(key, TextNode):
            self._findings.error(Code.KEY, "a key must be a text", key.span, hint="quote it if it begins with [ or {")
            return
        present = frame.entries.get(key.text)
        merging = _merging(key)
        if merging and frame.merges:
            present = frame.merges[0]
        if present:
            first = present[0].span
            message = f"key {shown(key.text)} is given twice"
            self._findings.error(
                Code.DUPLICATE, message, key.span, related=((first, "first given here"),), hint="keep one of the two"
            )
        elif merging:
            frame.merges.append((key, value))
        else:
            frame.entries[key.text] = (key, value)

    def _merge(self, frame: _Frame) -> None:
        for key, value in frame.merges:
            for source in value.items if isinstance(value, ListNode) else (value,):
                if not isinstance(source, MapNode):
                    self._findings.error(Code.MERGE, "<< takes a mapping or a list of mappings", key.span)
                    continue
                for name, entry in source.entries.items():
                    frame.entries.setdefault(name, entry)

    def _untagged(self, event: Any, span: Span) -> None:
        if event.tag is not None:
            # Its name is not shown: a password without quotes may begin with an exclamation mark.
            hint = "write the value without it, or quote a text that begins with !"
            self._findings.error(Code.TAG, "a tag (!name), which means nothing here", span, hint=hint)

    def _span(self, event: Any) -> Span:
        mark = event.start_mark
        return Span(self._file, mark.line + 1, mark.column + 1)

    def _stop(self, code: Code, message: str, event: Any, hint: str) -> None:
        self._findings.error(code, message, self._span(event), hint=hint)
        raise _Stop


def _merging(key: Node | None) -> bool:
    return isinstance(key, TextNode) and key.plain and key.text == "<<"


def _syntax(error: yaml.YAMLError, text: str, file: str, findings: Findings) -> None:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    span = Span(file, mark.line + 1, mark.column + 1) if mark else Span(file, 1)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable as YAML")
    line = text.split("\n")[mark.line] if mark and mark.line < text.count("\n") + 1 else ""
    if "\\t" in problem or "'\t'" in problem or line[: mark.column + 1 if mark else 0].lstrip(" ").startswith("\t"):
        findings.error(Code.TAB, "a tab where YAML wants spaces", span, hint="indent with spaces")
        return
    context = getattr(error, "context", None)
    message = f"not YAML: {problem}" + (f" ({context})" if context else "")
    findings.error(Code.SYNTAX, message, span, hint="check indentation, colons, quotes and brackets near this place")


def _tabs(text: str, file: str, scalars: list[tuple[int, int]], findings: Findings) -> None:
    """Tabs between values: YAML allows some of them, and no two editors show them alike."""
    if "\t" not in text:
        return
    outside = _outside(text, scalars)
    for line, column, piece in outside:
        code = piece.partition("#")[0]
        if "\t" in code:
            span = Span(file, line, column + code.index("\t"))
            findings.error(Code.TAB, "a tab outside of quotes", span, hint="use spaces")


def _comments(text: str, scalars: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    if "intent:" not in text:
        return
    lines = text.split("\n")
    for line, _, piece in _outside(text, scalars):
        _, mark, comment = piece.partition("#")
        if mark and comment.strip().startswith("intent:"):
            # A comment alone on its line speaks of the next one.
            alone = lines[line - 1].lstrip().startswith("#") if line <= len(lines) else False
            yield line + alone, comment.strip()


def _outside(text: str, scalars: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """What stands outside of values, line by line: line, column, text."""
    at, line, column = 0, 1, 1
    for start, end in (*scalars, (len(text), len(text))):
        for number, piece in enumerate(text[at:start].split("\n")):
            if number:
                line, column = line + 1, 1
            yield line, column, piece
            column += len(piece)
        inside = text[start:end]
        if "\n" in inside:
            line, column = line + inside.count("\n"), len(inside) - inside.rfind("\n")
        else:
            column += len(inside)
        at = end
