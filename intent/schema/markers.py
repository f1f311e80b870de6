"""What an annotation tells the loader beyond its type: how to read a text, what comes later, short forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value written as one text.

    Args:
        parse: reads the text as written; raises ValueError that says what was expected.
        expected: what a person should write, with an example ("a link speed such as 400G").
        pattern: regular expression of the text for editors; empty where it cannot be said as one.
        json_types: types under which a YAML 1.2 editor may see the text (`5.16` is a number to it).
        enum: the only texts allowed, for editors; empty when there are many.
        hidden: the text may be a secret written by mistake, so that no message shows it.
    """

    parse: Callable[[str], Any]
    expected: str
    pattern: str = ""
    json_types: tuple[str, ...] = ("string",)
    enum: tuple[str, ...] = ()
    hidden: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: Any) -> Any:
            if isinstance(value, str):
                return self.parse(value)
            if isinstance(source, type) and isinstance(value, source):
                return value
            raise ValueError(f"expected {self.expected}")

        return core_schema.no_info_plain_validator_function(
            read, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        types = self.json_types
        result: JsonSchemaValue = {"type": types[0] if len(types) == 1 else list(types)}
        if self.pattern:
            result["pattern"] = self.pattern
        if self.enum:
            result["enum"] = list(self.enum)
        return result


@dataclass(frozen=True, slots=True)
class Later:
    """Values that belong to the language but not to this version, with what they are."""

    values: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Short:
    """A short form: a lone text where a mapping is expected stands for `{key: text}`."""

    key: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def widen(value: Any) -> Any:
            return {self.key: value} if isinstance(value, str) else value

        return core_schema.no_info_before_validator_function(widen, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


@dataclass(frozen=True, slots=True)
class Raw:
    """A raw tree, resolved later by the schema of the device's release: nested mappings, lists and texts as written, or
    the name of a template (`NAME.j2`) that yields one."""
