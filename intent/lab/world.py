"""All switches of a lab and the cables between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from intent.catalog.hardware import Catalog
from intent.catalog.releases import family, release_schema
from intent.catalog.source import read
from intent.core.errors import IntentError
from intent.lab.agenda import Agenda, Clock
from intent.lab.auth import Passwords
from intent.lab.day_0 import day_0_tree
from intent.lab.dialect import dialect_of, dialects
from intent.lab.faults import EVENTS, FAILURES, STANDING
from intent.lab.hardware import Panel
from intent.lab.incidents import change_by_hand, reboot, restart
from intent.lab.machine import Machine
from intent.lab.store import Trees
from intent.lab.tools import BadBody, Epoch, Refusal, Timing, Tools
from intent.lab.walker import Schema
from intent.lab.wiring import End, HostPort, Switch, Wiring


@dataclass(frozen=True, slots=True)
class Far:
    """What is at the other end of a cable.

    Args:
        end: device and port.
        host: the host's port, None when the far end is a switch.
    """

    end: End
    host: HostPort | None


class World:
    """The lab without its network: machines, cables, time.

    Args:
        wiring: switches, hosts and cables.
        clock: seconds, never running backwards.
        user_hash: crypt hash of the lab's password for the user `cumulus`.
        timing: how long things take.

    Raises:
        IntentError: a switch has a model or release nobody knows.
    """

    def __init__(self, wiring: Wiring, *, clock: Clock, user_hash: str, timing: Timing | None = None) -> None:
        self.wiring = wiring
        self.user_hash = user_hash
        self.agenda = Agenda(clock)
        # A crypt hash is no secret to a switch: it is shown as it is, so that it can be compared.
        secrets = frozenset(read("nvue_secrets")["leaves"]) - {"hashed-password"}
        self.tools = Tools(Epoch(), self.agenda, Trees(), Passwords(), timing or Timing(), secrets, user_hash)
        self.read_back_step = int(read("qos")["ecn_read_back"]["step_bytes"])
        self.machines = dict(self._machines())
        self._hosts = {End(host.name, port.name): port for host in wiring.hosts for port in host.ports}
        self.cables: dict[End, End] = {}
        self.pulled: set[End] = set()
        for link in wiring.links:
            self.cables[link.a], self.cables[link.b] = link.b, link.a

    def _machines(self) -> Iterator[tuple[str, Machine]]:
        catalog, table = Catalog.load(), dialects()
        schemas: dict[str, Schema] = {}
        panels: dict[str, Panel] = {}
        for number, spec in enumerate(self.wiring.switches):
            try:
                release = family(spec.release)
                if release not in schemas:
                    schemas[release] = Schema(release_schema(release))
                if spec.model not in panels:
                    panels[spec.model] = Panel.of(catalog.switch(spec.model))
            except IntentError as error:
                raise IntentError(f"switch {spec.name} of the wiring: {error.message}", hint=error.hint) from None
            dialect = dialect_of(spec.release, table)
            full = _numbered(spec, number)
            day_0 = day_0_tree(full, self.user_hash)
            yield spec.name, Machine(full, dialect, schemas[release], panels[spec.model], self.tools, day_0)

    def far(self, device: str, port: str) -> Far | None:
        """What a cable at a port leads to; None when there is no cable or it is pulled."""
        here = End(device, port)
        there = self.cables.get(here)
        if there is None or here in self.pulled or there in self.pulled:
            return None
        return Far(there, self._hosts.get(there))

    # Faults

    def fault(self, kind: str, device: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong.

        Args:
            kind: one of `STANDING` and `EVENTS`.
            device: name of the switch.
            options: of the kind.

        Returns:
            What was done, in words.

        Raises:
            IntentError: no such kind or switch, or the options do not fit.
        """
        now = self.agenda.run()
        if kind not in STANDING and kind not in EVENTS:
            raise IntentError(f"no fault is called {kind!r}", hint=f"known: {', '.join((*STANDING, *EVENTS))}")
        machine = self.machines.get(device)
        if machine is None:
            raise IntentError(f"the lab has no switch {device!r}")
        try:
            if kind == "change-by-hand":
                return self._by_hand(machine, now, options)
            if kind in ("swap-cable", "pull-cable"):
                return self._cable(kind, device, options)
            return self._standing(machine, kind, now, options)
        except (BadBody, Refusal) as error:
            detail = error.errors[0] if isinstance(error, BadBody) else None
            text = f"{detail.location}: {detail.error}" if detail else str(error)
            raise IntentError(f"{device} refuses the change: {text}") from None

    def _by_hand(self, machine: Machine, now: float, options: Mapping[str, Any]) -> str:
        sets, unsets = options.get("set") or {}, options.get("unset") or []
        if not isinstance(sets, dict) or not isinstance(unsets, list) or not (sets or unsets):
            raise IntentError("change-by-hand needs set={path: value} or unset=[path, …]")
        revision = change_by_hand(machine, now, sets, [str(path) for path in unsets])
        return f"{machine.spec.name}: revision {revision.id} applied by hand"

    def _standing(self, machine: Machine, kind: str, now: float, options: Mapping[str, Any]) -> str:
        faults, name = machine.faults, machine.spec.name
        seconds = _number(options, "for_s", 0.0)
        if kind in ("hung-apply", "apply-fail"):
            faults.times = int(_number(options, "times", -1, low=-1))
        if kind == "unreachable":
            how = options.get("how", "refuse")
            if how not in ("refuse", "silent"):
                raise IntentError("unreachable: how is refuse or silent")
            faults.unreachable, faults.until = how, now + seconds if seconds else 0.0
        elif kind == "slow":
            faults.delay_s = _number(options, "delay_s", 1.0)
        elif kind == "hung-apply":
            faults.hung_apply = True
        elif kind == "apply-fail":
            ending = options.get("state", "apply_fail")
            if ending not in FAILURES:
                raise IntentError(f"apply-fail: state is one of {', '.join(FAILURES)}")
            faults.apply_fail = "ask" if options.get("ask") else str(ending)
        elif kind == "lost-after-apply":
            faults.lost_after_apply = True
        elif kind == "ranges":
            faults.ranges = True
        elif kind == "reboot":
            reboot(machine, now, seconds or self.tools.timing.boot_s)
        elif kind == "restart":
            restart(machine, now, seconds or self.tools.timing.nvued_s)
        elif kind == "set-password":
            machine.accounts.set_password("cumulus", self.user_hash)
        else:
            faults.clear()
            machine.serves_from = min(machine.serves_from, now)
            machine.applying.resume()
        return f"{name}: {kind}"

    def _cable(self, kind: str, device: str, options: Mapping[str, Any]) -> str:
        here = End(device, str(options.get("port", "")))
        self.tools.epoch.number += 1
        if here not in self.cables:
            raise IntentError(f"{kind}: no cable at {here}", hint="port=… names a wired port of the switch")
        if kind == "pull-cable":
            if options.get("plug"):
                self.pulled.discard(here)
                return f"{here}: cable plugged"
            self.pulled.add(here)
            return f"{here}: cable pulled"
        other = End(str(options.get("with_device", device)), str(options.get("with_port", "")))
        if other not in self.cables or other in (here, self.cables[here]):
            raise IntentError(f"swap-cable: no other cable at {other}", hint="with_port=… and with_device=… name it")
        far_here, far_other = self.cables[here], self.cables[other]
        self.cables.update({here: far_other, far_other: here, other: far_here, far_here: other})
        return f"{here} now leads to {far_other}, {other} to {far_here}"


def _number(options: Mapping[str, Any], key: str, default: float, *, low: float = 0.0) -> float:
    value = options.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 86400:
        raise IntentError(f"{key} must be a number from {low:g} to 86400")
    return float(value)


def _numbered(spec: Switch, number: int) -> Switch:
    octets = (0x48B02D000000 + number).to_bytes(6, "big")
    return Switch(
        name=spec.name,
        model=spec.model,
        release=spec.release,
        mac=spec.mac or ":".join(f"{octet:02x}" for octet in octets),
        serial=spec.serial or f"LAB{number + 1:08}",
        address=spec.address,
        factory=spec.factory,
    )
