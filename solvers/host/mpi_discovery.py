"""Whether MPI ranks can be started here, and with which command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from enum import Enum
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from solvers.errors import MpiUnavailable
from solvers.host import machine

_REMEDY = "Install the extra “mpi”: it brings mpi4py and, but for Windows, an mpiexec"
_REMEDY_WINDOWS = "Install Microsoft MPI (msmpisetup.exe), and the extra “mpi” for mpi4py"


class Flavour(Enum):
    """Whose mpiexec it is, as far as its options differ."""

    HYDRA = "MPICH"
    OPEN_MPI = "Open MPI"
    OTHER = "other"


def lacking() -> MpiUnavailable | None:
    """Why MPI ranks cannot be started here, and what would help; None where they can."""
    missing = []
    if find_mpiexec() is None:
        missing.append("no mpiexec was found, neither beside Python nor on the path")
    if PathFinder.find_spec("mpi4py") is None:  # looked for, not imported: importing it starts MPI
        missing.append("mpi4py is not installed")
    if not missing:
        return None
    remedy = _REMEDY_WINDOWS if sys.platform == "win32" else _REMEDY
    return MpiUnavailable(f"MPI ranks cannot be started: {' and '.join(missing)}. {remedy}.")


def find_mpiexec() -> Path | None:
    """The mpiexec to use: beside this Python (the ``mpich`` wheel puts it there) before the system's."""
    beside = Path(sys.executable).parent  # not resolved: the Python of a virtual environment is a link out of it
    for folders in (str(beside), os.environ.get("MSMPI_BIN"), os.environ.get("PATH")):
        found = shutil.which("mpiexec", path=folders) if folders else None
        if found:
            return Path(found)
    return None


def start_command(ranks: int) -> list[str]:
    """The command that starts ``ranks`` processes on this machine, to be followed by the program."""
    mpiexec = find_mpiexec()
    assert mpiexec is not None  # `lacking` was asked
    options: list[str] = []
    flavour = flavour_of(mpiexec)
    if flavour is Flavour.HYDRA:
        # This machine only, also inside a batch job: the graph lies in a folder that other nodes do not see.
        options = ["-launcher", "fork", "-rmk", "user", "-hosts", "localhost"]
    elif flavour is Flavour.OPEN_MPI:
        options = ["--bind-to", "none"]
        if ranks > machine.cores():
            options.append("--oversubscribe")
        if sys.platform != "win32" and os.geteuid() == 0:
            options.append("--allow-run-as-root")
    return [str(mpiexec), *options, "-n", str(ranks)]


@cache
def flavour_of(mpiexec: Path) -> Flavour:
    """Whose mpiexec that is, by what it says of itself."""
    try:
        said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return Flavour.OTHER
    return flavour_in(said.stdout + said.stderr)


def flavour_in(version_text: str) -> Flavour:
    """The flavour that a ``mpiexec --version`` text speaks of."""
    words = version_text.lower()
    if any(name in words for name in ("open mpi", "openrte", "prrte")):
        return Flavour.OPEN_MPI
    return Flavour.HYDRA if "hydra" in words and "intel" not in words else Flavour.OTHER
