"""Content of the matrix picture: the matrix or its trace, and the cells marked in the
current phase. No Qt.

A matrix larger than the picture is downsampled to the minimum of each group of cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np

from solvers.core.trace import MatrixStep, MatrixTrace, Work, start_snapshot
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.picture.colours import Tokens
from solvers.picture.display import Box, TextSizes
from solvers.picture.display import Mark as Stroke
from solvers.picture.overlay.cards import LegendCard
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.explanation import Explanation, explanation_of
from solvers.system.array_types import AnyArray, Float32s, Float64s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.text import format_count

_START_PIXELS = 256  # side of the matrix before the first step, as in a trace's snapshots

_SAMPLED_ROWS = 500  # for the scale of the colours
_PIECE_CELLS = 16_000_000  # cells between two cancellation checks


class Role(Enum):
    """Role of a cell in the current phase; the value is the displayed name."""

    PENDING = "pending rows"
    REST = "all other tiles"
    CROSS = "its row and column"
    PIVOT = "pivot tile"
    FINISHED = "rows of this batch"
    THROUGH = "row and column of the pivot"


_PHASES = {1: Role.PIVOT, 2: Role.CROSS, 3: Role.REST}


@dataclass(frozen=True, eq=False)
class Mark:
    """Tiles of a matrix that are marked for what they are in a step."""

    role: Role
    tiles: Int64s  # (k, 4): cell ranges (row0, row1, column0, column1)
    now: bool = True  # written in this phase, not in an earlier one of the same step


class MatrixExplanation(Explanation, Protocol):
    """A phase of an all-pairs run, or how far it has come, drawn into its matrix."""

    @property
    def matrix(self) -> Float64s:
        """(n, n) distances; inf where no path is known."""

    @property
    def sum_words(self) -> str:
        """The sum that its cell stands for; "" without one."""

    @property
    def numbers_from(self) -> float:
        """Logical pixels of a cell from which ``marks`` have its distance."""

    @property
    def reach(self) -> float:
        """Logical pixels by which marks reach out of the matrix."""

    def marks(
        self,
        sizes: TextSizes,
        place: Box,
        plot: Box,
        content: MatrixContent,
        legend: Legend,
        tokens: Tokens,
    ) -> Iterable[Stroke]:
        """What is drawn into the matrix, which lies at ``place`` and is seen in ``plot``."""

    def card(self, sizes: TextSizes, width: float, tokens: Tokens) -> LegendCard:
        """What these marks stand for, in as many rows as a view so wide takes."""


def matrix_explanation_of(
    graph: Graph,
    trace: MatrixTrace | None,
    position: int,
    source: int | None,
    begun: Explanation | None = None,
) -> MatrixExplanation | None:
    """As `explanation_of`."""
    found = explanation_of(graph, trace, position, source, begun)
    return cast("MatrixExplanation | None", found)


@dataclass(frozen=True, eq=False)
class MatrixContent:
    """What the matrix picture shows, independent of the view."""

    graph: Graph  # row and column i belong to ``graph.ids[i]``, in ascending order
    matrix: AnyArray | None  # (n, n)
    trace: MatrixTrace | None = None
    position: int = 0  # recorded phase of the trace
    source: int | None = None
    target: int | None = None
    explanation: MatrixExplanation | None = None  # of that phase

    def at(self, position: int) -> MatrixContent:
        """The same at another phase; explained, the whole phase."""
        explained = self.explanation
        if explained is not None:
            explained = matrix_explanation_of(self.graph, self.trace, position, self.source)
        return replace(self, position=position, explanation=explained)

    @property
    def step(self) -> MatrixStep | None:
        """The current phase; None without a trace."""
        return None if self.trace is None else self.trace.steps[self.position]

    @property
    def at_end(self) -> bool:
        """True at the end of the run or without a trace: the result is shown, without marks."""
        if self.explanation is not None:
            return self.explanation.at_end
        return self.trace is None or (
            self.position >= len(self.trace) - 1 and self.matrix is not None
        )

    @property
    def snapshot(self) -> Shrunk | None:
        """The run's matrix at the current phase; None if the result itself is shown."""
        if self.at_end or self.trace is None:
            return None
        if self.explanation is not None:
            return Shrunk(self.explanation.matrix.astype(np.float32), 1, 0, 0)
        small = snapshot_before(self.trace, self.position)
        if small is None:
            small = self._start
        return Shrunk(small, -(-self.graph.n // len(small)), 0, 0)

    @cached_property
    def _start(self) -> Float32s:
        return start_snapshot(self.graph, _START_PIXELS)

    @property
    def words(self) -> str:
        """Play-back position: "step 3 of 85, phase 2"; "" without a trace."""
        if self.trace is None or self.step is None:
            return ""
        of = (
            f"step {format_count(self.step.step + 1)} of "
            f"{format_count(self.trace.steps[-1].step + 1)}"
        )
        return f"{of}, phase {self.step.phase}" if self.trace.work is Work.TILES else of

    def marks(self) -> list[Mark]:
        """The cells marked in the current phase, bottom layer first; none at the end."""
        if self.at_end or self.trace is None:
            return []
        return _MARKS[self.trace.work](self.trace, self.position)


def snapshot_before(trace: MatrixTrace, position: int) -> Float32s | None:
    """The newest snapshot taken at or before ``position``."""
    for step in reversed(trace.steps[: position + 1]):
        if step.snapshot is not None:
            return step.snapshot
    return None


def _tile_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """Marks of this phase and of the earlier phases of its step."""
    step = trace.steps[position]
    found = []
    for earlier in reversed(trace.steps[max(0, position - len(_PHASES)) : position + 1]):
        if earlier.step == step.step and earlier.phase in _PHASES:
            found.append(Mark(_PHASES[earlier.phase], earlier.tiles, earlier is step))
    return sorted(found, key=lambda mark: -list(_PHASES.values()).index(mark.role))


def _pivot_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """Marks of the pivot's row and column, which every cell reads."""
    n, k = trace.n, trace.steps[position].step
    if trace.steps[-1].step + 1 != n:
        return [Mark(Role.REST, trace.steps[position].tiles)]
    return [Mark(Role.THROUGH, np.array([[k, k + 1, 0, n], [0, n, k, k + 1]]))]


def _row_marks(trace: MatrixTrace, position: int) -> list[Mark]:
    """Marks of the rows finished by this batch, and of the pending rows."""
    pending = np.ones(trace.n, np.int8)
    for step in trace.steps[: position + 1]:
        for first, last in step.tiles[:, :2]:
            pending[first:last] = 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], pending, [0])).astype(np.int8)))
    waiting = np.array(
        [[first, last, 0, trace.n] for first, last in edges.reshape(-1, 2)], np.int64
    ).reshape(-1, 4)
    return [Mark(Role.PENDING, waiting), Mark(Role.FINISHED, trace.steps[position].tiles)]


_MARKS = {Work.TILES: _tile_marks, Work.PIVOTS: _pivot_marks, Work.ROWS: _row_marks}


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Part of a downsampled matrix: each entry is the minimum of ``group`` x ``group`` cells."""

    # (r, c): minimum of each group; inf if all its cells are unreachable
    least: Float32s
    group: int
    row: int  # row, column: group of ``least[0, 0]``, counted from cell (0, 0)
    column: int

    def covers(self, group: int, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
        """True if it contains those ranges of groups at that group size."""
        height, width = self.least.shape
        return (
            group == self.group
            and self.row <= rows[0]
            and rows[1] <= self.row + height
            and self.column <= columns[0]
            and columns[1] <= self.column + width
        )


def shrink(
    matrix: AnyArray,
    group: int,
    rows: tuple[int, int],
    columns: tuple[int, int],
    progress: Progress = SILENT,
) -> Shrunk:
    """Downsample ranges (first, last + 1) of groups of ``group`` x ``group`` cells of
    an (n, n) matrix.
    """
    infinity = _infinity(matrix)
    least = np.empty((rows[1] - rows[0], columns[1] - columns[0]), np.float32)
    step = max(1, _PIECE_CELLS // max(1, group * matrix.shape[1]))
    for first in range(0, len(least), step):
        progress.checkpoint()
        _least_of_groups(
            matrix, group, rows[0] + first, columns[0], infinity, least[first : first + step]
        )
    return Shrunk(least, group, rows[0], columns[0])


def finite_extremes(matrix: AnyArray, progress: Progress = SILENT) -> tuple[float, float]:
    """Least and greatest distance of reachable pairs; (0, 0) if there are none."""
    infinity = _infinity(matrix)
    low, high = math.inf, -math.inf
    step = max(1, _PIECE_CELLS // max(1, matrix.shape[1]))
    for first in range(0, len(matrix), step):
        progress.checkpoint()
        least, greatest = _extremes(matrix[first : first + step], infinity)
        if least < infinity:
            low, high = min(low, float(least)), max(high, float(greatest))
    return (low, high) if low <= high else (0.0, 0.0)


def sample_of(matrix: AnyArray) -> Float64s:
    """Distances of reachable pairs of different vertices: all, or an even sample."""
    step = max(1, math.ceil(len(matrix) / _SAMPLED_ROWS))
    part = matrix[::step, ::step]
    between = ~np.eye(len(part), dtype=np.bool_)
    return part[between & (part < _infinity(matrix))].astype(np.float64)


def _infinity(matrix: AnyArray) -> Any:
    return matrix.dtype.type(weight_type(matrix.dtype).infinity)


@njit
def _least_of_groups(
    matrix: AnyArray,
    group: int,
    first_row: int,
    first_column: int,
    infinity: Any,
    least: Float32s,
) -> None:
    """Fill ``least``; rows are reduced first, in a loop that the compiler vectorises."""
    n_rows, n_columns = matrix.shape
    start = first_column * group
    width = min(n_columns, (first_column + least.shape[1]) * group) - start
    folded = np.empty(width, matrix.dtype)
    for i in range(least.shape[0]):
        top = (first_row + i) * group
        for j in range(width):
            folded[j] = matrix[top, start + j]
        for row in range(top + 1, min(n_rows, top + group)):
            cells = matrix[row, start : start + width]
            for j in range(width):
                folded[j] = min(folded[j], cells[j])
        for column in range(least.shape[1]):
            best = folded[column * group]
            for j in range(column * group + 1, min(width, (column + 1) * group)):
                best = min(best, folded[j])
            least[i, column] = np.float32(best) if best < infinity else np.float32(np.inf)


@njit
def _extremes(part: AnyArray, infinity: Any) -> tuple[Any, Any]:
    """Least and greatest value below ``infinity``, without branches, so that the
    compiler vectorises the loop.
    """
    low, high = infinity, -infinity
    for row in range(part.shape[0]):
        cells = part[row]
        for column in range(cells.shape[0]):
            value = cells[column]
            low = min(low, value)
            high = max(high, value if value < infinity else -infinity)
    return low, high
