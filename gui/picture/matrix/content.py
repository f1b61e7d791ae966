"""All that a picture of a distance matrix shows, as one value, and which cells are at work in it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gui.picture.matrix.shrink import Shrunk
from solvers.contracts.trace import MatrixStep, MatrixTrace
from solvers.graphs.graph import Graph
from solvers.text import format_count

_START_PIXELS = 256  # of the matrix before the first step, as in the snapshots of a trace


class Role(Enum):
    """What a cell is to the phase that is shown; the value is its name for people."""

    PENDING = "rows still to come"
    REST = "all other tiles"
    CROSS = "its row and column"
    PIVOT = "pivot tile"
    FINISHED = "rows just finished"
    THROUGH = "row and column of the pivot"


class Work(Enum):
    """How an all-pairs run goes about it."""

    TILES = "three phases a step"
    PIVOTS = "one pivot a step, all cells"
    ROWS = "row after row"


_PHASES = {1: Role.PIVOT, 2: Role.CROSS, 3: Role.REST}


@dataclass(frozen=True, eq=False)
class Mark:
    """Cells that are marked.

    Attributes
    ----------
    role : Role
    tiles : (k, 4) int64
        Cell ranges (row0, row1, column0, column1).
    now : bool
        Being written in this phase; False for an earlier phase of the same step.
    """

    role: Role
    tiles: NDArray[np.int64]
    now: bool = True


@dataclass(frozen=True, eq=False)
class MatrixContent:
    """What is to be seen of an all-pairs result, whatever the view.

    Attributes
    ----------
    graph : Graph
        Row and column i stand for ``graph.ids[i]``, which ascend.
    matrix : (n, n) array of a distance type, or None
    trace : MatrixTrace or None
    position : int
        Kept phase of the trace.
    source, target : int or None
    """

    graph: Graph
    matrix: NDArray[Any] | None
    trace: MatrixTrace | None = None
    position: int = 0
    source: int | None = None
    target: int | None = None

    @property
    def step(self) -> MatrixStep | None:
        """The phase that is shown; None without a trace."""
        return None if self.trace is None else self.trace.steps[self.position]

    @property
    def at_end(self) -> bool:
        """The whole run is over, or none is played: then the answer is shown, and nothing is at work."""
        return self.trace is None or (self.position >= len(self.trace) - 1 and self.matrix is not None)

    @property
    def snapshot(self) -> Shrunk | None:
        """The matrix as the run had it at the phase shown; None where the answer itself is shown."""
        if self.at_end or self.trace is None:
            return None
        small = snapshot_before(self.trace, self.position)
        if small is None:
            small = self._start
        return Shrunk(small, -(-self.graph.n // len(small)), 0, 0)

    @cached_property
    def _start(self) -> NDArray[np.float32]:
        return start_snapshot(self.graph, _START_PIXELS)

    @property
    def words(self) -> str:
        """Where the play-back stands: "step 3 of 85, phase 2"; "" without a trace."""
        if self.trace is None or self.step is None:
            return ""
        of = f"step {format_count(self.step.step + 1)} of {format_count(self.trace.steps[-1].step + 1)}"
        return f"{of}, phase {self.step.phase}" if work_of(self.trace) is Work.TILES else of

    def marks(self) -> list[Mark]:
        """The cells at work, lowest layer first; none at the end."""
        if self.at_end or self.trace is None:
            return []
        return _MARKS[work_of(self.trace)](self.trace, self.position)


def work_of(trace: MatrixTrace) -> Work:
    """How a run went about it, told from where its phases wrote."""
    if any(step.phase > 1 for step in trace.steps[:3]):
        return Work.TILES
    tiles = trace.steps[0].tiles
    cells = int(((tiles[:, 1] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 2])).sum())
    return Work.PIVOTS if cells >= trace.n * trace.n and len(trace) > 1 else Work.ROWS


def snapshot_before(trace: MatrixTrace, position: int) -> NDArray[np.float32] | None:
    """The newest snapshot taken at or before ``position``."""
    for step in reversed(trace.steps[: position + 1]):
        if step.snapshot is not None:
            return step.snapshot
    return None


def start_snapshot(graph: Graph, pixels: int) -> NDArray[np.float32]:
    """The matrix that Floyd-Warshall starts from, shrunk: the arcs' weights, 0 on the diagonal, inf elsewhere."""
    group = max(1, -(-graph.n // pixels))
    side = -(-graph.n // group)
    least = np.full((side, side), np.inf, np.float32)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.minimum.at(least, (tails // group, graph.indices // group), graph.weights.astype(np.float32))
    diagonal = np.arange(side)
    least[diagonal, diagonal] = np.minimum(least[diagonal, diagonal], 0.0)
    return least


def _tile_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """This phase, and weaker the earlier ones of its step."""
    step = trace.steps[position]
    found = []
    for earlier in reversed(trace.steps[max(0, position - len(_PHASES)) : position + 1]):
        if earlier.step == step.step and earlier.phase in _PHASES:
            found.append(Mark(_PHASES[earlier.phase], earlier.tiles, earlier is step))
    return sorted(found, key=lambda mark: -list(_PHASES.values()).index(mark.role))


def _pivot_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """The row and the column that every cell looks at, where a step is a pivot."""
    n, k = trace.n, trace.steps[position].step
    if trace.steps[-1].step + 1 != n:
        return [Mark(Role.REST, trace.steps[position].tiles)]
    return [Mark(Role.THROUGH, np.array([[k, k + 1, 0, n], [0, n, k, k + 1]]))]


def _row_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """Rows that this batch finished, and those that no batch has finished yet."""
    pending = np.ones(trace.n, np.int8)
    for step in trace.steps[: position + 1]:
        for first, last in step.tiles[:, :2]:
            pending[first:last] = 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], pending, [0])).astype(np.int8)))
    waiting = np.array([[first, last, 0, trace.n] for first, last in edges.reshape(-1, 2)], np.int64).reshape(-1, 4)
    return [Mark(Role.PENDING, waiting), Mark(Role.FINISHED, trace.steps[position].tiles)]


_MARKS = {Work.TILES: _tile_marks, Work.PIVOTS: _pivot_marks, Work.ROWS: _row_marks}
