"""The published B300 twin-plane design at any of its sizes, as a workspace and compiled up to its fabric."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from intent.catalog.hardware import Catalog
from intent.render.nvue.render import Renderer
from intent.workspace.compile import Compiled, check
from intent.workspace.files import Workspace

_INTENT = """\
version: 1
name: bench
sites:
  ref1:
    management: {{prefix: 10.0.0.0/16, gateway: 10.0.0.1}}
    pools: {{loopbacks: 10.255.0.0/18, hosts: 10.64.0.0/12, asns: 4200100000-4200199999}}
    releases: {{cumulus: {release}}}
    users: {{cumulus: {{hashed_password: {{secret: cumulus_hash}}}}}}
    nodes: [{{name: "b300-{{0001..{nodes:04}}}", type: dgx-b300}}]
    fabrics:
      east-west:
        kind: ethernet
        topology:
          {{design: fat-tree, attach_by: rail, planes: 2, link: 400G, leaf: SN5600, spine: SN5600,
            oversubscription: "1:1"}}
        attach: {{nodes: "b300-*", nics: east-west}}
        addressing: {{hosts: routed-31}}
        underlay: {{links: unnumbered, bfd: {bfd}}}
        adaptive_routing: true
        qos: roce-lossless
    changes: {{strategy: {{canary: 1, batch: 50%, soak: 0s, confirm: 20m}}}}
"""
# Nodes of the design by switches: rows of the published table.
NODES = {24: 64, 48: 128, 96: 256, 192: 512, 384: 1024}


def write(folder: Path, nodes: int, *, release: str = "5.16.4", bfd: str = "3x900ms") -> Path:
    """Write the workspace; returns its folder.

    Args:
        folder: where; made when missing.
        nodes: nodes of 8 GPUs.
        release: of the switches.
        bfd: detection on the links, what a small change alters.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "intent.yaml").write_text(_INTENT.format(nodes=nodes, release=release, bfd=bfd), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Design:
    """A compiled site without its artefacts.

    Args:
        workspace: where it lies.
        catalog: the hardware.
        compiled: the site up to its fabric.
    """

    workspace: Workspace
    catalog: Catalog
    compiled: Compiled

    @property
    def switches(self) -> int:
        """How many there are."""
        return len(self.compiled.fabric.switches)

    def renderer(self) -> Renderer:
        """A renderer that has met its release: schemas are read once for all switches."""
        it = self.compiled
        made = Renderer(it.document, it.fabric, it.profiles, self.catalog, it.sources)
        made.render(it.fabric.switches[:1])
        return made


def load(folder: Path) -> Design:
    """Compile a workspace up to its fabric."""
    workspace, catalog = Workspace.open(folder), Catalog.load()
    (compiled,) = check(workspace, catalog, render=False).sites.values()
    return Design(workspace, catalog, compiled)
