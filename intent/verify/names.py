"""Which device of the fabric a neighbour means by the name it sends."""

from __future__ import annotations

from collections.abc import Iterable


class Directory:
    """Names of the fabric's devices, found without domain and case, otherwise exactly.

    `spine01.example.net` and `SPINE01` mean `spine01`; `leaf1` never means `leaf10`; where the fabric holds both
    `dc1` and `dc1.leaf`, the longer name wins.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        self._short: dict[str, set[str]] = {}
        for name in names:
            folded = name.casefold()
            self._names[folded] = name
            parts = folded.split(".")
            for end in range(1, len(parts)):
                self._short.setdefault(".".join(parts[:end]), set()).add(name)

    def find(self, seen: str) -> str | None:
        """The device a neighbour's system name means; None when it means none, or more than one."""
        parts = seen.strip().rstrip(".").casefold().split(".")
        for end in range(len(parts), 0, -1):
            known = self._names.get(".".join(parts[:end]))
            if known is not None:
                return known
        planned_with_domain = self._short.get(".".join(parts), set())
        return next(iter(planned_with_domain)) if len(planned_with_domain) == 1 else None


def normal_mac(text: str) -> str | None:
    """A MAC address as twelve lower-case digits, in whichever form it came; None when the text is no MAC address."""
    from netaddr import EUI, mac_bare, valid_mac

    stripped = text.strip()
    return str(EUI(stripped, dialect=mac_bare)).lower() if valid_mac(stripped) else None
