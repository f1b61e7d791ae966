"""What ``make release`` checks of the files in ``dist``, and the notes that it writes there:
``python .ci/release.py dist [PYTHON...]``.

The files are uploaded to an index on this machine, from which the wheel is installed for
each version of Python that pyproject.toml names and is found here, or given; ``uvx`` and
``pipx run`` start it from the folder as an index. Exit status: 0 if all of it can be
released.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".release" / ("Scripts" if os.name == "nt" else "bin")
SAMPLE = ROOT / "resources" / "samples" / "textbook.gr"
SOLVE = ("solve", SAMPLE, "--source", 1, "--target", 5, "--variants", "dijkstra-heap", "--no-keep")
HERE = "127.0.0.1"
TAGS = """
from importlib.metadata import distribution
lines = distribution("tautpath").read_text("WHEEL").splitlines()
print(*(line.partition(" ")[2] for line in lines if line.startswith("Tag")))
"""
HEADING = re.compile(r"^## (?P<version>\S+), (?P<date>.+)$", re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    dist, given = Path(arguments[0]).resolve(), arguments[1:]
    version = str(run(sys.executable, "-c", "import solvers; print(solvers.__version__)"))
    lacks = list(missing(dist, version))
    for line in lacks:
        print(f"Missing: {line}")
    (dist / f"notes-{version}.md").write_text(notes((ROOT / "CHANGELOG.md").read_text("utf-8")))
    pythons = list(given) or list(found_pythons())
    with index_of(dist) as index:
        for python in pythons:
            print(f"{installs(python, index, version)}: installed, and solved")
    for command in starters(dist, version):
        assert run(*command, "--version").endswith(version), command
        print(f"{Path(command[0]).name}: Tautpath {version}")
    return 1 if lacks else 0


def missing(dist: Path, version: str) -> Iterator[str]:
    """What is not as a release has it."""
    for pattern in ("tautpath-{}.tar.gz", "tautpath-{}-py3-none-any.whl", "tautpath-{}-cp*.whl"):
        if not list(dist.glob(pattern.format(version))):
            yield pattern.format(version)
    newest = HEADING.search((ROOT / "CHANGELOG.md").read_text("utf-8"))
    if newest is None or newest["version"] != version:
        yield f"the changelog's section of {version}"
    elif newest["date"] == "unreleased":
        yield f"the date of {version} in CHANGELOG.md, and date-released in CITATION.cff"
    if run("git", "-C", ROOT, "status", "--porcelain"):
        yield "a commit of all changes"


def notes(changelog: str) -> str:
    """The newest section, without its heading."""
    sections = HEADING.split(changelog)
    return f"{sections[3].strip()}\n"


def found_pythons() -> Iterator[str]:
    """An interpreter of each version; those that are not found are told."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in project["classifiers"]:
        if named := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line):
            if python := shutil.which(f"python{named[1]}"):
                yield python
            else:
                print(f"Python {named[1]}: not found here, so not tried")


@contextmanager
def index_of(dist: Path) -> Iterator[str]:
    """The address of a package index on this machine, which the files were uploaded to."""
    with socket.socket() as free:
        free.bind((HERE, 0))
        address = f"http://{HERE}:{free.getsockname()[1]}"
    files = [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]
    with tempfile.TemporaryDirectory() as folder:
        options = ("--disable-fallback", "-i", HERE, "-p", address.rpartition(":")[2])
        open_to_all = ("-P", ".", "-a", ".")
        command = [TOOLS / "pypi-server", "run", *options, *open_to_all, folder]
        server = subprocess.Popen([*map(str, command)])
        try:
            wait_for(address)
            account = ("--username", "nobody", "--password", "none", "--non-interactive")
            upload = ("upload", "--disable-progress-bar", *account, "--repository-url", address)
            run(TOOLS / "twine", *upload, *files)
            yield f"{address}/simple/"
        finally:
            server.terminate()
            server.wait()


def wait_for(address: str) -> None:
    """Until somebody listens, at most a minute."""
    port, deadline = int(address.rpartition(":")[2]), time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((HERE, port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"{address} does not answer.")


def installs(python: str, index: str, version: str) -> str:
    """Install the program by its name into an environment of its own, and solve; returns
    Python's version and what the wheel is for.
    """
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        here = Path(folder) / TOOLS.name
        wanted = ("--only-binary", "tautpath", f"tautpath=={version}")
        run(here / "python", "-m", "pip", "install", "-q", "--extra-index-url", index, *wanted)
        run(here / "python", "-m", "pip", "check")
        run(here / "tautpath", *SOLVE)
        tags = run(here / "python", "-I", "-c", TAGS)  # not what lies in this folder
        return f"{run(here / 'python', '--version')}, {tags}"


def starters(dist: Path, version: str) -> Iterable[tuple[str | Path, ...]]:
    """Commands that fetch and start Tautpath without installing it."""
    spec = f"tautpath=={version}"
    yield TOOLS / "uvx", "--quiet", "--find-links", dist, "--from", spec, "tautpath"
    yield TOOLS / "pipx", "run", f"--pip-args=--find-links={dist}", "--spec", spec, "tautpath"


def run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
