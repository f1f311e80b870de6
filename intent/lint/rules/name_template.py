"""A name template that gives two switches one name.

With planes the templates of leaf and spine need {plane}; with `attach_by: rail` that of leaf needs {rail}; with several
fabrics both need {fabric}; that of nodes needs {rack}.

Bad:
    names: {leaf: "leaf{n:02}"}       # and a fabric with planes: 2

Good:
    names: {leaf: "p{plane}-r{rail}-leaf{n:02}"}
"""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from intent.lint.rule import Context, Finding, Rule
from intent.schema.model import Site


def rule() -> Rule:
    """The rule."""
    return Rule("L117", "name-template", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        for key, template, needed in _needs(site):
            missing = [field for field in needed if field not in _fields(template)]
            if missing:
                fields = " and ".join(f"{{{field}}}" for field in missing)
                message = f"template of {key} names {template!r} gives one name twice, expected {fields} in it"
                yield Finding(message, ("sites", name, "names", key))


def _needs(site: Site) -> Iterator[tuple[str, str, list[str]]]:
    fabrics = list(site.fabrics.values())
    planes = any(fabric.topology.planes > 1 for fabric in fabrics)
    rails = any(fabric.topology.attach_by == "rail" for fabric in fabrics)
    both = [*(["fabric"] if len(fabrics) > 1 else []), *(["plane"] if planes else [])]
    if site.names.leaf:
        yield "leaf", site.names.leaf, [*both, *(["rail"] if rails else [])]
    if site.names.spine:
        yield "spine", site.names.spine, both
    yield "node", site.names.node, ["rack"]


def _fields(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field}
