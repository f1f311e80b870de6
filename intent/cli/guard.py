"""The last line of defence: what a command may end with, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper

import typer

from intent.cli.failure import report
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode

# Public names only: typer carries its own copy of click.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def guarded(command: Callable[..., object], arguments: list[str]) -> int:
    """Run a command of typer; every failure becomes one clear line and its exit code.

    Args:
        command: the command, or the group of all.
        arguments: its words.

    Returns:
        The exit code. No exception leaves this function but SystemExit from the interpreter itself.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that cannot show a letter gets its number, not a failure
            stream.reconfigure(errors="backslashreplace")
    try:
        result = command(args=arguments, standalone_mode=False)
        sys.stdout.flush()
    except IntentError as error:
        report(error)
        return int(error.exit_code)
    except _UsageError as error:
        getattr(error, "show")()  # noqa: B009 - typer keeps the class private
        return int(ExitCode.USAGE)
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        report(
            IntentError("interrupted", hint="`intent history` says where a change stands, `intent recover` settles it")
        )
        return int(ExitCode.ERROR)
    except BrokenPipeError:
        # Whoever read our output has enough. What the command had to say is not known to anybody, so it is not green.
        _drop_output()
        return int(ExitCode.ERROR)
    except OSError as error:
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        report(IntentError(f"{place}{error.strerror or type(error).__name__}"))
        return int(ExitCode.ERROR)
    except RecursionError:
        report(IntentError("the input is nested too deeply"))
        return int(ExitCode.ERROR)
    except Exception as error:
        if os.environ.get("INTENT_DEBUG"):
            raise
        report(
            IntentError(
                f"internal error: {type(error).__name__}",
                hint="this is a fault of the program; run again with INTENT_DEBUG=1 and report the trace",
            )
        )
        return int(ExitCode.ERROR)
    return int(result) if isinstance(result, int) else int(ExitCode.OK)


def _drop_output() -> None:
    """Keep the interpreter from trying at exit to write what could not be written."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
