"""The programs a simulated subnet needs: the simulator, OpenSM, its tools, and the shim that joins them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from intent.core.errors import IntentError

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES = "opensm ibsim-utils libumad2sim0 infiniband-diags"
TOOLS = ("ibsim", "opensm", "smpquery", "saquery", "sminfo", "iblinkinfo", "ibnetdiscover", "ibqueryerrors")
_SHIM = "libumad2sim.so"


def program(name: str) -> str:
    """Where a program lies.

    Raises:
        IntentError: it is not installed.
    """
    found = shutil.which(name, path=PATH)
    if found is None:
        raise _absent(name)
    return found


def shim() -> str:
    """The library that takes the place of the adapter's driver.

    Raises:
        IntentError: it is not installed.
    """
    found = sorted(folder for folder in Path("/usr/lib").glob("**/umad2sim/" + _SHIM) if folder.is_file())
    if not found:
        raise _absent(_SHIM)
    return str(found[0])


def require() -> None:
    """Look for everything.

    Raises:
        IntentError: something is not installed; it names the packages.
    """
    for tool in TOOLS:
        program(tool)
    shim()


def _absent(name: str) -> IntentError:
    return IntentError(
        f"{name} is not installed, and a lab with a real OpenSM needs it",
        hint=f"sudo apt install --no-install-recommends {PACKAGES}; or leave out --engine opensm",
    )


def account() -> str | None:
    """Whom the programs run as: they need no rights, so root gives its own up; None for whoever asks."""
    return "nobody" if os.geteuid() == 0 else None


def environment(socket: str, at: str) -> Mapping[str, str]:
    """What every program on a simulated fabric is told.

    Args:
        socket: name of the simulator's socket.
        at: id of the node the program runs on.
    """
    return {
        "PATH": PATH,
        "IBSIM_SOCKNAME": socket,
        "SIM_HOST": at,
        "LD_PRELOAD": shim(),
        "OSM_CACHE_DIR": ".",
        "OSM_TMP_DIR": ".",
    }
