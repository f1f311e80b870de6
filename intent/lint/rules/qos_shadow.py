"""A QoS profile of the document has the name of a built-in one.

Readers would take one for the other.

Bad:
    qos: {roce-lossless: {watchdog: {poll: 100ms}}}

Good:
    qos: {roce-lossless-par1: {base: roce-lossless, watchdog: {poll: 100ms}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.qos import built_in_profiles
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L104", "qos-shadow", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    built_in = built_in_profiles()
    for name in context.document.qos:
        if name in built_in:
            yield Finding(f"QoS profile {name!r} is built in", ("qos", name), hint=f"name it {name}-mine, say")
