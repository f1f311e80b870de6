"""Starting, stopping and ordering about a lab that runs as a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import intent
from intent.core.errors import IntentError
from intent.lab import state
from intent.lab.orders import order
from intent.lab.state import ADDRESS_BASE, ERROR, SUBNETS, LabInfo
from intent.lab.subnet.processes import sweep
from intent.lab.wiring import load

PORT = 8765
LOG = "lab.log"
_START_S = 120.0
_STOP_S = 10.0
_SETTLE_S = 240.0
_LOOK_S = 0.02


def up(
    wiring: Path,
    state_dir: Path,
    *,
    address_base: str = ADDRESS_BASE,
    port: int = PORT,
    factory: bool = False,
    apply_s: float = 0.1,
) -> LabInfo:
    """Start a lab and wait until it listens.

    Args:
        wiring: wiring file.
        state_dir: folder for its state file, certificates and log; made when missing.
        address_base: loopback address the numbering starts from.
        port: port of every switch; 0 takes a free one.
        factory: all switches still have their factory password.
        apply_s: seconds an apply takes.

    Raises:
        IntentError: the wiring is not valid, a lab is already running there, or it does not start (port busy, …).
    """
    load(wiring)
    running = _running(state_dir)
    if running is not None:
        raise IntentError(
            f"a lab is already running in {state_dir} (process {running.pid})", hint="stop it with `intent lab down`"
        )
    state_dir.mkdir(parents=True, exist_ok=True)
    _sweep(state_dir)
    for name in (state.FILE, ERROR):
        (state_dir / name).unlink(missing_ok=True)
    options = ["--address-base", address_base, "--port", str(port), "--apply-seconds", str(apply_s)]
    if factory:
        options.append("--factory")
    return _ready(_started([str(state_dir.resolve()), str(wiring.resolve()), *options], state_dir / LOG), state_dir)


def _started(arguments: Sequence[str], log_file: Path) -> subprocess.Popen[bytes]:
    # Only where this package lies is handed on: a module beside the calling script must not shadow another there.
    home = str(Path(intent.__file__).resolve().parent.parent)
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    with log_file.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "intent.lab.serve", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env=environment,
        )


def _ready(process: subprocess.Popen[bytes], state_dir: Path) -> LabInfo:
    limit = time.monotonic() + _START_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise _start_failed(state_dir)
        if (state_dir / state.FILE).exists():
            return state.load(state_dir)
        time.sleep(_LOOK_S)
    process.terminate()
    if not _gone(process.pid, _STOP_S):
        process.kill()
    process.wait()
    _sweep(state_dir)
    raise IntentError(f"the lab did not start within {_START_S:g} s", hint=f"see {state_dir / LOG}")


def _start_failed(state_dir: Path) -> IntentError:
    try:
        body = json.loads((state_dir / ERROR).read_text(encoding="utf-8"))
        return IntentError(f"the lab did not start: {body['message']}", hint=str(body["hint"]))
    except (OSError, ValueError, KeyError, TypeError):
        return IntentError("the lab did not start", hint=f"see {state_dir / LOG}")


def down(state_dir: Path) -> bool:
    """Stop the lab of a folder; True when one was running.

    Raises:
        IntentError: it does not stop.
    """
    info = _running(state_dir)
    if info is None:
        (state_dir / state.FILE).unlink(missing_ok=True)
        _sweep(state_dir)
        return False
    with contextlib.suppress(IntentError):
        order(info.control_url, info.control_token, "POST", "/stop", {})
    if not _gone(info.pid, _STOP_S / 2):
        with contextlib.suppress(ProcessLookupError):
            os.kill(info.pid, signal.SIGTERM)
        if not _gone(info.pid, _STOP_S / 2):
            raise IntentError(f"the lab's process {info.pid} does not stop", hint=f"kill {info.pid}")
    (state_dir / state.FILE).unlink(missing_ok=True)
    _sweep(state_dir)
    return True


def status(state_dir: Path) -> dict[str, Any]:
    """Counters, applied revision, reachability and standing faults of every switch, under `switches`.

    Raises:
        IntentError: no lab is running there.
    """
    info = _required(state_dir)
    answer: dict[str, Any] = order(info.control_url, info.control_token, "GET", "/status")
    return answer


def fault(state_dir: Path, kind: str, device: str, **options: Any) -> str:
    """Let something go wrong at a switch; the kinds stand in `intent.lab.faults`.

    Returns:
        What was done, in words.

    Raises:
        IntentError: no lab is running there, or it refuses.
    """
    info = _required(state_dir)
    body = {"kind": kind, "device": device, "options": options}
    return str(order(info.control_url, info.control_token, "POST", "/fault", body)["done"])


def settled(state_dir: Path, name: str) -> None:
    """Wait until the OpenSM behind a UFM, or on a host, has read what it was asked to hold.

    Args:
        state_dir: folder of the lab.
        name: the UFM, or the host.

    Raises:
        IntentError: no lab is running there, no OpenSM is behind that UFM, or it does not read.
    """
    limit = time.monotonic() + _SETTLE_S
    while time.monotonic() < limit:
        shown = status(state_dir)
        held = shown["controllers"].get(name) or shown["managers"].get(name, {})
        if "subnet" not in held:
            raise IntentError(f"{name}: no OpenSM runs behind it", hint="intent lab up --engine opensm")
        if not held["pending"]:
            if held["subnet"].startswith("failed"):
                raise IntentError(f"{name}: OpenSM {held['subnet']}", hint=f"see {state_dir / LOG}")
            return
        time.sleep(_LOOK_S)
    raise IntentError(f"{name}: OpenSM does not read its partitions within {_SETTLE_S:g} s")


def _sweep(state_dir: Path) -> None:
    """End what a lab that was killed left behind."""
    for folder in (state_dir / SUBNETS).glob("*"):
        sweep(folder)
    shutil.rmtree(state_dir / SUBNETS, ignore_errors=True)


def _required(state_dir: Path) -> LabInfo:
    info = _running(state_dir)
    if info is None:
        raise IntentError(f"no lab is running in {state_dir}", hint="start one with `intent lab up`")
    return info


def _running(state_dir: Path) -> LabInfo | None:
    if not (state_dir / state.FILE).exists():
        return None
    info = state.load(state_dir)
    return info if _is_lab(info.pid) else None


def _is_lab(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return b"intent.lab.serve" in command and stat.rpartition(")")[2].split()[0] != "Z"


def _gone(pid: int, seconds: float) -> bool:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if not _is_lab(pid):
            return True
        time.sleep(_LOOK_S)
    return False
