"""The largest published size, 384 switches, over the wire: time, requests and memory of the client."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from endtoend import Room

EXAMPLE = Path(__file__).parents[2] / "examples" / "b300-spectrum-x" / "intent.yaml"


@pytest.mark.nightly
def test_384_switches_planned_applied_verified_and_in_sync(tmp_path: Path, record_property: object) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("b300-{001..064}", "b300-{0001..1024}")
    # Spines go one at a time: with a minute of soak after each wave this would take hours.
    text = text.replace("10.1.0.0/22", "10.1.0.0/20") + "changes: {strategy: {soak: 0s}}\n"
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "intent.yaml").write_text(text, encoding="utf-8")
    room = Room(tmp_path / "w", base=f"127.{97 + os.getpid() % 100}.0.0").up()
    figures: dict[str, object] = {}
    try:
        for name, words, code in (
            ("plan", ("plan", "--lab"), 0),
            ("apply", ("apply", "--lab", "--yes", "--json"), 0),
            ("verify", ("verify", "--lab"), 0),
            ("drift", ("drift", "--lab"), 0),
            ("plan again", ("plan", "--lab"), 0),
            ("apply again", ("apply", "--lab", "--yes"), 0),
        ):
            before, begun = room.status(), time.monotonic()
            said, peak, cpu = _measured(room, words)
            after = room.status()
            spent = {
                key: sum(int(after[name][key]) - int(before[name][key]) for name in after)
                for key in ("requests", "writes", "connections")
            }
            figures[name] = {"s": round(time.monotonic() - begun, 1), "cpu_s": cpu, "peak_mb": peak, **spent}
            assert said.returncode == code, (name, said.stdout[-2000:], said.stderr[-2000:])
            sys.stderr.write(f"{name}: {json.dumps(figures[name])}\n")
            if name == "apply again":
                assert spent["writes"] == 0
    finally:
        room.down()
    record_property("figures", json.dumps(figures))  # type: ignore[operator]


def _measured(room: Room, words: tuple[str, ...]) -> tuple[subprocess.CompletedProcess[str], int, float]:
    """What a command said, its peak memory in MB and its CPU in seconds."""
    script = (
        "import gc, resource, sys; from intent.cli.main import COLLECT_AFTER, run;"
        "gc.set_threshold(*COLLECT_AFTER); code = run(sys.argv[1:]);"
        "used = resource.getrusage(resource.RUSAGE_SELF);"
        "sys.stderr.write(f'\\nPEAK {used.ru_maxrss // 1024} {used.ru_utime + used.ru_stime:.1f}\\n'); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words, "-C", str(room.folder)], capture_output=True, text=True, check=False
    )
    assert "PEAK" in done.stderr, done.stderr[-2000:]
    _, peak, cpu = done.stderr.splitlines()[-1].split()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
    return done, int(peak), float(cpu)
