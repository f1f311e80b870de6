"""Verdicts for people, JSON and JUnit: unknown is never green."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, check_result, sample_verdicts

from intent.core.verdict import Verdict
from intent.report import verdicts
from intent.report.junit import junit


def test_failures_come_first_and_equal_messages_once() -> None:
    assert verdicts.human(sample_verdicts()).plain == "\n".join(
        [
            "FAIL ports-up (Every cabled port is up): 2 devices",
            "  Port: swp1s0 - down - expected up, actual down  [leaf02, leaf03]",
            "  Port: swp2s0 - down - expected up, actual down  [leaf03]",
            "ERROR roce (Every cabled port is up): 1 device",
            "  Check: roce - broke at roce.py:3  [leaf02]",
            "UNKNOWN ports-up (Every cabled port is up): 1 device",
            "  Observation: links - could not be read - timeout  [leaf04]",
            "SKIPPED roce (Every cabled port is up): 1 device",
            "  no profile  [leaf01]",
            "PASS ports-up: 1 device",
            "4 devices: 1 pass, 2 fail, 1 unknown",
        ]
    )


def test_many_messages_are_counted_not_shown() -> None:
    results = [check_result("leaf01", Verdict.FAIL, *(f"Port: swp{n} - down" for n in range(50)))]
    text = verdicts.human(results, most=5).plain
    assert "and 45 more messages; --format json has all" in text
    assert len(json.loads(verdicts.as_json(results))["results"][0]["messages"]) == 50


def test_nothing_judged_is_not_a_success() -> None:
    assert verdicts.human([]).plain == "nothing was judged"
    assert json.loads(verdicts.as_json([]))["overall"] == "unknown"


def test_json_tells_each_device() -> None:
    found = json.loads(verdicts.as_json(sample_verdicts()))
    assert found["overall"] == "fail"
    assert found["devices"] == {"leaf01": "pass", "leaf02": "fail", "leaf03": "fail", "leaf04": "unknown"}
    assert found["counts"] == {"pass": 1, "fail": 2, "error": 1, "skipped": 1, "unknown": 1}


def test_junit_keeps_unknown_and_skipped_apart() -> None:
    root = ElementTree.fromstring(junit(sample_verdicts(), seconds=2.5))
    assert root.attrib == {"name": "intent verify", "tests": "6", "failures": "2", "errors": "2", "time": "2.500"}
    suites = {suite.attrib["name"]: suite for suite in root}
    links = suites["links.ports-up"]
    assert links.attrib == {"name": "links.ports-up", "tests": "4", "failures": "2", "errors": "1", "skipped": "0"}
    cases = {case.attrib["name"]: case for case in links.findall("testcase")}
    assert [child.tag for child in cases["leaf01"]] == []
    assert [child.tag for child in cases["leaf03"]] == ["failure"]
    assert (cases["leaf03"][0].text or "").count("\n") == 1
    assert cases["leaf03"][0].attrib["message"].endswith("(and 1 more)")
    assert [(child.tag, child.attrib["type"]) for child in cases["leaf04"]] == [("error", "unknown")]
    roce = {case.attrib["name"]: case for case in suites["roce.roce"].findall("testcase")}
    assert roce["leaf01"][0].tag == "skipped"
    assert roce["leaf02"][0].attrib["type"] == "error"


@given(st.sampled_from(list(Verdict)), st.text())
def test_junit_is_well_formed_and_only_a_pass_is_green(verdict: Verdict, text: str) -> None:
    root = ElementTree.fromstring(junit([check_result(text + HOSTILE, verdict, text, check=text + "x")]))
    (case,) = root.iter("testcase")
    assert (len(case) == 0) is (verdict is Verdict.PASS)
    assert len(list(root.iter())) == 5 + len(case)
