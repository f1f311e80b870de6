"""D01 to D04 and D06: what users of such tools have reported about reading input."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from intent.core.errors import DiagnosticError
from intent.schema.decode import decode
from intent.schema.loader import Loaded, load

HEAD = "version: 1\nname: a\nsites:\n  s:\n"


def loaded(body: str) -> Loaded:
    return load({"intent.yaml": HEAD + body})


@pytest.mark.parametrize("text", ["44:38:39:22:01:01", "52:54:00:12:34:56", "12:30", "1e3", "0x8001", "2026-11-30"])
def test_D01_a_text_that_yaml_takes_for_a_number_stays_as_written(text: str) -> None:
    result = loaded(f"    overrides: {{'*': {{system: {{anycast-mac: {text}}}}}}}\n    region: {text}\n")
    assert result.document is not None
    assert result.document.sites["s"].overrides["*"] == {"system": {"anycast-mac": text}}
    assert result.document.sites["s"].region == text


def test_D01_a_mac_where_a_number_belongs_is_refused_as_written() -> None:
    result = loaded(
        "    fabrics: {e: {topology: {planes: 44:38:39:22:01:01, leaf: x, spine: x}, attach: {nodes: n}}}\n"
    )
    (finding,) = result.diagnostics
    assert "got '44:38:39:22:01:01'" in finding.message
    assert "34715383261" not in str(finding)


@pytest.mark.parametrize(("written", "number"), [("007", 7), ("07", 7), ("08", 8), ("8", 8)])
def test_D02_leading_zeros_are_decimal(written: str, number: int) -> None:
    body = f"    fabrics: {{e: {{topology: {{planes: {written}, leaf: x, spine: x}}, attach: {{nodes: n}}}}}}\n"
    result = loaded(body)
    assert result.document is not None
    assert result.document.sites["s"].fabrics["e"].topology.planes == number


def test_D02_0123_is_123_and_never_83() -> None:
    body = "    fabrics: {e: {topology: {uplinks: 0123, leaf: x, spine: x}, attach: {nodes: n}}}\n"
    result = loaded(body)
    assert result.document is not None
    assert result.document.sites["s"].fabrics["e"].topology.uplinks == 123


def test_D02_names_and_keys_with_leading_zeros_stay_text() -> None:
    result = loaded(
        "    nodes: [{name: 0809, type: t, rack: 010}]\n"
        "    overrides: {'*': {bridge: {domain: {br_default: {vlan: {07: {}, 08: {}, 0123: {}}}}}}}\n"
    )
    assert result.document is not None
    site = result.document.sites["s"]
    assert (site.nodes[0].name, site.nodes[0].rack) == ("0809", "010")
    assert list(site.overrides["*"]["bridge"]["domain"]["br_default"]["vlan"]) == ["07", "08", "0123"]


def test_D03_a_key_given_twice_shows_both_places_at_any_depth() -> None:
    result = loaded(
        "    fabrics:\n      e:\n        topology:\n          leaf: x\n          spine: x\n          leaf: y\n"
    )
    finding = next(item for item in result.diagnostics if item.code == "S008")
    assert str(finding.span) == "intent.yaml:10:11"
    assert [str(span) for span, _ in finding.related] == ["intent.yaml:8:11"]
    assert result.document is None


def test_D03_in_a_raw_tree_and_in_a_list() -> None:
    result = loaded("    overrides: {'*': {a: [{b: 1, b: 2}]}}\n")
    assert [item.code for item in result.diagnostics] == ["S008"]


def test_D03_the_merge_key_still_works_and_the_own_key_wins() -> None:
    result = loaded(
        "    overrides:\n"
        "      one: &one {a: 1, b: 2}\n"
        "      two: &two {c: 3}\n"
        "      three: {<<: [*one, *two], b: 9}\n"
        "      four:\n        <<: *one\n        a: 7\n"
    )
    assert result.document is not None
    overrides = result.document.sites["s"].overrides
    assert overrides["three"] == {"a": "1", "b": "9", "c": "3"}
    assert overrides["four"] == {"a": "7", "b": "2"}


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "on", "On", "ON", "yes", "Yes", '"on"'])
def test_D04_a_boolean_takes_the_words_people_use(word: str) -> None:
    result = loaded(f"    manage: {{replace: {word}}}\n")
    assert result.document is not None
    assert result.document.sites["s"].manage.replace is True


@pytest.mark.parametrize("word", ["false", "off", "OFF", "no", "No"])
def test_D04_and_their_opposites(word: str) -> None:
    result = loaded(f"    manage: {{replace: {word}}}\n")
    assert result.document is not None
    assert result.document.sites["s"].manage.replace is False


@pytest.mark.parametrize("word", ["NO", "no", "on", "off", "yes", "y", "true", "010", "1.10"])
def test_D04_a_text_is_what_was_written(word: str) -> None:
    result = load({"intent.yaml": f"version: 1\nname: a\nsites: {{{word}: {{region: {word}}}}}\n"})
    assert result.document is not None
    assert result.document.sites[word].region == word


@pytest.mark.parametrize("word", ["1", "t", "enable", "2"])
def test_D04_a_boolean_refuses_other_words(word: str) -> None:
    (finding,) = loaded(f"    manage: {{replace: {word}}}\n").diagnostics
    assert f"expected true or false (or on, off, yes, no), got '{word}'" in finding.message


BODY = (
    HEAD
    + '    management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}\n    region: "eu"\n'
    + '    overrides:\n      "*":\n        motd: |\n          one\n          two\n'
)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_D06_line_ends_and_byte_order_mark_change_nothing(mark: bytes, end: str) -> None:
    plain = load({"intent.yaml": BODY})
    data = mark + BODY.replace("\n", end).encode()
    result = load({"intent.yaml": decode(data, "intent.yaml")})
    assert result == plain
    assert load({"intent.yaml": data.decode("utf-8")}) == plain
    assert result.document is not None
    assert "\r" not in repr(result.document)
    management = result.document.sites["s"].management
    assert management is not None
    assert management.gateway == IPv4Address("10.1.0.1")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_D06_utf_16_is_a_clear_error(encoding: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        decode(BODY.encode(encoding), "intent.yaml")
    (finding,) = caught.value.diagnostics
    assert "UTF-" in finding.message
    assert finding.hint == "save intent.yaml as UTF-8"


def test_D06_a_carriage_return_in_quotes_never_reaches_a_value() -> None:
    (finding,) = loaded('    overrides: {"*": {motd: "a\\r\\nb"}}\n').diagnostics
    assert finding.code == "S026"


@pytest.mark.parametrize("text", ["010.0.0.1", "10.1", "10.1.0.0.1", "10.1.0.256", "0x0a.1.0.1", "167772161"])
def test_D07_addresses_that_libraries_guess_at_are_refused(text: str) -> None:
    (finding,) = loaded(f"    management: {{prefix: 10.1.0.0/22, gateway: {text}}}\n").diagnostics
    assert f"got '{text}'" in finding.message


@pytest.mark.parametrize("text", ["10.1.0.1/22", "10.1.0.0", "10.1.0.0/33", "10.1.0.0/255.255.252.0", "010.1.0.0/22"])
def test_D07_prefixes_must_be_whole(text: str) -> None:
    findings = loaded(f"    management: {{prefix: {text}, gateway: 10.1.0.1}}\n").diagnostics
    assert [item.code for item in findings] == ["S024"]
