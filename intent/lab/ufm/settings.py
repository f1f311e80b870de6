"""Settings of a UFM's subnet manager and of UFM itself, as its REST API shows and takes them; always a model.

Names, values and types are those of the answer of `GET /app/smconf` in NVIDIA's UFM Enterprise REST API guide, "SM
Configuration", as far as it was seen, and of NVIDIA Infra Controller's client. The guide names the call that updates
them and shows no body of it: the lab takes an object of what it shows, types as shown, all or nothing. An OpenSM that
runs behind the lab's UFM is told none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.lab.tools import Refusal

_USUAL: Mapping[str, Any] = {
    "m_key": "0x0000000000000000",
    "sm_key": "0x0000000000000001",
    "sa_key": "0x0000000000000001",
    "m_key_lease_period": 60,
    "no_partition_enforcement": False,
    "vl_stall_count": "0x7",
    "leaf_vl_stall_count": "0x7",
    "sm_priority": 15,
    "ignore_other_sm": False,
    "sminfo_polling_timeout": 5000,
    "polling_retry_number": 4,
    "honor_guid2lid_file": False,
    "max_wire_smps": 8,
    "transaction_timeout": 200,
    "max_msg_fifo_timeout": 10000,
    "single_thread": False,
    "log_file": "/opt/ufm/files/log/opensm.log",
    "disable_multicast": False,
    "exit_on_fatal": True,
    "subnet_prefix": "0xfe80000000000000",
    "m_key_per_port": False,
}
_KEYS = ("m_key", "sm_key", "sa_key", "subnet_prefix")
_BITS_64 = 2**64
_BITS_32 = 2**32
_FIXED = frozenset({"routing_engine_active", "log_file"})
# Sections of gv.cfg with properties that can be set; "not all sections and properties" can, says the guide.
_GV: Mapping[str, frozenset[str]] = {
    "SubnetManager": frozenset({"default_membership", "m_key_per_port", "randomize_sa_key", "topoconfig_enabled"}),
    "Multisubnet": frozenset({"multisubnet_enabled", "multisubnet_role"}),
}


class Settings:
    """What one UFM holds of them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = dict(_USUAL)
        self.gv: dict[str, dict[str, Any]] = {}
        self.hidden: set[str] = set()
        """Those its version does not show."""

    def shown(self, engine: str) -> dict[str, Any]:
        """As `GET /app/smconf` answers.

        Args:
            engine: routing engine at work.
        """
        every = {**self.values, "routing_engine_active": engine}
        return {name: value for name, value in every.items() if name not in self.hidden}

    def take(self, body: Mapping[str, Any]) -> None:
        """Set every value of a body, or none.

        Raises:
            Refusal: one of them cannot be set, or not to that.
        """
        if not body:
            raise Refusal(400, "nothing to set")
        for name, value in body.items():
            self._check(name, value)
        self.values |= body

    def _check(self, name: str, value: Any) -> None:
        if name in _FIXED or name not in self.values or name in self.hidden:
            raise Refusal(400, f"{name[:40]} cannot be set")
        old = self.values[name]
        if type(value) is not type(old):
            raise Refusal(400, f"{name} must be {type(old).__name__}")
        if isinstance(value, int) and not 0 <= value < _BITS_32:
            raise Refusal(400, f"{name} is out of range")
        if isinstance(value, str):
            try:
                number = int(value, 0)
            except ValueError:
                raise Refusal(400, f"{name}: {value[:40]} is no number") from None
            if not 0 <= number < (_BITS_64 if name in _KEYS else 256):
                raise Refusal(400, f"{name}: {value[:40]} is out of range")

    def take_gv(self, body: Mapping[str, Any]) -> None:
        """Set properties of gv.cfg, or none; what they do is not modelled, and nothing shows them again.

        Raises:
            Refusal: one of them cannot be set.
        """
        if not body:
            raise Refusal(400, "nothing to set")
        for section, properties in body.items():
            if section not in _GV or not isinstance(properties, dict) or not properties:
                raise Refusal(400, f"section {section[:40]} cannot be set")
            for name in properties:
                if name not in _GV[section]:
                    raise Refusal(400, f"{section}: {name[:40]} cannot be set")
        for section, properties in body.items():
            self.gv.setdefault(section, {}).update(properties)
