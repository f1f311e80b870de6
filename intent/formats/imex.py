"""IMEX's `nodes_config.cfg`: one address per line, the same file on every node of the domain.

The nodes of an IMEX domain do not come up unless their files are identical, so addresses are written in one order and
each once. The reader takes nothing but addresses: a host name, a comment or a Windows line end is a finding with its
line, never passed over.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.span import Span

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_Tell = Callable[..., None]

NAME = "nodes_config.cfg"
MAX_BYTES = 1_000_000
_MAX_LINE = 64
_MAX_FINDINGS = 100

NOT_TEXT = "I001"
NO_ADDRESS = "I002"
TWICE = "I003"
NOBODY = "I004"
FAMILIES = "I005"
UNUSABLE = "I006"


@dataclass(frozen=True, slots=True)
class Nodes:
    """What a file says.

    Args:
        addresses: in the file's order; none when a finding is an error.
        findings: what is wrong.
    """

    addresses: tuple[Address, ...]
    findings: tuple[Diagnostic, ...] = ()


def write(addresses: Iterable[str]) -> str:
    """The text of a file, in order of addresses.

    Args:
        addresses: of the nodes, without prefix length.

    Raises:
        IntentError: none, one that is no address, or one twice.
    """
    made: list[Address] = []
    for text in addresses:
        try:
            made.append(ipaddress.ip_address(text))
        except ValueError:
            raise IntentError(f"{NAME}: {text[:60]!r} is not an IP address", hint="without prefix length") from None
    read = parse("".join(f"{address}\n" for address in sorted(made, key=lambda item: (item.version, int(item)))))
    if read.findings:
        raise IntentError(f"{NAME}: {read.findings[0].message}", hint=read.findings[0].hint)
    return "".join(f"{address}\n" for address in read.addresses)


def digest(text: str) -> str:
    """SHA-256 of a file, to compare it between nodes: one byte of difference keeps the domain from coming up."""
    return hashlib.sha256(text.encode()).hexdigest()


def parse(content: str | bytes, file: str = NAME) -> Nodes:
    """Read a file strictly.

    Args:
        content: the file.
        file: its name, for findings.
    """
    findings: list[Diagnostic] = []

    def tell(code: str, message: str, line: int, hint: str = "") -> None:
        if len(findings) < _MAX_FINDINGS:
            findings.append(Diagnostic(code, message, Span(file, line), hint=hint))

    text = _text(content, tell)
    if text is None:
        return Nodes((), tuple(findings))
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    seen: dict[Address, int] = {}
    for number, line in enumerate(lines, 1):
        address = _address(line, number, tell)
        if address is None:
            continue
        if address in seen:
            tell(TWICE, f"{address} stands in line {seen[address]} already", number)
        seen.setdefault(address, number)
    if not lines:
        tell(NOBODY, "no node is named", 1)
    if len({address.version for address in seen}) > 1:
        tell(FAMILIES, "addresses of IPv4 and of IPv6 in one file", 1, "name each node by one address of one family")
    return Nodes(() if findings else tuple(seen), tuple(findings))


def _text(content: str | bytes, tell: _Tell) -> str | None:
    if len(content) > MAX_BYTES:
        tell(NOT_TEXT, f"larger than {MAX_BYTES} bytes", 1)
        return None
    if isinstance(content, str):
        return content
    try:
        return content.decode("ascii")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        tell(NOT_TEXT, f"byte {problem.start} is not ASCII", line, "a byte order mark counts as well")
        return None


def _address(line: str, number: int, tell: _Tell) -> Address | None:
    shown = line[:_MAX_LINE]
    if line.endswith("\r"):
        tell(NOT_TEXT, "Windows line end", number, "end lines with a line feed alone")
        return None
    if not line.strip():
        tell(NO_ADDRESS, "empty line", number)
        return None
    try:
        address = ipaddress.ip_address(line)
    except ValueError:
        hint = "one IP address and nothing else: no name, no comment, no prefix length, no space"
        tell(NO_ADDRESS, f"{shown!r} is not an IP address", number, hint)
        return None
    if str(address) != line:
        tell(NO_ADDRESS, f"{shown!r} is written as {address}", number, "files are compared byte by byte between nodes")
        return None
    if address.is_unspecified or address.is_multicast or address.is_loopback:
        tell(UNUSABLE, f"{address} cannot be a node's address", number)
        return None
    return address
