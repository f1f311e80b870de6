"""Live state of subnets, read on the hosts of their managers by one playbook run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from intent.core.errors import IntentError
from intent.device.actor import Target
from intent.device.observation import Observation
from intent.device.playbook import HostReport, HostStatus
from intent.device.subnet import observation_of
from intent.formats.ib_diags import LinkLine, SmInfo, read_linkinfo, read_pkeys, read_queryerrors, read_sminfo
from intent.formats.opensm.log import read_log

PLAY = "opensm_diags"
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one tool said.

    Args:
        text: its output.
        code: its exit code.
    """

    text: str
    code: int


class Asking(Protocol):
    """Runs a play that only reads on hosts of subnet managers; actors of such hosts do."""

    def ask(self, play: str, targets: Sequence[Target]) -> Mapping[str, HostReport]: ...


def gather_subnets(
    actor: Asking, targets: Sequence[Target], *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> dict[str, Observation]:
    """One observation of its subnet by every host; what could not be read stands in its `problems`.

    Args:
        actor: knows how the hosts are reached.
        targets: the hosts.
        now: the time, UTC.
    """
    if not targets:
        return {}
    reports = actor.ask(PLAY, targets)
    stamp = now().astimezone(UTC).isoformat(timespec="seconds")
    return {target.name: subnet_observation(target.name, stamp, reports[target.name]) for target in targets}


def subnet_observation(name: str, stamp: str, report: HostReport) -> Observation:
    """The observation in a run's report of one host."""
    if report.status is not HostStatus.OK or not report.read:
        return Observation(name, stamp, problems={"device": report.detail or f"the run was {report.status}"})
    try:
        answers = read_answers(next(iter(report.read.values())))
    except IntentError as problem:
        return Observation(name, stamp, problems={"device": problem.message})
    problems: dict[str, str] = {}

    def part(field: str, read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except IntentError as problem:
            problems[field] = problem.message
            return None

    links = part("ib_ports", lambda: read_linkinfo(_good(answers, "links").text))
    found: dict[str, Any] = {
        "links": links,
        "errors": part("ib_errors", lambda: read_queryerrors(_answer(answers, "errors").text)),
        "pkeys": part("pkeys", lambda: _tables(answers)),
        "managers": part("sm", lambda: _managers(answers)),
        "lids": _lids(links) if links is not None else None,
        "engine": part("routing", lambda: read_log(_answer(answers, "log").text).engine),
    }
    problems["unhealthy"] = "OpenSM keeps no list of unhealthy ports"
    return observation_of(name, stamp, problems=problems, **found)


def read_answers(text: str) -> dict[str, Answer]:
    """What was asked → what was said, from a file of the playbook.

    Raises:
        IntentError: the file is not whole.
    """
    return dict(_answers(text))


def _answers(text: str) -> Iterator[tuple[str, Answer]]:
    what, lines = "", list[str]()
    for line in text.split("\n"):
        end = re.fullmatch(r"@@ end (\d+)", line)
        if end and what:
            yield what, Answer("\n".join(lines), int(end[1]))
            what, lines = "", []
        elif line.startswith("@@ ") and not what and not end:
            what = line[3:]
        elif what:
            lines.append(line)
        elif line.strip():
            raise IntentError(
                "answers about the subnet: text outside of an answer", hint="the tools of two runs mixed?"
            )
    if what:
        raise IntentError(f"answers about the subnet: that to {what!r} is cut off")


def _answer(answers: Mapping[str, Answer], what: str) -> Answer:
    found = answers.get(what)
    if found is None:
        raise IntentError(f"nothing was said about {what}")
    return found


def _good(answers: Mapping[str, Answer], what: str) -> Answer:
    found = _answer(answers, what)
    if found.code:
        words = " ".join(found.text.split())[:120]
        raise IntentError(f"asking for {what} ended with code {found.code}: {words}")
    return found


def _tables(answers: Mapping[str, Answer]) -> dict[int, tuple[int, ...]]:
    """P_Key tables by port GUID; a port that does not answer is left out, so that it is unknown."""
    _good(answers, "nodes")
    found: dict[int, tuple[int, ...]] = {}
    for what, answer in answers.items():
        match = re.fullmatch(r"pkeys 0x([0-9a-f]{1,16}) \d+ \d+", what)
        if match and not answer.code:
            found[int(match[1], 16)] = read_pkeys(answer.text)
    return found


def _managers(answers: Mapping[str, Answer]) -> list[SmInfo]:
    _good(answers, "managers")
    return [
        read_sminfo(answer.text) for what, answer in answers.items() if what.startswith("sminfo ") and not answer.code
    ]


def _lids(links: Sequence[LinkLine]) -> dict[int, int]:
    return {int(line.guid, 16): line.lid for line in links if line.lid}
