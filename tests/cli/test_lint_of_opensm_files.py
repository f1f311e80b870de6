"""`intent lint opensm.conf`: anybody's file of options, of OpenSM or of UFM's manager."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import intent


@pytest.mark.parametrize(
    ("folder", "option", "told", "code"),
    [
        ("", "allowed_sm_guids 0x1", (), 3),
        ("ufm", "allowed_sm_guids 0x1", (), 0),
        ("", "allowed_sm_guids 0x1", ("--as", "ufm-opensm"), 0),
        ("ufm", "congestion_control TRUE", (), 3),
        ("", "qos TRUE", (), 0),
        ("", "qos true", (), 3),
    ],
)
def test_a_file_of_options_is_read_as_its_manager_reads_it(
    tmp_path: Path, folder: str, option: str, told: tuple[str, ...], code: int
) -> None:
    file = tmp_path / folder / "opensm.conf"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# options\n{option}\n")
    said = intent("lint", file, *told)
    assert said.code == code, said.err
    assert ("opensm.conf:2:1: error O0" in said.out.replace("\n", "")) is bool(code)
