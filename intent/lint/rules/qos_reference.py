"""A fabric names a QoS profile that there is not.

Bad:
    qos: roce-losless

Good:
    qos: roce-lossless
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.qos import built_in_profiles
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L103", "qos-reference", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    known = sorted({*built_in_profiles(), *context.document.qos})
    for name, site in context.document.sites.items():
        for key, fabric in site.fabrics.items():
            for selector, profile in fabric.qos.items():
                if profile not in known:
                    path = ("sites", name, "fabrics", key, "qos", selector)
                    yield Finding(f"fabric {key}: no QoS profile {profile!r}", path, hint="exists: " + ", ".join(known))
