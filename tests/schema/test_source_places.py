"""Every value knows its file, line and column."""

from __future__ import annotations

from intent.schema.loader import load

TEXT = """\
version: 1
name: a        # intent: ignore[L101] on the line
sites:
  s:
    # intent: ignore[L102] alone above
    region: "é"   # é
    nodes:
      - {name: n1, type: t}
      - name: "n{2..3}"
        type: t
    releases: {cumulus: 5.16.4, "x*": {cumulus: 5.14.0}}
    fabrics:
      e:
        topology: {leaf: SN5600, spine: SN5600}
        attach: {nodes: "n*"}
        qos: roce-lossless
    overrides:
      "*":
        motd: |
          # intent: not a comment
        system: {hostname: x}
"""


def place(*path: str | int) -> str:
    return str(load({"intent.yaml": TEXT}).sources.span(path))


def test_scalars_are_where_their_text_is() -> None:
    assert place("version") == "intent.yaml:1:10"
    assert place("sites", "s", "region") == "intent.yaml:6:13"
    assert place("sites", "s", "nodes", 0, "type") == "intent.yaml:8:26"
    assert place("sites", "s", "nodes", 1, "name") == "intent.yaml:9:15"
    assert place("sites", "s", "releases", "x*", "cumulus") == "intent.yaml:11:49"
    assert place("sites", "s", "overrides", "*", "system", "hostname") == "intent.yaml:21:28"


def test_mappings_are_where_their_key_is_and_list_items_where_they_begin() -> None:
    assert place("sites", "s") == "intent.yaml:4:3"
    assert place("sites", "s", "fabrics", "e") == "intent.yaml:13:7"
    assert place("sites", "s", "nodes", 1) == "intent.yaml:9:9"


def test_a_short_form_and_a_default_lead_to_what_is_written() -> None:
    assert place("sites", "s", "fabrics", "e", "topology", "leaf", "model") == "intent.yaml:14:26"
    assert place("sites", "s", "fabrics", "e", "qos", "*") == "intent.yaml:16:14"
    assert place("sites", "s", "fabrics", "e", "underlay", "bfd") == "intent.yaml:13:7"


def test_comments_to_us_are_kept_with_the_line_they_speak_of() -> None:
    comments = load({"intent.yaml": TEXT}).sources.comments
    assert comments == {
        ("intent.yaml", 2): "intent: ignore[L101] on the line",
        ("intent.yaml", 6): "intent: ignore[L102] alone above",
    }
