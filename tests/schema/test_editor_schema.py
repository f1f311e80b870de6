"""The JSON Schema that editors use says what the loader says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from intent.schema.export import FILE_NAME, json_schema
from intent.schema.loader import load
from intent.schema.skeleton import skeleton

EXAMPLES = Path(__file__).parents[2] / "examples"


def objects(node: Any) -> list[dict[str, Any]]:
    found = [node] if isinstance(node, dict) and "properties" in node else []
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return found + [item for child in children for item in objects(child)]


def test_the_schema_is_valid_and_closed_and_every_key_has_a_description() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for each in objects(schema):
        assert "additionalProperties" in each
        for name, value in each["properties"].items():
            named = schema["$defs"].get(value.get("$ref", "").removeprefix("#/$defs/"), {})
            assert value.get("description") or named.get("description"), name


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/intent.yaml")), ids=lambda path: path.parent.name)
def test_examples_fit_the_schema_and_the_loader(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), json_schema())
    loaded = load({"intent.yaml": text})
    assert loaded.diagnostics == ()
    assert text.startswith("# yaml-language-server: $schema=../intent.schema.json\n")


def test_the_schema_beside_the_examples_is_the_current_one() -> None:
    assert json.loads((EXAMPLES / FILE_NAME).read_text(encoding="utf-8")) == json_schema()


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\nname: a\nnmae: b\n",
        "version: 2\nname: a\n",
        "name: a\n",
        "version: 1\nname: a\nsites: {s: {pools: {hosts: ten}}}\n",
        "version: 1\nname: a\nsites: {s: {region: null}}\n",
        "version: 1\nname: a\nsites: {s: {manage: {replace: maybe}}}\n",
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(text: str) -> None:
    assert load({"intent.yaml": text}).document is None
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text), json_schema())


def test_an_included_file_needs_neither_version_nor_name() -> None:
    jsonschema.validate({"sites": {"s": {}}}, json_schema(included=True))


@pytest.mark.parametrize("name", ["aurora", "NO", "010", "12:30".replace(":", "-")])
def test_the_skeleton_loads_and_names_its_schema(name: str) -> None:
    files = skeleton(name)
    loaded = load(files)
    assert loaded.diagnostics == ()
    assert loaded.document is not None
    assert loaded.document.name == name
    assert files["intent.yaml"].startswith(f"# yaml-language-server: $schema={FILE_NAME}\n")
    jsonschema.validate(yaml.safe_load(files["intent.yaml"]), json.loads(files[FILE_NAME]))


def test_the_skeleton_refuses_a_name_that_is_none() -> None:
    with pytest.raises(ValueError, match="expected a name"):
        skeleton('x"\nname: y')


def test_defaults_are_written_as_a_person_would() -> None:
    """An editor that fills in a default must not fill in what the loader refuses."""
    schema = json_schema()
    found = list(_defaults(schema))
    assert len(found) > 20
    for _, node in found:
        part = {key: value for key, value in node.items() if key != "default"}
        jsonschema.validate(node["default"], {"$defs": schema["$defs"], **part})


def _defaults(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, list):
        for at, item in enumerate(node):
            yield from _defaults(item, f"{path}/{at}")
    elif isinstance(node, dict):
        if "default" in node and {"type", "$ref", "anyOf", "enum"} & node.keys():
            yield path, node
        for key, item in node.items():
            if key != "default":
                yield from _defaults(item, f"{path}/{key}")
