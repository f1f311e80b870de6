"""Snapshots come back as they were saved, refuse everything else, and say what was lost."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fabric import good_observations, small_fabric

from intent.core.errors import IntentError
from intent.device.observation import LldpNeighbor, Observation
from intent.verify.snapshot import Change, compare, load, save

GOOD = good_observations(small_fabric())


def test_save_and_load_is_the_identity(tmp_path: Path) -> None:
    path = tmp_path / "before.json"
    partial = Observation("leaf9", "2026-11-30T22:00:00Z", problems={"device": "timeout"})
    save(path, [*GOOD.values(), partial])
    assert load(path) == {**GOOD, "leaf9": partial}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [item.name for item in tmp_path.iterdir()] == ["before.json"]


@settings(max_examples=30, deadline=None)
@given(
    st.builds(
        Observation,
        device=st.text(),
        taken_at=st.text(),
        lldp=st.none()
        | st.dictionaries(
            st.text(),
            st.lists(st.builds(LldpNeighbor, st.text(), st.text(), st.text()), max_size=3).map(tuple),
            max_size=3,
        ),
    )
)
def test_any_text_a_device_sends_survives(tmp_path_factory: pytest.TempPathFactory, observation: Observation) -> None:
    path = tmp_path_factory.mktemp("snapshots") / "any.json"
    save(path, [observation])
    assert load(path) == {observation.device: observation}


def damaged(change: Any) -> str:
    document = {"format": "intent-observations", "version": 1, "observations": [{
        "device": "leaf1", "taken_at": "", "system": None, "links": {"swp1": {
            "name": "swp1", "admin": "up", "oper": "up", "speed_gbps": 400, "mtu": 9216}},
        "lldp": None, "bgp": None, "roce": None, "problems": {}}]}  # fmt: skip
    change(document)
    return json.dumps(document)


def swp1(document: Any) -> Any:
    return document["observations"][0]["links"]["swp1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a snapshot"),
        ("{", "is not a snapshot"),
        ("[]", "no format"),
        ("{}", "no format"),
        ('{"format": "intent-observations", "format": "x"}', "a key stands twice"),
        ("[" * 100_000, "is not a snapshot"),
        (damaged(lambda d: d.update(version=2)), "of version 2, this program reads 1"),
        (damaged(lambda d: d.update(observations=None)), "observations: expected list, found NoneType"),
        (damaged(lambda d: d["observations"].append(7)), r"observations\[1\]: expected dict"),
        (damaged(lambda d: d["observations"].append(d["observations"][0])), "device 'leaf1' twice"),
        (damaged(lambda d: swp1(d).update(mtu="9216")), "links.swp1.mtu: expected int, found str"),
        (damaged(lambda d: swp1(d).update(mtu=True)), "links.swp1.mtu: expected int, found bool"),
        (damaged(lambda d: swp1(d).update(oper=None)), "links.swp1.oper: expected str, found NoneType"),
        (damaged(lambda d: swp1(d).update(colour="red")), "unknown key 'colour'"),
        (damaged(lambda d: swp1(d).pop("mtu")), "missing key 'mtu'"),
    ],
)  # fmt: skip
def test_what_is_no_snapshot_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(IntentError, match=words):
        load(path)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match="cannot read the snapshot"):
        load(tmp_path / "absent.json")
    (tmp_path / "latin.json").write_bytes(b"\xe9\xff")
    with pytest.raises(IntentError, match="is not a snapshot"):
        load(tmp_path / "latin.json")
    with pytest.raises(IntentError, match="cannot write the snapshot"):
        save(tmp_path / "no" / "such.json", [])


def test_equal_observations_differ_in_nothing() -> None:
    assert compare(GOOD, GOOD) == ()


def test_what_a_change_took_away_is_named() -> None:
    leaf1 = GOOD["leaf1"]
    assert leaf1.links is not None and leaf1.bgp is not None and leaf1.lldp is not None
    after = GOOD | {
        "leaf1": replace(
            leaf1,
            links={**leaf1.links, "swp33s0": replace(leaf1.links["swp33s0"], oper="down")},
            bgp=tuple(s if s.neighbor != "swp33s0" else replace(s, state="idle") for s in leaf1.bgp),
            lldp={port: seen for port, seen in leaf1.lldp.items() if port != "swp33s0"},
        )
    }
    found = compare(GOOD, after)
    assert [str(item) for item in found] == [
        "leaf1: links: swp33s0 - lost - before up, after down",
        "leaf1: bgp: default swp33s0 - lost - before established, after idle",
        "leaf1: lldp: swp33s0 spine1 swp1s0 - lost - before seen, after absent",
    ]
    assert {item.change for item in compare(after, GOOD)} == {Change.GAINED}


def test_what_was_read_only_once_is_unknown() -> None:
    blind = {name: item for name, item in GOOD.items() if name != "leaf2"} | {"leaf1": replace(GOOD["leaf1"], bgp=None)}
    found = compare(GOOD, blind)
    assert [(item.device, item.subject, item.change) for item in found] == [
        ("leaf1", "bgp", Change.UNKNOWN), ("leaf2", "device", Change.UNKNOWN),
    ]  # fmt: skip
