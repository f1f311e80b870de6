"""Case D23: names of neighbours are found without domain and case, otherwise exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.verify.names import Directory, normal_mac


@pytest.mark.parametrize(
    ("seen", "device"),
    [
        ("leaf1", "leaf1"),
        ("LEAF1.Example.NET", "leaf1"),
        ("leaf10", "leaf10"),
        ("leaf10.example.net", "leaf10"),
        ("leaf", None),
        ("leaf100", None),
        ("dc1.leaf", "dc1.leaf"),
        ("dc1.leaf.example.net", "dc1.leaf"),
        ("dc1", "dc1"),
        ("dc1.example.net", "dc1"),
        ("dc2", None),  # the plan holds dc2.leaf and dc2.spine
        ("core9", "core9.example.net"),
        ("", None),
        (".", None),
    ],
)
def test_names(seen: str, device: str | None) -> None:
    directory = Directory(["leaf1", "leaf10", "dc1", "dc1.leaf", "dc2.leaf", "dc2.spine", "core9.example.net"])
    assert directory.find(seen) == device


label = st.text("abcdefgh0123456789-", min_size=1, max_size=8)


@given(st.sets(label, min_size=1, max_size=20), st.lists(label, max_size=3))
def test_every_name_is_found_in_any_case_and_domain(names: set[str], domain: list[str]) -> None:
    directory = Directory(names)
    for name in names:
        assert directory.find(".".join([name.upper(), *domain])) == name


@pytest.mark.parametrize(
    "text", ["44:38:39:00:00:0a", "44-38-39-00-00-0A", "4438.3900.000a", " 44383900000A ", "44:38:39:0:0:a"]
)
def test_a_mac_in_every_form(text: str) -> None:
    assert normal_mac(text) == "44383900000a"


@pytest.mark.parametrize("text", ["", "swp1s0", "44:38:39:00:00", "44:38:39:00:00:01:02", "zz:38:39:00:00:01"])
def test_what_is_no_mac(text: str) -> None:
    assert normal_mac(text) is None
