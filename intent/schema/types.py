"""Types of single values, each with the parser that reads the text as written."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from string import Formatter
from typing import Annotated, Any

from intent.core import ranges, selector, units
from intent.schema.markers import Raw, Scalar

_NAME = r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$"
_RANGE = r"^[A-Za-z0-9._{}-]+$"
_RELEASE = r"^[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?$"
_PREFIX64 = r"^0x[0-9A-Fa-f]{16}$"
_POINTER = r"^(/[^/\s]+)+$"
_ANY_TEXT = ("string", "number", "boolean")


@dataclass(frozen=True, slots=True, order=True)
class NumberRange:
    """Whole numbers from `first` to `last`, both included."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.first <= number <= self.last

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


def check_name(text: str) -> str:
    """The name itself; ValueError where the language does not take it."""
    if not re.fullmatch(_NAME, text):
        raise ValueError("expected a name: at most 63 letters, digits, '-', '_', '.', a letter or digit at both ends")
    return text


def _range(text: str) -> str:
    if not re.fullmatch(_RANGE, text):
        raise ValueError("expected a name or a range of names such as gpu{01..08}")
    for each in ranges.edges(text):
        check_name(each)
    return text


def _selector(text: str) -> str:
    selector.parse(text)
    return text


def _release(text: str) -> str:
    if not re.fullmatch(_RELEASE, text):
        raise ValueError("expected a release such as 5.16 or 5.16.4")
    return text


def _free(text: str) -> str:
    if not text:
        raise ValueError("expected a text, got an empty one")
    return text


def _network(text: str) -> ipaddress.IPv4Network:
    address, slash, length = text.partition("/")
    if not (slash and re.fullmatch(r"[0-9]{1,2}", length)):
        raise ValueError("expected an IPv4 prefix with its length such as 10.64.0.0/12")
    try:
        network = ipaddress.IPv4Interface(text).network
    except ValueError:
        raise ValueError("expected an IPv4 prefix of four decimal numbers and a length, such as 10.64.0.0/12") from None
    if str(network.network_address) != address:
        raise ValueError(f"expected the first address of the prefix: {network}")
    return network


def _address(text: str) -> ipaddress.IPv4Address:
    try:
        return ipaddress.IPv4Address(text)
    except ValueError:
        raise ValueError("expected an IPv4 address of four decimal numbers such as 10.1.0.1") from None


def _host(text: str) -> str:
    if re.fullmatch(r"[0-9.]+", text):
        return str(_address(text))
    if ":" in text:
        try:
            return str(ipaddress.IPv6Address(text))
        except ValueError:
            raise ValueError("expected an IP address or a host name") from None
    if len(text) > 253 or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text):
        raise ValueError("expected an IP address or a host name")
    return text


def _asns(text: str) -> NumberRange:
    match = re.fullmatch(r"([0-9]{1,10})\s?-\s?([0-9]{1,10})", text)
    if not match:
        raise ValueError("expected a range of AS numbers such as 4200100000-4200199999")
    first, last = int(match[1], 10), int(match[2], 10)
    if not 1 <= first <= last <= 4_294_967_294:
        raise ValueError("expected AS numbers from 1 to 4294967294, the smaller first")
    return NumberRange(first, last)


def _pointer(text: str) -> str:
    if not re.fullmatch(_POINTER, text):
        raise ValueError("expected a path into the device's configuration such as /system/aaa")
    return text


def _timezone(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}", text):
        raise ValueError("expected a time zone name such as Europe/Paris or Etc/UTC")
    return text


def _file(text: str) -> str:
    parts = text.split("/")
    if not re.fullmatch(r"[A-Za-z0-9._/ -]{1,255}", text) or text.startswith("/") or ".." in parts or "" in parts:
        raise ValueError("expected a file name relative to the workspace, inside it, such as guids/par1.csv")
    return text


def _prefix64(text: str) -> str:
    if not re.fullmatch(_PREFIX64, text):
        raise ValueError("expected 16 hexadecimal digits after 0x, such as 0xfe80000000000000")
    return text.lower()


def _secret(text: str) -> str:
    # The text may be the secret itself, written here by mistake: it is never shown.
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", text):
        raise ValueError("expected the name of a secret (letters, digits, '_', '.', '-'), not the secret itself")
    return text


def _template(fields: frozenset[str]) -> Any:
    """Parser of a name template that may use these fields."""
    known = ", ".join(sorted(fields))

    def parse(text: str) -> str:
        try:
            parts = list(Formatter().parse(text))
        except ValueError:
            raise ValueError("expected a name template such as {fabric}-s{n:02}: a brace is not closed") from None
        for literal, field, spec, conversion in parts:
            if literal and not re.fullmatch(r"[A-Za-z0-9._-]+", literal):
                raise ValueError("expected a name template of letters, digits, '-', '_', '.' and fields in braces")
            if field is not None and (field not in fields or conversion):
                raise ValueError(f"expected fields out of {known}, not {{{field}}}")
            if spec and not re.fullmatch(r"0?[1-9]", spec):
                raise ValueError(f"expected a width such as {{n:02}}, not {{{field}:{spec}}}")
        if not any(field == "n" for _, field, _, _ in parts):
            raise ValueError("expected a name template with {n} in it, else all names are the same")
        return text

    return parse


Name = Annotated[str, Scalar(check_name, "a name such as par1", _NAME, _ANY_TEXT)]
NameRange = Annotated[str, Scalar(_range, "a name or a range of names such as gpu{01..08}", _RANGE, _ANY_TEXT)]
Selector = Annotated[str, Scalar(_selector, "a selector such as gpu* or role=leaf,plane=1", "", _ANY_TEXT)]
Text = Annotated[str, Scalar(_free, "a text", "", _ANY_TEXT)]
Release = Annotated[str, Scalar(_release, "a release such as 5.16.4", _RELEASE, ("string", "number"))]
Network = Annotated[ipaddress.IPv4Network, Scalar(_network, "an IPv4 prefix such as 10.64.0.0/12", r"^[0-9.]+/[0-9]+$")]
Address = Annotated[ipaddress.IPv4Address, Scalar(_address, "an IPv4 address such as 10.1.0.1", r"^[0-9.]+$")]
Host = Annotated[str, Scalar(_host, "an IP address or a host name", r"^[A-Za-z0-9:.-]+$")]
AsnRange = Annotated[
    NumberRange, Scalar(_asns, "a range of AS numbers such as 4200100000-4200199999", r"^[0-9]+ ?- ?[0-9]+$")
]
Pointer = Annotated[str, Scalar(_pointer, "a path such as /system/aaa", _POINTER)]
Timezone = Annotated[str, Scalar(_timezone, "a time zone such as Europe/Paris", r"^[A-Za-z]")]
SecretName = Annotated[str, Scalar(_secret, "the name of a secret", r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", hidden=True)]
FilePath = Annotated[str, Scalar(_file, "a file name relative to the workspace such as guids/par1.csv")]
SubnetPrefix = Annotated[
    str, Scalar(_prefix64, "a subnet prefix such as 0xfe80000000000000", _PREFIX64, ("string", "integer"))
]
Glob = Annotated[str, Scalar(_free, "a file name or pattern such as sites/*.yaml")]

LeafName = Annotated[
    str,
    Scalar(
        _template(frozenset({"site", "fabric", "plane", "rail", "unit", "n"})),
        "a name template such as {fabric}-l{n:02}",
    ),
]
SpineName = Annotated[
    str,
    Scalar(
        _template(frozenset({"site", "fabric", "plane", "unit", "rail", "n"})),
        "a name template such as {fabric}-s{n:02}",
    ),
]
CoreName = Annotated[
    str,
    Scalar(_template(frozenset({"site", "fabric", "group", "n"})), "a name template such as {fabric}-g{group}-c{n:02}"),
]
NodeName = Annotated[str, Scalar(_template(frozenset({"site", "rack", "n"})), "a name template such as {rack}-{n:02}")]

Length = Annotated[units.Length, Scalar(units.length, "a length such as 30m", r"^[0-9.]+ ?m$")]
Duration = Annotated[units.Duration, Scalar(units.duration, "a time such as 10m", r"^[0-9.]+ ?(us|ms|s|m|h|d)$")]
Rate = Annotated[units.Rate, Scalar(units.rate, "a link speed such as 400G", r"^[0-9]+ ?G$")]
Size = Annotated[units.Size, Scalar(units.size, "a size such as 150KB", r"^[0-9.]+ ?(B|KB|MB|GB|KiB|MiB|GiB)$")]
Ratio = Annotated[units.Ratio, Scalar(units.ratio, "a ratio such as 1:1", r"^[0-9]+ ?: ?[0-9]+$")]
Percent = Annotated[units.Percent, Scalar(units.percent, "a percentage such as 10%", r"^[0-9.]+ ?%$")]
Amount = Annotated[
    units.Amount,
    Scalar(units.amount, "a number or a percentage such as 10%", r"^[0-9]+(\.[0-9]+)? ?%?$", ("string", "integer")),
]
BfdTimers = Annotated[units.BfdTimers, Scalar(units.bfd, "BFD timers such as 3x900ms", r"^[0-9]+ ?x ?[0-9]+ ?ms$")]
RawTree = Annotated[dict[str, Any] | str, Raw()]
