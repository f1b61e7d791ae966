"""What a variant says it allocates on the device is what it allocates."""

from __future__ import annotations

import pytest

from solvers.core.problem import Problem
from solvers.core.variant import Algorithm, Answers, Variant, all_variants
from solvers.devices.device import Device
from tests import graphs

ON_DEVICE = [
    v for v in all_variants() if v.algorithm is Algorithm.DIJKSTRA and v.runs_on.needs_device and not v.cuda_only
]


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("entry", ON_DEVICE, ids=lambda entry: entry.id)
def test_stated_memory_is_what_is_held(entry: Variant, dtype: str, device: Device) -> None:
    single = entry.answers is Answers.SSSP
    graph = graphs.at_random(3000 if single else 300, 20_000, seed=1, dtype=dtype)
    given = {} if single else {"batch": 32}  # all pairs state the least that they can do with
    assert entry.memory is not None
    solution = entry.solve(Problem(graph, 0, None, entry.settle(given), device))
    assert entry.memory(graph) == pytest.approx(solution.peak_device_bytes, rel=0.01)


WITH_LAYOUT = [entry for entry in ON_DEVICE if entry.layout_memory is not None]


@pytest.mark.parametrize("entry", WITH_LAYOUT, ids=lambda entry: entry.id)
def test_the_matrix_adds_what_is_stated(entry: Variant, device: Device) -> None:
    graph = graphs.at_random(300, 900, seed=1)
    parameters = entry.settle({"layout": "matrix"} | ({"batch": 32} if entry.answers is Answers.APSP else {}))
    assert entry.memory is not None
    assert entry.layout_memory is not None
    solution = entry.solve(Problem(graph, 0, None, parameters, device))
    stated = entry.memory(graph) + entry.layout_memory(graph, parameters)
    assert stated == pytest.approx(solution.peak_device_bytes, rel=0.05)
