"""Releases of Cumulus Linux and their flattened NVUE schemas.

A schema is `{"release", "source", "root": index, "nodes": [node, …]}`. A node, shared by index, is one of

- `{"keys": {name: index}}`: an object with fixed keys;
- `{"map": index, "key": format or null}`: a map with free keys of a format;
- `{"free": format or null}`: a set of keys whose contents the schema leaves open;
- `{"leaf": [alternative, …]}`: a scalar. An alternative holds `type` (string, integer, number, list, enum) and,
  where they apply, `values`, `items`, `pattern`, `minimum`, `maximum`, `min_length`, `max_length`, and `format`
  (ipv4, ipv6, ipv4-prefix, ipv6-prefix, secret).
"""

from __future__ import annotations

import gzip
import json
import re
from importlib.resources import files
from typing import Any, TypeAlias, cast

from intent.core.errors import IntentError

# Files of `data/nvue`, oldest first; `scripts/flatten_nvue_schema.py` makes them.
RELEASES = tuple(f"5.{minor}" for minor in range(9, 19))

SchemaData: TypeAlias = dict[str, Any]

_RELEASE = re.compile(r"^(?:Cumulus Linux )?(\d+)\.(\d+)(?:\.\d+)*$")


def numbers(release: str) -> tuple[int, int]:
    """Major and minor number of a release: `5.16.4` is (5, 16).

    Raises:
        IntentError: the text is no release number.
    """
    match = _RELEASE.match(release.strip())
    if not match:
        raise IntentError(f"release {release!r} is not a release number", hint="write it as 5.16 or 5.16.4, quoted")
    return int(match.group(1)), int(match.group(2))


def family(release: str) -> str:
    """The release whose schema holds: `5.16.4` is `5.16`.

    Raises:
        IntentError: no schema is known for it.
    """
    major, minor = numbers(release)
    name = f"{major}.{minor}"
    if name not in RELEASES:
        raise IntentError(
            f"no NVUE schema is known for release {release}",
            hint=f"known: {RELEASES[0]} to {RELEASES[-1]}",
        )
    return name


def release_schema(release: str) -> SchemaData:
    """The flattened schema of a release, read anew at each call: the caller keeps it.

    Args:
        release: `5.16` or with a patch number.

    Raises:
        IntentError: no schema is known for it.
    """
    source = files("intent.catalog") / "data" / "nvue" / f"{family(release)}.json.gz"
    return cast(SchemaData, json.loads(gzip.decompress(source.read_bytes())))
