"""Nodes as devices of a change: their rail interfaces and IMEX's list of nodes, through a playbook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, ClassVar

from intent.core.tree import Difference, difference
from intent.device.actor import Disruption, Observed, Request, Wanted
from intent.device.playbook import HostReport
from intent.device.playbook_actor import HostConnection, PlaybookActor, Run, diff_text, file_tree, observed_files
from intent.formats.imex import NAME as IMEX_NAME
from intent.formats.imex import digest, write

__all__ = ["PLATFORM", "HostActor", "HostConnection", "Run", "diff_text", "imex_file", "network_files"]

PLATFORM = "host"
_PREFIX, _SUFFIX = "60-intent-", ".network"
_IMEX_READS = (
    "the list is read when the service starts, and nothing restarts it here: restart nvidia-imex on every tray of the "
    "NVLink partition once all have the file; that ends jobs which share memory over NVLink (NVIDIA IMEX guide)"
)


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


def imex_file(body: Mapping[str, Any]) -> dict[str, str]:
    """IMEX's list of nodes, as variables of the play: path, text and its hash; empty where the node has none.

    Args:
        body: one node's document of `intent.render.hosts.host_data`.
    """
    if "imex" not in body:
        return {}
    text = write(body["imex"]["addresses"])
    return {"path": str(body["imex"]["path"]), "text": text, "sha256": digest(text)}


def imex_hashes(actor: HostActor, wanted: Sequence[Wanted]) -> dict[str, tuple[str, str]]:
    """Read only: hash of IMEX's list on each tray, and why it could not be read; both empty where there is no list.

    Args:
        actor: reaches the trays.
        wanted: what each must hold.
    """
    found: dict[str, tuple[str, str]] = {}
    for name, seen in actor.observe(wanted).items():
        text = (seen.state.get("files") or {}).get(IMEX_NAME) if seen.problem is None else None
        found[name] = (digest(text) if text is not None else "", seen.detail if seen.problem is not None else "")
    return found


@dataclass(frozen=True, slots=True)
class HostActor(PlaybookActor):
    """Configures nodes.

    A `Wanted` holds in `body` the node's document of `host_data`; what is compared are the files it becomes, at
    `files.<name>`. IMEX's list of a node that has none wanted is left alone.
    """

    PLATFORM: ClassVar[str] = PLATFORM
    PLAY: ClassVar[str] = "rails"
    WHAT: ClassVar[str] = "files"

    def look(self, wanted: Sequence[Wanted]) -> Mapping[str, HostReport]:
        """Read the network files of ours each node has, and IMEX's list where one is wanted."""
        return self.run(self._play("rails_read"), self._hosts(wanted), deadline_s=self.deadline_s)

    def seen(self, wanted: Sequence[Wanted], reports: Mapping[str, HostReport]) -> dict[str, Observed]:
        """The files by their names."""
        seen: dict[str, Observed] = {}
        for item in wanted:
            name = item.target.name
            files = {PurePosixPath(path).name: text for path, text in reports[name].read.items()}
            seen[name] = observed_files(name, reports[name], files)
        return seen

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """Files to write, change or remove."""
        template = (self.playbooks / "templates" / "rail.network.j2").read_text(encoding="utf-8")
        files = network_files(wanted.body, template)
        imex = imex_file(wanted.body)
        if imex:
            files[PurePosixPath(imex["path"]).name] = imex["text"]
        return tuple(difference(observed.state, file_tree(files)))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:  # noqa: ARG002
        """A reload of networkd reconfigures the interfaces whose files changed, and no other; IMEX goes on."""
        reason = "networkctl(1), reload: new and changed .network files are applied to their interfaces"
        files = [item.path[-1] for item in differences]
        names = [file.removeprefix(_PREFIX).removesuffix(_SUFFIX) for file in files if file.endswith(_SUFFIX)]
        found = [Disruption("flap", f"port {name}", reason) for name in dict.fromkeys(names)]
        return (*found, *([Disruption("none", "IMEX", _IMEX_READS)] if IMEX_NAME in files else []))

    def revert_words(self, wanted: Wanted) -> str:  # noqa: ARG002 - the same for every node
        """How a node comes back."""
        return "by a compensating write: the files replaced are kept on the node; nothing reverts by itself"

    @contextmanager
    def staged(
        self, requests: Sequence[Request], reports: Mapping[str, HostReport]
    ) -> Iterator[dict[str, dict[str, Any]]]:
        """The nodes' compiled data."""
        del reports
        yield self._hosts([request.wanted for request in requests])

    def _hosts(self, wanted: Sequence[Wanted]) -> dict[str, dict[str, Any]]:
        return {
            item.target.name: {
                **self._connection(item.target.name, item.target.address),
                "rails": item.body["rails"],
                "rails_imex": imex_file(item.body),
            }
            for item in wanted
        }
