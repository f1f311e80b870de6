"""Laws of waves: each device once, canary first, never two planes, never beyond a limit, whatever the order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.change.selection import natural
from intent.change.strategy import Strategy
from intent.change.waves import make_waves
from intent.core.errors import IntentError
from intent.device.actor import Target

labels = st.fixed_dictionaries(
    {"role": st.sampled_from(["leaf", "spine"])},
    optional={
        "plane": st.sampled_from(["1", "2", "10"]),
        "rail": st.sampled_from(["1", "2"]),
        "fabric": st.sampled_from(["ew", "ns"]),
        "multihoming_peer": st.sampled_from(["a", "b"]),
    },
)
targets = st.lists(labels, max_size=40).map(
    lambda found: [Target(f"sw{at}", "", "fake", labels=words) for at, words in enumerate(found)]
)
strategies = st.builds(
    Strategy,
    canary=st.integers(0, 4),
    batch_percent=st.floats(0.5, 100),
    batch_devices=st.integers(0, 5),
    max_unavailable=st.dictionaries(
        st.sampled_from(["leaf", "spine", "rail", "multihoming_peer", "nothing"]), st.integers(1, 3)
    ),
)


@given(targets, strategies, st.randoms(use_true_random=False))
def test_laws(items: list[Target], strategy: Strategy, random: object) -> None:
    waves = make_waves(items, strategy)
    by_name = {target.name: target for target in items}
    placed = [name for wave in waves for name in wave.devices]
    assert sorted(placed) == sorted(by_name)
    assert [wave.number for wave in waves] == list(range(1, len(waves) + 1))
    assert [wave.canary for wave in waves] == [at == 0 and strategy.canary > 0 for at in range(len(waves))]
    batch = max(1, int(len(items) * strategy.batch_percent / 100))
    if strategy.batch_devices:
        batch = min(batch, strategy.batch_devices)
    for wave in waves:
        assert 0 < len(wave.devices) <= (strategy.canary if wave.canary else batch)
        words = [by_name[name].labels for name in wave.devices]
        for label in ("plane", "role", "fabric"):
            assert len({word.get(label) for word in words}) == 1
        for key, limit in strategy.max_unavailable.items():
            if key in ("leaf", "spine"):
                assert sum(word["role"] == key for word in words) <= limit
            else:
                assert max(Counter(w[key] for w in words if key in w).values(), default=0) <= limit
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert make_waves(shuffled, strategy) == waves


def test_a_plane_is_finished_before_the_next_and_leaves_come_before_spines() -> None:
    items = [
        Target(f"p{plane}-{role}{index}", "", "fake", labels={"plane": plane, "role": role})
        for plane in ("2", "10", "1")
        for role in ("spine", "leaf")
        for index in (10, 9)
    ]
    waves = make_waves(items, Strategy(canary=1, batch_percent=100))
    assert [str(wave) for wave in waves][:2] == ["wave 1 (canary): plane 1, role leaf", "wave 2: plane 1, role leaf"]
    assert [wave.devices for wave in waves][:4] == [("p1-leaf9",), ("p1-leaf10",), ("p1-spine9",), ("p1-spine10",)]
    assert [wave.domain[2] for wave in waves] == ["1"] * 4 + ["2"] * 3 + ["10"] * 3


def test_a_published_design_goes_in_waves_of_one_plane() -> None:
    items = [
        Target(f"p{p}-{role}{n}", "", "fake", labels={"plane": str(p), "role": role, "fabric": "ew"})
        for p in (1, 2)
        for role, count in (("leaf", 8), ("spine", 4))
        for n in range(1, count + 1)
    ]
    sizes = [len(wave.devices) for wave in make_waves(items, Strategy())]
    assert sizes == [1, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_unavailable": {"plane": 2}}, "two planes never change in one wave"),
        ({"max_unavailable": {"spine": 0}}, "spine: 0"),
        ({"canary": -1}, "canary -1"),
        ({"batch_percent": 0}, "batch 0%"),
        ({"batch_percent": 101}, "batch 101%"),
        ({"batch_devices": -1}, "batch of -1"),
        ({"confirm_s": 0}, "confirm 0"),
        ({"deadline_s": 0}, "deadline 0"),
        ({"soak_s": -1}, "soak -1"),
        ({"checks_s": -1}, "checks -1"),
        ({"max_failures": -1}, "max_failures -1"),
    ],
)
def test_a_strategy_that_makes_no_sense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(IntentError, match=words):
        Strategy(**options)  # type: ignore[arg-type]


def test_natural_order_of_names() -> None:
    assert sorted(["leaf10", "leaf2", "leaf", "2leaf", "leaf02"], key=natural) == [
        "leaf",
        "leaf02",
        "leaf2",
        "leaf10",
        "2leaf",
    ]
