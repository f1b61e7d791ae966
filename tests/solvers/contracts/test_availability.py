"""What cannot run here says why, in words one can act on."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.contracts.catalog import Answers, RunsOn, find, variants
from solvers.contracts.results import Status
from solvers.errors import DeviceUnavailable, OutOfMemory, UnknownName, UnsuitableGraph
from solvers.host import machine
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, availability, run
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


def test_cuda_only_does_not_take_opencl():
    variant = fake_variant(runs_on=RunsOn.GPU, cuda_only=True)
    assert "Fake Nine is an OpenCL device" in availability(variant, None, FakeDevice()).reason
    assert availability(variant, None, FakeDevice(kind="cuda")).available


def test_a_device_that_cannot_hold_the_distances_is_named_with_what_it_lacks():
    variant, device = fake_variant(runs_on=RunsOn.GPU), FakeDevice(lacks={"int64": "64-bit atomics"})
    answer = availability(variant, diamond(np.int64), device)
    assert isinstance(answer.error, DeviceUnavailable)
    assert (
        "needs int64 for the distances of diamond, but Fake Nine has no 64-bit atomics; choose another" in answer.reason
    )
    assert availability(variant, diamond(np.int32), device).available
    assert availability(variant, None, device).available
    assert availability(fake_variant(), diamond(np.int64), device).available, "it runs on the processor"


@pytest.mark.parametrize("place", [None, FakeDevice()])
@pytest.mark.parametrize("entry", variants(), ids=lambda entry: entry.id)
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
    assert "the least weight of loss is -3" in answer.reason
    assert availability(fake_variant(), negative, None).available


def test_too_big_for_the_device_says_both_sizes():
    variant = fake_variant(
        "fw", solve_apsp, answers=Answers.APSP, runs_on=RunsOn.GPU, memory=lambda graph: 5_400_000_000
    )
    answer = availability(variant, diamond(), FakeDevice(free=2 * GIGABYTE))
    assert answer.reason == "needs 5.4 GB for the matrix; this device has 2 GB free"
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes == 5_400_000_000


@pytest.mark.parametrize("is_cpu", [False, True])
def test_a_device_that_is_the_processor_shares_its_memory_with_the_answer(monkeypatch, is_cpu):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, GIGABYTE))
    variant = fake_variant(answers=Answers.APSP, runs_on=RunsOn.GPU, memory=lambda graph: GIGABYTE - 50)
    answer = availability(variant, diamond(np.int32), FakeDevice(is_cpu=is_cpu))  # answer: 5 x 5 x 4 = 100 bytes
    assert answer.available is not is_cpu


LAYOUTS = ("dijkstra-array", "da2cf-u-cpu", "da2cf-f-cpu", "da2cf-u-gpu", "da2cf-f-gpu", "da2cf-f-gpu-racy")


@pytest.mark.parametrize("variant_id", LAYOUTS)
def test_the_layout_chosen_decides_whether_it_fits(monkeypatch, variant_id):
    graph = graphs.at_random(3000, 9000, seed=2)  # the matrix takes 36 MB, the rows 0.2 MB
    free = 10_000_000
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, free))
    entry, device = find(variant_id), FakeDevice(free=free)
    assert availability(entry, graph, device).available
    assert availability(entry, graph, device, {"layout": "csr"}).available
    answer = availability(entry, graph, device, {"layout": "matrix"})
    assert "MB for the adjacency matrix (choose layout=csr to avoid it)" in answer.reason
    assert isinstance(answer.error, OutOfMemory)
    assert answer.error.needed_bytes >= 36_000_000
    assert availability(entry, None, device, {"layout": "matrix"}).available, "nothing is open"


def test_where_the_matrix_is_the_default_rows_make_it_fit(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 10_000_000))
    monkeypatch.setattr("solvers.host.mpi_discovery.availability_error", lambda: None)
    graph, entry = graphs.at_random(3000, 9000, seed=2), find("dijkstra-mpi")
    assert availability(entry, graph, None).error.needed_bytes == 36_000_000
    assert availability(entry, graph, None, {"ranks": 7}).error.needed_bytes == 3000 * 3003 * 4
    assert availability(entry, graph, None, {"layout": "csr"}).available


def test_a_run_asks_with_the_parameters_chosen(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 10_000_000))
    graph = graphs.at_random(3000, 9000, seed=2)
    choices = (Choice(find("dijkstra-array"), {"layout": "matrix"}), Choice(find("dijkstra-array")))
    too_big, fits = run(RunRequest(graph, 0, None, choices, plan=MeasurementPlan(0, 1)))
    assert too_big.status is Status.OUT_OF_MEMORY
    assert not too_big.trials, "nothing was begun"
    assert fits.status is Status.OK


def test_parameters_that_it_does_not_have_are_refused():
    with pytest.raises(UnknownName):
        availability(fake_variant(), diamond(), None, {"colour": "green"})


def test_too_big_for_the_host(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 1000))
    answer = availability(fake_variant(memory=lambda graph: 2000), diamond(), None)
    assert answer.reason == "needs 2 kB for its working memory; this machine has 1 kB free"
