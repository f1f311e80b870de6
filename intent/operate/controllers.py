"""Controllers beside switches: they are judged by what their actor reads back, over a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from intent.operate.actors import SWITCHES

if TYPE_CHECKING:
    from intent.change.engine import Judgement
    from intent.device.actor import Actor, Observed, Target, Wanted
    from intent.operate.nvlinks import Nvlinks
    from intent.operate.subnets import Subnets
    from intent.render.artifact import Artifact
    from intent.verify.engine import CheckResult

_MOST = 5


class ReadBack:
    """Judges controllers: they must hold what was asked for, read anew.

    Args:
        actors: by platform.
        wanted: what each must hold.
        subnets: judges the subnets that hosts manage; those that hold what they must are judged by it too.
        nvlinks: judges the NVLink domains of those that hold what they must.
    """

    def __init__(
        self,
        actors: Mapping[str, Actor],
        wanted: Iterable[Wanted],
        subnets: Subnets | None = None,
        nvlinks: Nvlinks | None = None,
    ) -> None:
        self._actors = actors
        self._wanted = {item.target.name: item for item in wanted}
        self._subnets = subnets
        self._nvlinks = nvlinks
        self.observed: dict[str, Observed] = {}
        """What each device held when it was read last."""

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        from intent.core.verdict import Verdict

        self._look(devices)
        found = {name: self._judge(self._wanted[name]) for name in devices}
        good = [name for name, judgement in found.items() if judgement.verdict is Verdict.PASS]
        found |= self._subnets.judge(good, in_force) if self._subnets is not None else {}
        return found | (self._nvlinks.judge(good) if self._nvlinks is not None else {})

    def _look(self, devices: Sequence[str]) -> None:
        """Read each device, those of a platform together: what one of a set holds may show on another one only."""
        by_platform: dict[str, list[Wanted]] = {}
        for name in devices:
            by_platform.setdefault(self._wanted[name].target.platform, []).append(self._wanted[name])
        for platform, items in by_platform.items():
            self.observed |= self._actors[platform].observe(items)

    def _judge(self, wanted: Wanted) -> Judgement:
        from intent.change.engine import Judgement
        from intent.core.tree import dotted
        from intent.core.verdict import Verdict

        actor, name = self._actors[wanted.target.platform], wanted.target.name
        seen = self.observed[name]
        if seen.problem:
            return Judgement(Verdict.UNKNOWN, (f"Read back: {name} - {seen.problem} - {seen.detail}",))
        left = actor.difference(wanted, seen)
        if not left:
            return Judgement(Verdict.PASS)
        more = f" and {len(left) - _MOST} more" if len(left) > _MOST else ""
        paths = ", ".join(dotted(item.path) for item in left[:_MOST])
        return Judgement(Verdict.FAIL, (f"Read back: {name} - not as asked for - {paths}{more}",))


def read_back(
    artifacts: Mapping[str, Artifact], targets: Mapping[str, Target], actors: Mapping[str, Actor]
) -> tuple[CheckResult, ...]:
    """Verdicts on controllers outside of a change: what they hold against what they must hold.

    Args:
        artifacts: by device.
        targets: the controllers.
        actors: by platform.
    """
    from intent.change.asking import wanted_of
    from intent.operate.sets import same_files
    from intent.verify.api import Phase
    from intent.verify.engine import CheckResult

    wanted = [wanted_of(artifacts[name], target) for name, target in targets.items()]
    reading = ReadBack(actors, wanted)
    judgements = reading([*targets], frozenset())
    found = tuple(
        CheckResult(name, "read-back", "it holds what the intent says", "controller", Phase.VERIFY, item.verdict,
                    item.messages, judged=1)
        for name, item in judgements.items()
    )  # fmt: skip
    return found + same_files(targets, reading.observed)


class ByPlatform:
    """Judges switches one way and controllers another.

    Args:
        switches: judges switches.
        controllers: judges the rest.
        platforms: platform of each device.
    """

    def __init__(
        self,
        switches: Callable[[Sequence[str], frozenset[str]], Mapping[str, Judgement]],
        controllers: ReadBack,
        platforms: Mapping[str, str],
    ) -> None:
        self._switches = switches
        self._controllers = controllers
        self._platforms = platforms

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        switches = [name for name in devices if self._platforms[name] == SWITCHES]
        others = [name for name in devices if self._platforms[name] != SWITCHES]
        found = dict(self._switches(switches, in_force)) if switches else {}
        return found | dict(self._controllers(others, in_force))
