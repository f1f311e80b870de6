"""The strict reader of opensm.conf: what the manager would skip, cut or misread is a finding with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.catalog.subnet_managers import SubnetManagers
from intent.core.diagnostic import Severity
from intent.core.errors import DiagnosticError, IntentError
from intent.formats.opensm.conf import read_conf, read_conf_strict
from intent.formats.opensm.guids import read_guid_list
from intent.formats.opensm.log import read_log

MANAGERS = SubnetManagers()
OPENSM = MANAGERS.manager("opensm")
NVIDIA = MANAGERS.manager("nvidia")


def codes(text: bytes, *, placeholders: bool = False) -> list[tuple[str, int]]:
    reading = read_conf(text, OPENSM, placeholders=placeholders)
    return [(item.code, item.span.line) for item in reading.diagnostics if item.span]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"bogus 1", "O005"),
        (b"sm_prority 3", "O005"),
        (b"qos=TRUE", "O004"),
        (b"qos = TRUE", "O004"),
        (b"qos true", "O009"),
        (b"qos TRUE on", "O009"),
        (b'log_prefix "a # b"', "O008"),
        (b"qos", "O007"),
        (b"lmc 8", "O009"),
        (b"force_link_speed 8", "O009"),
        (b"long_transaction_timeout 100", "O011"),
        (b"lmc 08", "O009"),
        (b"lmc 3x", "O009"),
        (b"sm_sl 300", "O009"),
        (b"routing_engine ar_updn", "O009"),
        (b"routing_engine updn,mihop", "O009"),
        (b"root_guid_file roots", "O009"),
        (b"qos_sl2vl 0,1,2", "O009"),
        (b"qos_vlarb_high 0:300", "O009"),
        (b"qos_vlarb_low 15:1", "O009"),
        (b"console on", "O009"),
        (b"guid 0x1,0x2", "O009"),
        (b"sm_key $secret:k$", "O009"),
        (b"cc_ca_cong_setting_ccti_min 16 0", "O009"),
        (b"log_prefix a\xffb", "O003"),
        (b"# " + b"x" * 1100, "O002"),
    ],
)
def test_each_wrong_line_is_found_with_its_place(text: bytes, code: str) -> None:
    assert codes(b"sm_priority 3\n" + text + b"\nlog_max_size 4\n") == [(code, 2)]


def test_a_second_value_is_found_and_points_at_the_first() -> None:
    reading = read_conf(b"lmc 0\n\nlmc 1\n", OPENSM)
    assert [(item.code, item.related[0][0].line) for item in reading.diagnostics] == [("O006", 1)]
    assert reading.values == {"lmc": "1"}, "the last line decides, as it does for the manager"
    assert not codes(b"cc_ca_cong_setting_ccti_min 0 0\ncc_ca_cong_setting_ccti_min 1 0\n"), "one for each level"


def test_deprecation_and_line_ends_warn_only() -> None:
    reading = read_conf(b"no_partition_enforcement FALSE\nlmc 0\r\n", OPENSM)
    assert [item.severity for item in reading.diagnostics] == [Severity.WARNING] * 2
    assert reading.accepted and reading.values["lmc"] == "0"


def test_comments_and_quotes() -> None:
    reading = read_conf(b'qos TRUE # on\nlog_prefix "a b"#c\n   # lmc 9\n\t\n', OPENSM)
    assert (reading.diagnostics, reading.values) == ((), {"qos": "TRUE", "log_prefix": "a b"})


def test_a_manager_knows_its_own_options() -> None:
    text = b"allowed_sm_guids 0x1,0x2\nrouting_engine ar_updn\nsa_enhanced_trust_model TRUE\n"
    assert read_conf(text, NVIDIA).accepted
    assert [item.code for item in read_conf(text, OPENSM).diagnostics] == ["O005", "O009", "O005"]


def test_no_finding_repeats_a_key() -> None:
    reading = read_conf(b"sm_key 0x1234567890abcdefgh\nm_key 77777777777777777777777\n", OPENSM)
    assert len(reading.diagnostics) == 2
    assert not [item for item in reading.diagnostics if "1234567890" in str(item) or "7777777" in str(item)]
    assert read_conf(b"sm_key $secret:k$\n", OPENSM, placeholders=True).accepted


def test_strict_reading_raises_everything_at_once() -> None:
    with pytest.raises(DiagnosticError) as caught:
        read_conf_strict(b"bogus 1\nlmc 9\n", OPENSM)
    assert [item.code for item in caught.value.diagnostics] == ["O005", "O009"]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    reading = read_conf(data, OPENSM)
    assert all(item.span and item.span.line >= 1 for item in reading.diagnostics)
    read_guid_list(data)
    read_log(data.decode("latin-1"))


def test_a_huge_file_is_refused() -> None:
    assert codes(b"#" * (5 * 1024 * 1024)) == [("O001", 1)]


def test_lists_of_guids() -> None:
    guids, diagnostics = read_guid_list(b"# roots\n0x0002c903b2000000\n\n0x2\nspine1\n0x2\n0x0\n0x3 # no\n")
    assert guids == (0x2C903B2000000, 2)
    assert [(item.code, item.span.line) for item in diagnostics if item.span] == [
        ("O020", 5),
        ("O022", 6),
        ("O021", 7),
        ("O020", 8),
    ]


def test_the_catalog_knows_what_stands_in_for_an_adaptive_engine() -> None:
    assert (MANAGERS.plain_engine("ar_updn"), MANAGERS.plain_engine("updn")) == ("updn", "updn")
    assert NVIDIA.runs("ar_updn", "xdr") and not NVIDIA.runs("ar_ftree", "xdr") and NVIDIA.runs("ar_ftree", "ndr")
    assert not OPENSM.runs("updn", "ndr")
    with pytest.raises(IntentError, match="not in the catalog"):
        MANAGERS.manager("opnsm")


def test_defaults_of_the_catalog_are_values_its_own_reader_takes() -> None:
    text = "".join(f"{item.name} {item.default}\n" for item in OPENSM.options.values() if item.default is not None)
    assert [item for item in read_conf(text.encode(), OPENSM).diagnostics if item.severity is Severity.ERROR] == []
