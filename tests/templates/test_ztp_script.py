"""The zero-touch script, run against stand-ins for the switch's commands."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_fabric import small_fabric

from intent.core.errors import IntentError
from intent.render.templates import Templates
from intent.render.ztp import ztp_script
from intent.resources import shipped

STARTUP = "- header: {}\n- set:\n    interface: {}\n"
URL = "https://ztp.example.net/leaf1/startup.yaml"
LEAF = small_fabric().devices["leaf1"]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def script(startup: str = STARTUP, *, whole: bool = False, wait_s: int = 1) -> str:
    return ztp_script(
        Templates([shipped("templates")]), LEAF, startup_url=URL, startup_sha256=digest(startup), replace=whole,
        wait_s=wait_s,
    )  # fmt: skip


class Switch:
    """A folder of stand-ins that note how they were called."""

    def __init__(self, root: Path, *, served: str = STARTUP, release: str = "5.16.4", failing: str = "") -> None:
        self.root, self.log = root, root / "log"
        (root / "served").write_text(served)
        (root / "os-release").write_text(f'VERSION_ID="{release}"\n')
        note = f'echo "$(basename "$0") $*" >> {self.log}\n'
        fetch = f'while [ "$1" != --output ]; do shift; done\ncp {root}/served "$2"\n'
        for name, body in {"curl": note + fetch, "nv": note, "systemctl": "", "ip": "exit 1\n", "sleep": ""}.items():
            file = root / name
            refusal = f'case "{name} $*" in "{failing}"*) exit 1;; esac\n' if failing else ""
            file.write_text(f"#!/bin/bash\n{refusal}{body}")
            file.chmod(0o755)

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        file = self.root / "ztp.sh"
        file.write_text(text.replace("/etc/os-release", str(self.root / "os-release")))
        environ = {"PATH": f"{self.root}:{os.environ['PATH']}", "TMPDIR": str(self.root)}
        return subprocess.run(["bash", str(file)], env=environ, capture_output=True, text=True, timeout=30, check=False)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def test_it_is_a_script_that_the_switch_takes_for_one() -> None:
    text = script()
    assert text.splitlines()[0] == "#!/bin/bash"
    assert "CUMULUS-AUTOPROVISIONING" in "\n".join(text.splitlines()[:3])
    assert "\r" not in text
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)


def test_shellcheck_finds_nothing() -> None:
    shellcheck = Path(sys.executable).parent / "shellcheck"
    subprocess.run([str(shellcheck), "-"], input=script(), text=True, check=True)


@pytest.mark.parametrize(("whole", "method"), [(False, "patch"), (True, "replace")])
def test_it_fetches_checks_applies_and_saves(tmp_path: Path, whole: bool, method: str) -> None:
    switch = Switch(tmp_path)
    done = switch.run(script(whole=whole))
    assert done.returncode == 0, done.stderr
    assert "done" in done.stdout
    calls = [call for call in switch.calls if call.startswith("nv config")]
    assert calls[0].startswith(f"nv config {method} {tmp_path}")
    assert calls[1:] == ["nv config apply --assume-yes", "nv config save"]
    assert not list(tmp_path.glob("tmp.*")), "the fetched file was left behind"


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ({"served": "something else"}, "checksum"),
        ({"release": "5.9.1"}, "release - expected 5.16, actual 5.9.1"),
        ({"release": "5.160"}, "release - expected 5.16, actual 5.160"),
        ({"failing": "curl"}, "cannot fetch"),
        ({"failing": "systemctl"}, "nvued is not ready after 1 s"),
        ({"failing": "nv config patch"}, "refused the configuration"),
        ({"failing": "nv config apply"}, "nv config apply failed"),
        ({"failing": "nv config save"}, "nv config save failed"),
    ],
)
def test_it_ends_with_an_error_and_says_why(tmp_path: Path, switch: dict[str, str], words: str) -> None:
    device = Switch(tmp_path, **switch)  # type: ignore[arg-type]
    done = device.run(script())
    assert done.returncode != 0
    assert words in done.stderr
    assert "nv config save" not in device.calls
    if not switch.get("failing", "").startswith("nv"):
        assert not [call for call in device.calls if call.startswith("nv config")]


def test_it_never_installs_references_in_place_of_secrets(tmp_path: Path) -> None:
    text = STARTUP + "    hashed-password: $secret:admin$\n"
    device = Switch(tmp_path, served=text)
    done = device.run(script(text))
    assert done.returncode != 0
    assert "references to secrets" in done.stderr
    assert not [call for call in device.calls if call.startswith("nv config")]


def test_arguments_are_checked_and_quoted() -> None:
    templates = Templates([shipped("templates")])
    good = {"startup_url": URL, "startup_sha256": digest("")}
    for bad in ({"startup_url": "ftp://x"}, {"startup_url": "https://a b"}, {"startup_sha256": "abc"}, {"wait_s": 0}):
        with pytest.raises(IntentError):
            ztp_script(templates, LEAF, **(good | bad))  # type: ignore[arg-type]
    with pytest.raises(IntentError, match="only switches"):
        ztp_script(templates, small_fabric().devices["node1"], **good)  # type: ignore[arg-type]
    with pytest.raises(IntentError, match="one word"):
        ztp_script(templates, replace(LEAF, release="5.16\nreboot"), **good)  # type: ignore[arg-type]
    hostile = ztp_script(templates, replace(LEAF, release="5.16';reboot#"), **good)  # type: ignore[arg-type]
    subprocess.run(["bash", "-n"], input=hostile, text=True, check=True)
    assert "RELEASE='5.16'\"'\"';reboot#'" in hostile
