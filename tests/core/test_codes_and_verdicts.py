"""Exit codes, verdicts, diagnostics and secret references."""

from __future__ import annotations

import pytest

from intent.core.diagnostic import Diagnostic, Severity, has_errors, in_order
from intent.core.errors import DiagnosticError
from intent.core.exitcode import MEANING, ExitCode, worst
from intent.core.secret import reference, referenced
from intent.core.span import Span
from intent.core.verdict import Verdict, overall


def test_every_exit_code_has_a_meaning() -> None:
    assert set(MEANING) == set(ExitCode)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((), ExitCode.OK),
        ((ExitCode.OK, ExitCode.CHANGES), ExitCode.CHANGES),
        ((ExitCode.CHANGES, ExitCode.FINDINGS), ExitCode.FINDINGS),
        ((ExitCode.FINDINGS, ExitCode.UNKNOWN, ExitCode.CHANGES), ExitCode.UNKNOWN),
        ((ExitCode.UNKNOWN, ExitCode.ERROR), ExitCode.ERROR),
    ],
)
def test_where_several_hold(codes: tuple[ExitCode, ...], expected: ExitCode) -> None:
    assert worst(*codes) == expected


def test_unknown_is_never_green() -> None:
    assert overall([]) is Verdict.UNKNOWN
    assert overall([Verdict.PASS, Verdict.UNKNOWN]) is Verdict.UNKNOWN
    assert overall([Verdict.UNKNOWN, Verdict.FAIL]) is Verdict.FAIL
    assert overall([Verdict.SKIPPED, Verdict.PASS]) is Verdict.PASS
    assert overall([Verdict.SKIPPED]) is Verdict.SKIPPED


def test_findings_are_ordered_and_told_once() -> None:
    late = Diagnostic("X002", "later", Span("a.yaml", 9))
    early = Diagnostic("X001", "earlier", Span("a.yaml", 2), Severity.WARNING)
    assert in_order([late, early, late]) == (early, late)
    assert has_errors([late])
    assert not has_errors([early])


def test_an_error_shows_place_expectation_and_hint() -> None:
    error = DiagnosticError(
        [Diagnostic("X001", "vlan 4095 - expected 1 to 4094", Span("a.yaml", 2, 5), hint="pick another",
                    related=((Span("b.yaml", 1), "first used here"),))]
    )  # fmt: skip
    assert str(error) == (
        "a.yaml:2:5: error X001: vlan 4095 - expected 1 to 4094\n  b.yaml:1:1: first used here\n  hint: pick another"
    )


def test_secret_references() -> None:
    assert referenced(reference("snmp_ro")) == "snmp_ro"
    assert referenced("$6$salt$hash") is None
    assert referenced(7) is None
    with pytest.raises(ValueError, match="secret name"):
        reference("has space")
