"""From changes to calls: chunked, every field said, one kind of membership per call, one setting per call. Pure.

UFM takes what a body does not say from its own defaults, and one membership list for many GUIDs is not trusted: a
manager that ignores it would make every member full. So each call names one membership and one `index0` for all of its
GUIDs, and says whether the partition carries IPoIB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from intent.catalog.ufm import UfmFacts
from intent.device.compensation import Write
from intent.device.ufm.changes import Change
from intent.device.ufm.keys import api_guid, api_key, tree_key
from intent.device.ufm.matching import Settings
from intent.device.ufm.partitions import Member, Partition, Partitions
from intent.device.ufm.session import SETTINGS, partition_path
from intent.device.ufm.settings import SettingChange, Shown

_PKEYS = "/resources/pkeys"
_QUALITIES = ("mtu", "rate", "service-level")
_DEFAULT_IPOIB = True  # what UFM makes a partition with when nobody says
_DEFAULT_MTU, _DEFAULT_RATE, _DEFAULT_LEVEL = 2048, 2.5, 0


def writes(planned: Sequence[Change], live: Partitions, version: str, facts: UfmFacts) -> tuple[Write, ...]:
    """The calls that carry out changes, in order: what goes away first, so that no port is ever in both.

    Args:
        planned: what is still to be done.
        live: what UFM has now.
        version: of UFM.
        facts: what is known of versions.
    """
    made = [_Calls(change, live.get(change.key), version, facts) for change in planned]
    steps = ("removals", "made", "joined", "at_index0", "ipoib", "qualities")
    return tuple(call for step in steps for calls in made for call in getattr(calls, step)())


def setting_writes(planned: Sequence[SettingChange], shown: Shown, settings: Settings) -> tuple[Write, ...]:
    """The calls that carry out changes of settings, one each: what one refusal was about is then known.

    Args:
        planned: what is still to be done.
        shown: what UFM shows now.
        settings: says how a value is written.

    Raises:
        IntentError: a value cannot be said in UFM's form, or a secret cannot be had.
    """
    return tuple(
        Write("PUT", SETTINGS, {change.name: settings.written(change, shown[change.name])}, f"setting {change.name}")
        for change in planned
    )


class _Calls:
    """The calls for one partition."""

    def __init__(self, change: Change, now: Partition | None, version: str, facts: UfmFacts) -> None:
        self._change = change
        self._now = now
        self._facts = facts
        self._named = facts.has(version, "partition-name")
        self._fills_empty = facts.has(version, "fills-empty")
        self._where = f"partition {tree_key(change.key)}"
        wanted = change.attributes.get("ipoib", (None, None))[1]
        before = now.ipoib if now is not None else None
        self._ipoib = next(value for value in (wanted, before, _DEFAULT_IPOIB) if value is not None)
        self._new = {guid: new for guid, (_, new) in change.members.items() if new is not None}

    def removals(self) -> Iterator[Write]:
        if self._change.exists == (True, False):
            yield Write("DELETE", partition_path(self._change.key), None, f"{self._where}: remove it")
            return
        gone = [guid for guid, (_, new) in self._change.members.items() if new is None]
        for some in _chunks(gone, self._facts.chunk):
            joined = ",".join(api_guid(guid) for guid in some)
            path = partition_path(self._change.key, "guids", joined)
            yield Write("DELETE", path, None, f"{self._where}: remove {len(some)} members")

    def made(self) -> Iterator[Write]:
        if self._change.exists != (False, True) or (self._new and not self._fills_empty):
            return  # where members cannot join an empty partition, the first of them make it
        body: dict[str, Any] = {"pkey": api_key(self._change.key), "index0": False, "ip_over_ib": self._ipoib}
        name = self._asked("name")
        if name and self._named:
            body["partition_name"] = name
        if any(self._asked(key) is not None for key in _QUALITIES):
            body |= self._quality()
        yield Write("POST", f"{_PKEYS}/add", body, f"{self._where}: make it")

    def joined(self) -> Iterator[Write]:
        return self._joining(index0=False)

    def at_index0(self) -> Iterator[Write]:
        return self._joining(index0=True)

    def _joining(self, *, index0: bool) -> Iterator[Write]:
        some = sorted((kind.membership, guid) for guid, kind in self._new.items() if kind.index0 is index0)
        for membership, group in groupby(some, key=lambda item: item[0]):
            for part in _chunks([guid for _, guid in group], self._facts.chunk):
                yield self._join(part, Member(membership, index0), f"{len(part)} {membership} members")

    def _join(self, guids: Iterable[str], kind: Member, words: str) -> Write:
        body = {
            "pkey": api_key(self._change.key),
            "guids": [api_guid(guid) for guid in guids],
            "ip_over_ib": self._ipoib,
            "index0": kind.index0,
            "membership": kind.membership,
        }
        return Write("POST", f"{_PKEYS}/", body, f"{self._where}: {words}")

    def ipoib(self) -> Iterator[Write]:
        """IPoIB is a field of the calls above; where none is made, a member is written again as it is."""
        if self._now is None or self._asked("ipoib") is None or self._new:
            return
        words = f"IPoIB {'on' if self._ipoib else 'off'}"
        stays = next((guid for guid in self._now.members if guid not in self._change.members), None)
        if stays is not None:
            yield self._join([stays], self._now.members[stays], words)
        else:
            body: dict[str, Any] = {
                "pkey": api_key(self._change.key),
                "guids": [],
                "ip_over_ib": self._ipoib,
                "index0": False,
                "membership": "full",
            }
            yield Write("PUT", _PKEYS, body, f"{self._where}: {words}")

    def qualities(self) -> Iterator[Write]:
        asked = any(self._asked(key) is not None for key in _QUALITIES)
        at_once = self._change.exists == (False, True) and not (self._new and not self._fills_empty)
        if asked and not at_once:
            body = {"pkey": api_key(self._change.key), **self._quality()}
            yield Write("PUT", f"{_PKEYS}/qos_conf", body, f"{self._where}: MTU, rate and service level")

    def _quality(self) -> dict[str, Any]:
        now = self._now
        have = (now.mtu, now.rate, now.service_level) if now else (None, None, None)
        default = (_DEFAULT_MTU, _DEFAULT_RATE, _DEFAULT_LEVEL)
        mtu, rate, level = (
            next(value for value in (self._asked(key), old, fallback) if value is not None)
            for key, old, fallback in zip(_QUALITIES, have, default, strict=True)
        )
        return {"mtu_limit": mtu // 1024, "rate_limit": rate, "service_level": level}

    def _asked(self, key: str) -> Any:
        return self._change.attributes.get(key, (None, None))[1]


def _chunks(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))
