"""What goes wrong with a simulated subnet on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.core.errors import IntentError
from intent.lab.subnet.simulator import Simulator
from intent.lab.subnet.spec import Switch

MANAGERS = {
    "sm-kill": "the subnet manager of a host dies as in a power cut; a standby takes over",
    "sm-start": "the subnet manager of a host is started again",
    "partitions-by-hand": "file takes the place of the partitions.conf of a host, unread by anybody",
}
SWITCHES = {
    "link-down": "the cable at port of a switch is pulled",
    "link-up": "the cable at port of a switch is put back",
    "counter": "a counter at port counts to value: counter=SymbolErrorCounter value=500",
}
CLEAR = "clear"
KINDS = SWITCHES | MANAGERS | {CLEAR: "dead subnet managers are started, pulled cables put back"}


class Cables:
    """Cables and counters of a simulated fabric.

    Args:
        simulator: the fabric.
        switches: its switches.
    """

    def __init__(self, simulator: Simulator, switches: tuple[Switch, ...]) -> None:
        self._simulator = simulator
        self._switches = {switch.name: switch for switch in switches}
        self._pulled: dict[tuple[str, str], None] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._switches

    def words(self) -> list[str]:
        """Cables that are pulled."""
        return [f"{switch} {port} link-down" for switch, port in self._pulled]

    def fault(self, kind: str, name: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong at a switch; what was done, in words.

        Raises:
            IntentError: the options do not fit, or the simulator refuses.
        """
        port = str(options.get("port", ""))
        place = self._place(name, port)
        if kind == "counter":
            counter, value = str(options.get("counter", "SymbolErrorCounter")), options.get("value", 500)
            if not counter.isalnum() or isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
                raise IntentError(f"{name}: counter is a name, value a number", hint=SWITCHES[kind])
            self._order(f"PerformanceSet {place} PortCounters.{counter}={value}", name)
            return f"{name} {port}: {counter} is {value}"
        if kind == "link-down":
            self._order(f"Unlink {place}", name)
            self._pulled[(name, port)] = None
            return f"{name} {port}: cable pulled"
        self._order(f"ReLink {place}", name)
        self._pulled.pop((name, port), None)
        return f"{name} {port}: cable put back"

    def clear(self, name: str) -> None:
        """Put back every cable pulled at a switch."""
        for switch, port in [held for held in self._pulled if held[0] == name]:
            self.fault("link-up", switch, {"port": port})

    def _place(self, name: str, port: str) -> str:
        switch = self._switches[name]
        number = switch.ports.get(port) or (int(port) if port.isdigit() else 0)
        if not number:
            first = next(iter(switch.ports), "1")
            raise IntentError(f"{name} has no port {port[:40]!r}", hint=f"port=… names one, as port={first}")
        return f'"{switch.node}"[{number}]'

    def _order(self, command: str, name: str) -> None:
        """The simulator begins a line with `#` where it refuses."""
        said = self._simulator.console(command)
        refused = next((line[1:].strip() for line in said.splitlines() if line.startswith("#")), "")
        if refused:
            raise IntentError(f"{name}: {refused}")
