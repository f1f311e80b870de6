"""What a device must hold, and what its actor says of it: the questions every way of changing asks first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent.core.errors import IntentError
from intent.device.actor import Actor, Observed, Problem, Target, Wanted
from intent.render.artifact import Artifact


def wanted_of(artifact: Artifact, target: Target) -> Wanted:
    """What a device must hold, by its artefact."""
    if artifact.platform != target.platform:
        raise IntentError(
            f"{target.name} - artefact is for another platform - expected {target.platform}, actual {artifact.platform}"
        )
    return Wanted(target, artifact.body, artifact.owned, artifact.excepted, artifact.replace)


def observe(wanted: Sequence[Wanted], actors: Mapping[str, Actor]) -> dict[str, Observed]:
    """Read every device through its actor, each actor called once. A device nobody answers for is a problem."""
    by_platform: dict[str, list[Wanted]] = {}
    for item in wanted:
        by_platform.setdefault(item.target.platform, []).append(item)
    found: dict[str, Observed] = {}
    for platform, items in by_platform.items():
        found.update(actor_for(actors, platform).observe(items))
    silent = "its actor gave no answer for it"
    return {
        item.target.name: found.get(item.target.name)
        or Observed(item.target.name, problem=Problem.PROTOCOL, detail=silent)
        for item in wanted
    }


def actor_for(actors: Mapping[str, Actor], platform: str) -> Actor:
    """The actor that serves a platform.

    Raises:
        IntentError: none does.
    """
    actor = actors.get(platform)
    if actor is None:
        raise IntentError(f"platform {platform!r} - no actor - expected one of: {', '.join(sorted(actors)) or 'none'}")
    return actor


def mismatch(target: Target, observed: Observed) -> str:
    """Why a device is not the one the intent means, in words; empty when it is.

    The release of the intent may be shorter than the device's: `5.16` holds for `5.16.4`.
    """
    expected, actual = target.release.split("."), observed.release.split(".")
    if target.release and observed.release and actual[: len(expected)] != expected:
        return f"release - expected {target.release}, actual {observed.release}"
    if target.model and observed.model and target.model.casefold() not in _words(observed.model):
        return f"model - expected {target.model}, actual {observed.model}"
    return ""


def _words(text: str) -> set[str]:
    return {text.casefold(), *text.casefold().replace("(", " ").replace(")", " ").replace(",", " ").split()}
