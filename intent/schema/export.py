"""JSON Schema of the language, for editors."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from intent.schema.model import Document

FILE_NAME = "intent.schema.json"
"""Name under which a workspace keeps the schema, beside `intent.yaml`."""


class _Editor(GenerateJsonSchema):
    """What the loader accepts, said to an editor that reads YAML 1.2."""

    def bool_schema(self, schema: core_schema.BoolSchema) -> JsonSchemaValue:  # noqa: ARG002 - pydantic's signature
        """A boolean may be written on, off, yes, no, which YAML 1.2 takes for texts."""
        return {"enum": [True, False, "on", "off", "yes", "no"]}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """What may be left out may not be written as null."""
        return self.generate_inner(schema["schema"])

    def encode_default(self, dft: Any) -> Any:
        """A default is shown as a person would write it: `1m`, not what we make of it."""
        return str(dft) if is_dataclass(dft) else super().encode_default(dft)


def json_schema(*, included: bool = False) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an intent: every key with its description, nothing beyond them.

    Args:
        included: the schema of a file that another one includes: it needs neither version nor name.
    """
    schema = Document.model_json_schema(by_alias=True, schema_generator=_Editor)
    result: dict[str, Any] = {"$schema": GenerateJsonSchema.schema_dialect} | _cleaned(schema)
    result["title"] = "intent"
    if included:
        del result["required"]
    return result


def _cleaned(node: Any, *, names: bool = False) -> Any:
    """Without generated titles and null defaults; `names` is true where keys are names of properties."""
    if isinstance(node, list):
        return [_cleaned(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {}
    for key, value in node.items():
        if not names and (key == "title" or (key == "default" and value is None)):
            continue
        result[key] = (
            _written(value) if key == "default" and not names else _cleaned(value, names=key in ("properties", "$defs"))
        )
    return result


def _written(value: Any) -> Any:
    """A default without keys that would have to be left out."""
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items() if item is not None}
    return value
