"""Detection of an MPI installation, and the command that starts ranks."""

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

_REMEDY = "Install the extra “mpi”: it provides mpi4py and, except on Windows, mpiexec"
_REMEDY_WINDOWS = "Install Microsoft MPI (msmpisetup.exe), and the extra “mpi” for mpi4py"


class Flavour(Enum):
    """MPI implementation of an mpiexec; the implementations take different options."""

    HYDRA = "MPICH"
    OPEN_MPI = "Open MPI"
    OTHER = "other"


def availability_error() -> MpiUnavailable | None:
    """The error that says why MPI ranks cannot be started, with the remedy; None if they can."""
    missing = []
    if find_mpiexec() is None:
        missing.append("no mpiexec was found, neither in Python's folder nor on the path")
    if PathFinder.find_spec("mpi4py") is None:  # not imported: importing mpi4py initialises MPI
        missing.append("mpi4py is not installed")
    if not missing:
        return None
    remedy = _REMEDY_WINDOWS if sys.platform == "win32" else _REMEDY
    return MpiUnavailable(f"MPI ranks cannot be started: {' and '.join(missing)}. {remedy}.")


def find_mpiexec() -> Path | None:
    """The mpiexec to use: the one in this Python's folder (installed by the ``mpich`` wheel) before the system's."""
    beside = Path(sys.executable).parent  # not resolved: a virtual environment's Python is a link to another folder
    for folders in (str(beside), os.environ.get("MSMPI_BIN"), os.environ.get("PATH")):
        found = shutil.which("mpiexec", path=folders) if folders else None
        if found:
            return Path(found)
    return None


def start_command(ranks: int) -> list[str]:
    """Command prefix that starts ``ranks`` processes on this machine; append the program and its arguments."""
    mpiexec = find_mpiexec()
    assert mpiexec is not None  # the caller has checked `availability_error`
    options: list[str] = []
    flavour = flavour_of(mpiexec)
    if flavour is Flavour.HYDRA:
        # This machine only, also in a batch job: other nodes cannot read the temporary folder that holds the graph.
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
    """MPI implementation of an mpiexec, from the output of ``mpiexec --version``."""
    try:
        version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return Flavour.OTHER
    return flavour_in(version.stdout + version.stderr)


def flavour_in(version_text: str) -> Flavour:
    """MPI implementation named in the output of ``mpiexec --version``."""
    words = version_text.lower()
    if any(name in words for name in ("open mpi", "openrte", "prrte")):
        return Flavour.OPEN_MPI
    return Flavour.HYDRA if "hydra" in words and "intel" not in words else Flavour.OTHER
