"""`intent demo`: the whole path on this machine, from a published design to a repaired change by hand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import AddressBase
from intent.core.exitcode import ExitCode
from intent.lab.state import ADDRESS_BASE


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", help=demo.__doc__)(demo)


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the tour.

    Args:
        why: what it shows.
        arguments: the command.
        expected: exit code it must end with.
    """

    why: str
    arguments: tuple[str, ...]
    expected: ExitCode = ExitCode.OK


def steps(leaf: str, address_base: str = ADDRESS_BASE) -> tuple[Step, ...]:
    """The tour.

    Args:
        leaf: the switch that is changed by hand.
        address_base: where the lab's addresses begin.
    """
    base = () if address_base == ADDRESS_BASE else ("--address-base", address_base)
    port = "interface.swp33s0.link.mtu"
    return (
        Step("the lab: one NVUE server per switch of the design", ("lab", "up", *base)),
        Step("nothing wrong with the intent", ("lint",)),
        Step("the exact configuration of every switch", ("compile",)),
        Step("what would change on the live switches", ("plan", "--lab")),
        Step("in waves, kept only where checks pass", ("apply", "--lab", "--yes", "--report", "report.html")),
        Step("the live fabric is what the intent says", ("verify", "--lab")),
        Step("again: nothing to do, nothing written", ("plan", "--lab", "--detailed-exitcode")),
        Step("somebody changes a port by hand", ("lab", "fault", "change-by-hand", leaf, f"{port}=1500")),
        Step("which line of the intent it breaks", ("drift", "--lab"), ExitCode.CHANGES),
        Step("the repair, planned", ("plan", "--lab", "--limit", leaf)),
        Step("the repair, applied and checked", ("apply", "--lab", "--yes", "--reason", "repair of drift")),
        Step("as it should be", ("drift", "--lab")),
        Step("who did what", ("history",)),
        Step("the lab goes home", ("lab", "down")),
    )


def demo(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--into", help="Folder to work in; made when missing, an earlier demo in it starts anew.")
    ] = Path("demo"),
    address_base: AddressBase = ADDRESS_BASE,
) -> int:
    """Run the whole path against a lab on this machine.

    NVIDIA's published B300 twin-plane design, 64 nodes, 24 switches: lint, compile, plan, apply in waves with confirm,
    verify, then a change made by hand that drift finds and names with the intent's line, and its repair.

    Examples:
      intent demo
      intent demo --into /tmp/demo
      intent demo --address-base 127.90.0.0       where another lab runs already
    """
    from intent.cli.guard import guarded
    from intent.core.errors import IntentError

    root = context.find_root().command
    begun = time.monotonic()
    _workspace(folder)
    print(f"The intent, {folder / 'intent.yaml'}:\n\n{(folder / 'intent.yaml').read_text(encoding='utf-8')}")
    tour = steps("east-west-p1-r1-l01", address_base)
    try:
        for number, step in enumerate(tour, 1):
            _announce(number, len(tour), step.why, step.arguments)
            code = guarded(root, _placed(step.arguments, folder))
            if code != step.expected:
                raise IntentError(
                    f"intent {step.arguments[0]} ended with {code} - expected {int(step.expected)}",
                    hint="the demo stops here; the lab is stopped too",
                )
    except BaseException:
        guarded(root, ["lab", "down", "-C", str(folder)])
        raise
    print(f"\nDone in {time.monotonic() - begun:.0f} s. The change report: {folder / 'report.html'}")
    print("This was Ethernet. Partition keys of InfiniBand go the same way: docs/tenants.md, docs/subnet-managers.md.")
    return int(ExitCode.OK)


def _workspace(folder: Path) -> None:
    from intent.core.errors import IntentError
    from intent.schema.skeleton import demo_workspace
    from intent.workspace.files import write

    if folder.exists() and not (folder / ".demo").exists() and any(folder.iterdir()):
        raise IntentError(f"{folder} holds something that is no demo", hint="choose another folder with --into")
    for name, text in {**demo_workspace(), ".demo": "made by intent demo\n", ".gitignore": "*\n"}.items():
        write(folder / name, text)
    for stale in (
        folder / "sites" / "ref1.lock",
        folder / ".intent" / "journal.sqlite3",
        folder / ".intent" / "plan.json",
    ):
        stale.unlink(missing_ok=True)


def _placed(arguments: Sequence[str], folder: Path) -> list[str]:
    placed = [str(folder / word) if word == "report.html" else word for word in arguments]
    return [*placed, "-C", str(folder)]


def _announce(number: int, total: int, why: str, arguments: Sequence[str]) -> None:
    print(f"\n── {number}/{total} {why}\n$ intent {' '.join(arguments)}", flush=True)
