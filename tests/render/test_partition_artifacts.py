"""What UFM and OpenSM are given for tenants: whole or not at all, accepted by the judges that read it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ib_site import OPENSM, SPINES, UFM, guid, guids_csv, settled, site_text

from intent.catalog.subnet_managers import SubnetManagers
from intent.catalog.ufm import UfmFacts
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import DiagnosticError, IntentError
from intent.device.ufm.partitions import from_tree
from intent.fabric.model import End, Fabric
from intent.fabric.partitions import FabricPartitions, Member, Partition
from intent.formats.partitions.model import Keyword, Membership
from intent.formats.partitions.reader import read
from intent.formats.partitions.tables import EndPort, canaries, pkey_tables
from intent.render.artifact import Artifact
from intent.render.controllers import controllers
from intent.render.opensm.partitions import partitions_conf
from intent.render.templates import Templates
from intent.render.ufm.partitions import ufm_artifact
from intent.resources import search_path
from intent.schema.loader import load
from intent.workspace.infiniband import Held, Settled, controller_artifacts

NOWHERE = Fabric("s", {}, ())
PARTITION = st.builds(
    Partition,
    key=st.integers(1, 0x7FFE),
    name=st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?", fullmatch=True),
    tenant=st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", fullmatch=True),
    fabric=st.just("q"),
    members=st.lists(
        st.builds(
            Member,
            end=st.just(End("n", "p")),
            guid=st.integers(1, 2**64 - 2).map(lambda number: f"{number:016x}"),
            full=st.booleans(),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda member: member.guid,
    ).map(tuple),
    index0=st.just(False),
    ipoib=st.just(True),
    mtu_bytes=st.sampled_from([None, 256, 512, 1024, 2048, 4096]),
    rate_gbps=st.sampled_from([None, 10, 100, 200, 400]),
    service_level=st.none() | st.integers(0, 15),
)
PARTITIONS = st.lists(PARTITION, max_size=5, unique_by=lambda item: item.key).map(
    lambda items: FabricPartitions("q", tuple(sorted(items, key=lambda item: item.key)))
)


def held_of(text: str, result: Settled | None = None) -> Held:
    loaded = load({"intent.yaml": text})
    assert loaded.document
    made = result or settled(text)
    assert made.built.fabric
    site = loaded.document.sites["s"]
    templates = Templates(search_path("templates"))
    held = controller_artifacts(
        site, made.built.fabric, made.partitions, made.built.lock, loaded.sources, lambda: templates
    )
    assert not has_errors(held.diagnostics), [str(item) for item in held.diagnostics]
    return held


def artifacts(text: str, result: Settled | None = None) -> dict[str, Artifact]:
    return dict(held_of(text, result).artifacts)


def findings(text: str) -> list[Diagnostic]:
    """What is said of settings and REST."""
    return [item for item in held_of(text).diagnostics if item.code == "M018"]


# --- UFM


def test_the_tree_is_what_the_actor_takes_and_each_leaf_knows_its_line() -> None:
    text = site_text(
        'tenants:\n  a:\n    nodes: "n{1..2}"\n    partitions:\n'
        "      t: {fabric: q, pkey: 0x0012, ipoib: true, mtu: 4096, rate: 200G, sl: 3, index0: true,\n"
        "        membership: {n1: full, n2: limited}}\n"
    )
    (artifact,) = artifacts(text).values()
    assert (artifact.device, artifact.platform, artifact.model) == ("q-ufm", "ufm", "UFM")
    assert artifact.owned == (("partition",),)
    partition = from_tree(artifact.body, "q")[0x12]
    said = dict(partition.attributes())
    assert said == {"name": "a-t", "ipoib": True, "mtu": 4096, "rate": 200, "service-level": 3}
    assert partition.members[f"0x{guid('n1', 1)}"] == ("full", True)
    assert partition.members[f"0x{guid('n2', 8)}"] == ("limited", True)
    lines = {}
    for leaf in (("ipoib",), ("mtu",), ("name",), ("member", f"0x{guid('n1', 1)}", "membership")):
        origin = artifact.why(("partition", "0x8012", *leaf))
        assert origin is not None
        assert origin.span is not None
        lines[leaf[0]] = origin.span.line
    assert lines == {"ipoib": 12, "mtu": 12, "name": 12, "member": 10}


def test_keys_are_never_sent_to_the_manager_of_another_fabric() -> None:
    (artifact,) = artifacts(site_text()).values()
    with pytest.raises(IntentError, match="is of fabric 'q', this UFM serves 'p'"):
        from_tree(artifact.body, "p")


def test_a_partition_in_part_is_left_alone_and_nothing_else_is() -> None:
    (artifact,) = artifacts(site_text(), settled(guids=guids_csv(["n1", "n3", "n4"]))).values()
    assert list(artifact.body["partition"]) == ["0x8002"]
    assert artifact.excepted == (("partition", "0x8001"),)


def test_what_the_user_takes_out_is_taken_out() -> None:
    text = site_text().replace("    fabrics:", "    manage: {except: [/partition/0x8012, /acl]}\n    fabrics:")
    (artifact,) = artifacts(text).values()
    assert artifact.excepted == (("partition", "0x8012"),)


def test_a_fabric_that_never_had_a_key_of_ours_belongs_to_somebody_else() -> None:
    assert artifacts(site_text("")) == {}
    lock = settled().built.lock
    (artifact,) = artifacts(site_text(""), settled(site_text(""), lock=lock)).values()
    assert artifact.body["partition"] == {}


SAID = "poll: 2s, subnet_prefix: '0xfe80000000000007', keys: {sm_key: {secret: ib_sm}}, options: {max_wire_smps: '16'}"


def test_settings_stand_beside_partitions_where_ufm_is_named_by_its_address_alone() -> None:
    text = site_text(manager=f"{{by: ufm, vip: 10.1.0.20, {SAID}}}")
    (artifact,) = artifacts(text).values()
    assert list(artifact.body["partition"]) == ["0x8001", "0x8002"]
    assert artifact.body["setting"] == {
        "subnet_prefix": "0xfe80000000000007",
        "sm_key": "$secret:ib_sm$",
        "sminfo_polling_timeout": "2000",
        "max_wire_smps": "16",
    }
    names = ("subnet_prefix", "sm_key", "sminfo_polling_timeout", "max_wire_smps")
    assert artifact.owned == (("partition",), *(("setting", name) for name in names))
    for name in names:
        origin = artifact.why(("setting", name))
        assert origin is not None and origin.span is not None and origin.reason == "subnet manager of fabric q"


def test_settings_have_one_way_and_partitions_of_others_stay_theirs() -> None:
    hosts = UFM.replace("by: ufm", f"by: ufm, {SAID}")
    (ufm,) = (item for item in artifacts(site_text(manager=hosts)).values() if item.platform == "ufm")
    assert "setting" not in ufm.body and ufm.owned == (("partition",),)
    assert artifacts(site_text("", manager="{by: ufm, vip: 10.1.0.20}")) == {}
    (alone,) = artifacts(site_text("", manager=f"{{by: ufm, vip: 10.1.0.20, {SAID}}}")).values()
    assert "partition" not in alone.body and {path[0] for path in alone.owned} == {"setting"}


def test_a_setting_can_be_taken_out() -> None:
    text = site_text(manager=f"{{by: ufm, vip: 10.1.0.20, {SAID}}}")
    text = text.replace("    fabrics:", "    manage: {except: [/setting/max_wire_smps]}\n    fabrics:", 1)
    (artifact,) = artifacts(text).values()
    assert artifact.excepted == (("setting", "max_wire_smps"),)


@pytest.mark.parametrize(
    ("manager", "said", "default"),
    [
        ("", "", "allowed, default_membership, hardening, keys.protection, lmc, qos, roots, routing, sweep"),
        (
            "routing: ar_updn, lmc: 1, sharp: true, default_membership: limited, keys: {m_key: {secret: m}}, ",
            "default_membership, keys.protection, lmc, routing, sharp",
            "allowed, hardening, qos, roots, sweep",
        ),
        (
            "hardening: false, allowed: any, qos: {lanes: 4}, options: {sweep_on_trap: 'TRUE', max_wire_smps: '9'}, ",
            "options.sweep_on_trap, qos",
            "default_membership, lmc, roots, routing, sweep",
        ),
        (
            'extension: "# none", topoconfig: true, congestion_control: true, roots: role=spine, sweep: 5s, ',
            "congestion_control, extension, roots, sweep, topoconfig",
            "allowed, default_membership, hardening, keys.protection, lmc, qos, routing",
        ),
    ],
)
def test_what_rest_does_not_take_is_a_finding(manager: str, said: str, default: str) -> None:
    found = findings(site_text(manager=f"{{by: ufm, {manager}vip: 10.1.0.20}}"))
    warned = [f"fabric q: UFM does not take {said} by REST: not written"] if said else []
    assert [item.message for item in found if item.severity is Severity.WARNING] == warned
    (note,) = (item for item in found if item.severity is Severity.INFO)
    assert note.message == f"fabric q: left to their defaults, and not written by REST: {default}"


def test_a_version_that_is_not_known_to_take_settings_takes_none() -> None:
    text = site_text(manager="{by: ufm, vip: 10.1.0.20, poll: 2s}")
    old = text.replace("    fabrics:", "    releases: {ufm: 6.15.6}\n    fabrics:", 1)
    (artifact,) = artifacts(old).values()
    assert "setting" not in artifact.body
    (warned,) = (item for item in findings(old) if item.severity is Severity.WARNING)
    assert warned.message == "fabric q: UFM 6.15.6 does not take poll by REST: not written"
    new = old.replace("6.15.6", "6.23.1")
    assert artifacts(new)["q-ufm"].body["setting"] == {"sminfo_polling_timeout": "2000"}


def test_every_option_that_goes_by_rest_is_one_the_manager_knows() -> None:
    options = SubnetManagers().manager("nvidia").options
    for name, row in UfmFacts().settings.items():
        assert name in options and row.source and options[name].kind not in ("path", "text", "engines")


@pytest.mark.parametrize(
    ("manager", "expected"),
    [
        (
            "{by: ufm, hosts: [{name: u1, address: 10.1.0.21}]}",
            [("q-ufm", "10.1.0.21", "ufm"), ("u1", "10.1.0.21", "ufm-files")],
        ),
        (
            "{by: ufm, vip: 10.1.0.20, hosts: [{name: u1, address: 10.1.0.21}]}",
            [("q-ufm", "10.1.0.20", "ufm"), ("u1", "10.1.0.21", "ufm-files")],
        ),
        ("{by: ufm, vip: 10.1.0.20}", [("q-ufm", "10.1.0.20", "ufm")]),
        (OPENSM, [("o1", "10.1.0.21", "opensm"), ("o2", "10.1.0.22", "opensm")]),
        ("opensm", []),
    ],
)
def test_controllers_of_a_site(manager: str, expected: list[tuple[str, str, str]]) -> None:
    loaded = load({"intent.yaml": site_text(manager=manager)})
    assert loaded.document
    found = controllers("s", loaded.document.sites["s"], loaded.sources)
    assert [(item.name, item.address, item.platform) for item in found.values()] == expected
    assert all(item.labels["fabric"] == "q" and item.span for item in found.values())


@settings(max_examples=60)
@given(PARTITIONS)
def test_whatever_partitions_there_are_the_actor_reads_them_back(fabric: FabricPartitions) -> None:
    loaded = load({"intent.yaml": site_text()})
    assert loaded.document
    controller = controllers("s", loaded.document.sites["s"], loaded.sources)["q-ufm"]
    held = from_tree(ufm_artifact(controller, fabric, loaded.sources).body, "q")
    assert {(key, guid_, kind.membership) for key, item in held.items() for guid_, kind in item.members.items()} == {
        (item.key, f"0x{member.guid}", "full" if member.full else "limited")
        for item in fabric.partitions
        for member in item.members
    }


# --- OpenSM


def test_every_host_gets_the_same_file_and_managers_stay_full() -> None:
    text = site_text(manager=OPENSM)
    made = artifacts(text, settled(text, guids=guids_csv(managers=["o1", "o2"], switches=SPINES)))
    assert list(made) == ["o1", "o2"]
    one, other = (item.body["files"]["/etc/opensm/partitions.conf"] for item in made.values())
    assert one == other
    default, *tenants = read(one.encode()).partitions
    assert [(member.target, member.membership) for member in default.members] == [
        (Keyword.ALL, Membership.LIMITED),
        (Keyword.ALL_SWITCHES, Membership.FULL),
        (int(guid("o1", 1), 16), Membership.FULL),
        (int(guid("o2", 1), 16), Membership.FULL),
        (Keyword.SELF, Membership.FULL),
    ]
    assert [item.name for item in tenants] == ["physics-train", "biology-train"]


def test_no_file_is_written_in_part() -> None:
    text = site_text(manager=OPENSM)
    result = settled(text, guids=guids_csv(["n1", "n3", "n4"]))
    assert artifacts(text, result) == {}
    with pytest.raises(IntentError, match="physics-train is not complete"):
        partitions_conf(result.partitions.fabrics["q"], NOWHERE)


def test_an_mtu_or_rate_without_a_code_is_refused() -> None:
    (partition,) = settled(
        site_text('tenants:\n  a: {nodes: "n1", partitions: {t: {fabric: q, ipoib: true}}}\n')
    ).partitions
    for wrong in (replace(partition, mtu_bytes=1500), replace(partition, rate_gbps=123)):
        with pytest.raises(IntentError, match="OpenSM has no"):
            partitions_conf(FabricPartitions("q", (wrong,)), NOWHERE)


@settings(max_examples=100)
@given(PARTITIONS, st.booleans())
def test_our_grammar_takes_every_file_and_makes_the_compiled_tables_of_it(
    fabric: FabricPartitions, default_full: bool
) -> None:
    fabric = replace(fabric, default_full=default_full)
    try:
        text = partitions_conf(fabric, NOWHERE)
    except DiagnosticError as error:
        pytest.fail(str([str(item) for item in error.diagnostics]))
    reading = read(text.encode())
    assert reading.accepted
    guids = {int(member.guid, 16) for item in fabric.partitions for member in item.members}
    manager = next(number for number in range(1, 2**20) if number not in guids)
    tables = pkey_tables(reading.partitions, [EndPort(number) for number in (*guids, manager)], manager=manager)
    usual = 0xFFFF if default_full else 0x7FFF
    expected: dict[int, set[int]] = {number: {usual} for number in guids}
    for item in fabric.partitions:
        for member in item.members:
            expected[int(member.guid, 16)].add(item.key | (0x8000 if member.full else 0))
    assert {number: set(tables[number].keys) for number in guids} == expected
    assert tables[manager].keys == {0xFFFF}
    assert bool(canaries(tables)) == (bool(guids) and not default_full)


def test_long_names_stay_apart() -> None:
    result = settled(
        site_text(
            'tenants:\n  a-tenant-with-a-very-long-name: {nodes: "n*", partitions: '
            "{training-one: {fabric: q}, training-two: {fabric: q}}}\n"
        )
    )
    text = partitions_conf(result.partitions.fabrics["q"], NOWHERE)
    names = [item.name for item in read(text.encode()).partitions]
    assert len(set(names)) == 3
    assert all(len(name) <= 31 for name in names)
