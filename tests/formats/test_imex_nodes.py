"""nodes_config.cfg: what is written is read again, and nothing else is taken for a node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.errors import IntentError
from intent.formats.imex import MAX_BYTES, digest, parse, write

usable = st.ip_addresses(v=4).filter(lambda a: not (a.is_multicast or a.is_loopback or a.is_unspecified))


@given(st.sets(usable, min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_what_is_written_is_read_and_the_order_asked_for_does_not_matter(addresses, random) -> None:
    one = [str(address) for address in addresses]
    two = list(one)
    random.shuffle(two)
    text = write(one)
    assert text == write(two) and digest(text) == digest(write(two))
    read = parse(text)
    assert read.findings == () and set(read.addresses) == addresses
    assert "".join(f"{address}\n" for address in read.addresses) == text


def test_addresses_are_in_order_of_number_not_of_letters() -> None:
    assert write(["10.0.0.10", "10.0.0.9"]) == "10.0.0.9\n10.0.0.10\n"
    assert write(["fd00::2", "fd00::1"]) == "fd00::1\nfd00::2\n"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "I004", 1),
        ("10.0.0.1\n\n10.0.0.2\n", "I002", 2),
        ("10.0.0.1\r\n10.0.0.2\r\n", "I001", 1),
        ("10.0.0.1\n# node two\n", "I002", 2),
        ("node01\n", "I002", 1),
        ("10.0.0.1/24\n", "I002", 1),
        (" 10.0.0.1\n", "I002", 1),
        ("10.0.0.1 \n", "I002", 1),
        ("10.0.0.01\n", "I002", 1),
        ("10.0.0.1,10.0.0.2\n", "I002", 1),
        ("10.0.0.1\n10.0.0.2\n10.0.0.1\n", "I003", 3),
        ("10.0.0.1\nfd00::1\n", "I005", 1),
        ("FD00::1\n", "I002", 1),
        ("0.0.0.0\n", "I006", 1),
        ("127.0.0.1\n", "I006", 1),
        ("224.0.0.1\n", "I006", 1),
        (b"\xef\xbb\xbf10.0.0.1\n", "I001", 1),
        (b"10.0.0.1\n\xff\n", "I001", 2),
        ("10.0.0.1\n" * (MAX_BYTES // 9 + 1), "I001", 1),
    ],
)
def test_whatever_is_no_address_is_a_finding_with_its_line(content, code: str, line: int) -> None:
    read = parse(content, "nodes_config.cfg")
    assert read.findings[0].code == code and read.findings[0].span.line == line
    assert read.addresses == ()


@pytest.mark.parametrize(
    "addresses", [[], ["node01"], ["10.0.0.1", "10.0.0.1"], ["10.0.0.1/24"], ["10.0.0.1", "fd00::1"]]
)
def test_nothing_wrong_is_ever_written(addresses: list[str]) -> None:
    with pytest.raises(IntentError):
        write(addresses)


@given(st.binary(max_size=300))
def test_garbage_is_findings_never_an_exception(content: bytes) -> None:
    read = parse(content)
    assert bool(read.findings) != bool(read.addresses)
