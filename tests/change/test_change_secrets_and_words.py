"""No secret in plan, journal, history, result or events; no vendor's word in the change engine; no heavy import."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_change_devices import Site, artifact, plan_of, run
from hypothesis import given
from hypothesis import strategies as st

import intent.change.plan
from intent.change.control import stamp
from intent.change.drift import find_drift
from intent.change.grouping import groups
from intent.change.history import list_changes, trail
from intent.change.masking import (
    MASK,
    canonical,
    clear_secrets,
    mask_difference,
    mask_differences,
    mask_tree,
    masked_paths,
    masked_text,
)
from intent.change.packing import unpack
from intent.change.planfile import dump_plan
from intent.change.rollback import rollback_plan
from intent.core.differences import Differences
from intent.core.errors import IntentError
from intent.core.tree import ABSENT, Difference, difference, leaves
from intent.core.verdict import Verdict

CANARY = "hunter2-canary"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """One device whose live tree holds secrets in clear: an actor that forgets to mask."""
    site = Site(tmp_path, {"leaf1": {"role": "leaf", "site": "par1"}})
    site.devices["leaf1"].applied = {
        "port": {"p1": {"auth-key": CANARY, "mtu": 1500}},
        "user": {"ada": {"hashed-password": CANARY}, "eve": {"password": CANARY}},
    }
    body = {
        "port": {"p1": {"auth-key": "$secret:bgp$", "mtu": 9216}},
        "user": {"ada": {"hashed-password": "$secret:ada$"}, "root": {"hashed-password": "*"}},
    }
    site.artifacts["leaf1"] = dataclasses.replace(artifact("leaf1", body), owned=(("port",), ("user",)))
    return site


def test_canary_is_nowhere(site: Site, tmp_path: Path) -> None:
    plan = plan_of(site)
    text = dump_plan(plan)
    content = unpack(next(iter(__import__("json").loads(text)["devices"]))["content"], "leaf1")
    events: list[object] = []
    site.bad = {"leaf1": Verdict.FAIL}
    report = find_drift(site.artifacts, site.targets, site.actors, scope=site.scope())
    with site.journal() as journal:
        result = run(site, plan, journal, emit=events.append)
        back = rollback_plan(journal, result.change, site.actors, created_at=stamp(site.clock), settings=plan.strategy)
        said = [
            text,
            content,
            events,
            result,
            report,
            groups(plan),
            list_changes(journal),
            trail(journal, result.change),
        ]
        kept = [journal.state(str(e.data["before"])) for e in journal.entries() if "before" in e.data]
        assert kept[0]["user"]["eve"] == {"password": MASK}
        said += [kept, dump_plan(back), back.notes]
    for thing in said:
        assert CANARY not in repr(thing)
    for file in tmp_path.iterdir():
        assert CANARY.encode() not in file.read_bytes()
    assert {(d.before, d.after) for d in plan.devices[0].differences if "auth-key" in d.path} == {
        (MASK, "$secret:bgp$")
    }


def test_a_secret_in_clear_in_the_intents_tree_stops_the_plan(site: Site) -> None:
    site.want("leaf1", {"port": {"p1": {"auth-key": CANARY}}})
    with pytest.raises(IntentError, match=r"in clear at port.p1.auth-key") as refused:
        plan_of(site)
    assert CANARY not in str(refused.value) + refused.value.hint
    assert site.actor.calls["read"] == 0


trees = st.recursive(
    st.text(max_size=4) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["password", "secret", "mtu", "private-key", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["password", "snmp-secret", "b"]), trees, max_size=3))
def test_masking_is_complete_and_changes_nothing_else(tree: dict[str, object]) -> None:
    masked = mask_tree(tree)
    assert mask_tree(masked) == masked
    assert not clear_secrets(masked)
    hidden = set(masked_paths(masked))
    for (path, old), (same, new) in zip(leaves(tree), leaves(masked), strict=True):
        assert path == same
        assert old == new or path in hidden or isinstance(old, list)


KEYS = st.sampled_from(["password", "snmp-secret", "b", "hashed-password-policy", "API_KEY", 'a"secret', "secret"])


@given(st.dictionaries(KEYS, trees | st.dictionaries(KEYS, trees | st.lists(st.dictionaries(KEYS, trees)))))
def test_what_is_written_at_once_is_what_masking_leaves(tree: dict[str, Any]) -> None:
    assert masked_text(tree).decode() == canonical(mask_tree(tree))


PLACED = st.dictionaries(
    KEYS, trees | st.sampled_from(["$secret:a$", MASK]) | st.dictionaries(KEYS, trees | st.just("$secret:a$"))
)


@given(PLACED, PLACED)
def test_differences_kept_as_parts_are_masked_as_leaf_by_leaf(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = difference(before, after)
    masked = mask_differences(Differences.between(before, after))
    assert list(masked) == [mask_difference(item) for item in found]
    assert clear_secrets(after) == tuple(path for path, value in leaves(after) if clear_secrets({path[-1]: value}))


def test_beside_a_placeholder_stands_no_value() -> None:
    item = mask_difference(Difference(("community", "x"), CANARY, "$secret:snmp$"))
    assert (item.before, item.after) == (MASK, "$secret:snmp$")
    removed = mask_difference(Difference(("user", "x", "hashed-password"), CANARY, ABSENT))
    assert (removed.before, removed.after) == (MASK, ABSENT)
    harmless = Difference(("password-policy", "length"), 8, 12)
    assert mask_difference(harmless) is harmless


def test_no_vendors_word_in_the_change_engine() -> None:
    folder = Path(intent.change.plan.__file__).parent
    words = re.compile(
        r"nvue|cumulus|nvidia|mellanox|\bswp|switchd|\bufm\b|opensm|napalm|nornir|ansible|spectrum", re.I
    )
    found = {
        f"{file.name}:{at}"
        for file in folder.glob("*.py")
        for at, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if words.search(line)
    }
    assert not found


def test_the_change_engine_loads_nothing_heavy() -> None:
    code = (
        "import sys, intent.change.apply, intent.change.rollback, intent.change.drift, intent.change.grouping;"
        "print([m for m in ('napalm','nornir','httpx','ansible_runner','pydantic','yaml','rich') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
