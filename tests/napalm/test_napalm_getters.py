"""NAPALM's own driver suite, and the list of what it skips: a skip is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from napalm.base import get_network_driver
from napalm.base.exceptions import ModuleImportError
from napalm.base.test.getters import BaseTestGetters

from napalm_nvue import NVUEDriver

# What NVUE has no source for, or what no user of a fabric asks a driver for.
SKIPPED = {
    "test_get_arp_table",
    "test_get_arp_table_with_vrf",
    "test_get_bgp_config",
    "test_get_bgp_neighbors_detail",
    "test_get_firewall_policies",
    "test_get_ipv6_neighbors_table",
    "test_get_ntp_peers",
    "test_get_ntp_stats",
    "test_get_optics",
    "test_get_probes_config",
    "test_get_probes_results",
    "test_get_route_to",
    "test_get_route_to_longer",
    "test_get_snmp_information",
    "test_ping",
    "test_traceroute",
}
METHODS = {
    "test_get_arp_table_with_vrf": "get_arp_table",
    "test_get_route_to_longer": "get_route_to",
    "test_get_config_filtered": "get_config",
    "test_get_config_sanitized": "get_config",
    "test_get_config_sanitized_filtered": "get_config",
}


@pytest.mark.usefixtures("set_device_parameters")
class TestGetters(BaseTestGetters):
    """Every test of NAPALM's suite runs; those of `SKIPPED` skip themselves."""


def test_what_is_skipped_is_exactly_what_is_not_implemented() -> None:
    tests = {name for name in dir(BaseTestGetters) if name.startswith("test_")} - {"test_method_signatures"}
    bare = {name for name in tests if METHODS.get(name, name.removeprefix("test_")) not in _own()}
    assert bare == SKIPPED


def test_every_implemented_getter_has_recorded_answers() -> None:
    tests = {name for name in dir(BaseTestGetters) if name.startswith("test_")} - {"test_method_signatures"}
    folder = Path(__file__).parent / "mocked_data"
    for name in tests - SKIPPED:
        cases = [case for case in (folder / name).iterdir() if (case / "expected_result.json").is_file()]
        assert cases, name


def _own() -> set[str]:
    """Methods the driver has beyond NAPALM's base class."""
    own = [klass for klass in NVUEDriver.__mro__ if klass.__module__.startswith("napalm_nvue")]
    return {name for klass in own for name in vars(klass)}


@pytest.mark.parametrize("name", ["nvue", "NVUE", "napalm_nvue"])
def test_napalm_finds_the_driver(name: str) -> None:
    assert get_network_driver(name) is NVUEDriver


def test_dotted_names_are_refused_by_napalm() -> None:
    with pytest.raises(ModuleImportError):
        get_network_driver("cumulus.nvue")


def test_the_driver_loads_neither_schema_nor_fabric_nor_pydantic() -> None:

    code = (
        "import sys, napalm_nvue.driver\n"
        "bad = [n for n in sys.modules if n.split('.')[0] == 'pydantic' or n.startswith(('intent.schema', "
        "'intent.fabric', 'intent.render', 'intent.lint', 'intent.workspace'))]\n"
        "sys.exit(', '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_is_alive_before_open_and_after_a_failed_init() -> None:
    driver = NVUEDriver("192.0.2.1", "u", "p")
    assert driver.is_alive() == {"is_alive": False}
    assert object.__new__(NVUEDriver).is_alive() == {"is_alive": False}
    driver.close()
