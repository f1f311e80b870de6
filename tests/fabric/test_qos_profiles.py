"""The built-in profile is the published one, and thresholds are compared as devices show them."""

from __future__ import annotations

import pytest

from intent.fabric.qos import built_in_profiles, ecn_read_back


def test_roce_lossless_is_the_published_profile() -> None:
    profile = built_in_profiles()["roce-lossless"]
    assert (profile.mode, profile.data_dscp, profile.data_priority) == ("lossless", (26,), 3)
    assert (profile.cnp_dscp, profile.cnp_priority, profile.pfc_priorities) == (48, 6, (3,))
    assert (profile.ecn_min_bytes, profile.ecn_max_bytes, profile.ecn_probability_percent) == (150_000, 1_500_000, 100)
    assert profile.lossy_percent + profile.lossless_percent == 100
    assert (profile.watchdog_poll_ms, profile.watchdog_polls) == (100, 3)


def test_the_profile_is_consistent_with_its_own_dscp_map() -> None:
    profile = built_in_profiles()["roce-lossless"]
    assert {dscp // 8 for dscp in profile.data_dscp} == {profile.data_priority}
    assert profile.cnp_dscp // 8 == profile.cnp_priority
    assert profile.data_priority in profile.pfc_priorities
    assert profile.cnp_priority not in profile.pfc_priorities


@pytest.mark.parametrize(
    ("asked", "read", "equal"),
    [
        (150_000, 150_000, True),
        (150_000, 159_744, True),  # Spectrum-4 programmes steps
        (150_000, 149_995, True),  # 146.48 KB
        (1_500_000, 1_499_463, True),  # 1.43 MB
        (150_000, 170_000, False),
        (150_000, 100_000, False),
        (1_500_000, 150_000, False),
    ],
)
def test_thresholds_are_compared_with_the_devices_slack(asked: int, read: int, equal: bool) -> None:
    assert ecn_read_back().equal(asked, read) is equal
