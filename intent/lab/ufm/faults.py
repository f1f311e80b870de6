"""What goes wrong with a UFM on demand."""

from __future__ import annotations

from dataclasses import dataclass

from intent.lab import rest_controller

# Kinds with what they do; `times` counts the writes that are hit, -1 for all.
KINDS = {
    **{kind: words for kind, words in rest_controller.KINDS.items() if kind != "clear"},
    "failover": "the virtual address moves: connections drop, nobody answers for for_s seconds, jobs are forgotten",
    "lost-write": "a write's connection drops, when=before or when=after it is carried out; skip=n go well first",
    "job-errors": "a write becomes a job that does half and ends in Completed With Errors",
    "slow-job": "writes become jobs of delay_s seconds",
    "refuse-writes": "writes are answered with status (500 when not said)",
    "read-only": "the account may only read partitions and settings, and the server says so",
    "all-full": "members join as full whatever the call says",
    "add-member": "somebody adds guid to pkey by hand (membership, index0)",
    "remove-member": "somebody takes guid out of pkey by hand",
    "settings-ignored": "settings are answered with 200 and stay as they were",
    "hidden-setting": "the subnet manager's version does not show setting",
    "set-by-hand": "somebody sets setting to value by hand",
    "partitions-by-hand": "file takes the place of the partitions.conf of the OpenSM behind it, unread by anybody",
    "unhealthy-port": "the subnet manager sets a port aside: guid, number, condition",
    "routing-engine": "another engine than asked for is at work: engine (minhop)",
    "clear": rest_controller.KINDS["clear"],
}


@dataclass(slots=True)
class Faults(rest_controller.Standing):
    """Standing faults of a UFM.

    Args:
        job_errors: writes become jobs that fail half way.
        job_s: writes become jobs of so many seconds.
        refuse: status that writes are answered with; 0 for none.
        all_full: members join as full.
        read_only: partitions and settings can only be read.
        settings_ignored: settings stay as they are, whatever is answered.
        engine: routing engine at work; empty for the one asked for.
    """

    job_errors: bool = False
    job_s: float = 0.0
    refuse: int = 0
    all_full: bool = False
    read_only: bool = False
    settings_ignored: bool = False
    engine: str = ""

    def words(self) -> list[str]:
        """The standing faults by name."""
        held = {
            "unreachable": self.down,
            "slow": self.delay_s,
            "lost-write": self.lost,
            "job-errors": self.job_errors,
            "slow-job": self.job_s,
            "refuse-writes": self.refuse,
            "all-full": self.all_full,
            "read-only": self.read_only,
            "settings-ignored": self.settings_ignored,
            "routing-engine": self.engine,
        }
        return [name for name, value in held.items() if value]

    def hits(self) -> bool:
        """True when a fault of writes is due now; counts it."""
        return bool(self.lost or self.job_errors or self.refuse) and self.due()
