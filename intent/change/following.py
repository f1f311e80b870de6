"""Whether a plan still is what the workspace compiles to: a file of it may be old, or edited."""

from __future__ import annotations

from collections.abc import Mapping

from intent.change.asking import wanted_of
from intent.change.plan import DevicePlan, Plan, digest_wanted
from intent.change.strategy import Strategy
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.device.actor import Target
from intent.render.artifact import Artifact


def require_current(
    plan: Plan,
    artifacts: Mapping[str, Artifact],
    targets: Mapping[str, Target] | None = None,
    settings: Strategy | None = None,
) -> None:
    """Refuse a plan that is not what the workspace compiles to now.

    A digest in a file holds only against damage: who edits the file can compute it anew. What holds a plan is that all
    an apply acts on follows from somewhere else: trees, scopes, places and the manner from the workspace, here;
    differences from the live devices, when each is compared once more before it is written to.

    Args:
        plan: the plan.
        artifacts: what the workspace compiles to, by device.
        targets: where the devices are and what they are, by name; not compared when not given.
        settings: how changes are to be carried out; not compared when not given.

    Raises:
        IntentError: some device's tree, scope or place differs, or the strategy does (exit code: stale).
    """
    other = [device.name for device in plan.devices if not _follows(device, artifacts, targets)]
    if other:
        raise IntentError(
            f"the intent has changed since the plan was made, for {len(other)} of {len(plan.devices)} devices: "
            f"{', '.join(other[:5])}{', …' if len(other) > 5 else ''}",
            hint="make a new plan",
            exit_code=ExitCode.STALE,
        )
    if settings is not None and plan.strategy != settings:
        raise IntentError(
            "the strategy of changes is not the one the plan was made with",
            hint="make a new plan",
            exit_code=ExitCode.STALE,
        )


def _follows(device: DevicePlan, artifacts: Mapping[str, Artifact], targets: Mapping[str, Target] | None) -> bool:
    target = device.wanted.target
    if device.name not in artifacts or artifacts[device.name].platform != target.platform:
        return False
    if targets is not None and targets.get(device.name) != target:
        return False
    return digest_wanted(wanted_of(artifacts[device.name], target)) == device.wanted_digest
