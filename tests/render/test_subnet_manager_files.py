"""Files of subnet managers: options, capability, sameness, secrets; for plain OpenSM and for UFM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sm_samples import SMALL, TEMPLATES, managed, manager, tenants, wanted

from intent.core.diagnostic import Severity
from intent.fabric.model import Device, End, Fabric, Link, Network, Port, Role, Tier
from intent.formats.opensm.conf import read_conf_strict
from intent.render.opensm.managed import managed_fabric
from intent.render.opensm.render import Rendered, render_hosts, unlike
from intent.render.opensm.settings import judge
from intent.render.templates import Templates
from intent.render.ufm.files import gv_fragment, judge_extension, opensm_fragment, render_ufm, ufm_settings

OPENSM, NVIDIA = manager("opensm"), manager("nvidia")
CONF = "/etc/opensm/opensm.conf"
QOS = {
    "lanes": 4,
    "levels": {"storage": {"sl": 1, "vl": 1, "high": 128, "low": 64}, "bulk": {"sl": 2, "vl": 2, "low": 32}},
}


def render(**fields: Any) -> Rendered:
    return render_hosts(managed(wanted(**fields)), OPENSM, tenants(), TEMPLATES)


def options(rendered: Rendered, host: int = 0) -> dict[str, str]:
    text = rendered.artifacts[host].body["files"][CONF]
    return read_conf_strict(text.encode(), OPENSM, placeholders=True)


def found(sm: Any, name: str = "opensm", **where: Any) -> dict[str, Severity]:
    """The worst severity of each code."""
    findings = judge(managed(sm, **where), manager(name))
    return {item.code: item.severity for item in sorted(findings, key=lambda item: item.severity is Severity.ERROR)}


def test_two_hosts_get_the_same_files_but_for_guid_and_priority() -> None:
    rendered = render()
    one, two = (artifact.body["files"] for artifact in rendered.artifacts)
    assert set(one) == {CONF, "/etc/opensm/partitions.conf", "/etc/opensm/root_guid.conf"}
    lines = set(one[CONF].splitlines()) ^ set(two[CONF].splitlines())
    assert sorted(line.split()[0] for line in lines) == ["guid", "guid", "sm_priority", "sm_priority"]
    assert unlike({"sm1": one, "sm2": two}) == ()
    older = {**two, "/etc/opensm/partitions.conf": tenants().replace("full", "limited")}
    assert [text.split()[0] for text in unlike({"sm1": one, "sm2": older})] == ["/etc/opensm/partitions.conf"]
    assert unlike({"sm1": one, "sm2": {CONF: two[CONF]}}) != ()


def test_options_follow_from_what_is_written() -> None:
    first, second = options(render(qos=QOS)), options(render(qos=QOS), 1)
    assert (first["sm_priority"], second["sm_priority"]) == ("14", "13")
    assert first["guid"] == f"0x{SMALL.manager_port:016x}"
    assert (first["sm_key"], first["m_key_protection_level"]) == ("$secret:ib_sm_key$", "2")
    assert first["qos_sl2vl"] == "0,1,2" + ",0" * 13
    assert (first["qos_vlarb_high"], first["qos_vlarb_low"]) == ("1:128", "0:64,1:64,2:32")
    assert (first["sminfo_polling_timeout"], first["sweep_interval"]) == ("1000", "10")
    assert options(render(options={"max_wire_smps": "32"}))["max_wire_smps"] == "32"


def test_no_secret_and_no_host_stands_in_a_file() -> None:
    text = render().artifacts[0].body["files"][CONF]
    assert "sm1" not in text and "$secret:ib_m_key$" in text


@pytest.mark.parametrize(
    ("fields", "where", "code", "severity"),
    [
        ({"routing": "ar_updn"}, {}, "M002", Severity.ERROR),
        ({}, {"generation": "ndr"}, "M001", Severity.ERROR),
        ({}, {"generation": "xdr"}, "M001", Severity.ERROR),
        ({}, {"design": "dragonfly-plus"}, "M003", Severity.ERROR),
        ({"sharp": True}, {}, "M004", Severity.ERROR),
        ({"allowed": "hosts"}, {}, "M004", Severity.ERROR),
        ({"allowed": "any"}, {}, "M004", Severity.INFO),
        ({"routing": "dfsssp"}, {}, "M005", Severity.ERROR),
        ({"options": {"bogus": "1"}}, {}, "M008", Severity.ERROR),
        ({"options": {"lmc": "1"}}, {}, "M008", Severity.ERROR),
        ({"options": {"cc_key": "1"}}, {}, "M008", Severity.ERROR),
        ({"options": {"use_mfttop": "yes"}}, {}, "M008", Severity.ERROR),
        ({"congestion_control": True}, {}, "M010", Severity.WARNING),
        ({"keys": {}}, {}, "M011", Severity.WARNING),
    ],
)
def test_what_opensm_does_not_know_is_a_finding(
    fields: dict[str, Any], where: dict[str, str], code: str, severity: Severity
) -> None:
    assert found(wanted(**fields), **where)[code] is severity


def test_nvidias_manager_knows_what_opensm_does_not() -> None:
    sm = wanted(by="ufm", vip="10.0.0.9", sharp=True, congestion_control=True, keys={})
    assert found(sm, "nvidia", generation="ndr") == {}
    assert found(wanted(by="ufm", vip="10.0.0.9", routing="ar_ftree"), "nvidia", generation="xdr")["M002"]
    assert found(wanted(by="ufm", vip="10.0.0.9"), "nvidia", generation="xdr") == {}


def test_a_service_level_without_qos_is_refused() -> None:
    refused = render_hosts(managed(wanted()), OPENSM, tenants(service_level=1), TEMPLATES)
    assert [item.code for item in refused.diagnostics if item.severity is Severity.ERROR] == ["M013"]
    assert refused.artifacts == ()
    good = render_hosts(managed(wanted(qos=QOS)), OPENSM, tenants(service_level=1), TEMPLATES)
    policy = good.artifacts[0].body["files"]["/etc/opensm/qos-policy.conf"]
    assert "    any, pkey 0x0012 : 1\n" in policy


def test_partitions_opensm_would_drop_never_become_a_file() -> None:
    refused = render_hosts(managed(wanted()), OPENSM, tenants().replace(" ;", ""), TEMPLATES)
    assert refused.artifacts == () and any(item.code.startswith("P") for item in refused.diagnostics)


def test_each_file_knows_its_origin() -> None:
    artifact = render().artifacts[0]
    origin = artifact.why(("files", "/etc/opensm/root_guid.conf"))
    assert origin is not None and "root_guid.conf" in origin.reason
    assert (artifact.platform, artifact.owned) == ("opensm", (("files",),))


def test_ufm_hosts_get_single_settings_and_whole_files() -> None:
    sm = wanted(by="ufm", vip="10.0.0.9", keys={"sm_key": {"secret": "ib_sm_key"}})
    fabric = managed(sm, generation="ndr")
    settings = ufm_settings(fabric, NVIDIA, TEMPLATES)
    gv = gv_fragment(settings).splitlines()
    assert gv[0] == "[SubnetManager]"
    assert set(gv[1:4]) == {"default_membership = limited", "randomize_sa_key = true", "m_key_per_port = true"}
    ours = opensm_fragment(settings)
    both = ",".join(f"0x{host.guids[0]}" for host in fabric.hosts)
    assert f"allowed_sm_guids {both}\n" in ours
    for line in ("cc_key_enable 2", "n2n_key_enable 2", "vs_key_enable 2", "sa_enhanced_trust_model TRUE",
                 "sa_etm_max_num_mcgs 128", "sa_etm_max_num_srvcs 32", "sa_etm_max_num_event_subs 32",
                 "max_op_vls 2", "m_key_protection_level 2", "ar_tree_asymmetric_flow 3",
                 "routing_engine ar_updn"):  # fmt: skip
        assert f"{line}\n" in ours
    assert "sm_priority" not in ours and "partition_config_file" not in ours
    assert set(settings.files) == {"/opt/ufm/files/conf/opensm/root_guid.conf"}
    more = wanted(by="ufm", vip="10.0.0.9", keys={"sm_key": {"secret": "ib_sm_key"}}, extension=BACKUP)
    rendered = render_ufm(managed(more, generation="ndr"), NVIDIA, TEMPLATES, topoconfig="0x1,1,0x2,1,Any,Active\n")
    one, two = rendered.artifacts
    assert one.body == two.body and one.platform == "ufm-files"
    assert "/opt/ufm/files/conf/partitions.conf.user_ext" in one.body["files"]
    assert ("gv", "SubnetManager", "default_membership") in one.owned
    assert "/opt/ufm/files/conf/opensm/topoconfig.conf" in one.body["files"]
    assert one.body["gv"]["SubnetManager"]["topoconfig_enabled"] == "true"
    assert {item.code for item in rendered.diagnostics} >= {"M014"}


BACKUP = "backup=0x0200 : 0x0002c90300000001=both ;"


@pytest.mark.parametrize(
    ("extension", "codes"),
    [
        (BACKUP, []),
        ("# none", []),
        ("backup=0x0012 : 0x0002c90300000001=full ;", ["M016"]),
        ("Default=0x7fff : ALL=full ;", ["M016"]),
        ("backup=0x0200 : 0x0002c90300000001=ful ;", ["P033"]),
    ],
)
def test_the_extension_is_judged_like_any_partition_file(extension: str, codes: list[str]) -> None:
    fabric = managed(wanted(by="ufm", vip="10.0.0.9", extension=extension), generation="ndr")
    found = judge_extension(fabric, {0x12: "partition physics-train"})
    assert [item.code for item in found if item.severity is Severity.ERROR] == codes
    assert all("fabric compute: extension: " in item.message for item in found)


def test_a_wrong_extension_is_no_file() -> None:
    for text, count in ((BACKUP, 2), ("# none", 2), (BACKUP.replace("both", "bath"), 0)):
        fabric = managed(wanted(by="ufm", vip="10.0.0.9", extension=text), generation="ndr")
        assert len(render_ufm(fabric, NVIDIA, TEMPLATES).artifacts) == count


def test_only_ufm_has_an_extension_and_a_static_topology() -> None:
    for field in ({"extension": "# none"}, {"topoconfig": True}):
        with pytest.raises(ValidationError, match="only UFM has one"):
            wanted(**field)


def _site(*, guid: str = "0002c903a0000001", root: str = "0002c903b2000000") -> Fabric:
    port = Port("ib1", "1", None, 1, 200, 4, number=1, guid=guid)
    up = Port("1", "1", None, 1, 200, 4, number=1)
    network = Network.INFINIBAND
    devices = {
        "leaf1": Device("leaf1", Role.LEAF, "QM8700", "s", "compute", ports={"1": up}, network=network,
                        generation="hdr"),
        "spine1": Device("spine1", Role.SPINE, "QM8700", "s", "compute", network=network, generation="hdr", guid=root),
        "sm1": Device("sm1", Role.MANAGER, "server", "s", "compute", ports={"ib1": port}, network=network),
    }  # fmt: skip
    link = Link(End("sm1", "ib1"), End("leaf1", "1"), Tier.HOST, 200, "c1", network=network)
    return Fabric("s", devices, (link,))


def test_hosts_and_roots_come_from_the_compiled_fabric() -> None:
    sm = wanted(hosts=[{"name": "sm1", "address": "10.0.0.1"}])
    good, nothing = managed_fabric(_site(), "compute", generation="", design="fat-tree", wanted=sm)
    assert nothing == ()
    assert (good.generation, good.hosts[0].guids, good.roots) == ("hdr", ("0002c903a0000001",), ("0002c903b2000000",))
    _, missing = managed_fabric(_site(guid="", root=""), "compute", generation="", design="fat-tree", wanted=sm)
    assert [item.code for item in missing] == ["M007", "M006"]
    _, other = managed_fabric(_site(), "compute", generation="", design="fat-tree", wanted=wanted(roots="role=core"))
    assert [item.code for item in other] == ["M009", "M012"]


def test_a_template_that_makes_hosts_differ_is_refused(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "templates"
    (tmp_path / "opensm").mkdir()
    text = (folder / "opensm" / "opensm.conf.j2").read_text()
    extra = "{% if sections[0].options[0].value.endswith('51') %}log_max_size 9\n{% endif %}"
    (tmp_path / "opensm" / "opensm.conf.j2").write_text(text + extra)
    refused = render_hosts(managed(wanted()), OPENSM, tenants(), Templates([tmp_path, folder]))
    assert refused.artifacts == ()
    assert [item.code for item in refused.diagnostics if item.severity is Severity.ERROR] == ["M015"]
