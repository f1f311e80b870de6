"""Partition files somebody got wrong: how written, how meant, where we refuse it, what OpenSM does with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What OpenSM does with a file."""

    DROPPED = "drops the whole file: every port is a full member of the default partition"
    MISREAD = "reads something else than was meant, and logs nothing at its default level"
    NO_GROUP = "sets the P_Keys and does not make the multicast group"
    LUCK = "reads it as meant, but only where nothing else changes"


@dataclass(frozen=True, slots=True)
class BadFile:
    """A wrong file.

    Args:
        name: what is wrong with it.
        bad: the file; `{a}`, `{b}`, `{c}` stand for port GUIDs in hexadecimal, `{n}` for the node GUID of `{b}`.
        code: code of our finding.
        place: line and column of it.
        effect: what OpenSM does.
        meant: what the author meant, as a right file; empty where that is the usual one.
    """

    name: str
    bad: bytes | str
    code: str
    place: tuple[int, int]
    effect: Effect
    meant: str = ""

    def data(self, ports: Sequence[int]) -> bytes:
        """The file for these ports."""
        return self.bad if isinstance(self.bad, bytes) else _filled(self.bad, ports)

    def meant_data(self, ports: Sequence[int]) -> bytes:
        """The right file for these ports."""
        return _filled(self.meant or MEANT, ports)


DEFAULT = "Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
MEANT = DEFAULT + "T=0x0012 : {a}=full, {b}=full ;\n"
_LIMITED = DEFAULT + "T=0x0012 : {a}=full, {b}=limited ;\n"
_ONE = DEFAULT + "T=0x0012 : {a}=full ;\n"
_TWO = DEFAULT + "T=0x0012 : {a}=full ;\nU=0x0013 : {b}=full ;\n"
_GROUP = DEFAULT + "T=0x0012, ipoib : {a}=full, {b}=full ;\n"
_WITH_GROUP = DEFAULT + "T=0x0012, ipoib :\n mgid=ff12:401b:8012::16\n {a}=full, {b}=full ;\n"


def _filled(text: str, ports: Sequence[int]) -> bytes:
    words = {name: f"0x{guid:016x}" for name, guid in zip("abc", ports, strict=False)}
    words["n"] = f"0x{ports[1] - 1:016x}"
    words["bare"] = f"{ports[1]:016x}"
    for name, value in words.items():
        text = text.replace("{" + name + "}", value)
    return text.encode()


def _t(members: str) -> str:
    return f"{DEFAULT}T=0x0012 : {members} ;\n"


_D, _M, _G, _L = Effect.DROPPED, Effect.MISREAD, Effect.NO_GROUP, Effect.LUCK

BAD_FILES: tuple[BadFile, ...] = (
    BadFile("CRLF line ends", MEANT.replace("\n", "\r\n"), "P001", (1, 61), _D),
    BadFile("empty file", b"", "P006", (1, 1), _D),
    BadFile("only comments", b"# nothing\n\n# here\n", "P006", (1, 1), _D),
    BadFile("P_Key that is no number", DEFAULT + "T=0xZZ : {a}=full, {b}=full ;\n", "P022", (2, 1), _D),
    BadFile("GUID that is no number", _t("{a}=full, 0xq002=full"), "P030", (2, 37), _D, _ONE),
    BadFile("GUID without 0x", _t("{a}=full, {bare}=full"), "P031", (2, 37), _D),
    BadFile("GUID of zero", _t("{a}=full, {b}=full, 0x0=full"), "P032", (2, 62), _D),
    BadFile("lower-case all", _t("{a}=full, {b}=full, all_cas=limited"), "P030", (2, 62), _D),
    BadFile("host name", _t("{a}=full, node[001-100]"), "P030", (2, 37), _D, _ONE),
    BadFile("plain host name", _t("{a}=full, host0001"), "P030", (2, 37), _D, _ONE),
    BadFile("no ; between two", DEFAULT + "T=0x0012 : {a}=full\nU=0x0013 : {b}=full ;\n", "P011", (3, 1), _D, _TWO),
    BadFile("no ; before A…", DEFAULT + "T=0x0012 : {a}=full\nA=0x0013 : {b}=full ;\n", "P011", (3, 1), _M, _TWO),
    BadFile("no ; before N…", DEFAULT + "T=0x0012 : {a}=full\nN=0x0013 : {b}=full ;\n", "P011", (3, 1), _M, _TWO),
    BadFile("no ; before S…", DEFAULT + "T=0x0012 : {a}=full\nS=0x0013 : {b}=full ;\n", "P011", (3, 1), _M, _TWO),
    BadFile("no colon", DEFAULT + "T=0x0012 {a}=full, {b}=full ;\n", "P010", (2, 1), _D),
    BadFile("definition over two lines", DEFAULT + "T=0x0012,\n ipoib : {a}=full, {b}=full ;\n", "P010", (2, 1), _D),
    BadFile("colon on the next line", DEFAULT + "T=0x0012\n : {a}=full, {b}=full ;\n", "P010", (2, 1), _D),
    BadFile(
        "171 GUIDs on a line",
        DEFAULT + "T=0x0012 : {a}=full, {b}=full,\n" + ",".join(f"0x{n:016x}=full" for n in range(1, 173)) + " ;\n",
        "P005",
        (3, 4094),
        _D,
    ),
    BadFile("long comment", DEFAULT + "# " + "x" * 4100 + "\nT=0x0012 : {a}=full, {b}=full ;\n", "P005", (2, 4094), _D),
    BadFile("; alone on its line", DEFAULT + "T=0x0012 :\n  {a}=full,\n  {b}=full\n;\n", "P012", (5, 1), _D),
    BadFile("two ;", DEFAULT[:-1] + ";\nT=0x0012 : {a}=full, {b}=full ;\n", "P012", (1, 61), _D),
    BadFile("flag behind the colon", _t("defmember=full : {a}, {b}"), "P015", (2, 12), _D),
    BadFile("mark before a comment", "\ufeff# hello\n" + MEANT, "P002", (1, 1), _D),
    BadFile("mark before the text", "\ufeff" + MEANT, "P002", (1, 1), _L),
    BadFile("UTF-16", "\ufeffDefault=0x7fff : ALL=limited ;\n".encode("utf-16-le"), "P002", (1, 1), _D),
    BadFile(
        "mgid and ; on a line", _GROUP[:-2] + "\n mgid=ff12:401b::16 ;\n" + "U=0x13 : {b}=full ;\n", "P037", (3, 2), _D
    ),
    BadFile(
        "mgid that is unicast",
        DEFAULT + "T=0x0012 :\n mgid=fe80::1\n {a}=full, {b}=full ;\n",
        "P036",
        (3, 2),
        _G,
        _WITH_GROUP,
    ),
    BadFile(
        "mgid without the full bit",
        DEFAULT + "T=0x0012, ipoib :\n mgid=ff12:401b:0012::16\n {a}=full, {b}=full ;\n",
        "P038",
        (3, 2),
        _G,
        _WITH_GROUP,
    ),
    BadFile(
        "mgid of another partition",
        DEFAULT + "T=0x0012, ipoib :\n mgid=ff12:401b:8013::16\n {a}=full, {b}=full ;\n",
        "P038",
        (3, 2),
        _G,
        _WITH_GROUP,
    ),
    BadFile(
        "mgid of another MTU",
        DEFAULT + "T=0x0012, ipoib :\n mgid=ff12:401b::16,mtu=2\n {a}=full, {b}=full ;\n",
        "P038",
        (3, 2),
        _G,
        _WITH_GROUP,
    ),
    BadFile(
        "member behind an mgid", DEFAULT + "T=0x0012 :\n mgid=ff12::1, {b}=full\n {a}=full ;\n", "P037", (3, 16), _M
    ),
    BadFile("decimal P_Key", DEFAULT + "T=12 : {a}=full, {b}=full ;\n", "P021", (2, 1), _M),
    BadFile("octal P_Key", DEFAULT + "T=0012 : {a}=full, {b}=full ;\n", "P021", (2, 1), _M),
    BadFile(
        "P_Key with the full bit",
        DEFAULT + "T=0x8012 : {a}=limited ;\n",
        "P023",
        (2, 1),
        _L,
        DEFAULT + "T=0x0012 : {a}=limited ;\n",
    ),
    BadFile("P_Key of 17 bits", DEFAULT + "T=0x10012 : {a}=full, {b}=full ;\n", "P023", (2, 1), _M, DEFAULT),
    BadFile("P_Key of zero", DEFAULT + "T=0x0 : {a}=full, {b}=full ;\n", "P023", (2, 1), _M),
    BadFile("no P_Key", DEFAULT + "Fresh : {a}=full, {b}=full ;\n", "P020", (2, 1), _M),
    BadFile("membership ful1", _t("{a}=full, {b}=ful1"), "P033", (2, 37), _M),
    BadFile("membership FULL", _t("{a}=full, {b}=FULL"), "P033", (2, 37), _M),
    BadFile("membership of nothing", _t("{a}=full, {b}="), "P034", (2, 37), _M, _LIMITED),
    BadFile("beginning of limited", _t("{a}=full, {b}=lim"), "P033", (2, 37), _L, _LIMITED),
    BadFile("beginning of full", _t("{a}=full, {b}=f"), "P033", (2, 37), _L),
    BadFile("no comma between members", _t("{a}=full {b}=full"), "P033", (2, 12), _M),
    BadFile("no comma between bare members", _t("{a} {b}"), "P030", (2, 12), _D),
    BadFile("no-break space", _t("{a}=full, {b}=full\u00a0"), "P004", (2, 60), _M),
    BadFile("form feed", _t("{a}=full, {b}=full\f"), "P003", (2, 60), _M),
    BadFile("zero byte", _t("{a}=full, \0 {b}=full"), "P003", (2, 37), _M),
    BadFile("member A", _t("{a}=full, A"), "P030", (2, 37), _M, _ONE),
    BadFile("member N", _t("{a}=full, {b}=full, N"), "P030", (2, 62), _L),
    BadFile("member without a name", _t("{a}=full, =full"), "P014", (2, 37), _M),
    BadFile("flag typo", DEFAULT + "T=0x0012, ipiob : {a}=full, {b}=full ;\n", "P024", (2, 11), _G, _GROUP),
    BadFile("flag by beginning", DEFAULT + "T=0x0012, def=full : {a}, {b} ;\n", "P024", (2, 11), _L),
    BadFile("defmember typo", DEFAULT + "T=0x0012, defmember=ful1 : {a}, {b} ;\n", "P026", (2, 11), _M),
    BadFile(
        "defmember of nothing",
        DEFAULT + "T=0x0012, defmember= : {a}, {b} ;\n",
        "P026",
        (2, 11),
        _M,
        DEFAULT + "T=0x0012 : {a}, {b} ;\n",
    ),
    BadFile("negative GUID", _t("{a}=full, -1=full"), "P030", (2, 37), _M),
    BadFile("decimal GUID", _t("{a}=full, 0002003100000011=full"), "P031", (2, 37), _M),
    BadFile("GUID of 17 digits", _t("{a}=full, 0x1{bare}=full"), "P032", (2, 37), _M),
    BadFile("two memberships", MEANT + "T=0x0012 : {b}=limited ;\n", "P040", (3, 12), _M),
    BadFile("two memberships in one", _t("{a}=full, {b}=full, {b}=limited"), "P040", (2, 62), _M),
    BadFile("ALL behind SELF", "Default=0x7fff : SELF=full, ALL=limited ;\n", "P043", (1, 18), _M, DEFAULT),
    BadFile("ALL behind a port", _t("{a}=full, {b}=full, ALL=limited"), "P043", (2, 12), _M),
    BadFile(
        "no SELF",
        "Default=0x7fff : ALL=limited, ALL_SWITCHES=full ;\nT=0x0012 : {a}=full, {b}=full ;\n",
        "P044",
        (1, 18),
        _M,
    ),
    BadFile("MTU code 9", DEFAULT + "T=0x0012, ipoib, mtu=9 : {a}=full, {b}=full ;\n", "P025", (2, 18), _G, _GROUP),
    BadFile(
        "MTU in bytes", DEFAULT + "T=0x0012, ipoib, mtu=4096 : {a}=full, {b}=full ;\n", "P025", (2, 18), _G, _GROUP
    ),
    BadFile(
        "rate code 999", DEFAULT + "T=0x0012, ipoib, rate=999 : {a}=full, {b}=full ;\n", "P025", (2, 18), _G, _GROUP
    ),
    BadFile(
        "index 0 claimed twice",
        DEFAULT + "T=0x0012, indx0 : {a}=full, {b}=full ;\nU=0x0013, indx0 : {a}=full ;\n",
        "P049",
        (3, 19),
        _L,
        DEFAULT + "T=0x0012, indx0 : {a}=full, {b}=full ;\nU=0x0013 : {a}=full ;\n",
    ),
)

GOOD_FILES: dict[str, str] = {
    "the usual": MEANT,
    "no default rule": "T=0x12 : {a}=full, {b}=limited ;\n",
    "no ; at the end": DEFAULT + "T=0x12 : {a}=full, {b}=limited",
    "a comma at the end": DEFAULT + "T=0x12 : {a}=full, {b}=limited, ;\n",
    "comments inside": DEFAULT + "T=0x12 : # of tenant T; and\n {a}=full, # , one\n {b}=limited ; # : end\n",
    "name with spaces": DEFAULT + "our first tenant = 0x12 : {a} = full , {b}= limited ;\n",
    "no name": DEFAULT + "=0x12 : {a}=full ; 0x13 : {b}=full ;\n",
    "several on a line": DEFAULT + "T=0x12 : {a}=full ; U=0x13 : {a}=full, {b}=full; V=0x14:{c}=full;\n",
    "no comma at a line's end": DEFAULT + "T=0x12 : {a}=full\n{b}=limited ;\n",
    "tabs": DEFAULT + "\tT\t=\t0x12\t:\n\t\t{a}\t=\tfull,\n\t\t{b}=limited\t;\t\n",
    "default membership": DEFAULT + "T=0x12, defmember=full : {a}, {b}=limited ;\n",
    "nothing said": DEFAULT + "T=0x12 : {a}, {b}=full ;\n",
    "no members": DEFAULT + "T=0x12 : ;\nU=0x13 : {a}=full ;\n",
    "everything": DEFAULT
    + "T=0x12, indx0, ipoib, rate=3, mtu=4, sl=1, scope=2, scope=5, Q_Key=0xb1b, TClass=1, FlowLabel=2 :\n"
    "  mgid=ff12:401b::16,sl=1 # IGMP\n  mgid=ff12::1,Q_Key=0x1234,rate=3,mtu=2\n  {a}=full,\n  {b}=both ;\n",
    "two definitions": DEFAULT + "T=0x12 : {a}=full ;\nT=0x12 : {b}=limited ;\n",
    "keywords": DEFAULT + "T=0x12 : ALL=limited, ALL_CAS=limited, ALL_ROUTERS=full, ALL_SWITCHES=full, SELF=full ;\n",
    "upper-case 0X": DEFAULT + "T=0X12 : 0X1=full, {a}=full ;\n",
    "longest line": DEFAULT + "T=0x12 : {a}=full,\n" + " " * (4093 - 24) + "{b}=full\n ,{c}=limited ;\n",
}


def good(name: str, ports: Sequence[int]) -> bytes:
    """A right file for these ports."""
    return _filled(GOOD_FILES[name], ports)
