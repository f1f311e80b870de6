"""Checks of a workspace that are broken or hostile: an error with a name, never a pass, a trace or a hang."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from endtoend import LEAVES, Room, no_trace, outcome

from intent.core.exitcode import ExitCode

HEAD = (
    "from intent.verify.api import check, failed, passed\n\n\n"
    '@check("mine", title="Mine", subject="mine", parts=("system",))\ndef mine(context):\n'
)
BODIES = {
    "raises": "    raise RuntimeError('no')\n    yield\n",
    "exits": "    import sys\n    sys.exit(0)\n    yield\n",
    "exits hard in words": "    raise SystemExit('bye')\n    yield\n",
    "interrupts": "    raise KeyboardInterrupt\n    yield\n",
    "endless": "    while True:\n        yield passed()\n",
    "endless failures": "    while True:\n        yield failed('Port', 'x' * 1000, 'no')\n",
    "nonsense": "    yield 42\n",
    "none": "    return None\n",
    "recursion": "    yield from mine(context)\n",
}
FILES = {
    "syntax": "def (:\n",
    "bytes": "\x00\x01",
    "exits on load": "import sys\nsys.exit(0)\n",
    "raises on load": "raise ValueError('x')\n",
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    made = Room.make(tmp_path_factory.mktemp("checks") / "w").up()
    assert made.plan().code == ExitCode.OK
    assert made.apply().code == ExitCode.OK
    (made.folder / "validators").mkdir()
    yield made
    made.down()


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.nightly] if "endless" in kind else []) for kind in BODIES]
)
def test_a_check_that_misbehaves_is_never_green(room: Room, kind: str) -> None:
    (room.folder / "validators" / "mine.py").write_text(HEAD + BODIES[kind], encoding="utf-8")
    said = outcome(room.start("verify", "--lab", "--check", "mine"), 60)
    assert no_trace(said.out + said.err), said
    assert said.code not in (ExitCode.OK, ExitCode.USAGE) or kind == "none", said
    assert len(said.out) < 200_000


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_checks_that_cannot_be_used_stops_the_command(room: Room, kind: str) -> None:
    (room.folder / "validators" / "mine.py").write_text(FILES[kind], encoding="utf-8")
    for words in (("verify", "--lab"),):
        said = outcome(room.start(*words), 60)
        assert said.code != ExitCode.OK, said
        assert no_trace(said.out + said.err), said
        assert "mine.py" in said.err, said


def test_nothing_is_kept_that_a_broken_check_should_have_judged(room: Room) -> None:
    (room.folder / "validators" / "mine.py").write_text(HEAD + BODIES["exits"], encoding="utf-8")
    room.by_hand(1500, LEAVES[0])
    old = room.held()
    assert room.plan().code == ExitCode.OK
    said = outcome(room.start("apply", "--lab", "--yes"))
    assert said.code in (ExitCode.ROLLED_BACK, ExitCode.ERROR), said
    room.settled()
    assert room.held() == old
    (room.folder / "validators" / "mine.py").unlink()
