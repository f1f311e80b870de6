"""Hosts that manage one subnet: after a takeover the next one's files decide, so all must hold the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.device.actor import Observed, Target
    from intent.verify.engine import CheckResult

_PLATFORMS = ("opensm", "ufm-files")
_CHECK, _TITLE = "same-files", "Every host of a subnet manager's set holds the same files, compared by hash"


def same_files(targets: Mapping[str, Target], observed: Mapping[str, Observed]) -> tuple[CheckResult, ...]:
    """A verdict on each set of two hosts or more, under the name of its first.

    Args:
        targets: the devices.
        observed: what each holds.
    """
    sets: dict[tuple[str, str], list[str]] = {}
    for name, target in targets.items():
        if target.platform in _PLATFORMS and name in observed:
            sets.setdefault((target.platform, target.labels.get("fabric", "")), []).append(name)
    return tuple(
        _judged(fabric, {name: observed[name] for name in names})
        for (_, fabric), names in sets.items()
        if len(names) > 1
    )


def _judged(fabric: str, hosts: Mapping[str, Observed]) -> CheckResult:
    from intent.core.verdict import Verdict
    from intent.device.ufm.host_files import ROLE, STANDBY
    from intent.render.opensm.render import unlike
    from intent.verify.api import Phase, sentence
    from intent.verify.engine import CheckResult

    silent = [name for name, item in hosts.items() if item.problem is not None]
    aside = [name for name, item in hosts.items() if item.state.get(ROLE) == STANDBY]
    held = {name: _files(item) for name, item in hosts.items() if name not in {*silent, *aside}}
    messages = [sentence("Set", fabric, "hosts hold unlike files", actual=words) for words in unlike(held)]
    verdict = Verdict.FAIL if messages else Verdict.UNKNOWN if silent else Verdict.PASS
    messages += [sentence("Set", fabric, f"the files of {name} were not read") for name in silent]
    notes = tuple(f"{name} stands by: its files are the active host's, replicated" for name in aside)
    first = next(iter(hosts))
    return CheckResult(first, _CHECK, _TITLE, "subnet-manager", Phase.VERIFY, verdict, tuple(messages), notes, judged=1)


def _files(observed: Observed) -> dict[str, str]:
    """Texts by path; what of a file is ours alone stands under the file's name."""
    from intent.core.tree import leaves

    found: dict[str, str] = dict(observed.state.get("files", {}))
    for part, name in (("gv", "gv.cfg"), ("opensm", "opensm.conf")):
        if part in observed.state:
            lines = sorted(f"{' '.join(path)} = {value}" for path, value in leaves(observed.state[part]))
            found[name] = "\n".join(lines)
    return found
