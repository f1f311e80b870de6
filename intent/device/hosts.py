"""Nodes as devices of a change: their rail interfaces, through a playbook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, ClassVar

from intent.core.tree import Difference, difference
from intent.device.actor import Disruption, Observed, Request, Wanted
from intent.device.playbook_actor import HostConnection, PlaybookActor, Run, diff_text, file_tree, observed_files

__all__ = ["PLATFORM", "HostActor", "HostConnection", "Run", "diff_text", "network_files"]

PLATFORM = "host"
_PREFIX, _SUFFIX = "60-intent-", ".network"


def network_files(body: Mapping[str, Any], template: str) -> dict[str, str]:
    """The files a node's compiled data becomes: name → text, as the playbook writes them.

    Args:
        body: one node's document of `intent.render.hosts.host_data`.
        template: text of `rail.network.j2`.
    """
    from jinja2 import Environment, StrictUndefined

    # Ansible's own settings, so that both read one template to the same bytes.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True, autoescape=False)  # noqa: S701
    compiled = environment.from_string(template)
    return {f"{_PREFIX}{rail['name']}{_SUFFIX}": compiled.render(rail=rail) for rail in body["rails"]}


@dataclass(frozen=True, slots=True)
class HostActor(PlaybookActor):
    """Configures nodes.

    A `Wanted` holds in `body` the node's document of `host_data`; what is compared are the files it becomes, at
    `files.<name>`.
    """

    PLATFORM: ClassVar[str] = PLATFORM
    PLAY: ClassVar[str] = "rails"
    WHAT: ClassVar[str] = "network files"

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Observed]:
        """The network files of ours each node has: `rails.yml` in check mode, which writes nothing."""
        if not wanted:
            return {}
        reports = self.run(self._play(self.PLAY), self._hosts(wanted), deadline_s=self.deadline_s, check=True)
        seen: dict[str, Observed] = {}
        for item in wanted:
            name = item.target.name
            files = {PurePosixPath(path).name: text for path, text in reports[name].read.items()}
            seen[name] = observed_files(name, reports[name], files)
        return seen

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """Files to write, change or remove."""
        template = (self.playbooks / "templates" / "rail.network.j2").read_text(encoding="utf-8")
        return tuple(difference(observed.state, file_tree(network_files(wanted.body, template))))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:  # noqa: ARG002
        """A reload of networkd reconfigures the interfaces whose files changed, and no other."""
        reason = "networkctl(1), reload: new and changed .network files are applied to their interfaces"
        names = [item.path[-1].removeprefix(_PREFIX).removesuffix(_SUFFIX) for item in differences]
        return tuple(Disruption("flap", f"port {name}", reason) for name in dict.fromkeys(names))

    def revert_words(self, wanted: Wanted) -> str:  # noqa: ARG002 - the same for every node
        """How a node comes back."""
        return "by a compensating write: the files replaced are kept on the node; nothing reverts by itself"

    @contextmanager
    def staged(self, requests: Sequence[Request], seen: Mapping[str, Observed]) -> Iterator[dict[str, dict[str, Any]]]:
        """The nodes' compiled data."""
        del seen
        yield self._hosts([request.wanted for request in requests])

    def _hosts(self, wanted: Sequence[Wanted]) -> dict[str, dict[str, Any]]:
        return {
            item.target.name: {
                **self._connection(item.target.name, item.target.address),
                "rails": item.body["rails"],
            }
            for item in wanted
        }
