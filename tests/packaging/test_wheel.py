"""The wheel as a user has it: in a fresh environment, run from another folder; likewise sdist and editable."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ("templates", "inventory", "playbooks", "validators")


def run(*command: object, cwd: Path, timeout_s: float = 120) -> str:
    """Output of a command that must succeed, free of what leads to this checkout."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "INTENT_"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, env=environment, timeout=timeout_s
    )
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def source_copy(folder: Path) -> Path:
    """A copy of the checkout without what nobody builds from."""
    import shutil

    ignored = shutil.ignore_patterns(".*", "__pycache__", "dist", "demo", "tests", "docs", "benchmarks", "*.egg-info")
    return Path(shutil.copytree(ROOT, folder, ignore=ignored))


@dataclass(frozen=True)
class Environment:
    """A fresh environment: this distribution installed, dependencies borrowed from the one that runs the tests.

    Args:
        folder: where it is.
    """

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """An empty one, with a path to the dependencies that holds neither this checkout nor an editable finder."""
        venv.create(folder, with_pip=False, symlinks=True)
        made = cls(folder)
        borrowed = folder / "borrowed"
        borrowed.mkdir()
        for item in Path(sysconfig.get_path("purelib")).iterdir():
            name = item.name.lower()
            ours = name.startswith(("fabric_intent", "intent", "napalm_nvue", "__editable__"))
            if not ours and not name.endswith((".pth", ".egg-link")):
                (borrowed / item.name).symlink_to(item)
        (made.site / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
        return made

    @property
    def site(self) -> Path:
        """Its site-packages."""
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.folder / "lib" / version / "site-packages"

    def install(self, *what: object, cwd: Path) -> None:
        """Install without dependencies and without a network."""
        pip = (sys.executable, "-m", "pip", "--python", self.folder / "bin" / "python", "install")
        run(*pip, "--no-deps", "--no-index", "--no-build-isolation", "--quiet", *what, cwd=cwd)

    def python(self, code: str, *, cwd: Path) -> str:
        """Output of a few lines of Python."""
        return run(self.folder / "bin" / "python", "-c", code, cwd=cwd)

    def intent(self, *words: object, cwd: Path) -> str:
        """Output of the command."""
        return run(self.folder / "bin" / "intent", *words, cwd=cwd)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return source_copy(tmp_path_factory.mktemp("source") / "checkout")


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", out, source, cwd=source)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    environment = Environment.make(tmp_path_factory.mktemp("env") / "venv")
    environment.install(wheel, cwd=wheel.parent)
    yield environment


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_packages_and_data_and_nothing_else(wheel: Path) -> None:
    held = names(wheel)
    assert {name.split("/")[0] for name in held} == {"intent", "napalm_nvue"}
    for kind in DATA:
        wanted = {
            f"intent/_data/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / kind).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted
        assert wanted <= held, wanted - held
    assert any(name.startswith("intent/catalog/data/nvue/") for name in held)
    assert not [name for name in held if "__pycache__" in name or name.endswith(".pyc")]


def check_runs(environment: Environment, elsewhere: Path, root: str) -> None:
    """The command works from another folder, and everything of ours comes from where it should."""
    assert environment.intent("--version", cwd=elsewhere).startswith("intent ")
    environment.intent("init", "aurora", cwd=elsewhere)
    workspace = elsewhere / "aurora"
    environment.intent("lint", cwd=workspace)
    environment.intent("compile", "-o", elsewhere / "out", cwd=workspace)
    assert list((elsewhere / "out").glob("*/startup.yaml"))
    code = "import intent, napalm_nvue; print(intent.__file__); print(napalm_nvue.__file__)"
    assert all(line.startswith(root) for line in environment.python(code, cwd=elsewhere).splitlines())
    code = (
        "from intent.resources import search_path\n"
        f"for kind in {DATA!r}: print(*search_path(kind, None))\n"
        "from napalm import get_network_driver; print(get_network_driver('nvue').__module__)\n"
        "from intent.verify.registry import load; print(len(load(search_path('validators', None)).checks))"
    )
    lines = environment.python(code, cwd=elsewhere).splitlines()
    for kind, line in zip(DATA, lines, strict=False):
        assert line.startswith(root), line
        assert Path(line).name == kind
        assert any(Path(line).iterdir())
    assert lines[4].startswith("napalm_nvue")
    assert int(lines[5]) > 5


def check_entry_points(environment: Environment, elsewhere: Path) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    code = (
        "from importlib.metadata import distribution\n"
        "for point in distribution('fabric-intent').entry_points: point.load(); print(point.group, point.name)"
    )
    found = set(environment.python(code, cwd=elsewhere).splitlines())
    assert found == {"console_scripts intent"} | {f"{group} {name}" for group in groups for name in groups[group]}


def test_the_installed_wheel_runs_from_another_folder(installed: Environment, tmp_path: Path) -> None:
    check_runs(installed, tmp_path, str(installed.site))
    lines = installed.python("from intent.resources import search_path; print(*search_path('templates', None))",
                             cwd=tmp_path)  # fmt: skip
    assert lines.strip() == str(installed.site / "intent" / "_data" / "templates")
    check_entry_points(installed, tmp_path)


def test_sdist_to_wheel_gives_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", tmp_path, source, cwd=source)
    (sdist,) = tmp_path.glob("*.tar.gz")
    run("tar", "xzf", sdist, cwd=tmp_path)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, unpacked, cwd=tmp_path)
    (second,) = tmp_path.glob("*.whl")
    assert names(second) == names(wheel)


def test_an_editable_install_runs_from_the_checkout(source: Path, tmp_path: Path) -> None:
    environment = Environment.make(tmp_path / "venv")
    environment.install("--editable", source, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    check_runs(environment, elsewhere, str(source))
    check_entry_points(environment, elsewhere)
