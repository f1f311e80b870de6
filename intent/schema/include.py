"""`include:` merges further files by key."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from intent.core.errors import DiagnosticError, IntentError
from intent.core.span import Span
from intent.schema.codes import Code
from intent.schema.compose import compose
from intent.schema.findings import Findings, near, shown
from intent.schema.nodes import ListNode, MapNode, Node, TextNode, kind

_WILD = re.compile(r"[*?]")
_LONGEST_NAME = 255  # bytes of a file name


class Includer:
    """Reads a document and all files it includes, each once.

    Args:
        texts: text by path; may be lazy, and may raise IntentError for a file that cannot be read.
        findings: where findings go.
    """

    def __init__(self, texts: Mapping[str, str], findings: Findings) -> None:
        self.files: list[str] = []
        self.comments: dict[tuple[str, int], str] = {}
        self._texts = texts
        self._findings = findings

    def read(self, entry: str) -> MapNode | None:
        """The merged root of `entry` and what it includes; None when the entry cannot be read."""
        root = self._file(entry, None)
        if root is None:
            return None
        waiting = list(self._included(entry, root))
        while waiting:
            path, span = waiting.pop(0)
            if path in self.files:
                continue
            other = self._file(path, span)
            if other is not None:
                root = _merged(root, other, self._findings)
                waiting += self._included(path, other)
        return root

    def _file(self, path: str, span: Span | None) -> MapNode | None:
        self.files.append(path)
        try:
            text = self._texts[path]
        except DiagnosticError as error:
            for finding in error.diagnostics:
                self._findings.add(finding)
            return None
        except IntentError as error:
            self._findings.error(Code.INCLUDE_READ, error.message, span or Span(path, 1), hint=error.hint)
            return None
        except KeyError:
            self._findings.error(Code.INCLUDE_MISSING, f"no file {shown(path)}", span or Span(path, 1))
            return None
        composed = compose(text, path, self._findings)
        self.comments |= {(path, line): comment for line, comment in composed.comments.items()}
        root = composed.root
        if root is not None and not isinstance(root, MapNode):
            self._findings.error(Code.SHAPE, f"the document: expected a mapping, got {kind(root)}", root.span)
            return None
        return root

    def _included(self, path: str, root: MapNode) -> Iterator[tuple[str, Span]]:
        entry = root.entries.get("include")
        if entry is None or not isinstance(entry[1], ListNode):
            return
        for item in entry[1].items:
            if isinstance(item, TextNode) and item.text:
                for found in self._matches(path, item):
                    yield found, item.span

    def _matches(self, path: str, item: TextNode) -> list[str]:
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), item.text.replace("\\", "/")))
        if wanted.startswith(("../", "/")) or wanted == ".." or re.match(r"[A-Za-z]:", wanted):
            message = f"include {shown(item.text)} leaves the workspace"
            self._findings.error(Code.INCLUDE_OUTSIDE, message, item.span, hint="put the file into the workspace")
            return []
        try:
            found = self._named(wanted)
            known = [] if found else sorted(self._texts)[:20]
        except IntentError as error:
            self._findings.error(Code.INCLUDE_READ, error.message, item.span, hint=error.hint)
            return []
        if not found:
            message = f"include {shown(item.text)} matches no file"
            self._findings.error(Code.INCLUDE_MISSING, message, item.span, hint=near(wanted, known))
        return found

    def _named(self, wanted: str) -> list[str]:
        """Paths of the files a normalised name or pattern stands for."""
        if _WILD.search(wanted):
            pattern = _glob(wanted)
            return sorted(name for name in self._texts if pattern.fullmatch(name))
        if not wanted.isprintable() or any(len(part.encode()) > _LONGEST_NAME for part in wanted.split("/")):
            return []
        try:
            self._texts[wanted]
        except KeyError:
            return []
        except IntentError:
            return [wanted]  # it is there; why it cannot be read is said when it is read
        return [wanted]


def _glob(pattern: str) -> re.Pattern[str]:
    """Pattern of paths: `*` and `?` stay in a folder and skip hidden files, `**/` is any number of folders."""
    result = ""
    for part in re.split(r"(\*\*/|\*+|\?)", pattern):
        if part == "**/":
            result += r"(?:[^/.][^/]*/)*"
        elif part.startswith("*"):
            result += r"[^/]*" if result and not result.endswith(("/", ")*")) else r"(?!\.)[^/]*"
        else:
            result += "[^/]" if part == "?" else re.escape(part)
    return re.compile(result)


def _merged(root: MapNode, other: MapNode, findings: Findings) -> MapNode:
    """Top keys of both; under a top key that both have, the keys of both. The same key twice is an error."""
    entries = dict(root.entries)
    for key, (key_node, value) in other.entries.items():
        present = entries.get(key)
        if key == "include":
            continue
        if present is None:
            entries[key] = (key_node, value)
        elif isinstance(present[1], MapNode) and isinstance(value, MapNode):
            entries[key] = (present[0], _joined(present[1], value, key, findings))
        elif not (key == "version" and _same(present[1], value)):
            _twice(key, key_node, present[0], findings)
    return MapNode(root.span, entries)


def _joined(left: MapNode, right: MapNode, under: str, findings: Findings) -> MapNode:
    entries = dict(left.entries)
    for key, entry in right.entries.items():
        if key in entries:
            _twice(f"{under}.{key}", entry[0], entries[key][0], findings)
        else:
            entries[key] = entry
    return MapNode(left.span, entries)


def _same(left: Node, right: Node) -> bool:
    return isinstance(left, TextNode) and isinstance(right, TextNode) and left.text == right.text


def _twice(key: str, again: TextNode, first: TextNode, findings: Findings) -> None:
    findings.error(
        Code.DUPLICATE,
        f"key {shown(key)} is given twice, in two files",
        again.span,
        related=((first.span, "first given here"),),
        hint="keep one of the two",
    )
