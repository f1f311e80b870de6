"""Single settings of files that are somebody else's: what ConfigParser and our strict reader see afterwards."""

from __future__ import annotations

from configparser import RawConfigParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from intent.catalog.subnet_managers import SubnetManagers
from intent.formats.opensm.conf import read_conf
from intent.formats.opensm.edit import edit_options, read_options
from intent.formats.ufm.gv import edit_gv, read_gv

NVIDIA = SubnetManagers().manager("nvidia")
GV = """\
# UFM's own words
[Server]
rest_port = 8000
password = hunter2
[SubnetManager]
; how nodes are members
default_membership=full
M_Key_Per_Port: False

multi_port_sm = a,
    b
[Sharp]
enable_sharp = true
"""


def parsed(text: str) -> dict[tuple[str, str], str]:
    """Every setting, as ConfigParser reads it."""
    parser = RawConfigParser(strict=False)
    parser.read_string(text)
    return {(section, key): value for section in parser.sections() for key, value in parser[section].items()}


def test_ours_change_and_the_rest_stays_to_the_byte() -> None:
    wanted = {
        ("SubnetManager", "default_membership"): "limited",
        ("SubnetManager", "m_key_per_port"): "true",
        ("SubnetManager", "randomize_sa_key"): "true",
        ("New", "key"): "1",
    }
    edited = edit_gv(GV, wanted)
    expected = (
        GV.replace("default_membership=full", "default_membership=limited")
        .replace("M_Key_Per_Port: False", "M_Key_Per_Port: true")
        .replace("    b\n", "    b\nrandomize_sa_key = true\n")
    )
    assert edited == expected + "[New]\nkey = 1\n"
    assert read_gv(edited, wanted) == wanted
    assert edit_gv(edited, wanted) == edited


def test_values_are_read_as_they_count() -> None:
    assert read_gv(GV, [("SubnetManager", "multi_port_sm")]) == {("SubnetManager", "multi_port_sm"): "a,\nb"}
    assert read_gv(GV, [("SubnetManager", "m_key_per_port"), ("Sharp", "absent")]) == {
        ("SubnetManager", "m_key_per_port"): "false"
    }
    assert edit_gv(GV, {("SubnetManager", "m_key_per_port"): "false"}) == GV, "the same word in other letters"
    assert "    b\n" not in edit_gv(GV, {("SubnetManager", "multi_port_sm"): "c"})
    twice = "[A]\nk = 1\nk = 2\n"
    assert edit_gv(twice, {("A", "k"): "3"}) == "[A]\nk = 3\nk = 3\n"
    assert edit_gv(GV, {}, [("Server", "password")]) == GV.replace("password = hunter2\n", "")
    assert edit_gv("[A]\r\nk = 1\r\n", {("A", "k"): "2", ("A", "l"): "3"}) == "[A]\r\nk = 2\r\nl = 3\r\n"


lines = st.sampled_from(
    [
        "[A]", "[B]", "  [C]", "k = 1", "K=2", "l: x = y", "  m = 3", "    more", "# k = 9", "; l = 9", "", "  ", "n =",
        "\tk = 5", "long key = v", "l = true", "[A] # again",
    ]
)  # fmt: skip
names = st.tuples(st.sampled_from("ABN"), st.sampled_from(["k", "l", "m", "n", "long key", "new"]))


@given(st.lists(lines, max_size=14), st.dictionaries(names, st.sampled_from(["v", "true", "a b"]), max_size=4),
       st.sets(names, max_size=2), st.booleans())  # fmt: skip
@example(["[A]", "\tk = 5", "", "  [C]"], {}, {("A", "k")}, False)
@example(["[A]", "n =", "  [C]"], {}, {("A", "n")}, False)
@example(["[A]", "k = 5", "", "# c", "  ", "  more", ""], {}, {("A", "k")}, True)
@settings(deadline=None)
def test_config_parser_sees_ours_and_nothing_else_changed(
    given_lines: list[str], values: dict[tuple[str, str], str], gone: set[tuple[str, str]], ended: bool
) -> None:
    text = "\n".join(["[First]", *given_lines]) + ("\n" if ended else "")
    try:
        before = parsed(text)
    except Exception:  # what ConfigParser refuses UFM does not start with
        return
    gone -= set(values)
    asked = {*values, *gone}
    assert {key: value.lower() for key, value in read_gv(text, asked).items()} == {
        key: value.lower() for key, value in before.items() if key in asked
    }
    after = parsed(edit_gv(text, values, gone))
    rest = {key: value for key, value in before.items() if key not in asked}
    assert {key: value for key, value in after.items() if key not in values} == rest
    assert {key: after[key].lower() for key in values} == {key: value.lower() for key, value in values.items()}
    assert edit_gv(text, {}) == text


CONF = '# head\nsm_key 0x1 # the old one\n  lmc 0\nlog_file /x\nlmc 1\nqos_sl2vl "1,2"'


def test_options_of_opensm_change_in_place_or_come_at_the_end() -> None:
    edited = edit_options(CONF, {"sm_key": "0x2", "lmc": "2", "sharp_enabled": "2"}, ["log_file"])
    assert edited == '# head\nsm_key 0x2 # the old one\n  lmc 2\nlmc 2\nqos_sl2vl "1,2"\nsharp_enabled 2\n'
    assert read_options(edited, ["sm_key", "lmc", "qos_sl2vl", "qos"]) == {
        "sm_key": "0x2", "lmc": "2", "qos_sl2vl": "1,2",
    }  # fmt: skip
    assert edit_options(CONF, {}) == CONF and edit_options("", {"lmc": "1"}) == "lmc 1\n"
    assert edit_options("lmc 0\r\n", {"lmc": "1", "qos": "TRUE"}) == "lmc 1\r\nqos TRUE\r\n"


options = st.sampled_from(["lmc 0", "lmc 3 # x", "qos TRUE", "\tqos FALSE", "# lmc 7", "", "sweep_interval 10", "lmc"])


@pytest.mark.parametrize("ended", [True, False])
@given(st.lists(options, max_size=10), st.dictionaries(st.sampled_from(["lmc", "qos", "sharp_enabled"]),
                                                       st.sampled_from(["1", "2"])))  # fmt: skip
@settings(deadline=None)
def test_our_strict_reader_sees_ours_and_nothing_else_changed(
    ended: bool, given_lines: list[str], values: dict[str, str]
) -> None:
    text = "\n".join(given_lines) + ("\n" if ended else "")
    before, after = (read_conf(each.encode(), NVIDIA).values for each in (text, edit_options(text, values)))
    assert after == {**before, **values}
    assert read_options(text, before) == before
