"""Site values override global ones, key by key."""

from __future__ import annotations

from intent.core.units import Amount, Duration
from intent.schema.effective import changes_of
from intent.schema.loader import load

TEXT = """\
version: 1
name: a
changes: {strategy: {canary: 2, batch: 25%, confirm: 5m, max_unavailable: {spine: 4}}}
sites:
  a: {}
  b: {changes: {strategy: {canary: 0, max_unavailable: {plane: 2}}}}
"""


def test_what_a_site_leaves_out_is_the_documents() -> None:
    document = load({"intent.yaml": TEXT}).document
    assert document is not None
    assert changes_of(document, "a") == document.changes
    strategy = changes_of(document, "b").strategy
    assert strategy.canary == 0
    assert strategy.batch == Amount(25, percent=True)
    assert strategy.confirm == Duration(300_000_000)
    assert (strategy.max_unavailable.plane, strategy.max_unavailable.spine) == (2, 4)
