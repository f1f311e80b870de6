"""Text from templates (Jinja2). What is undefined stops the rendering; a workspace's templates win over ours.

A workspace's templates are a user's files: they run in a sandbox, with a budget of steps and of output. They see plain
data and no object of ours.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from intent.core.errors import IntentError

_LARGEST_NUMBER = 100_000
# Filters that take an undefined value on purpose.
_LENIENT = frozenset({"default", "d"})


@dataclass(frozen=True, slots=True)
class Limits:
    """What one rendering may use.

    Args:
        source_bytes: largest template file.
        output_characters: longest result.
        steps: turns of loops and calls, all templates of one rendering together.
    """

    source_bytes: int = 1024 * 1024
    output_characters: int = 64 * 1024 * 1024
    steps: int = 10_000_000


class Templates:
    """Templates of several folders, the first that has a name wins.

    Args:
        folders: where to look, the workspace's own first.
        limits: what one rendering may use.
    """

    def __init__(self, folders: Sequence[Path], limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._folders = tuple(folders)
        self._environment = _Environment(self._folders, self._limits)

    def names(self) -> tuple[str, ...]:
        """Every template there is, sorted."""
        return tuple(name for name in self._environment.list_templates() if name.endswith(".j2"))

    def render(self, name: str, values: Mapping[str, Any], *, device: str = "") -> str:
        """The text of a template.

        Names that end in `.html.j2` or `.svg.j2` escape every value for HTML.

        Args:
            name: file name below one of the folders.
            values: plain data; mappings, sequences and scalars.
            device: device the text is for: named in errors.

        Returns:
            The text, with `\\n` line ends only.

        Raises:
            IntentError: there is no such template, it cannot be read, it uses something undefined or forbidden, or
                it exceeds a limit. The message names template, line, variable and device.
        """
        try:
            template = self._environment.get_template(name)
            text = self._text(template, values)
        except IntentError:
            raise
        except jinja2.TemplateNotFound as error:
            looked = ", ".join(str(folder) for folder in self._folders)
            raise IntentError(f"no template {error.name or name!r}{_for(device)}", hint=f"looked in {looked}") from None
        except jinja2.TemplateSyntaxError as error:
            place = f"{error.filename or error.name or name}:{error.lineno}"
            raise IntentError(f"{place}: template{_for(device)}: {error.message}") from None
        except Exception as error:  # a template's expressions may raise whatever Python raises
            raise self._explain(error, name, device) from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _text(self, template: jinja2.Template, values: Mapping[str, Any]) -> str:
        self._environment.begin()
        parts, size = [], 0
        for part in template.generate(dict(values)):
            size += len(part)
            if size > self._limits.output_characters:
                raise SecurityError(f"its text is longer than {self._limits.output_characters} characters")
            parts.append(part)
        return "".join(parts)

    def _explain(self, error: Exception, name: str, device: str) -> IntentError:
        file, line = self._place(error, name)
        place = f"{file}:{line}: template{_for(device)}"
        if isinstance(error, MissingValue):
            full = self._environment.expression(file, line, error.name) or error.name
            return IntentError(
                f"{place}: {full} is undefined{f' ({error.owner} has no {error.name!r})' if error.owner else ''}",
                hint="give it a value, or say what stands in its place: {{ … | default(…) }}",
            )
        if isinstance(error, SecurityError):
            return IntentError(f"{place}: not allowed: {_one_line(error)}")
        if isinstance(error, RecursionError):
            return IntentError(f"{place}: it includes or calls itself without end")
        return IntentError(f"{place}: {_one_line(error) or type(error).__name__}")

    def _place(self, error: Exception, name: str) -> tuple[str, int]:
        """File and line of the innermost template frame; Jinja2 rewrites tracebacks to template lines."""
        files = {str(folder) for folder in self._folders}
        file, line = name, 1
        trace = error.__traceback__
        while trace is not None:
            at = trace.tb_frame.f_code.co_filename
            if any(at.startswith(f"{folder}/") for folder in files) and at.endswith(".j2"):
                file, line = at, trace.tb_lineno
            trace = trace.tb_next
        return file, line


class MissingValue(jinja2.UndefinedError):
    """Something undefined was used.

    Args:
        name: last part of its name.
        owner: kind of the value that lacks it; empty for a variable.
    """

    def __init__(self, name: str, owner: str) -> None:
        super().__init__(f"{name!r} is undefined")
        self.name = name
        self.owner = owner


class _Undefined(jinja2.StrictUndefined):
    """Raises on any use, being shown inside a list included."""

    __slots__ = ()

    def _fail_with_undefined_error(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        if self._undefined_hint and self._undefined_exception is not jinja2.UndefinedError:
            raise self._undefined_exception(self._undefined_hint)
        owner = self._undefined_obj
        of_type = str(type(owner).__name__)
        kind = {"dict": "a mapping", "list": "a list", "tuple": "a list", "str": "a text"}.get(of_type, of_type)
        missing = owner is jinja2.utils.missing
        raise MissingValue(str(self._undefined_name), "" if missing else kind)

    __iter__ = __str__ = __len__ = __repr__ = _fail_with_undefined_error
    __eq__ = __ne__ = __bool__ = __hash__ = __contains__ = _fail_with_undefined_error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._fail_with_undefined_error()


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox: counts steps, refuses huge numbers, looks into filters' arguments."""

    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self, folders: Sequence[Path], limits: Limits) -> None:
        super().__init__(
            loader=_Loader(folders, limits.source_bytes),
            undefined=_Undefined,
            autoescape=lambda name: bool(name) and name.endswith((".html.j2", ".svg.j2")),
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            newline_sequence="\n",
            finalize=_finalize,
            extensions=("jinja2.ext.loopcontrols",),
        )
        self._limits = limits
        self._spent = threading.local()
        self.filters["shell"] = lambda value: shlex.quote(str(value))
        for name, function in list(self.filters.items()):
            self.filters[name] = _strict_arguments(function, lenient=name in _LENIENT)

    def begin(self) -> None:
        """A new rendering starts with a full budget."""
        self._spent.steps = 0

    def step(self) -> str:
        """One turn of a loop or one call."""
        self._spent.steps = getattr(self._spent, "steps", 0) + 1
        if self._spent.steps > self._limits.steps:
            raise SecurityError(f"it takes more than {self._limits.steps} steps")
        return ""

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        if __obj == __self.step:
            return __self.step()
        __self.step()
        method = getattr(__obj, "__wrapped__", __obj)  # the sandbox wraps `str.format`
        owner = getattr(method, "__self__", None)
        if isinstance(owner, str):
            _refuse_large(args, kwargs)
            if method.__name__ in ("format", "format_map"):
                _refuse_wide(owner)
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        sizes = [len(item) for item in (left, right) if isinstance(item, str | list | tuple)]
        numbers = [item for item in (left, right) if isinstance(item, int)]
        if operator == "*" and sizes and numbers:
            _refuse(sizes[0] * max(numbers) > self._limits.output_characters, "a text or list is repeated too often")
        elif operator == "+":
            _refuse(sum(sizes) > self._limits.output_characters, "a text or list grows too long")
        elif operator == "%" and isinstance(left, str):
            _refuse_wide(left)
        elif operator == "**":
            _refuse(any(abs(number) > 1024 for number in numbers), "a power is too large")
        return super().call_binop(context, operator, left, right)

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        for loop in source.find_all(nodes.For):
            count = nodes.Call(nodes.EnvironmentAttribute("step"), [], [], None, None)
            loop.body.insert(0, nodes.ExprStmt(count, lineno=loop.lineno))
        return super()._generate(source, name, filename, defer_init)

    def expression(self, file: str, line: int, name: str) -> str:
        """How the template writes what is called `name` on or near a line: `n.asn`; empty when it is not found."""
        try:
            tree = self.parse(Path(file).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, jinja2.TemplateError):
            return ""
        found = [node for node in tree.find_all((nodes.Getattr, nodes.Getitem)) if _last(node) == name]
        best = min(found, key=lambda node: (abs(node.lineno - line), -len(_dotted(node))), default=None)
        return _dotted(best) if best is not None and best.lineno == line else ""


class _Loader(jinja2.FileSystemLoader):
    """Reads templates as UTF-8 with or without a mark, up to a size."""

    def __init__(self, folders: Sequence[Path], most_bytes: int) -> None:
        super().__init__([str(folder) for folder in folders], encoding="utf-8-sig")
        self._most_bytes = most_bytes

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        try:
            source, file, fresh = super().get_source(environment, template)
        except jinja2.TemplateNotFound:
            raise
        except UnicodeDecodeError as error:
            raise IntentError(f"template {template!r} is not UTF-8: {error.reason}", hint="save it as UTF-8") from None
        except OSError as error:
            raise IntentError(f"template {template!r} cannot be read: {error.strerror or error}") from None
        if len(source) > self._most_bytes:
            raise IntentError(f"template {file} has {len(source)} characters - expected at most {self._most_bytes}")
        if "\0" in source:
            raise IntentError(f"template {file} is not text: it holds a zero byte", hint="save it as UTF-8")
        return source, file, fresh


def _finalize(value: Any) -> Any:
    """`None` written into a configuration is as wrong as nothing."""
    if value is None:
        raise jinja2.TemplateRuntimeError("a value is none: nothing would be written in its place")
    return value


def _strict_arguments(function: Callable[..., Any], *, lenient: bool) -> Callable[..., Any]:
    """The filter, refusing undefined arguments: a misspelt argument never becomes a default."""

    @wraps(function)
    def strict(*args: Any, **kwargs: Any) -> Any:
        for value in (*args[1:], *kwargs.values()):
            if isinstance(value, jinja2.Undefined) and not (lenient and value is args[0]):
                str(value)
        _refuse_large(args[1:], kwargs)
        if function.__name__ == "do_format":
            _refuse_wide(str(args[0]))
        return function(*args, **kwargs)

    return strict


def _refuse_large(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    for value in (*args, *kwargs.values()):
        if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
            raise SecurityError(f"the number {value} is too large here - expected at most {_LARGEST_NUMBER}")


def _refuse_wide(text: str) -> None:
    run = 0
    for character in text:
        run = run + 1 if character.isdigit() else 0
        _refuse(run > 5, "a format is too wide")


def _refuse(holds: bool, why: str) -> None:
    if holds:
        raise SecurityError(why)


def _last(node: nodes.Expr) -> str:
    if isinstance(node, nodes.Getattr):
        return node.attr
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return str(node.arg.value)
    return ""


def _dotted(node: nodes.Expr) -> str:
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Getattr):
        return f"{_dotted(node.node)}.{node.attr}"
    if isinstance(node, nodes.Getitem):
        return f"{_dotted(node.node)}[{_last(node) or '…'}]"
    return "…"


def _for(device: str) -> str:
    return f" for {device}" if device else ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]
