"""Rules of keys that are told in a short way mean what the standard library means."""

from __future__ import annotations

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from intent.formats.nvue.keys import KEY_RULES

_NUMBER = st.integers(0, 299).map(str) | st.sampled_from(["00", "01", "007", "٣", "", " 1", "1 "])
_ADDRESS = st.lists(_NUMBER, min_size=3, max_size=5).map(".".join)
_LENGTH = st.integers(0, 40).map(str) | st.sampled_from(["08", "-1", "255.255.255.0", "", "²", "24\n"])


@given(st.tuples(_ADDRESS, _LENGTH).map("/".join) | st.ip_addresses().map(lambda item: f"{item}/31"))
def test_an_address_with_its_length_is_what_the_standard_library_takes(text: str) -> None:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        taken = False
    else:
        taken = True
    assert (KEY_RULES["ip-interface"](text) == "") is taken
