"""The file of a plan: all an apply needs, and what tampering does to it."""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from fake_change_devices import Site, after, before, plan_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.change import packing, planfile
from intent.change.packing import pack, unpack
from intent.change.planfile import dump_plan, load_plan, read_plan, write_plan
from intent.change.planfile_parts import dump_difference, dump_differences, load_difference, load_differences
from intent.change.reading import Bad
from intent.core.differences import Differences
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import ABSENT, Difference, digest
from tests.core.test_tree_laws import TREES


def test_a_plan_file_holds_all_an_apply_needs(site: Site, tmp_path: Path) -> None:
    site.devices["p1-leaf2"].faults = {"unreachable"}
    plan = plan_of(site)
    file = tmp_path / "plan.json"
    write_plan(file, plan)
    assert file.stat().st_mode & 0o077 == 0
    loaded = read_plan(file)
    assert loaded == plan
    assert dump_plan(loaded) == file.read_text()
    site.devices["p1-leaf2"].faults = set()
    with site.journal() as journal:
        result = run(site, loaded, journal)
    assert site.devices["p1-leaf1"].applied == {**after("p1-leaf1"), "other": {"kept": True}}
    assert result.exit_code is ExitCode.UNKNOWN
    assert site.devices["p1-leaf2"].applied == before()


trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), trees, max_size=4), st.text(max_size=8))
@settings(max_examples=50)
def test_load_is_the_inverse_of_dump(body: dict[str, Any], words: str) -> None:
    site = Site(Path(), {"leaf1": {"role": "leaf", "odd": words}})
    site.want("leaf1", {"port": body})
    plan = dataclasses.replace(plan_of(site), intent_name=words, notes=(words,))
    loaded = load_plan(dump_plan(plan))
    assert loaded == plan
    assert load_plan(dump_plan(plan).encode()).digest == plan.digest


@given(st.lists(st.text(max_size=3), max_size=4), trees | st.just(ABSENT), trees)
def test_differences_survive_json(path: list[str], left: Any, right: Any) -> None:
    item = Difference(tuple(path), left, right)
    assert load_difference(json.loads(json.dumps(dump_difference(item))), "x") == item


@pytest.mark.parametrize(
    "items",
    [
        (Difference((), 1, 2),),
        (Difference(("a",), {"b": 1}, 2), Difference(("c",), 1, ABSENT)),
        (Difference(("a",), 1, 2), Difference(("b", "c"), ABSENT, {})),
        (),
    ],
)
def test_differences_of_any_actor_survive_json(items: tuple[Difference, ...]) -> None:
    read = load_differences(json.loads(json.dumps(dump_differences(items, {"b": {"c": {}}}))), {"b": {"c": {}}}, "x")
    assert tuple(read) == items
    assert len(read) == len(items)


@given(TREES, TREES)
def test_differences_that_lead_to_most_of_a_tree_are_read_from_it(before: dict[str, Any], body: dict[str, Any]) -> None:
    found = Differences.between(before, body)
    dumped = json.loads(json.dumps(dump_differences(found, body)))
    assert load_differences(dumped, body, "x") == found
    assert dump_differences(load_differences(dumped, body, "x"), body) == dumped


def test_a_first_change_is_not_written_beside_the_tree_it_leads_to() -> None:
    body = {"port": {f"p{number}": {"mtu": 9216, "state": "up"} for number in range(8)}}
    found = Differences.between({"port": {"p1": {"mtu": 9216}, "p9": {"mtu": 1500}}}, body)
    assert dump_differences(found, body) == {
        "before": {"port": {"p9": {"mtu": 1500}}},
        "has": {"port": {"p1": {"mtu": 9216}}},
    }


def change(text: str, edit: Any, *, resign: bool) -> str:
    document = json.loads(text)
    edit(document)
    if resign:
        document.pop("checksum", None)
        document["checksum"] = digest(document)
    return json.dumps(document)


def edit_content(edit: Any) -> Any:
    def work(document: dict[str, Any]) -> None:
        device = document["devices"][0]
        content = json.loads(zlib.decompress(base64.b64decode(device["content"])))
        edit(content)
        device["content"] = base64.b64encode(zlib.compress(json.dumps(content).encode())).decode()

    return work


def edit_ours(edit: Any) -> Any:
    def work(document: dict[str, Any]) -> None:
        ours = unpack(document["ours"][0], "x")
        edit(ours)
        document["ours"][0] = pack(ours)

    return work


def _set(key: str, value: Any) -> Any:
    return lambda document: document.__setitem__(key, value)


def _device(key: str, value: Any) -> Any:
    return lambda document: document["devices"][0].__setitem__(key, value)


@pytest.mark.parametrize(
    "edit",
    [
        _set("intent", "other"),
        _set("digest", "0"),
        _device("address", "203.0.113.9"),
        _device("state", "unchanged"),
        edit_content(lambda content: content["body"]["port"]["p1"].update(mtu=1)),
        lambda document: document["devices"].pop(),
        lambda document: document["strategy"].update(max_failures=99),
        lambda document: document.pop("checksum"),
    ],
)
def test_any_edit_is_found(site: Site, edit: Any) -> None:
    with pytest.raises(IntentError, match="its checksum does not hold"):
        load_plan(change(dump_plan(plan_of(site)), edit, resign=False))


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (_set("schema_version", 1), "schema_version - expected 3, actual '1'"),
        (_set("kind", "destroy"), "kind - expected apply or rollback"),
        (_set("extra", 1), "unknown field 'extra'"),
        (_set("notes", "x"), "notes - expected a list"),
        (_set("notes", [1]), "notes - expected a list of texts"),
        (_set("devices", {}), "devices - expected a list"),
        (_set("devices", [7]), r"devices\[0\] - expected an object"),
        (_set("digest", "0"), "digest does not follow"),
        (_set("scope", {}), "scope.site - expected it to be there"),
        (lambda d: d["devices"].append(d["devices"][0]), "a device stands in it twice"),
        (lambda d: d["devices"].pop(), "digest does not follow"),
        (lambda d: d["strategy"].update(canary=-1), "canary -1"),
        (lambda d: d["strategy"].update(canary=True), "canary - expected a whole number"),
        (lambda d: d["strategy"].update(soak_s="1"), "soak_s - expected a number"),
        (lambda d: d["strategy"].update(batch_percent=True), "batch_percent - expected a number"),
        (_device("new", 1), "new - expected true or false"),
        (_device("labels", {"a": 1}), "labels.a - expected text"),
        (_device("state", "fine"), "state - expected change or"),
        (_device("state", "unchanged"), "state unchanged with 4 differences"),
        (_device("differences", 0), "differences and origins do not match"),
        (_device("release", "9"), "does not match its digest"),
        (_device("content", "%"), "content is damaged"),
        (_device("content", "AAAA"), "content is damaged"),
        (_device("content", base64.b64encode(zlib.compress(b'{"a":1,"a":2}')).decode()), "stands twice"),
        (_device("content", base64.b64encode(zlib.compress(b"{}")[:-4]).decode()), "cut off"),
        (edit_content(lambda c: c["body"]["port"].update(p1={})), "does not match its digest"),
        (edit_ours(lambda o: o.update(owned="x")), r"ours\[0\].owned - expected a list"),
        (edit_ours(lambda o: o.update(owned=[1])), r"ours\[0\].owned - expected a list of paths"),
        (edit_ours(lambda o: o.update(more=1)), r"ours\[0\] - unknown field 'more'"),
        (edit_ours(lambda o: o.update(replace=True)), "does not match its digest"),
        (_set("ours", ["%"]), r"ours\[0\] - its content is damaged"),
        (_device("ours", 9), "number 9 of 1 is not there"),
        (edit_content(lambda c: c.update(body=[])), "body - expected an object"),
        (edit_content(lambda c: c["origins"]["lines"].__setitem__(0, ["x", 1])), "an origin that cannot be read"),
        (edit_content(lambda c: c["origins"]["of"].__setitem__(0, 99)), r"number 99 of \d is not there"),
        (edit_content(lambda c: c["origins"]["of"].__setitem__(0, -1)), r"number -1 of \d is not there"),
        (edit_content(lambda c: c["origins"]["of"].__setitem__(0, True)), "expected a list of whole numbers"),
        (edit_content(lambda c: c["origins"]["of"].pop()), "differences and origins do not match"),
        (edit_content(lambda c: c.update(differences=[{"path": ["a"]}])), "without a value on either side"),
        (edit_content(lambda c: c.update(differences=7)), "differences - expected an object"),
        (edit_content(lambda c: c["differences"].pop("has")), "differences.after - expected it to be there"),
        (edit_content(lambda c: c["differences"].update(also={})), "unknown field 'also'"),
        (_device("disruptions", 99), "number 99 of 1 is not there"),
        (_set("disruption_sets", [[0, 99]]), "number 99 of 3 is not there"),
        (_set("disruption_sets", [0]), "expected a list of whole numbers"),
        (lambda d: d["disruptions"][0].append("more"), "a disruption that cannot be read"),
    ],
)
def test_a_resigned_but_wrong_plan_is_refused(site: Site, edit: Any, words: str) -> None:
    with pytest.raises(IntentError, match=words) as error:
        load_plan(change(dump_plan(plan_of(site)), edit, resign=True))
    assert "intent plan --out" in error.value.hint


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{",
        b"[" * 200_000,
        b'{"schema_version": NaN}',
        b'{"schema_version": ' + b"9" * 10_000 + b"}",
        b'{"schema_version": 1, "schema_version": 1}',
        b"\x00",
        b"\xef\xbb\xbf{}",
        '{"schema_version": "\\ud800"}',
    ],
)
def test_what_is_no_plan_is_refused(content: str | bytes) -> None:
    with pytest.raises(IntentError, match="not a usable plan"):
        load_plan(content)


def test_a_content_that_grows_without_end_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_BYTES", 10_000)
    bomb = base64.b64encode(zlib.compress(b'"' + b"a" * 1_000_000 + b'"')).decode()
    with pytest.raises(IntentError, match="larger than 10000 bytes"):
        load_plan(change(dump_plan(plan_of(site)), _device("content", bomb), resign=True))
    monkeypatch.setattr(planfile, "MAX_FILE_BYTES", 10)
    with pytest.raises(IntentError, match="too large"):
        load_plan("x" * 11)


def test_files_that_cannot_be_used(site: Site, tmp_path: Path) -> None:
    with pytest.raises(IntentError, match="there is no plan at"):
        read_plan(tmp_path / "none.json")
    with pytest.raises(IntentError, match="cannot be read"):
        read_plan(tmp_path)
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    with pytest.raises(IntentError, match=r"bad.json - not a usable plan"):
        read_plan(bad)
    with pytest.raises(IntentError, match="cannot be written"):
        write_plan(bad / "plan.json", plan_of(site))
    (tmp_path / "folder").mkdir()
    with pytest.raises(IntentError, match="cannot be written"):
        write_plan(tmp_path / "folder", plan_of(site))
    assert sorted(item.name for item in tmp_path.iterdir()) == ["bad.json", "folder"]


def test_load_difference_refuses_strangers() -> None:
    with pytest.raises(Bad, match="unknown field"):
        load_difference({"path": [], "before": 1, "why": 2}, "x")
