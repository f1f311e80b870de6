"""Folders that stand for hosts of subnet managers, obeying the plays without Ansible: for tests of many changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.device.playbook import HostReport, HostStatus

_OK = HostReport(HostStatus.OK)


@dataclass
class HostFolders:
    """Runs the plays of subnet managers' hosts on folders, one for each host.

    Args:
        folder: holds a folder by the name of each host.
        silent: hosts that do not answer.
        standing_by: hosts whose files are replicated from another one, and say so.
    """

    folder: Path
    silent: set[str] = field(default_factory=set)
    standing_by: set[str] = field(default_factory=set)

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        """One run, as `PlaybookRun` makes it."""
        del deadline_s, check
        play = {"ufm_read": self._read, "opensm": self._write, "opensm_confirm": self._confirm,
                "opensm_revert": self._revert, "opensm_status": self._status}[playbook.stem]  # fmt: skip
        gone = HostReport(HostStatus.UNREACHABLE, detail="no route to host")
        return {name: gone if name in self.silent else play(name, given) for name, given in hosts.items()}

    def path(self, host: str, path: str) -> Path:
        """A file of a host."""
        return self.folder / host / path.lstrip("/")

    def put(self, host: str, path: str, text: str) -> None:
        """Give a host a file."""
        self.path(host, path).parent.mkdir(parents=True, exist_ok=True)
        self.path(host, path).write_text(text, encoding="utf-8")

    def text(self, host: str, path: str) -> str | None:
        """What a file holds; None where there is none."""
        file = self.path(host, path)
        return file.read_text(encoding="utf-8") if file.exists() else None

    def _read(self, host: str, given: Mapping[str, Any]) -> HostReport:
        if host in self.standing_by:
            return HostReport(HostStatus.OK, read={"role": "Secondary/Primary\n"})
        texts = {path: self.text(host, path) for path in given["opensm_paths"]}
        return HostReport(HostStatus.OK, read={path: text for path, text in texts.items() if text is not None})

    def _record(self, host: str, given: Mapping[str, Any]) -> Path:
        return self.folder / host / f"{given['opensm_handle']}.json"

    def _write(self, host: str, given: Mapping[str, Any]) -> HostReport:
        for item in given["opensm_files"]:
            if "was" in item and _sha256(self.text(host, item["path"]) or "") != item["was"]:
                return HostReport(HostStatus.FAILED, detail=f"{item['path']} changed since it was read")
        before = {item["path"]: self.text(host, item["path"]) for item in given["opensm_files"]}
        self._record(host, given).write_text(json.dumps({"state": "awaiting", "before": before}))
        for item in given["opensm_files"]:
            self.put(host, item["path"], Path(item["source"]).read_text(encoding="utf-8"))
        return HostReport(HostStatus.OK, ("Put in place",))

    def _confirm(self, host: str, given: Mapping[str, Any]) -> HostReport:
        self._record(host, given).write_text(json.dumps({"state": "confirmed", "before": {}}))
        return _OK

    def _revert(self, host: str, given: Mapping[str, Any]) -> HostReport:
        record = json.loads(self._record(host, given).read_text())
        for path, text in record["before"].items():
            if text is None:
                self.path(host, path).unlink()
            else:
                self.put(host, path, text)
        self._record(host, given).write_text(json.dumps({"state": "reverted", "before": {}}))
        return _OK

    def _status(self, host: str, given: Mapping[str, Any]) -> HostReport:
        record = self._record(host, given)
        return HostReport(HostStatus.OK, read={"record": record.read_text()} if record.exists() else {})


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
