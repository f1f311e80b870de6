"""The actor for devices that cannot be reached here at all: they are told by name, and nothing is ever sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent.core.tree import Difference
from intent.device.actor import Disruption, Observed, Outcome, Problem, Request, Session, Status, Wanted


@dataclass(frozen=True, slots=True)
class AbsentActor:
    """Answers for devices a lab has no stand-in for.

    Args:
        platform: platform of the devices.
        why: why they cannot be reached, in words.
    """

    platform: str
    why: str

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Observed]:
        """Nobody answers."""
        return {
            item.target.name: Observed(item.target.name, problem=Problem.UNREACHABLE, detail=self.why)
            for item in wanted
        }

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """None is known."""
        del wanted, observed
        return ()

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """None is known."""
        del wanted, differences
        return ()

    def revert_words(self, wanted: Wanted) -> str:
        """Nothing is changed, so nothing comes back."""
        del wanted
        return "not at all: it is not reached"

    def apply(self, requests: Sequence[Request], session: Session) -> Mapping[str, Outcome]:
        """Nothing is begun."""
        del session
        names = [item.wanted.target.name for item in requests]
        return {name: Outcome(name, Status.NOT_ATTEMPTED, self.why) for name in names}

    def confirm(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """What was pending stays unknown."""
        del session
        return self.settle(pending)

    def revert(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """What was pending stays unknown."""
        del session
        return self.settle(pending)

    def settle(self, pending: Mapping[str, str]) -> Mapping[str, Outcome]:
        """What was pending stays unknown."""
        return {name: Outcome(name, Status.UNKNOWN, self.why, handle) for name, handle in pending.items()}
