"""Templates: undefined stops, the workspace wins, the sandbox holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intent.core.errors import IntentError
from intent.render.templates import Limits, Templates

Render = Callable[..., str]


@pytest.fixture
def render(tmp_path: Path) -> Render:
    def run(source: str | bytes, limits: Limits | None = None, /, **values: Any) -> str:
        file = tmp_path / "frr.conf.j2"
        file.write_bytes(source if isinstance(source, bytes) else source.encode())
        return Templates([tmp_path], limits).render("frr.conf.j2", values, device="leaf01")

    return run


@pytest.mark.parametrize(
    ("source", "values", "variable"),
    [
        ("router bgp\nneighbor swp1 remote-as {{ n.asn }}\n", {"n": {}}, "n.asn"),
        ("x\n{{ n.peer.asn }}\n", {"n": {}}, "n.peer"),
        ("x\n{{ n['asn'] }}\n", {"n": {}}, "n[asn]"),
        ("x\n{{ asn }}\n", {}, "asn"),
        ("x\n{{ n | join(seperator) }}\n", {"n": [1]}, "seperator"),
        ("x\n{{ n | join(attribute='asnn') }}\n", {"n": [{"asn": 1}]}, "asnn"),
        ("x\n{{ n | default(1, ture) }}\n", {}, "ture"),
        ("x\n{{ n | indent(2, first=frist) }}\n", {"n": "a"}, "frist"),
        ("x\n{{ [n.asn] }}\n", {"n": {}}, "n.asn"),
        ("x\n{{ {'a': n.asn} }}\n", {"n": {}}, "n.asn"),
        ("x\n{% if n.asn %}{% endif %}\n", {"n": {}}, "n.asn"),
        ("x\n{% for p in n.ports %}{% endfor %}\n", {"n": {}}, "n.ports"),
        ("x\n{{ 'AS' ~ n.asn }}\n", {"n": {}}, "n.asn"),
        ("x\n{{ n.asn == 5 }}\n", {"n": {}}, "n.asn"),
    ],
)
def test_d05_undefined_stops_and_names_template_line_variable_device(
    render: Render, source: str, values: dict[str, Any], variable: str
) -> None:
    with pytest.raises(IntentError) as caught:
        render(source, **values)
    message = caught.value.message
    assert "frr.conf.j2:2: template for leaf01: " in message
    assert f"{variable} is undefined" in message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x\n{{ n | default(vlaue=2) }}\n", "unexpected keyword argument 'vlaue'"),
        ("x\n{{ n | defualt(2) }}\n", "No filter named 'defualt'"),
        ("x\n{{ n | map('upcase') | list }}\n", "No filter named 'upcase'"),
        ("x\n{{ n is defind }}\n", "No test named 'defind'"),
        ("x\n{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=1) }}\n", "takes no keyword argument 'b'"),
        ("x\n{{ none_value }}\n", "a value is none"),
        ("x\n{{ n bar }}\n", "expected token"),
        ("x\n{{ 1 / 0 }}\n", "division by zero"),
    ],
)
def test_d05_every_other_mistake_names_its_line_too(render: Render, source: str, words: str) -> None:
    with pytest.raises(IntentError) as caught:
        render(source, n=[1], none_value=None)
    assert "frr.conf.j2:2: template for leaf01: " in caught.value.message
    assert words in caught.value.message


def test_asking_whether_something_is_defined_is_allowed(render: Render) -> None:
    source = "{{ n.asn is defined }} {{ n.asn | default('none') }} {{ x | default(n.a) }}"
    assert render(source, n={"a": 2}) == "False none 2"


def test_an_error_in_an_included_template_names_that_template(tmp_path: Path, render: Render) -> None:
    (tmp_path / "part.j2").write_text("a\nb\n{{ q.z }}\n")
    with pytest.raises(IntentError, match=r"part\.j2:3: template for leaf01: q\.z is undefined"):
        render("{% include 'part.j2' %}", q={})


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ n.__init__ }}",
        "{{ n.append(1) }}",
        "{{ 'a' * 10 ** 9 }}",
        "{{ 2 ** 99999999 }}",
        "{{ '%0999999999d' % 1 }}",
        "{{ '%0999999999d' | format(1) }}",
        "{{ '{:>999999999}'.format(1) }}",
        "{{ 'a'.ljust(999999999) }}",
        "{{ 'a' | center(999999999) }}",
        "{% for i in range(999999999) %}{% endfor %}",
        "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
        "{% for i in range(9999) %}{{ 'a' * 1000 }}{% endfor %}",
        "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}",
        "{% include 'frr.conf.j2' %}",
        "{% include '../../../etc/passwd' %}",
        "{% include '/etc/passwd' %}",
        "{{ self._TemplateReference__context }}",
    ],
)
def test_hostile_templates_end_in_an_error(render: Render, source: str) -> None:
    limits = Limits(output_characters=100_000, steps=200_000)
    with pytest.raises(IntentError) as caught:
        render(source, limits, n=[1])
    assert "root:" not in caught.value.message


def test_a_budget_is_for_one_rendering(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text("{% for i in range(80) %}{{ i }}{% endfor %}")
    templates = Templates([tmp_path], Limits(steps=100))
    assert templates.render("a.j2", {}) == templates.render("a.j2", {})


def test_d06_line_ends_and_byte_order_marks_make_no_difference(render: Render) -> None:
    plain = render(b"a {{ x }}\nb\n", x="1")
    assert render(b"\xef\xbb\xbfa {{ x }}\r\nb\r\n", x="1") == plain == "a 1\nb\n"
    assert "\r" not in render("{{ x }}", x="a\r\nb\rc")


def test_d06_other_encodings_are_refused(render: Render) -> None:
    for source in ("a {{ x }}".encode("utf-16"), "é".encode("latin-1"), b"a\0b"):
        with pytest.raises(IntentError, match=r"UTF-8|text"):
            render(source, x=1)


def test_huge_templates_are_refused(render: Render) -> None:
    with pytest.raises(IntentError, match="expected at most 1000"):
        render("a" * 2000, Limits(source_bytes=1000))


def test_the_workspace_wins_and_may_include_ours(tmp_path: Path) -> None:
    own, ours = tmp_path / "own", tmp_path / "ours"
    own.mkdir()
    ours.mkdir()
    (ours / "a.j2").write_text("ours")
    (ours / "part.j2").write_text("part")
    (own / "a.j2").write_text("own {% include 'part.j2' %}")
    templates = Templates([own, ours])
    assert templates.render("a.j2", {}) == "own part"
    assert templates.names() == ("a.j2", "part.j2")


def test_a_template_that_is_not_there_names_where_it_was_sought(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match=r"no template 'nope\.j2' for leaf01") as caught:
        Templates([tmp_path]).render("nope.j2", {}, device="leaf01")
    assert str(tmp_path) in caught.value.hint


def test_html_is_escaped_and_configuration_is_not(tmp_path: Path) -> None:
    for name in ("a.html.j2", "a.conf.j2"):
        (tmp_path / name).write_text("{{ x }}")
    templates = Templates([tmp_path])
    assert templates.render("a.html.j2", {"x": "<b>"}) == "&lt;b&gt;"
    assert templates.render("a.conf.j2", {"x": "<b>"}) == "<b>"


def test_the_shell_filter_quotes(render: Render) -> None:
    assert render("{{ x | shell }}", x="a'b $(id)") == "'a'\"'\"'b $(id)'"
