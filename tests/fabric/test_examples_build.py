"""Every example loads, builds, keeps the laws of a fabric, and has the published counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from infiniband_sites import check_infiniband
from site_builder import catalog, check_fabric, counts

from intent.fabric.build import build_site
from intent.fabric.lock import Lock
from intent.fabric.model import Network
from intent.fabric.policy import profiles
from intent.schema.loader import load

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# Leaves, spines, host links and fabric links of each site.
COUNTS = {
    "b300-spectrum-x/ref1": (16, 8, 1024, 1024),
    "gb200-roce/lab1": (4, 2, 144, 256),
    "gb300-dual-plane/ref2": (32, 12, 1152, 1152),
    "dgx-h100-superpod/ref3": (32, 16, 1020, 1024),
    "gb200-nvl72-superpod/ref4": (32, 24, 578, 576),
    "dragonfly-plus/ref5": (16, 12, 292, 288),
}


def examples() -> list[Path]:
    return sorted(path.parent for path in EXAMPLES.glob("*/intent.yaml"))


@pytest.mark.parametrize("folder", examples(), ids=lambda path: str(path.name))
def test_example(folder: Path) -> None:
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.yaml")}
    loaded = load(texts)
    assert loaded.document, [str(item) for item in loaded.diagnostics]
    assert loaded.diagnostics == ()
    assert loaded.document.sites
    for name, site in loaded.document.sites.items():
        built = build_site(name, site, catalog(), loaded.sources, Lock(name))
        assert built.fabric, [str(item) for item in built.diagnostics]
        assert built.diagnostics == ()
        ethernet, infiniband = (built.fabric.only(network) for network in Network)
        check_fabric(ethernet)
        check_infiniband(infiniband)
        assert len(profiles(loaded.document, ethernet, loaded.sources).by_device) == len(ethernet.switches)
        assert len(ethernet.switches) + len(infiniband.switches) == len(built.fabric.switches)
        key = f"{folder.name}/{name}"
        if key in COUNTS:
            assert counts(built.fabric) == COUNTS[key]


def test_the_examples_with_published_counts_are_there() -> None:
    assert {key.partition("/")[0] for key in COUNTS} <= {folder.name for folder in examples()}
