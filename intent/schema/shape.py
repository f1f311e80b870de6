"""What is expected at each place of a document, taken from the annotations of the models."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from intent.schema.markers import Later, Raw, Scalar, Short
from intent.schema.record import Record

_TRUE, _FALSE = ("true", "on", "yes"), ("false", "off", "no")


@dataclass(frozen=True, slots=True)
class ScalarShape:
    """A text that `parse` reads; `later` holds texts of the language that this version does not have."""

    parse: Callable[[str], Any]
    expected: str
    later: Mapping[str, str]
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list of one kind of item."""

    item: Shape


@dataclass(frozen=True, slots=True)
class MapShape:
    """A mapping with free keys; `short` is the key that a lone text stands for."""

    key: ScalarShape
    value: Shape
    short: str = ""


@dataclass(frozen=True, slots=True)
class RecordShape:
    """A mapping with fixed keys.

    Args:
        record: model it becomes.
        fields: shape by key as written.
        required: keys that must be there.
        extra: shape of keys beyond the fixed ones; None when there may be none.
        short: key that a lone text stands for.
    """

    record: type[Record]
    fields: Mapping[str, Shape]
    required: tuple[str, ...]
    extra: MapShape | None = None
    short: str = ""


@dataclass(frozen=True, slots=True)
class RawShape:
    """A raw tree."""


Shape: TypeAlias = ScalarShape | ListShape | MapShape | RecordShape | RawShape


@cache
def shape_of(record: type[Record]) -> RecordShape:
    """The shape of a model; a pure function of the class, so its result is kept."""
    hints = get_type_hints(record, include_extras=True)
    fields: dict[str, Shape] = {}
    required: list[str] = []
    for name, info in record.model_fields.items():
        key = info.alias or name
        fields[key] = _shape(hints[name], tuple(info.metadata))
        if info.is_required():
            required.append(key)
    extra = None
    if record.model_config.get("extra") == "allow":
        found = _shape(hints["__pydantic_extra__"], ())
        extra = found if isinstance(found, MapShape) else None
    return RecordShape(record, fields, tuple(required), extra)


def _shape(hint: Any, metadata: tuple[Any, ...]) -> Shape:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _shape(arguments[0], (*arguments[1:], *metadata))
    if any(isinstance(mark, Raw) for mark in metadata):
        return RawShape()
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in arguments if each is not type(None))
        return _shape(inner, metadata)
    short = next((mark.key for mark in metadata if isinstance(mark, Short)), "")
    if origin is dict:
        key = _shape(arguments[0], ())
        if isinstance(key, ScalarShape):
            return MapShape(key, _shape(arguments[1], ()), short)
    if origin is tuple:
        return ListShape(_shape(arguments[0], ()))
    if isinstance(hint, type) and issubclass(hint, Record):
        shape = shape_of(hint)
        return RecordShape(shape.record, shape.fields, shape.required, shape.extra, short)
    return _scalar(hint, metadata)


def _scalar(hint: Any, metadata: tuple[Any, ...]) -> ScalarShape:
    later = next((mark.values for mark in metadata if isinstance(mark, Later)), {})
    written = next((mark for mark in metadata if isinstance(mark, Scalar)), None)
    if written:
        return ScalarShape(written.parse, written.expected, later, written.hidden)
    if get_origin(hint) is Literal:
        return _choice(get_args(hint), later)
    if hint is bool:
        return ScalarShape(_boolean, "true or false", later)
    if hint is int:
        lowest = next((mark.ge for mark in metadata if hasattr(mark, "ge")), None)
        highest = next((mark.le for mark in metadata if hasattr(mark, "le")), None)
        return _integer(lowest, highest)
    raise TypeError(f"no way to read {hint!r} from a text")


def _choice(values: tuple[Any, ...], later: Mapping[str, str]) -> ScalarShape:
    by_text = {str(value): value for value in values}
    expected = " or ".join(by_text)

    def parse(text: str) -> Any:
        if text not in by_text:
            raise ValueError(f"expected {expected}")
        return by_text[text]

    return ScalarShape(parse, expected, later)


def _boolean(text: str) -> bool:
    word = text.lower()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError("expected true or false (or on, off, yes, no)")
    return word in _TRUE


def _integer(lowest: Any, highest: Any) -> ScalarShape:
    expected = "a whole number"
    if lowest is not None and highest is not None:
        expected += f" from {lowest} to {highest}"

    def parse(text: str) -> int:
        # Always decimal: 007 is 7 and 0123 is 123, as a person reads it, not as YAML 1.1 does.
        if not (text.isascii() and text.isdigit() and len(text) <= 18):
            raise ValueError(f"expected {expected}")
        number = int(text, 10)
        if (lowest is not None and number < lowest) or (highest is not None and number > highest):
            raise ValueError(f"expected {expected}")
        return number

    return ScalarShape(parse, expected, {})
