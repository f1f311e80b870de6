"""D12: a raw tree that contradicts the split of a cage is told where it stands, each mistake in its own words."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import SMALL, intent, workspace

from intent.core.exitcode import ExitCode
from intent.render.nvue.splits import split_findings

SPLIT = {
    "swp2": {"type": "swp", "link": {"breakout": {"2x": {}}}},
    "swp2s0": {"type": "swp"},
    "swp2s1": {"type": "swp"},
}


def compiled(folder: Path, override: str, release: str = "5.16.4") -> tuple[int, str]:
    text = SMALL + f'    overrides: {{"east-west-s01": {{interface: {override}}}}}\n'
    said = intent("compile", "-C", workspace(folder / "w", text=text, release=release))
    return said.code, said.err + said.out


# The spine's cages 1 and 2 are split 2x by the fabric.
CASES = {
    "R005": ("{swp2s1: {link: {breakout: {2x: {}}}}}", "breakout on swp2s1, a part of swp2 - expected it on the cage"),
    "R006": ("{swp2s3: {link: {mtu: 9216}}}", "swp2s3 does not exist: swp2 is split 2x - expected swp2s0 to swp2s1"),
    "R007": ("{swp2: {ipv4: {address: {10.0.0.1/31: {}}}}}", "ipv4 on swp2, which is split 2x - expected it on a part"),
}


@pytest.mark.parametrize("code", CASES)
def test_d12_three_mistakes_are_three_errors_with_their_place(tmp_path: Path, code: str) -> None:
    override, words = CASES[code]
    exit_code, text = compiled(tmp_path, override)
    flat = " ".join(text.split())
    assert exit_code == ExitCode.ERROR, text
    assert words in flat and code in text
    assert "intent.yaml:17:" in text
    assert [other for other in CASES if other in text] == [code]


def test_d12_a_part_that_is_there_may_be_overridden(tmp_path: Path) -> None:
    code, text = compiled(tmp_path, "{swp2s1: {link: {mtu: 9000}}}")
    assert code == ExitCode.OK, text


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ({}, []),
        ({"swp2s1.100": {"type": "sub"}}, []),
        ({"swp2s2.100": {"type": "sub"}}, ["R006"]),
        ({"swp3s0": {"type": "swp"}}, ["R006"]),
        ({"swp2": {"link": {"breakout": {"4x": {}}}}, "swp2s3": {}}, []),
        ({"swp2": {"link": {"breakout": {"2x": {}}}, "router": {}, "bridge": {}}}, ["R007", "R007"]),
        ({"swp2": {"link": {"breakout": {"1x": {}}}}}, ["R006", "R006"]),
        ({"bond1": {"bond": {}}, "swp9": "nonsense", "eth0": {}}, []),
    ],
)
def test_d12_findings_of_a_tree(more: dict[str, object], codes: list[str]) -> None:
    assert [item.code for item in split_findings({"interface": {**SPLIT, **more}}, "leaf01")] == codes


def test_nothing_is_said_where_there_are_no_interfaces() -> None:
    assert [*split_findings({}, "leaf01"), *split_findings({"interface": 5}, "leaf01")] == []
