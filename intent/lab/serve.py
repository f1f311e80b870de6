"""The lab as a process: `python -m intent.lab.serve STATE_DIR WIRING`. Started by `intent.lab.process.up`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import json
import logging
import resource
import signal
import sys
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.server import PORT, Server
from intent.lab.state import ADDRESS_BASE, ERROR, FILE, LOCK
from intent.lab.tools import Timing
from intent.lab.wiring import factory_fresh, load


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m intent.lab.serve", description="Run a lab in the foreground.")
    parser.add_argument("state_dir", type=Path)
    parser.add_argument("wiring", type=Path)
    parser.add_argument("--address-base", default=ADDRESS_BASE)
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--factory", action="store_true", help="switches still have their factory password")
    parser.add_argument("--apply-seconds", type=float, default=Timing().apply_s)
    return parser.parse_args()


def _raise_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(options: argparse.Namespace) -> None:
    wiring = load(options.wiring)
    if options.factory:
        wiring = factory_fresh(wiring)
    server = Server(
        wiring,
        options.state_dir,
        address_base=options.address_base,
        port=options.port,
        timing=Timing(apply_s=options.apply_seconds),
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    info = await server.start()
    info.save()
    ready = len(info.switches), len(info.controllers)
    logging.getLogger("intent.lab").info("ready: %d switches, %d controllers", *ready)
    try:
        await server.run()
    finally:
        (options.state_dir / FILE).unlink(missing_ok=True)


def main() -> int:
    """Run until told to stop. What went wrong at the start stands in `lab.error`."""
    options = _arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    _raise_file_limit()
    options.state_dir.mkdir(parents=True, exist_ok=True)
    try:
        with (options.state_dir / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise IntentError(
                    f"a lab is already running in {options.state_dir}", hint="stop it with `intent lab down`"
                ) from None
            asyncio.run(_serve(options))
    except IntentError as error:
        problem = {"message": error.message, "hint": error.hint}
        (options.state_dir / ERROR).write_text(json.dumps(problem), encoding="utf-8")
        logging.getLogger("intent.lab").error("%s", error.message)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
