"""What all transactions of UFM share: how it is read, what of it is ours, what leads from one to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from intent.catalog.subnet_managers import Manager
from intent.catalog.ufm import UfmFacts
from intent.core.tree import Difference, Tree
from intent.device.actor import Wanted
from intent.device.compensation import Pace, Standing
from intent.device.deadline import Deadline
from intent.device.secrets import SecretStore
from intent.device.ufm.changes import Change, standing
from intent.device.ufm.matching import Settings
from intent.device.ufm.partitions import Partitions, state_tree
from intent.device.ufm.record import Step
from intent.device.ufm.scope import Scope
from intent.device.ufm.session import UfmSession
from intent.device.ufm.settings import ROOT, Hidden, SettingChange, Shown, shown_by


@dataclass(frozen=True, slots=True)
class Live:
    """What a UFM holds.

    Args:
        partitions: every one.
        settings: those of its subnet manager that were asked about.
    """

    partitions: Partitions
    settings: Shown = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Means:
    """What all transactions share.

    Args:
        facts: what is known of UFM's versions.
        secrets: to cut out of texts.
        pace: how often to ask.
        manager: UFM's subnet manager.
        allow_removals: members and partitions known only to UFM may be removed.
        kept: keys that changes of this process replaced, by the handle of the change: they are written down nowhere.
    """

    facts: UfmFacts
    secrets: SecretStore
    pace: Pace
    manager: Manager
    allow_removals: bool = False
    kept: dict[str, Mapping[str, Hidden]] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """Holds settings against each other."""
        return Settings(self.manager, self.secrets)

    def scope(self, wanted: Wanted) -> Scope:
        """What of a UFM is ours.

        Raises:
            IntentError: the tree makes no sense, or asks for what UFM or its subnet manager refuses.
        """
        made = Scope(wanted, self.facts)
        for name, value in made.settings.items():
            self.settings.judge(name, value)
        return made

    def live(self, session: UfmSession, names: Sequence[str], deadline: Deadline) -> Live:
        """What a UFM holds; of its settings only those named, and none is asked for where none is.

        Raises:
            DeviceError: by kind of failure.
        """
        partitions = session.partitions(deadline)
        if not names:
            return Live(partitions)
        return Live(partitions, shown_by(session.settings(deadline), names, self.manager, self.secrets))

    def state(self, scope: Scope, live: Live) -> Tree:
        """What a UFM holds of what is ours, as the state of a device."""
        found = state_tree(scope.compared(scope.live(live.partitions)))
        settings = self.settings.state(scope.settings, live.settings)
        return found | ({ROOT: settings} if settings else {})

    def unwritable(self, scope: Scope, live: Live, version: str) -> str:
        """Settings that are asked for and that this UFM cannot be given, in words; empty when there are none."""
        old = [name for name in scope.settings if not self.facts.takes(version, name)]
        missing = [name for name in scope.settings if name not in live.settings and name not in old]
        words = [f"UFM {version} is not known to take {', '.join(old)} by REST"] if old else []
        words += [f"UFM shows no {', '.join(missing)}: what it does not show cannot be set by REST"] if missing else []
        leave = f" (leave out: manage: {{except: [/{ROOT}/{[*old, *missing][0]}]}})" if words else ""
        return "; ".join(words) + leave

    def planned(self, scope: Scope, live: Live, *, named: bool) -> tuple[Step, ...]:
        """What leads from what a UFM holds to what is wanted: settings first, for a refusal costs no port anything."""
        partitions = scope.changes(scope.compared(scope.live(live.partitions)), named=named)
        return (*self.settings.changes(scope.settings, live.settings), *partitions)


def setting_names(planned: Sequence[Step]) -> tuple[str, ...]:
    """Settings that changes are about."""
    return tuple(change.name for change in planned if isinstance(change, SettingChange))


def differences(planned: Sequence[Step]) -> list[Difference]:
    """Changes leaf by leaf, in order of paths."""
    return sorted((item for change in planned for item in change.differences()), key=lambda item: item.path)


def held_against(means: Means, planned: Sequence[Step], live: Live, *, force: bool = False) -> Standing[Step]:
    """How far changes of settings and partitions got."""
    settings = [change for change in planned if isinstance(change, SettingChange)]
    first = means.settings.standing(settings, live.settings, force=force)
    then = standing([change for change in planned if isinstance(change, Change)], live.partitions, force=force)
    done, todo = first.done + then.done, first.todo + then.todo
    return Standing((*first.left, *then.left), done, todo, (*first.others, *then.others), first.stays)
