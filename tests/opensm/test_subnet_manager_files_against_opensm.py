"""Files we write for a subnet manager, given to the real OpenSM: it takes every option and does what is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from ib_topologies import dragonfly, fat_tree
from opensm_bench import Bench, bench, missing
from sm_samples import SMALL, TEMPLATES, managed, manager, tenants, wanted

from intent.catalog.subnet_managers import SubnetManagers
from intent.formats.opensm.conf import read_conf
from intent.formats.opensm.log import LogReading, read_log
from intent.render.opensm.render import render_hosts

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

OPENSM = manager("opensm")
QOS = {"lanes": 4, "levels": {"storage": {"sl": 1, "vl": 1, "high": 128}, "bulk": {"sl": 2, "vl": 2}}}
KEYS = {"ib_m_key": "0x00000000000000a1", "ib_sm_key": "0x00000000000000b2", "ib_sa_key": "0x00000000000000c3"}


def install(lab: Bench, files: Mapping[str, str], **more: str) -> str:
    """Put files into the bench as they are, keys filled in; the options' path."""
    for path, text in files.items():
        filled = re.sub(r"\$secret:(\w+)\$", lambda match: KEYS[match[1]], text)
        extra = "".join(f"{name} {value}\n" for name, value in more.items()) if path.endswith("opensm.conf") else ""
        lab._own(lab.folder / path.rpartition("/")[2], (filled + extra).encode())
    return str(lab.folder / "opensm.conf")


def run(lab: Bench, **fields: Any) -> tuple[str, LogReading, dict[str, str]]:
    """Render, install, one sweep: what it printed, what its log says, the options written."""
    fabric = managed(wanted(**fields), lab.topology)
    text = tenants(lab.topology, service_level=1 if "qos" in fields else None)
    rendered = render_hosts(fabric, OPENSM, text, TEMPLATES, folder=str(lab.folder))
    files = rendered.artifacts[0].body["files"]
    lab.log.unlink(missing_ok=True)
    where = {"log_file": str(lab.log), "dump_files_dir": str(lab.folder)}
    conf = install(lab, files, **where)
    printed = lab.run("opensm", "-o", "-F", conf, check=False).stdout
    written = read_conf((lab.folder / "opensm.conf").read_bytes(), OPENSM)
    assert written.accepted, written.diagnostics
    return printed, read_log(lab.log.read_text(errors="replace")), written.values


@pytest.mark.parametrize("fields", [{}, {"qos": QOS}, {"keys": {}, "routing": "ftree"}, {"congestion_control": True}])
def test_opensm_takes_every_option_as_written(fields: dict[str, Any]) -> None:
    with bench(SMALL) as lab:
        printed, log, values = run(lab, **fields)
        assert log.up and log.dropped == () and log.fallbacks == ()
        assert read_log(printed).skipped == ()
        loaded = dict(re.findall(r"Loading Cached Option:(\w+) = (.*)", printed))
        where_named = ("log_file", "dump_files_dir")
        for name, value in values.items():
            option = OPENSM.options[name]
            if name in loaded:
                shown, meant = loaded[name], value
                same = shown == meant or _number(shown) == _number(meant)
                assert same, f"{name}: written {meant}, taken {shown}"
            elif name not in where_named:
                assert option.default is not None and (
                    value == option.default or _number(value) == _number(option.default)
                ), f"{name} {value} was not taken"
        assert log.engine == fields.get("routing", "updn"), "the engine that routes is the one asked for"


def _number(text: str) -> int | str:
    try:
        return int(text, 0)
    except ValueError:
        return text


def test_qos_reaches_the_ports() -> None:
    with bench(SMALL) as lab:
        run(lab, qos=QOS)
        lids = lab.lids()
        leaf = next(guid for guid in SMALL.switches if guid not in SMALL.roots)
        table = lab.run("smpquery", "sl2vl", str(lids[leaf]), "1").stdout
        assert re.search(r"\|\s*0\|\s*1\|\s*2\|\s*0\|", table), table
        arbitration = lab.run("smpquery", "vlarb", str(lids[leaf]), "1").stdout
        assert "0x80" in arbitration, arbitration


@pytest.mark.parametrize(
    ("line", "as_taken", "told"),
    [
        (b"sweep_on_trap true", "true", False),  # and so FALSE: only TRUE is true
        (b"sweep_on_trap TRUE on", "TRUE on", False),
        (b"log_max_size 010", "8", False),
        (b"log_max_size 9x", None, True),
        (b"sm_sl 259", None, True),
        (b"qos = TRUE", None, False),
    ],
)
def test_what_we_refuse_opensm_takes_for_something_else(line: bytes, as_taken: str | None, told: bool) -> None:
    name = line.split()[0].decode()
    assert not read_conf(line, OPENSM).accepted
    with bench(SMALL) as lab:
        lab.configure(None, qos="FALSE")
        conf = lab.folder / "opensm.conf"
        lab._own(conf, conf.read_bytes() + line + b"\n")
        printed = lab.run("opensm", "-o", "-F", str(conf), check=False).stdout
        taken = dict(re.findall(r"Loading Cached Option:(\w+) = (.*)", printed)).get(name)
        assert taken == as_taken
        assert read_log(printed).skipped == ((name,) if told else ())


@pytest.mark.parametrize(
    ("engine", "design", "fits"),
    [("updn", "dragonfly-plus", False), ("ftree", "dragonfly-plus", False), ("nue", "dragonfly-plus", True)],
)
def test_the_catalog_is_right_about_engines_that_give_up(engine: str, design: str, fits: bool) -> None:
    assert (design not in OPENSM.engines[engine].unfit) is fits
    with bench(dragonfly(groups=3, switches=3, hosts=1)) as lab:
        lab.configure(None, routing_engine=engine)
        log = read_log(lab.once())
        assert log.engine == (engine if fits else "minhop")
        assert bool(log.fallbacks) is not fits


def test_an_adaptive_engine_has_a_stand_in_that_really_routes() -> None:
    """The laboratory cannot run adaptive engines: its stand-in is named by the catalog, and is what routes there."""
    plain = SubnetManagers().plain_engine("ar_updn")
    with bench(fat_tree(leaves=2, spines=2, hosts_per_leaf=2)) as lab:
        roots = lab.folder / "roots"
        lab._own(roots, "".join(f"0x{guid:016x}\n" for guid in lab.topology.roots).encode())
        lab.configure(None, routing_engine="ar_updn", root_guid_file=str(roots))
        assert (read_log(lab.once()).engine, OPENSM.engines.get("ar_updn")) == ("minhop", None)
        lab.configure(None, routing_engine=plain, root_guid_file=str(roots))
        assert read_log(lab.once()).engine == "updn"
