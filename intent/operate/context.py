"""From the options of a command to what it works on. Whatever is heavy is imported where it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.catalog.hardware import Catalog
from intent.workspace.compile import Compiled, compile_site
from intent.workspace.files import Workspace

if TYPE_CHECKING:
    from intent.change.strategy import Strategy
    from intent.device.actor import Target
    from intent.device.fanout import Fleet
    from intent.schema.model import Site

LAB_STATE = "lab/lab.json"


@dataclass(frozen=True, slots=True)
class Work:
    """A compiled site and where it comes from."""

    workspace: Workspace
    catalog: Catalog
    compiled: Compiled


def open_site(
    path: Path, state: Path | None, site: str, *, allow_recabling: bool = False, locked: bool = False
) -> Work:
    """Compile a site of the workspace, or fail with everything that is wrong."""
    workspace = Workspace.open(path, state)
    catalog = Catalog.load()
    compiled = compile_site(workspace, catalog, site, allow_recabling=allow_recabling, locked=locked)
    return Work(workspace, catalog, compiled)


def keep_lock(work: Work) -> bool:
    """Write the site's lock when it changed; True when it was written."""
    from intent.fabric.lock import dump

    return work.workspace.write_lock(work.compiled.name, dump(work.compiled.lock))


def targets(compiled: Compiled, *, lab: bool = False) -> dict[str, Target]:
    """Every switch and every controller that has something to hold, as the device layer sees it.

    Args:
        compiled: the site.
        lab: only what a lab has a stand-in for.
    """
    from intent.operate.actors import NOT_IN_LAB, controller_targets

    found = switches(compiled) | controller_targets(compiled)
    return {name: item for name, item in found.items() if not lab or item.platform not in NOT_IN_LAB}


def switches(compiled: Compiled) -> dict[str, Target]:
    """Every switch we configure, as the device layer sees it."""
    from intent.device.actor import Target

    return {
        device.name: Target(
            name=device.name,
            address=device.management.partition("/")[0],
            platform=compiled.artifacts[device.name].platform,
            release=device.release,
            model=device.model,
            labels=device.labels,
        )
        for device in compiled.fabric.switches
        if device.name in compiled.artifacts
    }


def fleet(workspace: Workspace, *, lab: bool, site: Site | None = None, keep: bool = False) -> Fleet:
    """The way to the devices, or to the lab that stands in for them.

    Args:
        workspace: where inventory and secrets lie.
        lab: talk to the lab.
        site: whose accounts a lab knows without the real secrets.
        keep: leave sessions open between two calls; whoever asks for that closes them.
    """
    from intent.device.endpoints import Endpoints
    from intent.device.fanout import Fleet
    from intent.device.kept import room
    from intent.device.secrets import SecretStore

    folder = workspace.overlay("inventory")
    state = lab_state(workspace)
    if lab:
        from intent.core.errors import IntentError

        if not state.is_file():
            raise IntentError(f"no lab is running: {state} does not exist", hint="`intent lab up` starts one")
    secrets = SecretStore.load(folder, known=lab_secrets(state, site) if lab and site else None)
    return Fleet(Endpoints.load(folder, secrets=secrets, lab=state if lab else None), keep=room() if keep else 0)


def lab_state(workspace: Workspace) -> Path:
    """The lab's state file."""
    return workspace.state / LAB_STATE


def lab_secrets(state: Path, site: Site) -> dict[str, str]:
    """Crypt hashes of the lab's own password for every account, and keys of subnets made from it: a rehearsal needs no
    real secret.
    """
    from hashlib import sha256

    from intent.lab import state as lab
    from intent.lab.crypt512 import hashed

    password = lab.load(state.parent).password
    found = {user.hashed_password.secret: hashed(password, f"lab-{name}"[:16]) for name, user in site.users.items()}
    for fabric in site.fabrics.values():
        keys = fabric.subnet_manager.keys if fabric.kind == "infiniband" else None
        for key in (keys.m_key, keys.sm_key, keys.sa_key) if keys is not None else ():
            if key is not None:
                found[key.secret] = f"0x{sha256(f'{password} {key.secret}'.encode()).hexdigest()[:16]}"
    return found


def strategy_of(compiled: Compiled) -> Strategy:
    """The strategy of changes for a site, as the change engine takes it."""
    from intent.change.strategy import Strategy
    from intent.schema.effective import changes_of

    text = changes_of(compiled.document, compiled.name).strategy
    return Strategy(
        canary=text.canary,
        batch_percent=float(text.batch.number) if text.batch.percent else 100.0,
        batch_devices=0 if text.batch.percent else int(text.batch.number),
        soak_s=text.soak.seconds,
        confirm_s=round(text.confirm.seconds),
        deadline_s=text.deadline.seconds,
        checks_s=text.checks.seconds,
        max_failures=text.max_failures,
        max_unavailable={"plane": text.max_unavailable.plane, "spine": text.max_unavailable.spine},
    )
