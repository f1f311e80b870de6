"""Hypothesis strategies of partition files: right ones in many layouts, and right ones with one slip."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

_BLANK = st.sampled_from(["", "", " ", "\t", "  "])
_MEMBERSHIP = st.sampled_from(["full", "limited", "both"])
_NAME = st.sampled_from(["T", "tenant_a", "A", "N", "SELF", "ALL", "0x9", "full", "mgid", "our tenant", ""])
_FLAG = st.sampled_from(["ipoib", "mtu=4", "rate=3", "sl=0", "scope=2", "Q_Key=0xb1b", "TClass=1", "FlowLabel=0x10"])
_COMMENT = st.sampled_from(["", "", " # a note", "# ; , : = 0x12", " # tail ;"])
_GROUP = st.sampled_from(["mgid=ff12:401b::16", "mgid=ff12::1,sl=1", "mgid=ff12:601b::2 , Q_Key=0x22"])
_UNKNOWN = 0x0002C903FFFF0001
_SLIPS = ["", ";", ":", ",", "=", "#", "\n", "\r", "0x", "x", "1", " ", "A", "mgid", "f", "\t", "{", "\x00", "é"]


@st.composite
def partitions(draw: st.DrawFn, ports: Sequence[int], pkey: int, index0: bool) -> str:
    """One definition; keywords stand first, so that none undoes a GUID before it."""
    broad = draw(st.lists(st.sampled_from(["ALL", "ALL_CAS"]), max_size=1))
    narrow = draw(st.lists(st.sampled_from(["ALL_SWITCHES", "ALL_ROUTERS", "SELF"]), unique=True))
    guids = draw(st.lists(st.sampled_from([*ports, _UNKNOWN]), unique=True))
    spelled = [f"0x{guid:016x}" if draw(st.booleans()) else f"0x{guid:X}" for guid in guids]
    flags = draw(st.lists(_FLAG, unique_by=lambda flag: flag.split("=")[0], max_size=3))
    flags += ["indx0"] if index0 else []
    default = draw(st.sampled_from(["", "full", "limited", "both"]))
    flags += [f"defmember={default}"] if default else []
    head = [f"{draw(_NAME)}{draw(_BLANK)}={draw(_BLANK)}0x{pkey:04x}", *draw(st.permutations(flags))]
    text = f"{draw(_BLANK)},{draw(_BLANK)}".join(head) + draw(_BLANK) + ":"
    targets = [*broad, *narrow, *spelled]
    members = [target if draw(st.booleans()) else f"{target}{draw(_BLANK)}={draw(_MEMBERSHIP)}" for target in targets]
    groups = draw(st.lists(_GROUP, unique=True, max_size=2))
    lines = [draw(_BLANK) + group + draw(_COMMENT) for group in groups]
    current = text if not lines else ""
    rows = [text, *lines] if lines else []
    for at, member in enumerate(members):
        last = at == len(members) - 1
        current += draw(_BLANK) + member + draw(_BLANK)
        if not last:
            cut = draw(st.sampled_from([",", ",\n", "\n", f",{draw(_COMMENT)}\n"]))
            if cut.endswith("\n"):
                rows.append(current + cut[:-1])
                current = ""
            else:
                current += cut
    if not members and lines:
        current = f"0x{_UNKNOWN:x}"
    return "\n".join([*rows, current]) + ";" + draw(_COMMENT)


@st.composite
def files(draw: st.DrawFn, ports: Sequence[int], *, index0: bool = False) -> bytes:
    """A file our reader must accept; at most one of its partitions is at index 0, if any may."""
    self_full = draw(st.sampled_from(["SELF=full", "SELF = full"]))
    default = f"Default=0x7fff : ALL=limited, ALL_SWITCHES=full, {self_full} ;"
    keys = draw(st.lists(st.sampled_from([0x12, 0x13, 0x7FFE, 0x1]), unique=True, max_size=3))
    parts = [draw(partitions(ports, key, index0 and key == 0x12)) for key in keys]
    parts = parts if parts and draw(st.booleans()) else [default, *parts]
    return ("\n".join(parts) + draw(st.sampled_from(["", "\n", "\n\n# end\n"]))).encode()


@st.composite
def mangled(draw: st.DrawFn, ports: Sequence[int]) -> bytes:
    """A right file in which one or two places were overwritten, cut or filled."""
    text = draw(files(ports)).decode()
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.sampled_from([0, 0, 1, 1, 2, 5]))
        text = text[:at] + draw(st.sampled_from(_SLIPS)) + text[at + removed :]
    return text.encode()
