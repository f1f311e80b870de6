"""An ssh server of its own on loopback: own host key, one authorized key, a high port."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")


@dataclass(frozen=True, slots=True)
class Sshd:
    """Where it listens and what opens it."""

    port: int
    user: str
    key_file: Path
    known_hosts: Path


def missing() -> str:
    """Why no server can be started here; empty when one can."""
    if SSHD is None:
        return "sshd is not installed"
    return "" if shutil.which("ssh") and shutil.which("ssh-keygen") else "ssh is not installed"


@contextmanager
def sshd(folder: Path) -> Iterator[Sshd]:
    """Start a server, yield it, end it."""
    assert SSHD is not None
    folder.chmod(0o700)
    for name in ("host_key", "user_key"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True, capture_output=True
        )
    authorized = folder / "authorized_keys"
    authorized.write_text((folder / "user_key.pub").read_text())
    authorized.chmod(0o600)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    known = folder / "known_hosts"
    known.write_text(f"[127.0.0.1]:{port} {(folder / 'host_key.pub').read_text()}")
    config = folder / "sshd_config"
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host_key'}\nPidFile none\n"
        f"AuthorizedKeysFile {authorized}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "PermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True) if getpass.getuser() == "root" else None
    process = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _wait(process, port)
        yield Sshd(port, getpass.getuser(), folder / "user_key", known)
    finally:
        process.terminate()
        process.wait(10)


def _wait(process: subprocess.Popen[str], port: int) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise RuntimeError(f"sshd ended: {process.stderr.read() if process.stderr else ''}")
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=0.5):
                return
        except OSError:
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
    raise RuntimeError("sshd does not listen")
