"""NAPALM driver for Cumulus Linux and other systems with NVUE.

Exports the driver and nothing else: NAPALM takes the alphabetically first driver class it finds in here.
"""

from napalm_nvue.driver import NVUEDriver

__all__ = ["NVUEDriver"]
