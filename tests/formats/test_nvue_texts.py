"""Texts of a tree: YAML that means itself to any reader, commands a shell takes, JSON; equal bytes for equal trees."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from typing import Any

import nvue_trees
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.core.errors import IntentError
from intent.core.tree import leaves
from intent.formats.nvue.emit import command, json_text, natural, nv_set_script, startup_yaml, yaml_text

FULL = nvue_trees.leaf()


def loaded(tree: dict[str, Any]) -> Any:
    document = yaml.safe_load(startup_yaml(tree, model="SN5600", release="5.16.4"))
    return document[1]["set"]


def test_a_full_leaf_comes_back() -> None:
    assert loaded(FULL) == FULL
    assert json.loads(json_text(FULL)) == FULL
    assert yaml.safe_load(yaml_text(FULL)) == FULL


def test_header() -> None:
    (header, _) = yaml.safe_load(startup_yaml(FULL, model="SN5600", release="5.16.4"))
    assert header["header"] == {
        "model": "SN5600",
        "nvue-api-version": "nvue_v1",
        "rev-id": 1.0,
        "version": "Cumulus Linux 5.16.4",
    }


def test_case_d01_a_mac_stays_a_mac() -> None:
    tree = {"system": {"global": {"anycast-mac": "44:38:39:22:01:01"}, "at": "12:30"}, "52:54:00:12:34:56": {}}
    text = startup_yaml(tree, model="SN5600", release="5.16")
    assert "'44:38:39:22:01:01'" in text and "'12:30'" in text
    assert "34715383261" not in text
    assert loaded(tree) == tree


def test_case_d02_leading_zeros_stay_text() -> None:
    tree = {"007": "010", "08": "0809", "0123": "0o17", "0x1F": "1_000", "1e3": "1.5", ".5": "-1"}
    assert loaded(tree) == tree
    assert "'0123': '0o17'" in yaml_text(tree)


def test_case_d04_words_for_booleans_are_quoted() -> None:
    words = ["on", "off", "yes", "no", "NO", "On", "y", "n", "true", "false", "null", "~", "TRUE", "Null", "=", "<<"]
    tree = {word: word for word in words}
    assert loaded(tree) == tree
    assert all(f"'{word}': '{word}'" in yaml_text(tree) for word in words)
    assert "True" not in yaml_text({"a": "on"})


def test_case_d06_no_carriage_return_ever() -> None:
    tree = {"system": {"message": {"pre-login": "one\r\ntwo\r", "post-login": "\ufeffx"}}}
    for text in (startup_yaml(tree, model="x\r", release="5.16\r"), nv_set_script(tree), json_text(tree)):
        assert "\r" not in text
        assert "\ufeff" not in text or text.startswith("nv set")
    assert loaded(tree) == tree
    words = subprocess.run(
        ["bash", "-c", nv_set_script({"a": {"b": "one\r\ntwo"}}).replace("nv set", "printf '%s|'", 1)],
        capture_output=True,
        check=True,
    )
    assert words.stdout == b"a|b|one\r\ntwo|"


def test_equal_trees_give_equal_bytes() -> None:
    def turned(tree: Any) -> Any:
        return {key: turned(tree[key]) for key in reversed(tree)} if isinstance(tree, dict) else tree

    other = turned(FULL)
    assert list(other["interface"]) != list(FULL["interface"])
    assert startup_yaml(other, model="m", release="5.16") == startup_yaml(FULL, model="m", release="5.16")
    assert nv_set_script(other) == nv_set_script(FULL)
    assert json_text(other) == json_text(FULL)


def test_ports_stand_in_the_order_of_the_front_panel() -> None:
    names = [f"swp{n}" for n in range(1, 21)]
    shuffled = [*names[10:], *names[:10]]
    assert sorted(shuffled, key=natural) == names
    lines = nv_set_script({"interface": {name: {} for name in reversed(names)}}).splitlines()
    assert lines == [f"nv set interface {name}" for name in names]


def test_no_anchors_though_subtrees_are_shared() -> None:
    shared = {"state": "enabled"}
    text = yaml_text({"a": {"b": shared, "c": shared}})
    assert "&" not in text and "*" not in text


def test_commands_of_one_path() -> None:
    assert command("set", ("interface", "swp1", "link", "mtu"), 9216) == "nv set interface swp1 link mtu 9216"
    assert command("set", ("interface", "swp1", "link", "state", "up"), {}) == "nv set interface swp1 link state up"
    assert command("unset", ("interface", "swp1")) == "nv unset interface swp1"
    assert (
        command("set", ("a", "description"), "it's; rm -rf $HOME")
        == """nv set a description 'it'"'"'s; rm -rf $HOME'"""
    )
    assert command("set", ("a", "order"), ["tacacs", "local"]) == "nv set a order tacacs,local"


@pytest.mark.parametrize(
    "tree", [{1: {}}, {"a": {True: 1, "b": 2}}, {None: 1}, {"x" * 2000: 1}, {"a": object()}, {"a": float("nan")}]
)
def test_what_cannot_be_written_is_an_error(tree: Any) -> None:
    with pytest.raises(IntentError):
        yaml_text(tree)
    if "x" * 2000 not in tree:
        with pytest.raises(IntentError):
            json_text(tree)
        with pytest.raises(IntentError):
            nv_set_script(tree)


def test_empty_trees() -> None:
    assert loaded({}) == {}
    assert yaml_text({}) == "{}\n"
    assert json_text({}) == "{}\n"
    assert nv_set_script({}) == ""


# -- laws -------------------------------------------------------------------

texts = st.text(max_size=12) | st.sampled_from(
    ["on", "1:30", "010", "- a", "# x", "a: b", "'", '"', " ", "\x85", "\u2028", "😀"]
)
keys = texts | st.sampled_from(["swp1", "swp10", "10.0.0.0/31"])
scalars = texts | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False)
trees = st.dictionaries(
    keys,
    st.recursive(
        scalars | st.lists(scalars, max_size=3), lambda inner: st.dictionaries(keys, inner, max_size=4), max_leaves=15
    ),
    max_size=5,
)


@settings(max_examples=400, deadline=None)
@given(trees)
def test_yaml_means_the_tree(tree: dict[str, Any]) -> None:
    text = startup_yaml(tree, model="m", release="5.16")
    assert yaml.safe_load(text)[1]["set"] == tree
    assert "\r" not in text and text.isascii()


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        keys,
        st.dictionaries(keys, scalars.filter(lambda v: v not in (float("inf"), float("-inf"))), max_size=3),
        max_size=4,
    )
)
def test_json_means_the_tree(tree: dict[str, Any]) -> None:
    assert json.loads(json_text(tree)) == tree


printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x3000, exclude_characters="\x7f"), max_size=10)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(printable, st.dictionaries(printable, printable | st.integers(), max_size=3), max_size=4))
def test_a_shell_reads_the_commands_back(tree: dict[str, Any]) -> None:
    """Split as a POSIX shell does, every line is `nv set`, the path and the value, in order and complete."""
    script = nv_set_script(tree)
    said = [shlex.split(line) for line in script.split("\n")[:-1]]
    wanted = [["nv", "set", *path, *([] if value == {} else [str(value)])] for path, value in leaves(tree)]
    assert sorted(said) == sorted(wanted)


def test_texts_of_a_leaf_of_128_ports_are_fast() -> None:
    for make in (
        lambda: startup_yaml(FULL, model="m", release="5.16"),
        lambda: nv_set_script(FULL),
        lambda: json_text(FULL),
    ):
        make()
        times = []
        for _ in range(10):
            start = time.process_time()
            make()
            times.append(time.process_time() - start)
        assert min(times) < 0.02, "many times the goal: a text has become slow"
