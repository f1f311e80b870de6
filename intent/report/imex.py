"""IMEX's lists of trays, held against each other: the trays of an NVLink partition must all have the same one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from intent.core.exitcode import ExitCode, worst
from intent.render.imex import ImexDomain
from intent.report.text import clean, joined

_NAMED = 3
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be said of the lists, and what it says to the shell."""

    text: Text
    exit_code: ExitCode


def told(domains: Sequence[ImexDomain], hashes: Mapping[str, tuple[str, str]]) -> Told:
    """Compare the lists, one line per NVLink partition.

    Args:
        domains: the partitions.
        hashes: for each tray the hash of its list and why it could not be read; both empty where it has none.
    """
    lines = [_line(domain, hashes) for domain in domains]
    return Told(joined([text for text, _ in lines]), worst(ExitCode.OK, *(code for _, code in lines)))


def _line(domain: ImexDomain, hashes: Mapping[str, tuple[str, str]]) -> tuple[Text, ExitCode]:
    where = f"IMEX of NVLink partition {domain.partition} of rack {domain.rack}: "
    unread = [tray for tray in domain.trays if hashes.get(tray, ("", "not asked"))[1]]
    held = {tray: hashes[tray][0] for tray in domain.trays if tray not in unread}
    odd = [tray for tray, found in held.items() if found != domain.sha256]
    if odd:
        kinds = len(Counter(held.values()))
        text = f"{len(odd)} of {len(domain.trays)} trays have another list or none ({_some(odd)}), {kinds} kinds in all"
        return Text(where).append(f"{text}: it does not come up until they are alike", "red"), ExitCode.FINDINGS
    if unread:
        why = hashes.get(unread[0], ("", "not asked"))[1]
        text = f"{len(unread)} of {len(domain.trays)} trays could not be read ({_some(unread)}): {clean(why)}"
        return Text(where).append(text, "yellow"), ExitCode.UNKNOWN
    return Text(f"{where}identical on {len(held)} trays, sha256 {domain.sha256[:_DIGITS]}…"), ExitCode.OK


def _some(trays: Sequence[str]) -> str:
    return f"{', '.join(trays[:_NAMED])}{' …' if len(trays) > _NAMED else ''}"
