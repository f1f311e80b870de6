"""Whatever JSON UFM and NMX-M answer: partitions as they are, or one of our own errors. Never a crash, never half."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from intent.catalog.subnet_managers import SubnetManagers
from intent.core.errors import IntentError
from intent.core.tree import digest
from intent.device.nmx.model import live_from
from intent.device.secrets import SecretStore
from intent.device.ufm.partitions import from_answers, state_tree
from intent.device.ufm.session import _calls
from intent.device.ufm.settings import Hidden, shown_by
from intent.device.ufm.subnet import engine_from, unhealthy_from

GUID = "0002c90300000001"
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([10**400, -(10**400), 2**64]), st.floats(),
    st.text(max_size=8), st.sampled_from([GUID, "0x12", "0x8012", "full", "limited", "ID_BASED", "1", "\x1b[2J", ""]),
)  # fmt: skip
keys = st.sampled_from(
    [
        "0x12", "0x8012", "0x7fff", "0xZZ", "guids", "guid", "membership", "index0", "ip_over_ib", "qos_conf",
        "mtu_limit", "rate_limit", "service_level", "partition", "ID", "Name", "Type", "Members", "DomainUUID",
        "LocationInfo", "ChassisID", "SlotID", "HostID", "DeviceID", "PartitionID", "UnhealthyGUID",
        "UnhealthyPortNumber", "Condition", "path", "methods",
    ]
)  # fmt: skip
anything = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip
MEMBER = {"guid": GUID, "membership": "full", "index0": False}
QUALITY = {"mtu_limit": 4, "rate_limit": 100, "service_level": 1}
PARTITION = {"partition": "a", "ip_over_ib": True, "guids": [MEMBER], "qos_conf": QUALITY}
PLACE = {"ChassisID": 1, "SlotID": 1, "HostID": 1}
GPU = {"ID": "g1", "DomainUUID": "d", "LocationInfo": PLACE, "DeviceID": 1}
HELD = {"ID": "p", "Name": "a", "Type": "ID_BASED", "DomainUUID": "d", "Members": ["g1"]}


@st.composite
def bent(draw: st.DrawFn, whole: Any) -> Any:
    """A good answer with one thing in it replaced by anything."""
    made = json.loads(json.dumps(whole))
    node, at = [made], 0
    while isinstance(node[at], dict | list) and node[at] and draw(st.integers(0, 3)):
        node = node[at]
        at = draw(st.sampled_from(sorted(node))) if isinstance(node, dict) else draw(st.integers(0, len(node) - 1))
    if node[at] is made:
        return draw(anything)
    node[at] = draw(anything)
    return made


def held(read: Callable[[], Any]) -> Any:
    """What was read, or None for an error of ours; a message carries little of what came."""
    try:
        return read()
    except IntentError as problem:
        assert problem.message and len(problem.message) < 400
        return None


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(anything, bent({"0x12": PARTITION, "0x13": PARTITION})), st.one_of(anything, bent({"0x12": PARTITION}))
)
def test_partitions_of_a_ufm(members: Any, qualities: Any) -> None:
    found = held(lambda: from_answers(members, qualities))
    if found is not None:
        assert len(found) == len(members), "no partition is left out"
        state = state_tree(found)
        assert digest(state) == digest(json.loads(json.dumps(state, allow_nan=False)))


@settings(max_examples=300, deadline=None)
@given(st.one_of(anything, bent([GPU])), st.one_of(anything, bent([HELD])))
@example([], [{**HELD, "Name": 10**400}])
@example([], [{**HELD, "Members": ["g" * 5000]}])
def test_gpus_and_partitions_of_an_nmx(gpus: Any, partitions: Any) -> None:
    found = held(lambda: live_from(gpus, partitions))
    if found is not None:
        assert len(found.partitions) == len(partitions) and len(found.gpus) == len(gpus), "nothing is left out"


@settings(max_examples=200, deadline=None)
@given(anything)
def test_what_else_is_read(body: Any) -> None:
    held(lambda: unhealthy_from(body))
    held(lambda: engine_from(body))
    assert all(isinstance(part, str) for call in _calls(body) for part in call)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400, -(10**400), True, "4", [4]])
def test_a_figure_nobody_can_mean_is_refused(value: Any) -> None:
    with pytest.raises(IntentError):
        from_answers({"0x12": {**PARTITION, "qos_conf": {**QUALITY, "rate_limit": value}}}, {})


def test_an_answer_that_says_two_things_is_refused() -> None:
    with pytest.raises(IntentError, match="twice"):
        from_answers({"0x12": PARTITION, "0x8012": PARTITION}, {})
    twice = {**PARTITION, "guids": [MEMBER, {**MEMBER, "membership": "limited"}]}
    with pytest.raises(IntentError, match="two kinds"):
        from_answers({"0x12": twice}, {})
    with pytest.raises(IntentError, match="twice"):
        live_from([GPU, {**GPU, "DeviceID": 2}], [])


NVIDIA = SubnetManagers().manager("nvidia")
SMCONF = {"m_key": "0x12345678", "max_wire_smps": 8, "single_thread": False, "vl_stall_count": "0x7"}


@settings(max_examples=300, deadline=None)
@given(st.one_of(anything, bent(SMCONF)))
@example({"m_key": "0x" + "f" * 17})
@example({"m_key": 10**400})
@example({"max_wire_smps": float("inf")})
@example({"vl_stall_count": "x" * 100_000})
def test_settings_of_a_ufm(body: Any) -> None:
    found = held(lambda: shown_by(body, list(SMCONF), NVIDIA, SecretStore(environment={})))
    if found is not None:
        assert set(found) == set(body) & set(SMCONF), "nothing that is asked for is left out, and nothing else kept"
        assert isinstance(found.get("m_key", Hidden(0)), Hidden), "a key is never a text"
        assert "12345678" not in repr(found) and str(0x12345678) not in repr(found)
