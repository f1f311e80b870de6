"""Revisions of a switch, kept compressed; equal trees are kept once."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from intent.lab.agenda import Appointment
from intent.lab.trees import Json

MAX_REVISIONS = 100


class Blob:
    """A tree as compressed JSON. Never changes."""

    __slots__ = ("data", "digest")

    def __init__(self, data: bytes, digest: bytes) -> None:
        self.data = data
        self.digest = digest


class Trees:
    """Turns trees to blobs and back; remembers the trees used last.

    Args:
        room: how many trees stay unpacked.
    """

    def __init__(self, room: int = 12) -> None:
        self._room = room
        self._unpacked: OrderedDict[bytes, Json] = OrderedDict()
        self.empty = self.pack({})

    def pack(self, tree: Json, *, like: tuple[Blob, ...] = ()) -> Blob:
        """The blob of a tree; one of `like` when it holds the same.

        Args:
            tree: tree that is never changed afterwards.
            like: blobs that may hold the same.
        """
        text = json.dumps(tree, separators=(",", ":")).encode()
        digest = hashlib.blake2b(text, digest_size=16).digest()
        for blob in like:
            if blob.digest == digest:
                return blob
        self._remember(digest, tree)
        return Blob(zlib.compress(text, 3), digest)

    def unpack(self, blob: Blob) -> Json:
        """The tree of a blob. It is shared: never change it."""
        tree = self._unpacked.get(blob.digest)
        if tree is None:
            loaded: Json = json.loads(zlib.decompress(blob.data))
            self._remember(blob.digest, loaded)
            return loaded
        self._unpacked.move_to_end(blob.digest)
        return tree

    def _remember(self, digest: bytes, tree: Json) -> None:
        self._unpacked[digest] = tree
        self._unpacked.move_to_end(digest)
        while len(self._unpacked) > self._room:
            self._unpacked.popitem(last=False)


@dataclass(slots=True)
class Revision:
    """One revision.

    Args:
        id: its name in the API.
        blob: its tree.
        user: who made it.
        made_at: lab time.
        parent: revision it started from.
        state: word of the life cycle.
        issues: what is wrong, as `transition.issue` shows it.
        progress: what the switch is doing, in words.
        message: note of the operator.
        confirm_s: seconds of the confirm timer; 0 for none.
        answers: prompts answered in advance, `ays` and `confirm`.
        timer: the next step, or the end of a prompt.
        before: what was applied before it, while it awaits confirmation.
    """

    id: str
    blob: Blob
    user: str
    made_at: float
    parent: str = ""
    state: str = "pending"
    issues: list[dict[str, Any]] = field(default_factory=list)
    progress: str = ""
    message: str = ""
    confirm_s: float = 0.0
    answers: dict[str, str] = field(default_factory=dict)
    timer: Appointment | None = None
    before: tuple[str, Blob] | None = None

    def shown(self) -> Json:
        """As `GET /revision/<id>` answers it."""
        issue = {f"{number:05}": item for number, item in enumerate(self.issues)}
        shown: Json = {"state": self.state, "transition": {"issue": issue, "progress": self.progress}}
        if self.parent:
            shown["additional-data"] = {"parent-revision-id": self.parent}
        return shown


class Store:
    """All revisions of a switch, what is applied and what it would boot with.

    Args:
        blob: what is applied at the start.
        slash_ids: ids in the older form.
    """

    __slots__ = ("_number", "_slash_ids", "applied", "applied_id", "revisions", "saved", "startup")

    def __init__(self, blob: Blob, *, slash_ids: bool) -> None:
        self._number = 0
        self._slash_ids = slash_ids
        self.revisions: dict[str, Revision] = {}
        self.applied = blob
        self.startup = blob
        self.applied_id = ""
        first = self.create("root", 0.0)
        first.state = "applied_and_saved"
        self.applied_id = first.id
        self.saved = True

    def create(self, user: str, now: float) -> Revision:
        """A new revision that starts from what is applied; the oldest idle one goes when there are too many.

        Raises:
            OverflowError: too many revisions hold or await the machine.
        """
        self._number += 1
        name = f"changeset/{user}/{self._number:06}" if self._slash_ids else str(self._number)
        revision = Revision(name, self.applied, user, now, self.applied_id)
        self.revisions[name] = revision
        kept = {self.applied_id, name} | self.fallbacks()
        for old in list(self.revisions.values()):
            if len(self.revisions) <= MAX_REVISIONS:
                break
            if old.timer is None and old.id not in kept and old.state not in WAITING:
                del self.revisions[old.id]
        if len(self.revisions) > MAX_REVISIONS:
            del self.revisions[name]
            raise OverflowError(f"all {MAX_REVISIONS} revisions are in use")
        return revision

    def fallbacks(self) -> set[str]:
        """Ids of the revisions that come back when one that awaits confirmation does not get it."""
        return {held.before[0] for held in self.revisions.values() if held.before}

    def put_in_force(self, revision_id: str, blob: Blob) -> None:
        """What is applied from now on."""
        previous = self.revisions.get(self.applied_id)
        if previous is not None and previous.id != revision_id and previous.state in GOOD:
            previous.state = "inactive"
        self.applied_id, self.applied = revision_id, blob
        self.saved = blob.digest == self.startup.digest


GOOD = ("applied", "applied_and_saved")
# States in which a revision holds the machine, or waits for it.
WAITING = (
    "apply",
    "checking",
    "verifying",
    "readying",
    "reloading",
    "confirm",
    "confirm_no",
    "ays",
    "ignore_fail",
    "auto_saving",
)
