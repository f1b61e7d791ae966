"""Made-up results of real variants: round numbers, so that a test can say what must be
on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gui.model.session import Session
from gui.model.window_thread import WindowThread
from gui.panels.results_rows import Column
from gui.panels.results_table import ResultsPanel
from solvers.core.problem import Phases
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.result import Result, Status, Trial, Verdict
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.core.variant import find_variant
from solvers.devices.device import DeviceSession, KernelSource, Program
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType


class PretendGpu:
    """A device that never runs anything: panels ask only what it is."""

    key, kind, name, driver = "cuda:0", "cuda", "Pretend GPU", "driver 1"
    total_bytes, is_cpu, compute_units, max_block, compute_capability = 10**10, False, 80, 1024, 900
    shared_bytes = 48 * 1024

    def free_bytes(self) -> int:
        return self.total_bytes

    def missing_features(self, kind: WeightType) -> str:
        return ""

    def result_array(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        raise NotImplementedError

    def compile(self, source: KernelSource) -> Program:
        raise NotImplementedError

    def session(self) -> AbstractContextManager[DeviceSession]:
        raise NotImplementedError


def line_graph(n: int = 6, *, back: int | None = None) -> Graph:
    """Vertices with ids 10, 20, 30 ... in a line of arcs of 100 m; ``back`` closes a
    cycle of that weight.
    """
    tails, heads, weights = list(range(n - 1)), list(range(1, n)), [100] * (n - 1)
    if back is not None:
        tails, heads, weights = [*tails, n - 1], [*heads, 0], [*weights, back]
    return Graph.from_arcs(
        n,
        np.array(tails),
        np.array(heads),
        np.array(weights, np.int32),
        ids=np.arange(10, 10 * n + 1, 10),
        name="line",
        weight_unit="m",
    )


class AtOnce(WindowThread):
    """Makes calls at once, so that a test need not wait for views to follow."""

    def later(self, call: Callable[[], object]) -> None:
        call()


def opened_session(graph: Graph | None = None, *, gpu: bool = True) -> Session:
    """A session with a graph, whose views follow at once."""
    session = Session()
    session.window = AtOnce(session)
    session.open_graph(graph or line_graph())
    if gpu:
        session.set_device(PretendGpu())
    return session


def make_result(
    session: Session, variant_id: str, solve_ms: tuple[float, ...] = (), **attributes: Any
) -> Result:
    """A proved result whose trials prepare 1 ms, copy 0 and solve as told (after one
    warm-up of 99 ms).
    """
    graph = session.graph
    assert graph is not None
    trials = [Trial(0, True, Phases(prepare=1.0, solve=99.0))]
    trials += [Trial(i + 1, False, Phases(prepare=1.0, solve=ms)) for i, ms in enumerate(solve_ms)]
    known: dict[str, Any] = {
        "trials": tuple(trials) if solve_ms else (),
        "distances": np.arange(graph.n, dtype=np.int32) * 100,
        "path": np.arange(graph.n, dtype=np.int32),
        "iterations": 412,
        "relaxations": 733_846,
        "verdict": Verdict(True, 0, "all 6 distances proved"),
    }
    variant = find_variant(variant_id)
    return Result(
        variant,
        variant.settle({}),
        graph,
        session.source,
        session.target,
        **{**known, **attributes},
    )


def failed_result(session: Session, variant_id: str, status: Status, error: str) -> Result:
    return make_result(
        session,
        variant_id,
        status=status,
        error=error,
        distances=None,
        path=None,
        iterations=None,
        relaxations=None,
        verdict=None,
    )


def activity_trace(sizes: tuple[int, ...], n: int = 6, *, stride: int = 1) -> ActivityTrace:
    """Kept frontiers of the given sizes; each iteration relaxes three arcs a vertex,
    improves half, takes 0.04 ms.
    """
    recorder = TraceRecorder(n)
    for size in sizes:
        recorder.iteration(np.arange(size) % n, 3 * size, size // 2, 0.04)
    whole = recorder.finish()
    return replace(
        whole,
        stride=stride,
        iterations=len(sizes) * stride,
        active=whole.active * stride,
        relaxed=whole.relaxed * stride,
        improved=whole.improved * stride,
        ms=whole.ms * stride,
    )


def matrix_trace() -> MatrixTrace:
    """Two steps of a tiled run: pivot tile, row and column, the rest."""
    recorder = MatrixRecorder(4)
    for step in range(2):
        recorder.matrix_step(step, 1, np.array([[0, 2, 0, 2]]), None, 0.1)
        recorder.matrix_step(step, 2, np.array([[0, 2, 2, 4], [2, 4, 0, 2]]), None, 0.2)
    return recorder.finish()


def cell(panel: ResultsPanel, row: int, column: Column) -> str:
    """Text of a cell of the table, without the padding of its digits."""
    return str(panel.model.index(row, column).data()).rstrip("\u2007\u2008")
