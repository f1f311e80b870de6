"""From the bytes of a file to its text."""

from __future__ import annotations

import codecs

from intent.core.diagnostic import Diagnostic
from intent.core.errors import DiagnosticError
from intent.core.span import Span
from intent.schema.codes import Code

LARGEST_BYTES = 32 * 1024 * 1024
"""A larger file is refused unread: the intent of 5,000 hosts written one by one has 3 MiB."""

_FOREIGN = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def decode(data: bytes, name: str) -> str:
    r"""The text of a file: UTF-8, with or without a byte-order mark, every line ended by `\n`.

    Args:
        data: content of the file.
        name: name of the file, for the message.

    Raises:
        DiagnosticError: too large, UTF-16 or UTF-32, or bytes that are not UTF-8.
    """
    if len(data) > LARGEST_BYTES:
        raise _refused(too_large(name, len(data)))
    for mark, encoding in _FOREIGN:
        if data.startswith(mark):
            raise _refused(_encoding(name, Span(name, 1), f"the file is {encoding}, expected UTF-8"))
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    if b"\0" in data[:4]:
        raise _refused(_encoding(name, Span(name, 1), "the file looks like UTF-16 or UTF-32, expected UTF-8"))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise _refused(_encoding(name, Span(name, line, column), message)) from None
    return unix(text)


def unix(text: str) -> str:
    """The same text with line feeds only and without a byte-order mark."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def too_large(name: str, size: int) -> Diagnostic:
    """The finding about a file of `size` bytes."""
    limit = LARGEST_BYTES // 1024**2
    message = f"the file has {size / 1024**2:.0f} MiB, more than the {limit} MiB an intent may have"
    return Diagnostic(Code.TOO_LARGE, message, Span(name, 1), hint="split it with include:, or give the right file")


def _encoding(name: str, span: Span, message: str) -> Diagnostic:
    return Diagnostic(Code.ENCODING, message, span, hint=f"save {name} as UTF-8")


def _refused(finding: Diagnostic) -> DiagnosticError:
    return DiagnosticError([finding])
