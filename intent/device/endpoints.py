"""How a target of the fabric becomes an address, a port, what TLS trusts and credentials."""

from __future__ import annotations

import ipaddress
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.device.actor import Target
from intent.device.endpoint import Endpoint, tls_context
from intent.device.labfile import LabFile
from intent.device.options import ConnectionSettings, PlatformOptions
from intent.device.secrets import SecretStore
from intent.resources import search_path

DEFAULT_PORTS: Mapping[str, int] = {"nvue": 8765, "ufm": 443, "nmx": 443}


@dataclass(frozen=True, slots=True)
class Found:
    """Where a target is.

    Args:
        endpoint: None when it cannot be said.
        problem: why not.
        napalm: options of the `napalm` connection.
    """

    endpoint: Endpoint | None
    problem: IntentError | None = None
    napalm: Mapping[str, Any] = field(default_factory=dict)


class Endpoints:
    """Finds the endpoint of a target. TLS contexts are made once and shared.

    Args:
        settings: what the `inventory/` folders say.
        secrets: to resolve passwords.
        lab: a lab that stands in for the devices.
        root: folder that relative paths in the settings start from.
        transport: makes the transport of a session, for tests; None for the real one.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        secrets: SecretStore,
        *,
        lab: LabFile | None = None,
        root: Path | None = None,
        transport: Callable[..., Any] | None = None,
    ) -> None:
        self.settings = settings
        self.secrets = secrets
        self.lab = lab
        self.transport = transport
        self._root = root or Path()
        self._contexts: dict[tuple[str, bool], ssl.SSLContext] = {}
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path | None, *, secrets: SecretStore, lab: Path | None = None) -> Endpoints:
        """From a workspace's `inventory/` folder, ours below it, and a lab's state file where `--lab` was given.

        Raises:
            IntentError: a file is missing or malformed; says where.
        """
        settings = ConnectionSettings.load(search_path("inventory", folder))
        root = folder.parent if folder else None
        return cls(settings, secrets, lab=LabFile.load(lab) if lab else None, root=root)

    @property
    def max_in_flight(self) -> int:
        """Devices worked on at the same time."""
        return self.settings.max_in_flight

    def lookup(self, target: Target) -> Found:
        """Where a target is; never raises for one target."""
        try:
            options = self.settings.platform(target.platform, default_port=DEFAULT_PORTS.get(target.platform, 443))
            if self.lab is not None:
                return Found(self._in_lab(target, self.lab, options))
            return Found(self._endpoint(target, options), napalm=options.napalm)
        except IntentError as problem:
            return Found(None, problem)

    def _in_lab(self, target: Target, lab: LabFile, options: PlatformOptions) -> Endpoint:
        """Address and account are the lab's; the limits are those of the real devices: it is their rehearsal."""
        controller = lab.controllers.get(target.name)
        if controller is not None:
            self.secrets.remember(controller.password)
            return Endpoint(
                name=target.name,
                host=controller.address,
                port=controller.port,
                username=controller.username,
                password=controller.password,
                context=self._context(lab.ca, True),
                timeouts=options.timeouts,
                max_body_bytes=options.max_body_bytes,
                token=controller.token,
            )
        switch = lab.switches.get(target.name)
        if switch is None:
            raise IntentError(
                f"the lab {lab.source} has no device {target.name!r}",
                hint="the lab was started from another intent: `intent lab down`, then `intent lab up`",
            )
        self.secrets.remember(lab.password)
        return Endpoint(
            name=target.name,
            host=switch.address,
            port=switch.port,
            username=lab.username,
            password=lab.password,
            context=self._context(lab.ca, True),
            server_name=switch.server_name,
            timeouts=options.timeouts,
            max_body_bytes=options.max_body_bytes,
        )

    def _endpoint(self, target: Target, options: PlatformOptions) -> Endpoint:
        if not target.address:
            raise IntentError(
                f"{target.name}: no management address is known",
                hint="give it one in the site's management pool or inventory file",
            )
        if not (options.username or options.token) or not options.password:
            raise IntentError(
                f"{target.name}: no username or password for platform {target.platform!r}",
                hint="add the group to inventory/groups.yaml",
            )
        name = referenced(options.password)
        if name is None:
            raise IntentError(
                f"group {target.platform!r}: the password stands in the file itself",
                hint="write `password: $secret:device_password$` and map the name in inventory/secrets.yaml",
            )
        return Endpoint(
            name=target.name,
            host=_host(target),
            port=options.port,
            username=options.username,
            password=self.secrets.resolve(name),
            context=self._context(str(self._root / options.ca) if options.ca else "", options.verify_hostname),
            server_name=options.server_name,
            timeouts=options.timeouts,
            max_body_bytes=options.max_body_bytes,
            token=options.token,
        )

    def _context(self, ca: str, verify_hostname: bool) -> ssl.SSLContext:
        key = (ca, verify_hostname)
        with self._lock:
            if key not in self._contexts:
                if not verify_hostname and not ca:
                    raise IntentError(
                        "inventory: tls.verify_hostname is false but tls.ca names no bundle of pinned certificates",
                        hint="without one any certificate of any public authority would pass",
                    )
                try:
                    self._contexts[key] = tls_context(ca, verify_hostname=verify_hostname)
                except (OSError, ValueError) as problem:
                    words = getattr(problem, "strerror", None) or "holds no certificate in PEM form"
                    raise IntentError(f"TLS bundle {ca}: {words}", hint="tls.ca in inventory/groups.yaml") from None
            return self._contexts[key]


def _host(target: Target) -> str:
    """The address without a prefix length; a name stays as it is."""
    text = target.address.partition("/")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if all(part and part.replace("-", "").isalnum() for part in text.split(".")):
            return text
        raise IntentError(f"{target.name}: {text!r} is neither an address nor a host name") from None
