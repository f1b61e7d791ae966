"""What cannot run here says why, in words one can act on."""

from __future__ import annotations

import numpy as np
import pytest

from solvers import machine
from solvers.catalog import Answers, RunsOn
from solvers.errors import DeviceUnavailable, OutOfMemory, UnsuitableGraph
from solvers.runner import availability
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


def test_negative_weights_are_refused_by_those_who_must():
    graph = diamond()
    weights = graph.weights.copy()
    weights[0] = -3
    negative = type(graph)(graph.indptr, graph.indices, weights, name="loss")
    answer = availability(fake_variant(needs_nonnegative=True), negative, None)
    assert isinstance(answer.error, UnsuitableGraph)
    assert "loss has weights down to -3" in answer.reason
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


def test_too_big_for_the_host(monkeypatch):
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(GIGABYTE, 1000))
    answer = availability(fake_variant(memory=lambda graph: 2000), diamond(), None)
    assert answer.reason == "needs 2 kB for its working memory; this machine has 1 kB free"
