"""A plan that was read from a file: is it this workspace's, and what it compiles to now?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.core.errors import IntentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intent.change.plan import Plan
    from intent.device.actor import Target
    from intent.operate.context import Work
    from intent.render.artifact import Artifact


def require_site(work: Work, plan: Plan) -> None:
    """Refuse a plan of another site or intent.

    Raises:
        IntentError: it is of another one.
    """
    compiled = work.compiled
    if plan.scope.site != compiled.name:
        raise IntentError(f"the plan is for site {plan.scope.site}, this is {compiled.name}", hint="say --site")
    if plan.intent_name != compiled.document.name:
        raise IntentError(
            f"the plan is for the intent {plan.intent_name!r}, this workspace is {compiled.document.name!r}",
            hint="make the plan in this workspace",
        )


def require_ours(work: Work, plan: Plan, artifacts: Mapping[str, Artifact], known: Mapping[str, Target]) -> None:
    """Refuse a plan of another workspace or site, of another time, or that somebody wrote by hand.

    Args:
        work: the workspace and site.
        plan: the plan.
        artifacts: what it compiles to, by device.
        known: its devices, by name.

    Raises:
        IntentError: it is not what the workspace compiles to now.
    """
    from intent.change.following import require_current
    from intent.operate.context import strategy_of

    if plan.kind != "apply":
        raise IntentError(
            "the plan is a rollback's, and those are not carried out from a file",
            hint="`intent rollback CHANGE` makes it anew from the journal",
        )
    require_site(work, plan)
    require_current(plan, artifacts, known, strategy_of(work.compiled))
