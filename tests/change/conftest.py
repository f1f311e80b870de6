"""A site that most tests of changes start from."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_change_devices import Site, two_planes


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two planes of devices in memory."""
    return Site(tmp_path, two_planes())
