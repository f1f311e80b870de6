"""Owning the whole device means carrying its users.

With `manage: {replace: true}` what we do not write goes, accounts included: without one that may administer the switch,
the first push locks everybody out.

Bad:
    manage: {replace: true}

Good:
    manage: {replace: true}
    users: {cumulus: {hashed_password: {secret: cumulus_hash}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L114", "replace-without-users", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        if site.manage.replace and not any(user.role == "system-admin" for user in site.users.values()):
            yield Finding(
                f"site {name}: manage.replace is true and no user has the role system-admin",
                ("sites", name, "manage", "replace"),
                hint="add users: {cumulus: {hashed_password: {secret: …}}}, or do not replace",
            )
