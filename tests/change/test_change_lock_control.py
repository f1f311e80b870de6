"""The site's lock, the stop button and the clock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fake_change_devices import FakeClock, holder

from intent.change.control import Stop, SystemClock, pause, stamp
from intent.change.journal import Journal, open_journal
from intent.change.lock import Holder, acquire, break_lock, lock_row, process_start, this_process
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def journal(tmp_path: Path, clock: FakeClock):  # type: ignore[no-untyped-def]
    with open_journal(tmp_path / "journal.db", clock) as journal:
        yield journal


def alive(pid: int) -> str | None:
    return f"start-{pid}"


def test_one_holder_at_a_time_and_it_is_named(journal: Journal, clock: FakeClock) -> None:
    lock = acquire(journal, "par1", holder(1), clock, started=alive)
    assert lock.taken_over is None
    clock.now += 30
    lock.beat()
    with pytest.raises(IntentError) as held:
        acquire(journal, "par1", holder(2), clock, started=alive)
    assert held.value.exit_code is ExitCode.LOCKED
    assert held.value.message == (
        "par1 is locked by ada on jump1 (process 1) since 2026-11-30T22:00:00.000Z, "
        "last sign of life 2026-11-30T22:00:30.000Z"
    )
    acquire(journal, "tok1", holder(2), clock, started=alive).release()
    lock.release()
    assert lock_row(journal, "par1") is None
    acquire(journal, "par1", holder(2), clock, started=alive)


def test_a_dead_process_of_this_host_loses_its_lock(journal: Journal, clock: FakeClock) -> None:
    acquire(journal, "par1", holder(1), clock, started=alive)
    lock = acquire(journal, "par1", holder(2), clock, started=lambda pid: None)
    assert lock.taken_over is not None
    assert lock.taken_over.holder.pid == 1
    reused = acquire(journal, "par1", holder(3), clock, started=lambda pid: "another start")
    assert reused.taken_over is not None
    with pytest.raises(IntentError, match="was taken away") as gone:
        lock.beat()
    assert gone.value.exit_code is ExitCode.LOCKED
    lock.release()
    row = lock_row(journal, "par1")
    assert row is not None
    assert row.holder.pid == 3


def test_a_lock_of_another_host_is_never_taken_over_but_can_be_broken(journal: Journal, clock: FakeClock) -> None:
    acquire(journal, "par1", Holder("eve", "jump2", 1, "x"), clock)
    with pytest.raises(IntentError, match="locked by eve on jump2"):
        acquire(journal, "par1", holder(2), clock, started=lambda pid: None)
    broken = break_lock(journal, "par1")
    assert broken is not None
    assert broken.holder.owner == "eve"
    assert break_lock(journal, "par1") is None
    acquire(journal, "par1", holder(2), clock)


def test_a_kernel_that_does_not_tell_when_a_process_began_keeps_its_lock(journal: Journal, clock: FakeClock) -> None:
    acquire(journal, "par1", Holder("ada", "jump1", 1, ""), clock)
    with pytest.raises(IntentError, match="locked by ada"):
        acquire(journal, "par1", holder(2), clock, started=lambda pid: "")


def test_processes_of_this_machine() -> None:
    mine = this_process("ada")
    assert mine.pid == os.getpid()
    assert mine.process == process_start(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert process_start(child.pid) is not None
    child.kill()
    child.wait()
    assert process_start(child.pid) is None


def test_first_interrupt_stops_and_the_second_raises() -> None:
    stop = Stop()
    before = signal.getsignal(signal.SIGINT)
    with stop.on_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested()
        assert stop.reason == "interrupted by the operator"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_that_goes_away_and_a_service_that_ends_stop_too(number: int) -> None:
    stop = Stop()
    with stop.on_interrupt():
        os.kill(os.getpid(), number)
        assert stop.requested()


def test_what_is_ignored_stays_ignored() -> None:
    stop, before = Stop(), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop.on_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.requested()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_change_that_stopped_by_itself_takes_a_first_interrupt_as_the_first() -> None:
    stop, told = Stop(), []
    with stop.on_interrupt(lambda: told.append(stop.reason)):
        stop.request("1 failed, 0 allowed")
        os.kill(os.getpid(), signal.SIGINT)
        assert told == ["1 failed, 0 allowed"]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert len(told) == 1


def test_the_first_reason_stays() -> None:
    stop = Stop()
    assert (stop.requested(), stop.reason) == (False, "")
    stop.request("a")
    stop.request("b")
    assert stop.reason == "a"


def test_pause_ends_with_the_time_or_the_stop_button(clock: FakeClock) -> None:
    pause(clock, 2.5)
    assert clock.now == 1002.5
    stop = Stop()
    clock.on_sleep.append(lambda: stop.request("enough") if clock.now >= 1004 else None)
    pause(clock, 100, stop)
    assert clock.now < 1006
    pause(clock, 0)


def test_system_clock() -> None:
    clock = SystemClock()
    begun = clock.monotonic()
    clock.sleep(0.001)
    assert clock.monotonic() > begun
    assert stamp(clock).endswith("Z")
