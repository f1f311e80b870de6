"""Files of a UFM host as values: what of them is ours, what they say of it, how they are to read afterwards. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from intent.catalog.subnet_managers import Manager
from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.secret import referenced
from intent.core.tree import ABSENT, Path, Tree, get, put
from intent.device.actor import Wanted
from intent.device.opensm_files import masked
from intent.device.owned import Owned
from intent.device.secrets import SecretStore
from intent.formats.ib.topoconfig import read_topoconfig
from intent.formats.opensm.conf import read_conf
from intent.formats.opensm.edit import edit_options, read_options
from intent.formats.opensm.guids import read_guid_list
from intent.formats.opensm.values import number
from intent.formats.partitions.reader import read as read_partitions
from intent.formats.ufm.gv import Setting, edit_gv, read_gv

GV, OPENSM, FILES = "gv", "opensm", "files"
"""Parts of a tree: settings of gv.cfg by section, options of opensm.conf, texts of whole files by path."""
ROLE, STANDBY = "role", "standby"
"""State of a host whose files are replicated from the active one and not there before it takes over."""
_NO_EXTENSION = "# no partitions\n"


@dataclass(frozen=True, slots=True)
class Places:
    """Where UFM's files lie.

    Args:
        gv: UFM's own settings.
        conf: options of its subnet manager.
    """

    gv: str
    conf: str

    @classmethod
    def of(cls, manager: Manager) -> Places:
        """UFM's usual places."""
        return cls(manager.paths["gv"], f"{manager.paths['folder']}/{manager.paths['conf']}")


@dataclass(frozen=True, slots=True)
class Held:
    """What a host's files say of what is ours.

    Args:
        state: as a tree; keys are references where they are the wanted ones, masked otherwise.
        not_compared: paths of keys that could not be compared.
        missing: files UFM itself makes that are not there.
    """

    state: Tree
    not_compared: tuple[Path, ...] = ()
    missing: tuple[str, ...] = ()


class HostFiles:
    """What one host must hold.

    Args:
        wanted: the host's part of a plan.
        manager: UFM's subnet manager.
    """

    def __init__(self, wanted: Wanted, manager: Manager) -> None:
        self._manager = manager
        self._places = Places.of(manager)
        self._wanted = wanted
        ours = Owned(((),) if wanted.replace else wanted.owned, wanted.excepted)
        # What a standby held before was the active host's: there is nothing to put back on it.
        named = [] if wanted.body.get(ROLE) == STANDBY else [*wanted.owned, *_leaves(wanted.body)]
        covered = [path for path in dict.fromkeys(named) if ours.covers(path)]
        self.settings: tuple[Setting, ...] = tuple((path[1], path[2]) for path in covered if _is(path, GV, 3))
        self.options: tuple[str, ...] = tuple(path[1] for path in covered if _is(path, OPENSM, 2))
        self.whole: tuple[str, ...] = tuple(path[1] for path in covered if _is(path, FILES, 2))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file to read."""
        return (self._places.gv, self._places.conf, *self.whole)

    @property
    def tree(self) -> Tree:
        """What is wanted of what is ours."""
        found: Tree = {}
        for path in self._all():
            value = get(self._wanted.body, path)
            if value is ABSENT and path[0] == FILES and self.kind(path[1]) == "user_extension":
                value = _NO_EXTENSION  # left as it is, its partitions would stay in force
            if value is not ABSENT:
                put(found, path, value)
        return found

    def _all(self) -> Iterator[Path]:
        yield from ((GV, section, key) for section, key in self.settings)
        yield from ((OPENSM, name) for name in self.options)
        yield from ((FILES, path) for path in self.whole)

    # --- judging

    def judge(self) -> tuple[Diagnostic, ...]:
        """What is wrong with what is wanted."""
        wanted, found = self.tree, list[Diagnostic]()
        options = wanted.get(OPENSM, {})
        lines = "".join(f"{name} {value}\n" for name, value in options.items())
        found += read_conf(lines.encode(), self._manager, self._places.conf, placeholders=True).diagnostics
        for name, value in options.items():
            if any(mark in f"{name}{value}" for mark in "\r\n#"):
                found.append(Diagnostic("O032", f"{self._places.conf}: {name[:40]!r} is no option of one line"))
            known = self._manager.options.get(name)
            if known is not None and known.repeats:
                text = f"{self._places.conf}: {name} may stand there several times, and is not edited here"
                found.append(Diagnostic("O032", text, hint="leave it to whoever keeps the file"))
        for section, keys in wanted.get(GV, {}).items():
            for key, value in keys.items():
                if not value or any(mark in f"{section}{key}{value}" for mark in "\r\n") or set(key) & set("=:[]#;"):
                    text = f"{self._places.gv}: [{section}] {key} is no setting of one line"
                    found.append(Diagnostic("O032", text))
        for path, text in wanted.get(FILES, {}).items():
            found += self._judge_file(path, text)
        return tuple(found)

    def _judge_file(self, path: str, text: str) -> tuple[Diagnostic, ...]:
        kind = self.kind(path)
        if kind == "roots":
            return read_guid_list(text.encode(), path)[1]
        if kind == "user_extension":
            lines = [line.strip() for line in text.splitlines()]
            said = any(line and not line.startswith("#") for line in lines)
            return read_partitions(text.encode(), path).diagnostics if said else ()
        if kind == "topoconfig":
            return read_topoconfig(text, path)[1]
        if kind != "qos_policy":
            return (Diagnostic("O030", f"{path} is no file of UFM that is ours", hint="it is not sent"),)
        return ()

    def kind(self, path: str) -> str:
        """Which of the manager's files a whole file is, in the words of the catalog; empty when none."""
        name = PurePosixPath(path).name
        return next((kind for kind, own in self._manager.paths.items() if PurePosixPath(own).name == name), "")

    # --- reading and writing

    def held(self, texts: Mapping[str, str], secrets: SecretStore) -> Held:
        """What a host's files say.

        Args:
            texts: by path; a file that is not there is left out.
            secrets: keys to compare with.
        """
        state: Tree = {}
        for (section, key), value in read_gv(texts.get(self._places.gv, ""), self.settings).items():
            put(state, (GV, section, key), value)
        wanted = self._wanted.body.get(OPENSM, {})
        named = {name: secret for name, value in wanted.items() if (secret := referenced(value)) is not None}
        shown, unknown = masked(texts.get(self._places.conf, ""), self._manager, named, secrets)
        for name, value in read_options(shown, self.options).items():
            same = name in wanted and self._alike(name, value, str(wanted[name]))
            put(state, (OPENSM, name), wanted[name] if same else value)
        for path in self.whole:
            if path in texts:
                put(state, (FILES, path), texts[path])
        missing = tuple(path for path in (self._places.gv, self._places.conf) if path not in texts)
        left = tuple((OPENSM, name) for name in unknown if name in self.options)
        return Held(state, left, missing)

    def written(self, texts: Mapping[str, str], filled: Callable[[str], str]) -> dict[str, str]:
        """Texts of the files that change, the settings last: a manager that starts meanwhile finds what they name.

        Args:
            texts: what the host has, by path.
            filled: puts keys in the place of their references.

        Raises:
            IntentError: a file cannot be edited without harm, or a key is missing.
        """
        wanted = self.tree
        found: dict[str, str] = dict(wanted.get(FILES, {}))
        options = wanted.get(OPENSM, {})
        gone = [name for name in self.options if name not in options]
        conf = _whole(texts, self._places.conf)
        found[self._places.conf] = edit_options(conf, {k: filled(v) for k, v in options.items()}, gone)
        values = {(section, key): text for section, keys in wanted.get(GV, {}).items() for key, text in keys.items()}
        out = [setting for setting in self.settings if setting not in values]
        found[self._places.gv] = edit_gv(_whole(texts, self._places.gv), values, out)
        return {path: text for path, text in found.items() if texts.get(path) != text}

    def _alike(self, name: str, one: str, other: str) -> bool:
        """Two spellings of one value: a number in another base, GUIDs in another order."""
        if one == other:
            return True
        parts = [[number(word.strip()) for word in text.split(",")] for text in (one, other)]
        if any(None in each for each in parts):
            return False
        known = self._manager.options.get(name)
        if known is not None and known.kind == "guids":
            return {*parts[0]} == {*parts[1]}
        return parts[0] == parts[1]

    @property
    def edited(self) -> tuple[str, ...]:
        """Files of which only parts are ours: they must not have changed since they were read."""
        return (self._places.gv, self._places.conf)


def _is(path: Sequence[str], part: str, length: int) -> bool:
    return len(path) == length and path[0] == part


def _leaves(body: Mapping[str, object]) -> Iterator[Path]:
    for section, keys in _mapping(body.get(GV)).items():
        yield from ((GV, section, key) for key in _mapping(keys))
    yield from ((OPENSM, name) for name in _mapping(body.get(OPENSM)))
    yield from ((FILES, path) for path in _mapping(body.get(FILES)))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _whole(texts: Mapping[str, str], path: str) -> str:
    text = texts[path]
    if "\ufffd" in text:
        raise IntentError(f"{path} holds bytes that are no UTF-8: it is not edited, for they would be lost")
    return text
