"""Measures what compiling and changing a fabric costs. `make bench` runs all of it; docs/benchmarks.md keeps results.

python benchmarks/run.py                                   everything, 24 and 384 switches
python benchmarks/run.py --section trees --switches 24     one section, one size
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence

import applying
import compiling
import designs
from measure import Table, machine

from intent.cli.main import COLLECT_AFTER

_RUNS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections asked for and print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", action="append", choices=("trees", "fabric", "apply"), help="default: all")
    parser.add_argument("--switches", default="24,384", help=f"sizes, of {', '.join(map(str, designs.NODES))}")
    parser.add_argument("--nodes", default="", help="sizes by nodes of 8 GPUs instead")
    parser.add_argument("--releases", default="5.16.4,5.9.1", help="releases of section trees")
    parser.add_argument("--runs", type=int, default=_RUNS, help="runs a median is taken of")
    chosen = parser.parse_args(arguments)
    try:
        nodes = sizes(chosen.nodes, chosen.switches)
    except (KeyError, ValueError):
        parser.error("sizes are numbers separated by commas")
    releases = [word.strip() for word in chosen.releases.split(",")]
    sections: dict[str, Callable[[], Table]] = {
        "trees": lambda: compiling.trees(nodes, releases, chosen.runs),
        "fabric": lambda: compiling.fabrics(nodes, chosen.runs),
        "apply": lambda: applying.applies(nodes),
    }
    gc.set_threshold(*COLLECT_AFTER)  # as the command does
    print(f"{machine()}; medians of {chosen.runs} runs of process CPU time\n", flush=True)
    for name in chosen.section or sections:
        print(sections[name]().markdown(), flush=True)
    return 0


def sizes(nodes: str, switches: str) -> list[int]:
    """Sizes by nodes, smallest first."""
    if nodes:
        return sorted(int(word) for word in nodes.split(","))
    return sorted(designs.NODES[int(word)] for word in switches.split(","))


if __name__ == "__main__":
    sys.exit(main())
