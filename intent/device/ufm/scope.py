"""What of a UFM's partitions and settings is ours to compare and to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from intent.catalog.ufm import UfmFacts
from intent.core.errors import IntentError
from intent.core.tree import Path
from intent.device.actor import Wanted
from intent.device.owned import Owned
from intent.device.ufm.changes import Change, changes
from intent.device.ufm.keys import DEFAULT_KEY, key_number, tree_guid, tree_key
from intent.device.ufm.partitions import Partition, Partitions, from_tree
from intent.device.ufm.settings import ROOT as SETTINGS
from intent.device.ufm.settings import asked_for

_ATTRIBUTES = ("name", "ipoib", "mtu", "rate", "service-level")


class Scope:
    """What one UFM must hold and which of its partitions are ours.

    Args:
        wanted: what it must hold.
        facts: what UFM accepts.

    Raises:
        IntentError: the tree makes no sense, is meant for another fabric, or asks for what UFM refuses.
    """

    __slots__ = ("_owned", "_whole", "partitions", "settings")

    def __init__(self, wanted: Wanted, facts: UfmFacts) -> None:
        owned = ((),) if wanted.replace else wanted.owned
        self._owned = Owned([_canonical(path) for path in owned], [_canonical(path) for path in wanted.excepted])
        self._whole = not wanted.excepted and any(path in ((), ("partition",)) for path in owned)
        asked = from_tree(wanted.body, wanted.target.labels.get("fabric", ""))
        for partition in asked.values():
            _check(partition, facts)
        self.partitions: Partitions = self._kept(asked)
        settings = asked_for(wanted.body).items()
        self.settings = {name: value for name, value in settings if self._owned.covers((SETTINGS, name))}
        for name in self.settings:
            if name not in facts.settings:
                raise IntentError(f"{SETTINGS} {name[:40]}: UFM's REST API is not known to take it")

    def live(self, found: Partitions) -> dict[int, Partition]:
        """What of the live partitions is compared: ours, without the default one, which UFM manages itself."""
        return self._kept({key: value for key, value in found.items() if key != DEFAULT_KEY})

    def compared(self, live: Partitions) -> dict[int, Partition]:
        """Live partitions with those attributes only that are asked for; strangers whole.

        A partition's name is given when it is made and never compared afterwards.
        """
        return {key: self._asked(value, self.partitions.get(key)) for key, value in live.items()}

    def changes(self, compared: Partitions, *, named: bool) -> tuple[Change, ...]:
        """What leads from live partitions, as `compared` gives them, to what is wanted.

        Args:
            compared: what there is.
            named: UFM takes a name for a partition it makes.
        """
        target = {
            key: replace(value, name="") if value.name and (key in compared or not named) else value
            for key, value in self.partitions.items()
        }
        return tuple(change for item in changes(compared, target) if (change := self._inside(item)))

    def _inside(self, change: Change) -> Change:
        """A partition that holds something not ours loses its members that are ours, and stays."""
        if change.exists == (True, False) and not self._owned.all_ours(("partition", tree_key(change.key))):
            return Change(change.key, (True, True), {}, change.members)
        return change

    @staticmethod
    def _asked(have: Partition, asked: Partition | None) -> Partition:
        if asked is None:
            return have
        return Partition(
            have.key,
            "",
            have.ipoib if asked.ipoib is not None else None,
            have.mtu if asked.mtu is not None else None,
            have.rate if asked.rate is not None else None,
            have.service_level if asked.service_level is not None else None,
            have.members,
        )

    def _kept(self, found: Partitions) -> dict[int, Partition]:
        if self._whole:
            return dict(found)
        kept: dict[int, Partition] = {}
        for key, value in found.items():
            root = ("partition", tree_key(key))
            if self._owned.covers(root):
                kept[key] = value if not self._owned.speaks_below(root) else self._part(value, root)
            elif self._owned.speaks_below(root):
                kept[key] = self._part(value, root)
        return kept

    def _part(self, value: Partition, root: Path) -> Partition:
        has: Mapping[str, bool] = {name: self._owned.covers((*root, name)) for name in _ATTRIBUTES}
        members = {guid: kind for guid, kind in value.members.items() if self._owned.covers((*root, "member", guid))}
        return Partition(
            value.key,
            value.name if has["name"] else "",
            value.ipoib if has["ipoib"] else None,
            value.mtu if has["mtu"] else None,
            value.rate if has["rate"] else None,
            value.service_level if has["service-level"] else None,
            members,
        )


def _canonical(path: Path) -> Path:
    """A path with its key and GUID spelled as in our trees; `*` stays."""
    made = list(path)
    if len(made) > 1 and made[0] == "partition" and made[1] != "*":
        made[1] = tree_key(key_number(made[1]))
    if len(made) > 3 and made[2] == "member" and made[3] != "*":
        made[3] = tree_guid(made[3])
    return tuple(made)


def _check(partition: Partition, facts: UfmFacts) -> None:
    where = f"partition {tree_key(partition.key)}"
    if partition.key == DEFAULT_KEY:
        raise IntentError(f"{where}: UFM manages the default partition itself", hint="see default_membership in gv.cfg")
    if partition.mtu is not None and partition.mtu not in facts.mtus:
        raise IntentError(f"{where}: mtu is {' or '.join(map(str, facts.mtus))} bytes, not {partition.mtu}")
    if partition.rate is not None and partition.rate not in facts.rates:
        raise IntentError(f"{where}: rate is one of {', '.join(map(str, facts.rates))} Gb/s, not {partition.rate}")
    if partition.service_level is not None and not 0 <= partition.service_level <= 15:
        raise IntentError(f"{where}: service-level is 0 to 15, not {partition.service_level}")
