"""Fixtures of NAPALM's own driver suite: the driver with its session replaced by recorded answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import pytest
from napalm.base.test import conftest as napalm_conftest
from napalm.base.test.double import BaseTestDouble

from intent.device.deadline import Deadline
from intent.device.errors import NotFound
from intent.device.nvue.session import NvueSession
from napalm_nvue import NVUEDriver


class RecordedTransport:
    """Answers from files; what is not recorded is absent (404)."""

    def __init__(self, session: RecordedSession) -> None:
        self.session = session
        self.closed = False
        self.endpoint = type("Endpoint", (), {"timeouts": type("T", (), {"operation_s": 60.0})})
        self.clock = lambda: 0.0

    def get(self, path: str, query: dict[str, Any] | None = None, *, deadline: Deadline, remember: bool = False) -> Any:
        include = (query or {}).get("include", [])
        parts = [path, *([(query or {})["rev"]] if "rev" in (query or {}) else []), *include]
        words = "_".join(re.sub(r"[^a-z0-9]+", "_", part.lower()).strip("_") for part in parts).strip("_")
        try:
            file = self.session.find_file(f"{words or 'root'}.json")
        except OSError:
            raise NotFound(f"GET {path}: not recorded as {words}.json") from None
        return self.session.read_json_file(file)

    def close(self) -> None:
        self.closed = True


class RecordedSession(NvueSession, BaseTestDouble):
    """The session with recorded answers."""

    def __init__(self) -> None:
        BaseTestDouble.__init__(self)
        NvueSession.__init__(self, RecordedTransport(self))  # type: ignore[arg-type]

    def find_file(self, filename: str) -> str:
        file = Path(__file__).parent / "mocked_data" / self.current_test / self.current_test_case / filename
        if not file.exists():
            raise OSError(f"no recorded answer {file}")
        return str(file)


class PatchedNVUEDriver(NVUEDriver):
    """The driver as NAPALM's suite wants it."""

    patched_attrs: ClassVar = ["nvue"]

    def open(self) -> None:
        self.nvue = RecordedSession()

    def close(self) -> None:
        self.nvue = None


@pytest.fixture(scope="class")
def set_device_parameters(request: pytest.FixtureRequest) -> Any:
    def fin() -> None:
        request.cls.device.close()

    request.addfinalizer(fin)
    request.cls.driver = NVUEDriver
    request.cls.patched_driver = PatchedNVUEDriver
    request.cls.vendor = "nvue"
    napalm_conftest.set_device_parameters(request)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    napalm_conftest.pytest_generate_tests(metafunc, __file__)
