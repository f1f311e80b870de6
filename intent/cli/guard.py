"""The last line of defence: what a command may end with, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

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
        # Whoever read our output has enough. Keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.OK)
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
