"""Any opensm.conf we accept, the real OpenSM reads to the same values; it writes back what it read (`-F in -c out`)."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.subnet_managers import Option, SubnetManagers
from intent.formats.opensm.conf import read_conf

OPENSM = shutil.which("opensm", path="/usr/sbin:/usr/bin:/sbin:/bin")
pytestmark = pytest.mark.skipif(OPENSM is None, reason="opensm is not installed (apt: opensm)")
MANAGER = SubnetManagers().manager("opensm")
# Told several times, one level each; the program writes each level it knows.
NAMES = sorted(name for name, option in MANAGER.options.items() if not option.repeats and option.default is not None)

# A deprecated option speaks for the one that has taken its place.
DRAWN = [name for name in NAMES if not MANAGER.options[name].instead]

NUMBERS = st.integers(-3, 2**64 + 3) | st.integers(0, 20) | st.sampled_from([255, 256, 65535, 65536, 2**32 - 1, 2**32])
NUMERALS = st.builds(
    lambda value, form: form(value), NUMBERS, st.sampled_from([str, hex, "{:#06x}".format, "0{}".format, "{}x".format])
)
LISTS = st.lists(st.sampled_from(["0", "1", "3", "14", "15", "0:64", "1:128", "15:1", "2:300", "x", ""]), max_size=18)
WORDS = st.sampled_from(
    ["TRUE", "FALSE", "true", "yes", "(null)", "off", "local", "both", "in", "updn", "ftree,minhop", "ar_updn", "/x/y",
     "roots.guid", '"a b"', "'q'", '"a # b"', "a b", "TRUE on", "= TRUE", "0x" + "0" * 64, "#", ""]
)  # fmt: skip
VALUES = NUMERALS | WORDS | LISTS.map(",".join)
NUMBER_KINDS = {"uint8": 2**8, "uint16": 2**16, "uint32": 2**32, "int32": 2**31, "hex64": 2**64, "key64": 2**64}


def fitting(option: Option) -> st.SearchStrategy[str]:
    """Values that are right for an option, or only just wrong."""
    if option.values:
        return st.sampled_from(option.values)
    if option.kind in NUMBER_KINDS:
        least = 0 if option.minimum is None else option.minimum
        most = NUMBER_KINDS[option.kind] - 1 if option.maximum is None else option.maximum
        return st.builds(
            lambda value, form: form(value) if value >= 0 else str(value),
            st.integers(least, most) | st.sampled_from([least, most, most + 1]),
            st.sampled_from([str, hex, "0x{:04X}".format]),
        )
    lists = {"vlarb": ["0:64", "1:128,2:0x10", "0:0"], "sl2vl": [",".join("0123012301230123"), "0,1"]}
    kinds = {
        "boolean": ["TRUE", "FALSE"], "engines": ["updn", "ftree,minhop", "(null)", "torus-2QoS"],
        "path": ["/x/y", "(null)", "'/a b'"], "text": ["a", "a b", '"c d"', "(null)"],
        "mask256": ["0x" + "0" * 60 + "ff10"], "cct": ["1:2,3:4", "(null)"], "cct-entry": ["1:2"],
    }  # fmt: skip
    return st.sampled_from((lists | kinds).get(option.kind, ["0"]))


def line_of(name: str) -> st.SearchStrategy[str]:
    parts = (
        st.sampled_from(["", " ", "\t"]),
        st.just(name),
        st.sampled_from([" ", "\t", "  "]),
        fitting(MANAGER.options[name]),
        st.sampled_from(["", " ", " # why", "#x", "\r"]),
    )
    return st.builds("{}{}{}{}{}".format, *parts)


WILD = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", " ", "\t", "#"]),
    st.sampled_from(DRAWN) | st.sampled_from(["bogus", "qos=TRUE", ""]),
    st.sampled_from([" ", "\t", "  ", "=", ""]),
    VALUES,
    st.sampled_from(["", " ", " # why", "#x", "\r"]),
)
TAME = st.sampled_from(DRAWN).flatmap(line_of)
FILES = st.lists(TAME, min_size=1, max_size=6) | st.lists(TAME | WILD, min_size=1, max_size=3)


def taken(text: str) -> tuple[str, dict[str, str]]:
    """What OpenSM printed about a file, and the options as it writes them back."""
    assert OPENSM is not None
    with tempfile.TemporaryDirectory() as folder:
        into, out = Path(folder) / "in.conf", Path(folder) / "out.conf"
        into.write_bytes(text.encode("latin-1"))
        ran = subprocess.run(
            [OPENSM, "-F", str(into), "-c", str(out)], cwd=folder, capture_output=True, text=True, errors="replace",
            check=False, timeout=30,
        )  # fmt: skip
        lines = [line for line in out.read_text().splitlines() if line and not line.startswith("#")]
        pairs = [(line + " ").split(" ", 1) for line in lines]
        return ran.stdout, {name: value.strip() for name, value in pairs if not MANAGER.options[name].repeats}


def same(option: Option, one: str, other: str) -> bool:
    if one == other:
        return True
    bits = 2**64 - 1 if option.kind in ("hex64", "key64") else 2**32 - 1
    try:
        return int(one, 0) & bits == int(other, 0) & bits  # it writes some unsigned options as signed
    except ValueError:
        return False


@settings(max_examples=300, deadline=None)
@given(FILES)
def test_what_we_accept_opensm_reads_to_the_same_values(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    reading = read_conf(text.encode("latin-1"), MANAGER)
    if not reading.accepted:
        return
    printed, found = taken(text)
    complaints = [line for line in printed.splitlines() if re.search(r"Unrecognized|-E-|Invalid|Warning", line)]
    assert complaints == [], (text, complaints)
    for name, value in found.items():
        option = MANAGER.options[name]
        wanted = reading.values.get(name, option.default or "")
        assert same(option, value, wanted), f"{text!r}: {name} - we read {wanted!r}, OpenSM {value!r}"


@pytest.mark.parametrize("name", NAMES)
def test_each_default_is_the_programs_own(name: str, defaults: dict[str, str]) -> None:
    assert defaults[name] == MANAGER.options[name].default


@pytest.fixture(scope="module")
def defaults() -> dict[str, str]:
    return taken("")[1]


def test_the_catalog_has_every_option_of_the_program(defaults: dict[str, str]) -> None:
    assert set(defaults) == set(NAMES)
