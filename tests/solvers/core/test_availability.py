"""What cannot run here says why, in words one can act on; which mpiexec is chosen, and
with which options.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.core import availability as availability_module
from solvers.core.availability import (
    Flavour,
    availability,
    find_mpiexec,
    flavour_in,
    mpi_error,
    start_command,
)
from solvers.core.problem import Problem
from solvers.core.result import Status
from solvers.core.variant import Answers, RunsOn, all_variants, find_variant
from solvers.errors import (
    DeviceUnavailable,
    MpiUnavailable,
    OutOfMemory,
    UnknownName,
    UnsuitableGraph,
)
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system import machine
from tests import graphs
from tests.solvers.fakes import GIGABYTE, FakeDevice, diamond, fake_variant, solve_apsp


def test_serial_variants_need_nothing():
    assert availability(fake_variant(), diamond(), None).available
    assert availability(fake_variant(), None, None).reason == ""


def test_no_device_names_the_extras():
    answer = availability(fake_variant(runs_on=RunsOn.GPU), None, None)
    assert not answer.available
    assert isinstance(answer.error, DeviceUnavailable)
    for extra in ("cuda12", "cuda13", "cpu-opencl"):
        assert extra in answer.reason


def test_a_package_that_was_found_is_not_sought_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[str] = []

    def find(name: str, *place: Any) -> Any:
        if name not in ("present", "absent"):
            return real(name, *place)
        sought.append(name)
        return object() if name == "present" else None

    real = PathFinder.find_spec
    monkeypatch.setattr(PathFinder, "find_spec", find)
    monkeypatch.setattr("solvers.core.availability._installed", set())
    for name in ("present", "absent") * 2:
        variant = replace(find_variant("dijkstra-heap"), packages=(name,))
        assert availability(variant, None, None).available == (name == "present")
    assert sought == ["present", "absent", "absent"]


def test_cuda_only_does_not_take_opencl():
    variant = fake_variant(runs_on=RunsOn.GPU, cuda_only=True)
    assert "Fake Nine is an OpenCL device" in availability(variant, None, FakeDevice()).reason
    assert availability(variant, None, FakeDevice(kind="cuda")).available


def test_a_device_that_cannot_hold_the_distances_is_named_with_what_it_lacks():
    variant, device = (
        fake_variant(runs_on=RunsOn.GPU),
        FakeDevice(lacks={"int64": "64-bit atomics"}),
    )
    answer = availability(variant, diamond(np.int64), device)
    assert isinstance(answer.error, DeviceUnavailable)
    assert (
        "needs int64 for the distances of diamond, but Fake Nine has no 64-bit atomics; choose "
        "another"
    ) in answer.reason
    assert availability(variant, diamond(np.int32), device).available
    assert availability(variant, None, device).available
    assert availability(fake_variant(), diamond(np.int64), device).available, (
        "it runs on the processor"
    )


@pytest.mark.parametrize("place", [None, FakeDevice()])
@pytest.mark.parametrize("entry", all_variants(), ids=lambda entry: entry.id)
def test_sums_that_no_type_holds_are_refused_in_words_and_not_by_an_error(entry, place):
    """Who counted memory raised, and the window could not show which variants suit the graph."""
    graph = graphs.from_list(4, [(v, v + 1, 2**61) for v in range(3)], np.int64)
    answer = availability(entry, graph, place)
    assert not answer.available
    if availability(entry, None, place).available and not entry.needs_coordinates:
        assert isinstance(answer.error, UnsuitableGraph)
        assert "load them as float64" in answer.reason


def test_negative_weights_are_refused_by_those_who_must():
    graph = diamond()
    weights = graph.weights.copy()
    weights[0] = -3
    negative = type(graph)(graph.indptr, graph.indices, weights, name="loss")
    answer = availability(fake_variant(needs_nonnegative=True), negative, None)
    assert isinstance(answer.error, UnsuitableGraph)
    assert "the least weight of loss is −3" in answer.reason
    assert availability(fake_variant(), negative, None).available


def test_too_big_for_the_device_says_both_sizes():
    variant = fake_variant(
        "fw",
        solve_apsp,
        answers=Answers.APSP,
        runs_on=RunsOn.GPU,
        memory=lambda graph: 5_400_000_000,
    )
    answer = availability(variant, diamond(), FakeDevice(free=2 * GIGABYTE))
    assert answer.reason == "needs 5.4 GB for the matrix; this device has 2 GB free"
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes == 5_400_000_000


@pytest.mark.parametrize("is_cpu", [False, True])
def test_a_device_that_is_the_processor_shares_its_memory_with_the_answer(monkeypatch, is_cpu):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, GIGABYTE))
    variant = fake_variant(
        answers=Answers.APSP, runs_on=RunsOn.GPU, memory=lambda graph: GIGABYTE - 50
    )
    # answer: 5 x 5 x 4 = 100 bytes
    answer = availability(variant, diamond(np.int32), FakeDevice(is_cpu=is_cpu))
    assert answer.available is not is_cpu


LAYOUTS = (
    "dijkstra-array",
    "da2cf-u-cpu",
    "da2cf-f-cpu",
    "da2cf-u-gpu",
    "da2cf-f-gpu",
    "da2cf-f-gpu-racy",
)


@pytest.mark.parametrize("variant_id", LAYOUTS)
def test_the_layout_chosen_decides_whether_it_fits(monkeypatch, variant_id):
    graph = graphs.at_random(3000, 9000, seed=2)  # the matrix takes 36 MB, the rows 0.2 MB
    free = 10_000_000
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, free))
    entry, device = find_variant(variant_id), FakeDevice(free=free)
    assert availability(entry, graph, device).available
    assert availability(entry, graph, device, {"layout": "csr"}).available
    answer = availability(entry, graph, device, {"layout": "matrix"})
    assert "MB for the adjacency matrix (choose layout=csr to avoid it)" in answer.reason
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes >= 36_000_000
    assert availability(entry, None, device, {"layout": "matrix"}).available, "nothing is open"


def test_where_the_matrix_is_the_default_rows_make_it_fit(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 10_000_000))
    monkeypatch.setattr("solvers.core.availability.mpi_error", lambda: None)
    graph, entry = graphs.at_random(3000, 9000, seed=2), find_variant("dijkstra-mpi")
    assert availability(entry, graph, None).error.needed_bytes == 36_000_000
    assert availability(entry, graph, None, {"ranks": 7}).error.needed_bytes == 3000 * 3003 * 4
    assert availability(entry, graph, None, {"layout": "csr"}).available


def test_a_run_asks_with_the_parameters_chosen(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 10_000_000))
    graph = graphs.at_random(3000, 9000, seed=2)
    choices = (
        Choice(find_variant("dijkstra-array"), {"layout": "matrix"}),
        Choice(find_variant("dijkstra-array")),
    )
    too_big, fits = run(RunRequest(graph, 0, None, choices, plan=MeasurementPlan(0, 1)))
    assert too_big.status is Status.OUT_OF_MEMORY
    assert not too_big.trials, "nothing was begun"
    assert fits.status is Status.OK


def test_parameters_that_it_does_not_have_are_refused():
    with pytest.raises(UnknownName):
        availability(fake_variant(), diamond(), None, {"colour": "green"})


def test_too_big_for_the_host(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 10_000_000))
    answer = availability(fake_variant(memory=lambda graph: 20_000_000), diamond(), None)
    assert answer.reason == "needs 20 MB for its working memory; this machine has 10 MB free"


def executable(folder: Path) -> Path:
    """A file called mpiexec that may be run."""
    folder.mkdir()
    file = folder / ("mpiexec.exe" if os.name == "nt" else "mpiexec")
    file.write_text("")
    file.chmod(0o755)
    return file


def pretend(monkeypatch: pytest.MonkeyPatch, flavour: Flavour) -> None:
    monkeypatch.setattr(availability_module, "find_mpiexec", lambda: Path("/opt/mpi/mpiexec"))
    monkeypatch.setattr(availability_module, "flavour_of", lambda mpiexec: flavour)


def test_the_one_beside_python_comes_before_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, system = executable(tmp_path / "venv"), executable(tmp_path / "system")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    monkeypatch.setenv("PATH", str(system.parent))
    assert find_mpiexec() == beside
    beside.unlink()
    assert find_mpiexec() == system


@pytest.mark.parametrize("variant_id", ["dijkstra-mpi", "fw-mpi"])
def test_no_mpiexec_is_said_with_the_remedy(
    variant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability_module, "find_mpiexec", lambda: None)
    entry, graph = find_variant(variant_id), graphs.by_hand("ties")
    answer = availability(entry, graph, None)
    assert not answer.available
    assert isinstance(answer.error, MpiUnavailable)
    assert "no mpiexec was found" in answer.reason
    assert "extra “mpi”" in answer.reason
    with pytest.raises(MpiUnavailable, match="no mpiexec"):
        entry.solve(Problem(graph, 0))


def test_mpi4py_is_missed_without_being_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    # a test before this one may have asked for it
    monkeypatch.delitem(sys.modules, "mpi4py", raising=False)
    assert "mpi4py is not installed" in str(mpi_error())
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
    command = start_command(3)
    assert command[0] == str(Path("/opt/mpi/mpiexec"))
    assert command[-4:] == ["-hosts", "localhost", "-n", "3"]


def test_open_mpi_is_told_of_root_and_of_too_many_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, Flavour.OPEN_MPI)
    monkeypatch.setattr(machine, "cores", lambda: 4)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    assert "--oversubscribe" not in start_command(4)
    assert "--oversubscribe" in start_command(5)
    assert "--allow-run-as-root" not in start_command(1)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert ("--allow-run-as-root" in start_command(1)) == (os.name != "nt")
