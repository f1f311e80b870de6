#!/usr/bin/env python3
"""Flatten the release schemas of the MIT package `nvueschema` into small data files.

    python scripts/flatten_nvue_schema.py [OUTPUT_FOLDER]

Importing one release of `nvueschema` takes seconds; its flattened form loads in milliseconds. The program
never imports the models at run time. Known errors of the models are corrected here, so that whoever walks the
data can stay simple: interface names may have any prefix, an Ethernet segment identifier is ten octets, and the
keys of maps carry the format their path demands. The output is byte-stable: equal models, equal files.
"""

from __future__ import annotations

import gzip
import importlib
import io
import json
import re
import sys
import types
import typing
from collections.abc import Iterator
from importlib.metadata import version
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, SecretStr

RELEASES = tuple(f"5.{minor}" for minor in range(9, 19))
FORMATS = {
    IPv4Address: "ipv4",
    IPv6Address: "ipv6",
    IPv4Network: "ipv4-prefix",
    IPv6Network: "ipv6-prefix",
    SecretStr: "secret",
}

# The models let an interface name start with one of eight words only; a switch takes any name of 15 characters.
MODEL_INTERFACE = "^(swp|eth|bond|br|lo|vlan|peerlink|erspan|mgmt)"
INTERFACE = {"type": "string", "pattern": r"^[A-Za-z][A-Za-z0-9_./-]{0,14}\Z"}
# The models say `^\d+$`; documented identifiers are ten octets that start with 00.
SEGMENT_IDENTIFIER = {"type": "string", "pattern": r"^00(:[0-9A-Fa-f]{2}){9}\Z"}
SEGMENT_IDENTIFIER_PATH = "/interface/*/evpn/multihoming/segment/identifier"

# Maps lose the format of their keys in the models; the path tells it.
KEY_RULES = (
    (r"^/interface$", "interface"),
    (r"^/interface/\*/ip(v4|v6)?/address$", "ip-interface"),
    (r"^/vrf/\*/loopback/ip/address$", "ip-interface"),
    (r"^/vrf/\*/router/static$", "prefix"),
    (r"/address-family/ipv[46]-unicast/(network|aggregate-route)$", "prefix"),
    (r"/bridge/domain/\*/vlan$", "vlan"),
    (r"/vni$", "vni"),
    (r"^/interface/\*/link/breakout$", "breakout"),
    (r"^/interface/\*/link/state$", "link-state"),
    (r"^/qos/(pfc|remark|egress-queue-mapping|traffic-pool)/\*/switch-priority$", "switch-priority"),
    (r"^/qos/(congestion-control|egress-scheduler|egress-shaper)/\*/traffic-class$", "traffic-class"),
    (r"^/interface/\*/packet-trim/egress-eligibility/traffic-class$", "traffic-class"),
    (r"^/qos/mapping/\*/dscp$", "dscp"),
    (r"^/qos/mapping/\*/pcp$", "pcp"),
    (r"^/qos/egress-queue-mapping$", "default-global"),
    (r"^/qos/traffic-pool$", "traffic-pool"),
    (
        r"^/qos/(pfc|mapping|remark|congestion-control|egress-scheduler|egress-shaper|link-pause|advance-buffer-config)$",
        "profile",
    ),
)


def key_rule(path: str) -> str | None:
    """Name of the format the keys of a map at this path must have."""
    return next((name for pattern, name in KEY_RULES if re.search(pattern, path)), None)


def alternatives(annotation: Any) -> Iterator[Any]:
    """Members of nested unions, None left out."""
    if typing.get_origin(annotation) in (Union, types.UnionType):
        for member in typing.get_args(annotation):
            yield from alternatives(member)
    elif annotation is not type(None):
        yield annotation


def constraints(annotation: Any) -> Iterator[tuple[str, Any]]:
    """Bounds and patterns hung on an annotation, in order."""
    names = {"ge": "minimum", "le": "maximum", "pattern": "pattern", "min_length": "min_length"}
    names["max_length"] = "max_length"
    for item in typing.get_args(annotation)[1:]:
        for part in (item, *getattr(item, "metadata", ())):
            keywords = getattr(getattr(part, "func", None), "keywords", None) or {}
            for name, ours in names.items():
                value = keywords.get(name, getattr(part, name, None))
                if value is not None:
                    yield ours, value


def anchored(patterns: list[str]) -> str:
    r"""One pattern that holds when all do. A final `$` becomes `\Z`: it must not let a line end pass."""
    ends = [re.sub(r"(?<!\\)\$$", r"\\Z", pattern) for pattern in dict.fromkeys(patterns)]
    return "".join(f"(?={pattern})" for pattern in ends[1:]) + ends[0]


def scalar(annotation: Any) -> Iterator[dict[str, Any]]:
    """The alternatives of a leaf in the vocabulary of the data files."""
    core, held = annotation, []
    while typing.get_origin(core) is Annotated:
        held += list(constraints(core))
        core = typing.get_args(core)[0]
    patterns = [value for name, value in held if name == "pattern"]
    if any(pattern.startswith(MODEL_INTERFACE) for pattern in patterns):
        yield INTERFACE
        return
    if typing.get_origin(core) in (Union, types.UnionType):
        for member in alternatives(core):
            yield from scalar(member)
        return
    found: dict[str, Any]
    if typing.get_origin(core) is Literal:
        found = {"type": "enum", "values": list(typing.get_args(core))}
    elif typing.get_origin(core) is list:
        found = {"type": "list", "items": leaf(typing.get_args(core)[0])}
    elif core in (int, float):
        found = {"type": "integer" if core is int else "number"}
    elif core is str:
        found = {"type": "string"}
    elif core in FORMATS:
        found = {"type": "string", "format": FORMATS[core]}
    else:
        raise TypeError(f"a type this script does not know: {core!r}")
    found |= {name: value for name, value in held if name != "pattern"}
    if patterns:
        found["pattern"] = anchored(patterns)
    yield found


def leaf(annotation: Any) -> list[dict[str, Any]]:
    """All alternatives of a leaf; enumerations are joined into one."""
    found: list[dict[str, Any]] = []
    values: dict[str, Any] | None = None
    for member in alternatives(annotation):
        for alternative in scalar(member):
            if alternative["type"] == "enum" and values is not None:
                values["values"] += [value for value in alternative["values"] if value not in values["values"]]
            elif alternative not in found:
                found.append(alternative)
                values = alternative if alternative["type"] == "enum" else values
    return found


class Flattener:
    """Walks a release's models and interns equal nodes."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._index: dict[str, int] = {}

    def _intern(self, node: dict[str, Any]) -> int:
        key = json.dumps(node, sort_keys=True)
        if key not in self._index:
            self._index[key] = len(self.nodes)
            self.nodes.append(node)
        return self._index[key]

    def model(self, model: type[BaseModel], path: str, above: tuple[type[BaseModel], ...] = ()) -> int:
        """Index of the node of a model that stands at a path."""
        if model in above:
            raise TypeError(f"{path}: the model contains itself")
        keys = {}
        for name, info in model.model_fields.items():
            annotation = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
            alias = info.alias or name
            keys[alias] = self.value(annotation, f"{path}/{alias}", (*above, model))
        return self._intern({"keys": keys})

    def value(self, annotation: Any, path: str, above: tuple[type[BaseModel], ...]) -> int:
        """Index of the node of anything that stands at a path."""
        if path == SEGMENT_IDENTIFIER_PATH:
            return self._intern({"leaf": [SEGMENT_IDENTIFIER]})
        members = list(alternatives(annotation))
        for member in members:
            if isinstance(member, type) and issubclass(member, BaseModel):
                return self.model(member, path, above)
        for member in members:
            if typing.get_origin(member) is dict:
                inner = typing.get_args(member)[1]
                if inner is Any:
                    return self._intern({"free": key_rule(path)})
                return self._intern({"map": self.value(inner, f"{path}/*", above), "key": key_rule(path)})
        if any(member is Any for member in members):
            return self._intern({"free": key_rule(path)})
        return self._intern({"leaf": leaf(annotation)})


def flatten(release: str) -> dict[str, Any]:
    """The data of one release."""
    models = importlib.import_module("nvueschema.models.v" + release.replace(".", "_"))
    flattener = Flattener()
    root = flattener.model(models.NvueConfig, "")
    source = f"nvueschema {version('nvueschema')} (MIT)"
    return {"release": release, "source": source, "root": root, "nodes": flattener.nodes}


def packed(data: dict[str, Any]) -> bytes:
    """Minified JSON, gzipped without a time stamp."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as stream:
        stream.write(json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode())
    return buffer.getvalue()


def main() -> None:
    """Write one file per release."""
    default = Path(__file__).resolve().parent.parent / "intent" / "catalog" / "data" / "nvue"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    for release in RELEASES:
        data = flatten(release)
        target = folder / f"{release}.json.gz"
        target.write_bytes(packed(data))
        print(f"{target.name}: {len(data['nodes'])} nodes, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
