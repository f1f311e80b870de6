"""A process that is killed leaves no playbook running behind, and nothing of what it was running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from host_bench import running_with

RUN = """
import sys
from pathlib import Path
from intent.device.playbook import PlaybookRun
hosts = {"h": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}}
PlaybookRun(folder=Path(sys.argv[2]))(Path(sys.argv[1]), hosts, deadline_s=300)
"""


def waited(until: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        time.sleep(0.05)
    return until()


def test_nothing_outlives_a_killed_process(tmp_path: Path) -> None:
    work, started, play = tmp_path / "work", tmp_path / "started", tmp_path / "play.yml"
    work.mkdir()
    play.write_text(
        f"- hosts: all\n  gather_facts: false\n  tasks:\n"
        f"    - ansible.builtin.raw: touch '{started}'; sleep 299 || echo '{work}'\n",
        encoding="utf-8",
    )
    process = subprocess.Popen([sys.executable, "-c", RUN, str(play), str(work)], start_new_session=True)
    try:
        assert waited(started.exists)
        assert len(running_with(str(work))) > 3, (
            "the process, ansible-playbook, a worker, its shell, what holds the pipe"
        )
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        assert waited(lambda: running_with(str(work)) == []), "neither ansible-playbook nor what it runs"
        assert waited(lambda: list(work.iterdir()) == []), "what was read may hold keys"
    finally:
        for pid in running_with(str(work)):
            os.kill(pid, signal.SIGKILL)


KEYS = """
from intent.device.private_folder import private_folder, write_private
with private_folder() as folder:
    write_private(folder / "opensm.conf", b"m_key 0x123456789abcdef0")
    print(folder, flush=True)
    input()
"""


def test_staged_keys_are_gone_with_a_killed_process() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KEYS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert (folder / "opensm.conf").exists()
        process.kill()
    assert waited(lambda: not folder.exists()), "nobody is left to remove them"
    assert waited(lambda: running_with(str(folder)) == [])
