"""The lab judges without the code it judges, and what only asks a running lab stays light."""

from __future__ import annotations

import subprocess
import sys

JUDGED = ("formats", "schema", "fabric", "lint", "render", "workspace", "device", "verify", "change", "report", "cli")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_serving_lab_loads_none_of_what_it_judges():
    modules = loaded_by("import intent.lab.serve, intent.lab.inprocess, intent.lab.process")
    assert "intent.lab.semantics" in modules
    assert [name for name in JUDGED if f"intent.{name}" in modules] == []
    assert not modules & {"pydantic", "httpx", "nornir", "napalm", "ansible_runner", "yaml"}


def test_asking_a_running_lab_loads_no_server():
    modules = loaded_by("import intent.lab.process")
    assert not modules & {"cryptography", "h11", "intent.lab.server", "intent.lab.world"}
