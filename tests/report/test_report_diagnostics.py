"""Findings in every format."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import jsonschema
import pytest
from report_samples import HOSTILE

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.report.annotations import fingerprints
from intent.report.diagnostics import Format, render
from intent.report.sarif import FINGERPRINT, Rule, sarif

SOURCE = "version: 1\nsites:\n  par1: {leaf: {model: SN5600X}}\n"
FINDING = Diagnostic(
    "F001",
    "switch model 'SN5600X' is not in the catalog",
    Span("intent.yaml", 3, 24),
    hint="did you mean SN5600?",
    related=((Span("intent.yaml", 2, 1), "the site"),),
    path="sites.par1.leaf.model",
)
WARNING = Diagnostic("L101", "unit.planned is not given", Span("intent.yaml", 2), Severity.WARNING)
REMARK = Diagnostic("L102", "100% of the ports are used", severity=Severity.INFO, device="leaf01")

# The parts of the published SARIF 2.1.0 schema that we write, with its own constraints.
_LOCATION = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "message": {"type": "object", "required": ["text"]},
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "pattern": r"^[A-Za-z0-9%/._~:@!$&'()*+,;=-]+$"}},
                },
                "region": {
                    "type": "object",
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                },
            },
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}, "kind": {"type": "string"}},
            },
        },
    },
    "additionalProperties": False,
}
SARIF_SUBSET = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"type": "object", "required": ["text"]},
                                "locations": {"type": "array", "minItems": 1, "items": _LOCATION},
                                "relatedLocations": {"type": "array", "items": _LOCATION},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def test_human_shows_the_line_with_a_caret_and_the_counts() -> None:
    text = render([WARNING, FINDING, REMARK, FINDING], Format.HUMAN, {"intent.yaml": SOURCE})
    assert text == (
        "leaf01: info L102: 100% of the ports are used\n"
        "intent.yaml:2:1: warning L101: unit.planned is not given\n"
        "     2 | sites:\n"
        "       | ^\n"
        "intent.yaml:3:24: error F001: switch model 'SN5600X' is not in the catalog\n"
        "     3 |   par1: {leaf: {model: SN5600X}}\n"
        "       |                        ^\n"
        "  intent.yaml:2:1: the site\n"
        "     2 | sites:\n"
        "       | ^\n"
        "  hint: did you mean SN5600?\n"
        "1 error, 1 warning, 1 remark\n"
    )


def test_human_without_findings_says_so() -> None:
    assert render([], Format.HUMAN) == "no findings\n"


@pytest.mark.parametrize(
    ("line", "column", "shown"),
    [
        ("\ufeffname: x", 1, "ame"),
        ("\tname: x\r", 2, " name: x"),
        ("木木: SN5600X", 5, "木木: SN5600X"),
        ("x" * 100_000, 50_000, "…xxx"),
        ("short", 999, "short"),
    ],
)
def test_excerpts_of_odd_lines_keep_the_caret_under_the_column(line: str, column: int, shown: str) -> None:
    text = render([Diagnostic("X001", "odd", Span("f", 1, column))], Format.HUMAN, {"f": line})
    rows = text.split("\n")
    assert shown in rows[1]
    assert rows[2].rstrip().endswith("^")
    assert max(len(row) for row in rows) < 200


def test_caret_counts_wide_characters_twice() -> None:
    text = render([Diagnostic("X001", "odd", Span("f", 1, 3))], Format.HUMAN, {"f": "木木x"})
    assert text.split("\n")[2] == "       |     ^"


def test_a_place_outside_the_file_shows_no_excerpt() -> None:
    assert "|" not in render([Diagnostic("X001", "odd", Span("f", 99))], Format.HUMAN, {"f": "a\nb"})


def test_hostile_text_cannot_drive_the_terminal() -> None:
    item = Diagnostic(HOSTILE, HOSTILE, Span(HOSTILE, 1, 3), hint=HOSTILE, device=HOSTILE)
    text = render([item], Format.HUMAN, {HOSTILE: HOSTILE})
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\u202e" not in text


def test_json_has_version_counts_and_spans() -> None:
    found = json.loads(render([FINDING, WARNING], Format.JSON))
    assert found["schema_version"] == 1
    assert found["counts"] == {"error": 1, "warning": 1, "info": 0}
    assert found["diagnostics"][1]["span"] == {"file": "intent.yaml", "line": 3, "column": 24}
    assert found["diagnostics"][1]["related"][0]["message"] == "the site"


def test_sarif_satisfies_the_schema_and_lists_every_rule() -> None:
    rules = [Rule("L101", "planned-units", "Say how far it may grow", "# page"), Rule("L900", "unused")]
    log = json.loads(render([FINDING, WARNING, REMARK], Format.SARIF, rules=rules, version="0.1.0"))
    jsonschema.validate(log, SARIF_SUBSET)
    run = log["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["F001", "L101", "L102", "L900"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    error = next(result for result in run["results"] if result["ruleId"] == "F001")
    region = error["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 24}
    nowhere = next(result for result in run["results"] if result["ruleId"] == "L102")
    assert nowhere["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "intent.yaml"


def test_sarif_of_hostile_names_stays_valid() -> None:
    items = [Diagnostic("X001", HOSTILE, Span(f"{HOSTILE}\udc80/a b#?.yaml", 0, 0)), Diagnostic("X002", "m")]
    jsonschema.validate(json.loads(sarif(items)), SARIF_SUBSET)


def test_fingerprints_follow_rule_and_path_not_the_line() -> None:
    moved = Diagnostic("F001", "another wording", Span("intent.yaml", 80, 2), path=FINDING.path)
    assert fingerprints([FINDING]) == fingerprints([moved])
    assert len(set(fingerprints([FINDING, moved, WARNING, REMARK]))) == 4
    log = json.loads(sarif([FINDING]))
    assert log["runs"][0]["results"][0]["partialFingerprints"] == {FINGERPRINT: fingerprints([FINDING])[0]}


def test_github_annotations_escape_what_would_end_them() -> None:
    item = Diagnostic("F001", "100%\r\nnext ::error::x", Span("a,b:c.yaml", 3, 4), hint="do")
    assert render([item], Format.GITHUB) == (
        "::error file=a%2Cb%3Ac.yaml,line=3,col=4,title=F001::100%25%0D%0Anext ::error::x%0Ahint: do\n"
    )
    assert render([REMARK], Format.GITHUB).startswith("::notice file=intent.yaml,line=1,col=1,title=L102::leaf01: ")


def test_gitlab_report_has_unique_fingerprints_and_known_severities() -> None:
    issues = json.loads(render([FINDING, WARNING, REMARK], Format.GITLAB, root_file="top.yaml"))
    assert [issue["severity"] for issue in issues] == ["info", "minor", "major"]
    assert len({issue["fingerprint"] for issue in issues}) == 3
    assert issues[0]["location"] == {"path": "top.yaml", "lines": {"begin": 1}}
    assert json.loads(render([], Format.GITLAB)) == []


def test_junit_fails_on_errors_and_warnings_and_shows_a_clean_run() -> None:
    root = ElementTree.fromstring(render([FINDING, WARNING, REMARK], Format.JUNIT))
    assert root.attrib == {"name": "intent lint", "tests": "3", "failures": "2", "errors": "0"}
    cases = {case.attrib["classname"]: case for case in root.iter("testcase")}
    assert [cases[code][0].tag for code in ("F001", "L101", "L102")] == ["failure", "failure", "system-out"]
    assert cases["L101"][0].attrib["type"] == "warning"
    (clean,) = ElementTree.fromstring(render([], Format.JUNIT)).iter("testcase")
    assert clean.attrib["name"] == "no findings"
    assert len(clean) == 0
    odd = Diagnostic(HOSTILE, HOSTILE + "\ud800\x00", Span(HOSTILE, 1))
    assert len(list(ElementTree.fromstring(render([odd], Format.JUNIT)).iter("failure"))) == 1
