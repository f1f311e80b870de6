"""What holds for every test."""

import os
import shutil
import signal

import opensm_bench
import pytest
import throwaway_sshd
from hypothesis import HealthCheck, settings

# A machine with much to do makes inputs slowly; that says nothing about what is tested.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A merge is judged by the same examples every time; whoever runs `make test` or the nightly set draws new ones.
settings.register_profile("gate", settings.get_profile("calm"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "calm"))

# What a shell starts in the background, or under nohup, ignores these, and so does all it starts in turn.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Where the engines were installed, their tests run: one that is looked for in the wrong place is no reason to skip.
if os.environ.get("REQUIRE_ENGINES"):
    tools = "" if shutil.which("make") else "make is not installed"
    if lacking := [why for why in (opensm_bench.missing(), throwaway_sshd.missing(), tools) if why]:
        raise pytest.UsageError(f"REQUIRE_ENGINES: {'; '.join(lacking)}")
