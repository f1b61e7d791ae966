"""Which mpiexec, with which options; and what is said where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from solvers.contracts.availability import availability
from solvers.contracts.catalog import find
from solvers.contracts.problem import Problem
from solvers.errors import MpiUnavailable
from solvers.graphs.graph import Graph
from solvers.host import machine, mpi_discovery
from solvers.host.mpi_discovery import Flavour, flavour_in
from tests import graphs


def executable(folder: Path) -> Path:
    """A file called mpiexec that may be run."""
    folder.mkdir()
    file = folder / ("mpiexec.exe" if os.name == "nt" else "mpiexec")
    file.write_text("")
    file.chmod(0o755)
    return file


def pretend(monkeypatch: pytest.MonkeyPatch, flavour: Flavour) -> None:
    monkeypatch.setattr(mpi_discovery, "find_mpiexec", lambda: Path("/opt/mpi/mpiexec"))
    monkeypatch.setattr(mpi_discovery, "flavour_of", lambda mpiexec: flavour)


def test_the_one_beside_python_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, system = executable(tmp_path / "venv"), executable(tmp_path / "system")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    monkeypatch.setenv("PATH", str(system.parent))
    assert mpi_discovery.find_mpiexec() == beside
    beside.unlink()
    assert mpi_discovery.find_mpiexec() == system


@pytest.mark.parametrize("variant_id", ["dijkstra-mpi", "fw-mpi"])
def test_no_mpiexec_is_said_with_the_remedy(variant_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi_discovery, "find_mpiexec", lambda: None)
    entry, graph = find(variant_id), graphs.by_hand("ties")
    answer = availability(entry, graph, None)
    assert not answer.available
    assert isinstance(answer.error, MpiUnavailable)
    assert "no mpiexec was found" in answer.reason
    assert "extra “mpi”" in answer.reason
    with pytest.raises(MpiUnavailable, match="no mpiexec"):
        entry.solve(_problem(graph, entry.settle({})))


def test_mpi4py_is_missed_without_being_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "mpi4py", raising=False)  # a test before this one may have asked for it
    assert "mpi4py is not installed" in str(mpi_discovery.availability_error())
    assert "mpi4py" not in sys.modules, "importing it would start MPI in this process"


def test_whose_mpiexec_it_is() -> None:
    assert flavour_in("HYDRA build details:\n    Version: 5.0.2") is Flavour.HYDRA
    assert flavour_in("mpiexec (OpenRTE) 4.1.4") is Flavour.OPEN_MPI
    assert flavour_in("mpirun (Open MPI) 5.0.6") is Flavour.OPEN_MPI
    assert flavour_in("Intel(R) MPI Library for Linux* OS, Hydra, Version 2021.13") is Flavour.OTHER
    assert flavour_in("Microsoft MPI Startup Program [Version 10.1]") is Flavour.OTHER


def test_mpich_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a batch job it would spread over nodes that do not see the folder."""
    pretend(monkeypatch, Flavour.HYDRA)
    command = mpi_discovery.start_command(3)
    assert command[0] == str(Path("/opt/mpi/mpiexec"))
    assert command[-4:] == ["-hosts", "localhost", "-n", "3"]


def test_open_mpi_is_told_of_root_and_of_too_many_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Flavour.OPEN_MPI)
    monkeypatch.setattr(machine, "cores", lambda: 4)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    assert "--oversubscribe" not in mpi_discovery.start_command(4)
    assert "--oversubscribe" in mpi_discovery.start_command(5)
    assert "--allow-run-as-root" not in mpi_discovery.start_command(1)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert ("--allow-run-as-root" in mpi_discovery.start_command(1)) == (os.name != "nt")


def _problem(graph: Graph, parameters: dict[str, object]) -> Problem:
    return Problem(graph, 0, None, parameters)
