"""From nodes to values: the expected type at each place resolves the text as written. All findings are collected."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from intent.core.span import Span
from intent.schema.codes import Code
from intent.schema.findings import Findings, near, shown, where
from intent.schema.nodes import ListNode, MapNode, Node, TextNode, is_nothing, kind
from intent.schema.shape import ListShape, MapShape, RawShape, RecordShape, ScalarShape, Shape
from intent.schema.sources import Location

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_TEMPLATE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.j2")
_CONTROL_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


class _Failed:
    """Stands for a value that could not be read; the finding is recorded."""


FAILED = _Failed()


class Resolver:
    """Walks nodes and shapes together.

    Args:
        findings: where findings go.
    """

    def __init__(self, findings: Findings) -> None:
        self.spans: dict[Location, Span] = {}
        self._findings = findings

    def value(self, shape: Shape, node: Node, path: Location, place: Span | None = None) -> Any:
        """The value of a node, or FAILED.

        Args:
            shape: what is expected.
            node: what stands there.
            path: location in the document.
            place: place of the key it stands under, if any.
        """
        self.spans[path] = node.span if isinstance(node, TextNode) or place is None else place
        if isinstance(shape, ScalarShape):
            return self._scalar(shape, node, path)
        if isinstance(shape, RawShape):
            return self._raw_root(node, path)
        if isinstance(shape, ListShape):
            return self._list(shape, node, path)
        if shape.short and isinstance(node, TextNode) and not is_nothing(node):
            node = MapNode(node.span, {shape.short: (node, node)})
        if not isinstance(node, MapNode):
            only = shape.required if isinstance(shape, RecordShape) else ()
            hint = f"write {{{only[0]}: …}}" if len(only) == 1 and isinstance(node, TextNode) else ""
            return self._unshaped("a mapping", node, path, place, hint)
        return self._map(shape, node, path) if isinstance(shape, MapShape) else self._record(shape, node, path, place)

    def _scalar(self, shape: ScalarShape, node: Node, path: Location) -> Any:
        if not isinstance(node, TextNode) or is_nothing(node):
            return self._unshaped(shape.expected, node, path, self.spans.get(path))
        text = node.text
        if _CONTROL.search(text):
            message = f"{where(path)}: a control character in " + ("the text" if shape.hidden else shown(text))
            self._findings.error(Code.CHARACTER, message, node.span)
            return FAILED
        if text in shape.later:
            self._later(f"{where(path)}: {shown(text)}", shape.later[text], node.span)
            return FAILED
        try:
            return shape.parse(text)
        except ValueError as error:
            got = "" if shape.hidden else f", got {shown(text)}"
            self._findings.error(Code.VALUE, f"{where(path)}: {error}{got}", node.span)
            return FAILED

    def _list(self, shape: ListShape, node: Node, path: Location) -> Any:
        if not isinstance(node, ListNode):
            return self._unshaped("a list", node, path, self.spans.get(path))
        items = [self.value(shape.item, item, (*path, at)) for at, item in enumerate(node.items)]
        return FAILED if FAILED in items else tuple(items)

    def _map(self, shape: MapShape, node: MapNode, path: Location) -> Any:
        result: dict[Any, Any] = {}
        firsts: dict[Any, Span] = {}
        failed = False
        for text, (key_node, value_node) in node.entries.items():
            short = key_node is value_node
            # The key of a short form was not written by a person and needs no reading.
            key = text if short else self._scalar(shape.key, TextNode(key_node.span, text, key_node.plain), path)
            value = self.value(shape.value, value_node, (*path, text), key_node.span)
            if key is FAILED or value is FAILED:
                failed = True
                continue
            if key in firsts:
                related = ((firsts[key], "first given here"),)
                message = f"{where(path)}: key {shown(text)} is given twice"
                self._findings.error(Code.DUPLICATE, message, key_node.span, related=related)
                failed = True
            firsts[key] = key_node.span
            result[key] = value
        return FAILED if failed else result

    def _record(self, shape: RecordShape, node: MapNode, path: Location, place: Span | None) -> Any:
        values: dict[str, Any] = {}
        for key, (key_node, value_node) in node.entries.items():
            expected = shape.fields.get(key)
            if expected is not None:
                values[key] = self.value(expected, value_node, (*path, key), key_node.span)
            else:
                values[key] = self._other_key(shape, key_node, value_node, path)
        missing = [key for key in shape.required if key not in values]
        for key in missing:
            child = shape.fields[key]
            expected_text = child.expected if isinstance(child, ScalarShape) else "a mapping"
            message = f"{where(path)}: key {key!r} is missing, expected {expected_text}"
            self._findings.error(Code.MISSING_KEY, message, place or node.span)
        if missing or FAILED in values.values():
            return FAILED
        try:
            return shape.record.model_validate(values)
        except ValidationError as error:
            self._conflicts(error, path, place or node.span)
            return FAILED

    def _other_key(self, shape: RecordShape, key_node: TextNode, value_node: Node, path: Location) -> Any:
        key = key_node.text
        if key in shape.record.later:
            self._later(f"{where(path)}: key {shown(key)}", shape.record.later[key], key_node.span)
            return FAILED
        known = list(shape.fields)
        if shape.extra and isinstance(value_node, MapNode):
            read = self._scalar(shape.extra.key, key_node, path)
            value = self.value(shape.extra.value, value_node, (*path, key), key_node.span)
            return FAILED if read is FAILED else value
        message = f"{where(path)}: unknown key {shown(key)}" if path else f"unknown key {shown(key)}"
        self._findings.error(Code.UNKNOWN_KEY, message, key_node.span, hint=near(key, known))
        return FAILED

    def _raw_root(self, node: Node, path: Location) -> Any:
        if isinstance(node, TextNode) and _TEMPLATE.fullmatch(node.text) and ".." not in node.text:
            return node.text
        if not isinstance(node, MapNode):
            return self._unshaped("a mapping or a template NAME.j2", node, path, self.spans.get(path))
        return self._raw(node, path)

    def _raw(self, node: Node, path: Location) -> Any:
        if isinstance(node, TextNode):
            if _CONTROL_RAW.search(node.text):
                self._findings.error(Code.CHARACTER, f"{where(path)}: a control character", node.span)
                return FAILED
            return {} if is_nothing(node) else node.text
        if isinstance(node, ListNode):
            items = []
            for at, item in enumerate(node.items):
                self.spans[(*path, at)] = item.span
                items.append(self._raw(item, (*path, at)))
            return FAILED if FAILED in items else items
        result = {}
        for key, (key_node, value) in node.entries.items():
            self.spans[(*path, key)] = value.span if isinstance(value, TextNode) else key_node.span
            result[key] = self._raw(value, (*path, key))
        return FAILED if FAILED in result.values() else result

    def _unshaped(self, expected: str, node: Node, path: Location, place: Span | None, hint: str = "") -> _Failed:
        got = kind(node)
        span = place if place and got == "nothing" else node.span
        if got == "nothing":
            hint = "leave the key out to use the default, or quote the text"
        if expected == "a list" and got != "nothing":
            hint = "write [ ] around it"
        self._findings.error(Code.SHAPE, f"{where(path)}: expected {expected}, got {got}", span, hint=hint)
        return FAILED

    def _later(self, what: str, subject: str, span: Span) -> None:
        message = f"{what} is known ({subject}) but not available in this version"
        self._findings.error(Code.NOT_AVAILABLE, message, span, hint="take it out; a later version will have it")

    def _conflicts(self, error: ValidationError, path: Location, span: Span) -> None:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            at = (*path, *(key for key in each["loc"]))
            message = each["msg"].removeprefix("Value error, ")
            self._findings.error(Code.CONFLICT, f"{where(at)}: {message}", self.spans.get(at, span))
