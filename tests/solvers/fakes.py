"""Small graphs, plain variants that do as they are told, and a device that only has a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant, WorkMapping
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.running.request import RunListener, RunProgress

GIGABYTE = 10**9


def diamond(dtype: Any = np.int32) -> Graph:
    """Vertices 10, 20, 30, 40 and 99: from 10 to 40 by 20 (length 5) or by 30 (length
    7); 99 stands alone.
    """
    tails, heads, weights = [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [2, 4, 3, 3, 9]
    ids = np.array([10, 20, 30, 40, 99])
    return Graph.from_arcs(
        5,
        np.array(tails),
        np.array(heads),
        np.array(weights, dtype=dtype),
        ids=ids,
        name="diamond",
        weight_unit="m",
    )


def solve_row(problem: Problem, source: int) -> tuple[np.ndarray, int]:
    """Bellman-Ford in plain Python: distances and passes."""
    graph, kind = problem.graph, problem.distance_type
    distances = np.full(graph.n, kind.infinity, dtype=kind.dtype)
    distances[source] = 0
    arcs = list(
        zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    )
    for passes in range(1, graph.n + 1):
        improved = set()
        for tail, head, weight in arcs:
            if distances[tail] < kind.infinity and distances[tail] + weight < distances[head]:
                distances[head] = distances[tail] + weight
                improved.add(head)
        if problem.recorder is not None:
            problem.recorder.iteration(np.array(sorted(improved)), len(arcs), len(improved), 0.25)
        problem.progress.checkpoint(passes, graph.n)
        if not improved:
            break
    return distances, passes


def solve_sssp(problem: Problem) -> Solution:
    """From one source, with phases of 1, 2, 3 and 4 ms."""
    assert problem.source is not None
    distances, passes = solve_row(problem, problem.source)
    return Solution(distances, passes, Phases(1.0, 2.0, 3.0, 4.0))


def solve_keeping(problem: Problem) -> Solution:
    """As `solve_sssp`; uploads the weights, which may stay on the device, and 4,000
    bytes, which may not.
    """
    assert problem.device is not None
    with problem.device.session() as session:
        weights = problem.graph_on(
            session, "weights", lambda keeper: keeper.upload(problem.weights())
        )
        session.upload(np.zeros(1000, np.int32))
        np.testing.assert_array_equal(session.download(weights), problem.weights())
        peak = session.peak_bytes
    return replace(solve_sssp(problem), peak_device_bytes=peak)


def solve_apsp(problem: Problem) -> Solution:
    """From every source in turn."""
    assert problem.source is None
    rows = [solve_row(problem, source)[0] for source in range(problem.graph.n)]
    return Solution(np.array(rows), problem.graph.n, Phases(solve=2.0), relaxations=125)


def fake_variant(
    id: str = "fake",
    solve: Callable[[Problem], Solution] = solve_sssp,
    *,
    answers: Answers = Answers.SSSP,
    runs_on: RunsOn = RunsOn.SERIAL,
    **metadata: Any,
) -> Variant:
    """A variant outside the catalogue."""
    return Variant(
        id=id,
        title=id,
        algorithm=Algorithm.BELLMAN_FORD,
        answers=answers,
        runs_on=runs_on,
        mapping=WorkMapping.CORE_BY_VERTEX,
        idea="",
        function=solve,
        **metadata,
    )


class ProgressListener(RunListener):
    """Passes the progress of a run to a function."""

    def __init__(self, report: Callable[[RunProgress], None]):
        self._report = report

    def progress(self, progress: RunProgress) -> None:
        self._report(progress)


class FakeDevice:
    """A device with so many bytes free, on which nothing can run."""

    key = "fake:0"
    name = "Fake Nine"
    driver = "driver 1.2"
    compute_units = 1
    max_block = 1024
    shared_bytes = 48 * 1024
    compute_capability = 0

    def __init__(
        self,
        free: int = 8 * GIGABYTE,
        kind: str = "opencl",
        is_cpu: bool = False,
        lacks: Mapping[str, str] = MappingProxyType({}),
    ):
        self.kind = kind
        self.is_cpu = is_cpu
        self.total_bytes = free
        self._free = free
        self._lacks = lacks

    def free_bytes(self) -> int:
        return self._free

    def missing_features(self, kind: WeightType) -> str:
        return self._lacks.get(kind.name, "")
