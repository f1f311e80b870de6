"""Nornir inventory built in memory from the compiled fabric's targets and the connection settings."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nornir.core.inventory import ConnectionOptions, Defaults, Group, Groups, Host, Hosts, Inventory, ParentGroups

from intent.core.errors import IntentError
from intent.device.actor import Target
from intent.device.connection import plugin_of
from intent.device.endpoints import Endpoints
from intent.device.secrets import SecretStore


class IntentInventory:
    """Inventory plugin `intent-inventory`.

    Args:
        targets: the devices, as records or as mappings with the same keys (`name`, `address`, `platform`, …).
        inventory_dirs: folders with `defaults.yaml`, `groups.yaml`, the most specific first; ours come last.
        endpoints: where devices are and with which credentials; made from the folders when not given.
        lab: state file of a lab that stands in for the devices.
    """

    def __init__(
        self,
        targets: Iterable[Target | Mapping[str, Any]] = (),
        inventory_dirs: Sequence[str | Path] = (),
        endpoints: Endpoints | None = None,
        lab: str | Path | None = None,
    ) -> None:
        self._targets = [item if isinstance(item, Target) else _target(item) for item in targets]
        if endpoints is None:
            own = [Path(folder) for folder in inventory_dirs]
            first = own[0] if own else None
            secrets = SecretStore.load(first)
            endpoints = Endpoints.load(first, secrets=secrets, lab=Path(lab) if lab else None)
        self._endpoints = endpoints

    def load(self) -> Inventory:
        """Hosts by name, one group per platform.

        A device without an address, or whose password cannot be resolved, is in the inventory all the same: opening
        its connection says why it cannot be reached.
        """
        groups = Groups()
        hosts = Hosts()
        for target in self._targets:
            group = groups.setdefault(target.platform, Group(name=target.platform, platform=target.platform))
            hosts[target.name] = self._host(target, group)
        return Inventory(hosts=hosts, groups=groups, defaults=Defaults())

    def _host(self, target: Target, group: Group) -> Host:
        found = self._endpoints.lookup(target)
        data: dict[str, Any] = {"labels": dict(target.labels), "release": target.release, "model": target.model}
        if found.problem is not None:
            data["problem"] = found.problem
        endpoint = found.endpoint
        options: dict[str, ConnectionOptions] = {}
        if endpoint is not None:
            options = {
                plugin_of(target.platform): ConnectionOptions(
                    port=endpoint.port,
                    extras={"endpoint": endpoint, "transport": self._endpoints.transport},
                ),
                "napalm": ConnectionOptions(
                    port=endpoint.port,
                    platform=target.platform,
                    extras=_napalm(found.napalm, endpoint.context, endpoint.server_name),
                ),
            }
        return Host(
            name=target.name,
            hostname=endpoint.host if endpoint else None,
            port=endpoint.port if endpoint else None,
            username=endpoint.username if endpoint else None,
            password=endpoint.password if endpoint else None,
            platform=target.platform,
            groups=ParentGroups([group]),
            data=data,
            connection_options=options,
        )


def _napalm(options: Mapping[str, Any], context: ssl.SSLContext, server_name: str) -> dict[str, Any]:
    extras = dict(options.get("extras") or {})
    arguments = dict(extras.get("optional_args") or {})
    arguments.setdefault("ssl_context", context)
    if server_name:
        arguments.setdefault("server_name", server_name)
    return {**extras, "optional_args": arguments}


def _target(item: Mapping[str, Any]) -> Target:
    known = {"name", "address", "platform", "release", "model", "labels"}
    unknown = set(item) - known
    if unknown or not item.get("name"):
        raise IntentError(
            f"inventory target {dict(item).get('name', '?')!r}: "
            + (f"unknown key {sorted(unknown)[0]!r}" if unknown else "no name"),
            hint=f"known: {', '.join(sorted(known))}",
        )
    return Target(
        name=str(item["name"]),
        address=str(item.get("address") or ""),
        platform=str(item.get("platform") or "nvue"),
        release=str(item.get("release") or ""),
        model=str(item.get("model") or ""),
        labels=dict(item.get("labels") or {}),
    )
