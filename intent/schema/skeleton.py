"""What `intent init` writes: a workspace that loads, lints and compiles as it is."""

from __future__ import annotations

import json

from intent.schema.export import FILE_NAME, json_schema
from intent.schema.types import check_name

_TEXT = """\
# yaml-language-server: $schema={schema}
version: 1
name: "{name}"
sites:
  site1:
    management: {{prefix: 10.1.0.0/22, gateway: 10.1.0.1}}      # one address per switch, kept in the lock
    pools: {{loopbacks: 10.255.0.0/18, hosts: 10.64.0.0/12, asns: 4200100000-4200199999}}
    releases: {{cumulus: 5.16.4}}
    users: {{cumulus: {{hashed_password: {{secret: cumulus_hash}}}}}}   # a reference; the crypt hash stays outside
    nodes: [{{name: "node{{001..064}}", type: dgx-b300}}]
    fabrics:
      east-west:
        kind: ethernet
        topology: {{design: fat-tree, attach_by: rail, planes: 2, link: 400G, leaf: SN5600, spine: SN5600}}
        attach: {{nodes: "node*", nics: east-west}}
        adaptive_routing: true
        qos: roce-lossless
    # For the lab: no waiting. Left out: a tenth of the devices at a time and a minute between waves.
    changes: {{strategy: {{canary: 1, batch: 25%, soak: 0s, max_unavailable: {{plane: 1, spine: 2}}}}}}
"""


def skeleton(name: str) -> dict[str, str]:
    """Files of a new workspace: text by path.

    Args:
        name: name of the intent.

    Raises:
        ValueError: a name the language does not take.
    """
    text = _TEXT.format(schema=FILE_NAME, name=check_name(name))
    schema = json.dumps(json_schema(), indent=2, sort_keys=True) + "\n"
    return {"intent.yaml": text, FILE_NAME: schema}


_DEMO = """\
# yaml-language-server: $schema={schema}
version: 1
name: b300-spectrum-x
sites:
  ref1:
    management: {{prefix: 10.1.0.0/22, gateway: 10.1.0.1}}
    pools: {{loopbacks: 10.255.0.0/18, hosts: 10.64.0.0/12, asns: 4200100000-4200199999}}
    releases: {{cumulus: 5.16.4}}
    users: {{cumulus: {{hashed_password: {{secret: cumulus_hash}}}}}}
    nodes: [{{name: "b300-{{001..064}}", type: dgx-b300}}]
    fabrics:
      east-west:
        kind: ethernet
        topology:
          {{design: fat-tree, attach_by: rail, planes: 2, link: 400G,
            leaf: SN5600, spine: SN5600, oversubscription: "1:1"}}
        attach: {{nodes: "b300-*", nics: east-west}}
        addressing: {{hosts: routed-31}}
        underlay: {{links: unnumbered, bfd: 3x900ms}}
        adaptive_routing: true
        qos: roce-lossless
    changes:
      strategy: {{canary: 1, batch: 25%, soak: 0s, confirm: 10m, max_unavailable: {{plane: 1, spine: 2}}}}
"""


def demo_workspace() -> dict[str, str]:
    """Files of the workspace that `intent demo` works in: NVIDIA's published B300 twin-plane design, 64 nodes."""
    schema = json.dumps(json_schema(), indent=2, sort_keys=True) + "\n"
    return {"intent.yaml": _DEMO.format(schema=FILE_NAME), FILE_NAME: schema}
