"""Lesson view of Floyd-Warshall on a small graph: the matrix after a phase, and the cells
within it. No Qt.

The trace has the matrix after every phase. Cells are relaxed again here, pivot by pivot
in the tiles that the phase writes; the variants take the pivots of a closed tile in any
order, with the same result. Where this does not give what the trace has, as of a wrong
kernel, the steps say only which cells fell, and through which pivot of the phase.

The graph and the table show one row of the matrix: the distances from one vertex. A step
shows the path that it tries: from its row's vertex to the pivot and on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from solvers.core.labelling import Labelling, VertexState
from solvers.core.pseudocode import Step
from solvers.core.trace import MatrixTrace, Work
from solvers.features.lesson.lesson import LessonStep, RecordedLesson, same_distances, shortened
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import ArcState
from solvers.system.array_types import Bools, Float64s, Int32s
from solvers.text import format_count, plural

_PHASE_STEPS = {1: Step.PIVOT_TILE, 2: Step.PIVOT_CROSS, 3: Step.OTHER_TILES}
_PHASE_WORDS = {
    1: "the pivot tile",
    2: "its row and column",
    3: "all other tiles",
}
_MOST_HISTORY = 50  # distances at a vertex, for the width of labels
_ways: WeakKeyDictionary[MatrixTrace, Int32s] = WeakKeyDictionary()


# what is marked in the matrix: cells that a phase is about, that of a step, and what fell
_PIVOT_MARKS = ("row and column of the pivot", "cell of the step", "its two parts", "fell")
_TILE_MARKS = ("written in this phase", *_PIVOT_MARKS[1:])


class MatrixCell(NamedTuple):
    row: int
    column: int


@dataclass(frozen=True, eq=False)
class PairsLesson(RecordedLesson):
    """One phase of an all-pairs run of a small graph."""

    trace: MatrixTrace
    source: int = 0  # whose row is shown while no step is

    labelling = Labelling.PAIRS

    @property
    def quantity(self) -> str:
        return f"From {self.graph.vertex_label(self.row)}"

    @property
    def step(self) -> LessonStep | None:
        """The last step; None while the whole phase is shown."""
        return None if self.progress is None else self.progress.done[-1]

    @property
    def cell(self) -> MatrixCell | None:
        """The cell that the last step is about."""
        return None if self.step is None or self.step.arc is None else MatrixCell(*self.step.arc)

    @property
    def row(self) -> int:
        """The row of the matrix that the graph shows."""
        return self.source if self.cell is None else self.cell.row

    @property
    def pivots(self) -> range:
        """The pivots of the phase."""
        return pivots_of(self.trace, self.position)

    @property
    def pivot(self) -> int | None:
        """The pivot of the last step, or of the phase if it has one alone."""
        if self.step is not None and self.step.pivot is not None:
            return self.step.pivot
        return self.pivots[0] if len(self.pivots) == 1 else None

    @cached_property
    def matrix_before(self) -> Float64s:
        """(n, n) distances before the phase."""
        assert self.trace.distances is not None  # checked by `pairs_lesson_of`
        if self.position:
            return self.trace.distances[self.position - 1]
        return start_distances(self.graph)

    @cached_property
    def matrix(self) -> Float64s:
        """(n, n) distances after the phase, or its steps so far; inf where no path is known."""
        assert self.trace.distances is not None
        if self._begun is None:
            return self.trace.distances[self.position]
        known = self.matrix_before.copy()
        for step in self._begun.done:
            if step.arc is not None and step.fall is not None:
                known[step.arc] = step.fall[1]
        return known

    @cached_property
    def fallen(self) -> Bools:
        """(n, n): cells that are less than before the phase."""
        return self.matrix < self.matrix_before

    @property
    def after(self) -> Float64s:
        """(n,) the shown row."""
        return self.matrix[self.row]

    @property
    def before(self) -> Float64s:
        """(n,) the shown row before the phase."""
        return self.matrix_before[self.row]

    @property
    def improved(self) -> frozenset[int]:
        """Columns of the shown row that have fallen."""
        return frozenset(np.flatnonzero(self.fallen[self.row]).tolist())

    @cached_property
    def relaxing(self) -> frozenset[int]:
        """The pivots at work."""
        return frozenset(self.pivots if self.pivot is None else (self.pivot,))

    @cached_property
    def _last(self) -> Int32s:
        """(n, n) the last vertex but one of each cell's path, before the phase or the step."""
        last = before_last(self.graph, self.trace)
        if self._begun is None and self.step is None:
            return last[self.position + 1]
        known = last[self.position].copy()
        assert self.progress is not None
        for step in self.progress.done[:-1]:
            if step.arc is not None and step.fall is not None and step.pivot is not None:
                known[step.arc] = known[step.pivot, step.arc[1]]
        return known

    @cached_property
    def parents(self) -> Int32s:
        """(n,) predecessor of each vertex on its path from the row's vertex; -1 for none."""
        found = self._last[self.row].copy()
        step = self.step
        if step is not None and step.fall is not None and step.pivot is not None:
            found[step.fall[0]] = self._last[step.pivot, step.fall[0]]
        return found

    @cached_property
    def step_path(self) -> tuple[int, ...] | None:
        """The path through the pivot that the last step tries; None without one."""
        cell, step = self.cell, self.step
        if cell is None or step is None or step.pivot is None:
            return None
        there = self._path(cell.row, step.pivot)
        return (*there, *self._path(step.pivot, cell.column)[1:])

    def _path(self, tail: int, head: int) -> tuple[int, ...]:
        """The vertices of the path that a cell stands for."""
        found = [head]
        while found[-1] != tail and len(found) <= self.graph.n:
            before = int(self._last[tail, found[-1]])
            if before < 0:
                return (tail, head)
            found.append(before)
        return tuple(reversed(found))

    @cached_property
    def _tried(self) -> frozenset[tuple[int, int]]:
        path = self.step_path or ()
        return frozenset(pairwise(path))

    def vertex(self, vertex: int) -> VertexState:
        if vertex in self.relaxing and not self.at_end:
            return VertexState.ACTIVE
        if vertex < self.pivots.start or self.at_end:
            return VertexState.INACTIVE
        known = np.isfinite(self.after[vertex])
        return VertexState.TENTATIVE if known else VertexState.UNREACHED

    def arc(self, tail: int, head: int) -> ArcState:
        """State of the lightest of the parallel arcs from ``tail`` to ``head``."""
        if (tail, head) in self._tried:
            step = self.step
            falls = step is not None and step.step is Step.IMPROVE
            return ArcState.IMPROVED if falls else ArcState.RELAXED
        if self.parents[head] != tail:
            return ArcState.IDLE
        fell = self.step is None and head in self.improved
        return ArcState.IMPROVED if fell else ArcState.TREE

    @property
    def mark_words(self) -> tuple[str, ...]:
        """What outlines, rings and chips in the matrix stand for."""
        return _TILE_MARKS if self.trace.work is Work.TILES else _PIVOT_MARKS

    @property
    def place(self) -> str:
        """Such as "Pivot 4, 3 of 8" or "Tile 2 of 3, phase 1"."""
        step = self.trace.steps[self.position]
        if self.trace.work is Work.PIVOTS:
            pivot = self.graph.vertex_label(step.step)
            return f"Pivot {pivot}, {format_count(step.step + 1)} of {format_count(self.trace.n)}"
        count = format_count(self.trace.steps[-1].step + 1)
        return f"Tile {format_count(step.step + 1)} of {count}, phase {step.phase}"

    @property
    def words(self) -> str:
        """Sentence that describes the phase, or its last step."""
        if self.progress is not None:
            done, count = (
                format_count(len(one)) for one in (self.progress.done, self.progress.steps)
            )
            return f"{self.place}  ·  step {done} of {count}  ·  {self.progress.done[-1].text}"
        fell = int(self.fallen.sum())
        falls = "falls" if fell == 1 else "fall"
        gain = f"{plural(fell, 'cell')} {falls}" if fell else "no cell falls"
        return f"{self.place}: {gain}"

    @property
    def sum_words(self) -> str:
        """The sum of the last step's cell, with the cells that it is made of; "" without one."""
        cell, step = self.cell, self.step
        if cell is None or step is None or step.pivot is None:
            return ""
        k = step.pivot
        parts = [(cell.row, cell.column), (cell.row, k), (k, cell.column)]
        held, there, onwards = (_name(self.graph, *part) for part in parts)
        result = step.text.partition(" = ")[2].partition(", through")[0]
        return f"{held} = min({held}, {there} + {onwards}) = {result}"

    def former_value(self, vertex: int) -> str:
        """The distance that the phase replaced; "" if there was none or it did not change."""
        return self.former_cell(self.row, vertex)

    def former_cell(self, row: int, column: int) -> str:
        before = float(self.matrix_before[row, column])
        return self.text_of(before) if self.fallen[row, column] and np.isfinite(before) else ""

    def history(self, vertex: int) -> Float64s:
        """Distances that may be shown at a vertex, ascending: all, or an even choice."""
        assert self.trace.distances is not None
        found = np.unique(self.trace.distances[:, :, vertex])
        step = max(1, len(found) // _MOST_HISTORY)
        return np.unique([*found[::step], found[-1], np.inf])


def pairs_lesson_of(
    graph: Graph, trace: MatrixTrace | None, position: int, source: int | None
) -> PairsLesson | None:
    """The lesson of recorded phase ``position``; None for larger graphs, a trace without
    matrices, or a run that is no Floyd-Warshall.
    """
    if (
        trace is None
        or trace.distances is None
        or trace.n != graph.n
        or not 0 <= position < len(trace)
        or trace.work is Work.ROWS
    ):
        return None
    return PairsLesson(graph, trace, position, source=source or 0)


def start_distances(graph: Graph) -> Float64s:
    """(n, n) the matrix before the first pivot: least weights of arcs, 0 on the diagonal."""
    known = np.full((graph.n, graph.n), np.inf)
    np.fill_diagonal(known, 0.0)
    np.minimum.at(known, (graph.tails, graph.indices), graph.weights.astype(np.float64))
    return known


def pivots_of(trace: MatrixTrace, position: int) -> range:
    """The pivots of a phase: one, or those of the pivot tile."""
    step = trace.steps[position]
    if trace.work is Work.PIVOTS:
        return range(step.step, step.step + 1)
    while trace.steps[position].phase > 1:
        position -= 1
    first, last = trace.steps[position].tiles[0, :2].tolist()
    return range(first, last)


def pair_steps_of(lesson: PairsLesson, cycle: tuple[int, ...] = ()) -> tuple[LessonStep, ...]:
    """The steps of the lesson's whole phase, in order; never empty. A negative ``cycle``
    is what ended the run.
    """
    relaxed = _replay(lesson)
    steps = [
        *_beginning(lesson),
        *shortened(_differences(lesson) if relaxed is None else relaxed, "cell"),
    ]
    if lesson.position == len(lesson.trace) - 1:
        steps.append(_ending(lesson, cycle))
    return tuple(steps)


def _beginning(lesson: PairsLesson) -> Iterator[LessonStep]:
    phase, pivots, name = (
        lesson.trace.steps[lesson.position].phase,
        lesson.pivots,
        lesson.graph.vertex_label,
    )
    if lesson.trace.work is Work.PIVOTS:
        pivot = name(pivots[0])
        yield LessonStep(
            Step.SELECT, f"pivot {pivot}: may a path go through {pivot}?", pivot=pivots[0]
        )
        yield LessonStep(Step.SCAN, f"{_pairs_words(lesson, pivots[0])}", pivot=pivots[0])
        return
    members = name(pivots[0]) if len(pivots) == 1 else f"{name(pivots[0])} to {name(pivots[-1])}"
    if phase == 1:
        yield LessonStep(Step.SELECT, f"take the tile of {members}")
    cells = lesson.trace.steps[lesson.position].cells
    words = f"phase {phase}: {_PHASE_WORDS[phase]}, {plural(cells, 'cell')}"
    yield LessonStep(_PHASE_STEPS[phase], words if cells else f"{words}: there are none")


def _pairs_words(lesson: PairsLesson, pivot: int) -> str:
    """How many pairs have a path through the pivot."""
    known = np.isfinite(lesson.matrix_before)
    tails = int(known[:, pivot].sum()) - 1
    heads = int(known[pivot].sum()) - 1
    reached = f"reached from {plural(tails, 'vertex', 'vertices')}"
    return f"{lesson.graph.vertex_label(pivot)} is {reached}, and reaches {format_count(heads)}"


def _replay(lesson: PairsLesson) -> list[LessonStep] | None:
    """The steps of relaxing the phase's cells pivot by pivot; None if the matrix is then
    not that of the trace.
    """
    known, written = lesson.matrix_before.copy(), _written(lesson.trace, lesson.position)
    steps = []
    for k in lesson.pivots:
        pairs = written & np.isfinite(known[:, k])[:, None] & np.isfinite(known[k])
        pairs[k], pairs[:, k] = False, False
        for cell in zip(*np.nonzero(pairs), strict=True):
            row, column = map(int, cell)
            there, onwards = float(known[row, k]), float(known[k, column])
            step = _relaxation(
                lesson, MatrixCell(row, column), k, there, onwards, float(known[row, column])
            )
            steps.append(step)
            if step.fall is not None:
                known[row, column] = step.fall[1]
            elif row == column:
                steps.pop()  # a way back that is longer than 0 says nothing
    assert lesson.trace.distances is not None
    after = lesson.trace.distances[lesson.position]
    return steps if same_distances(known.ravel(), after.ravel()) else None


def _written(trace: MatrixTrace, position: int) -> Bools:
    """(n, n): the cells in the tiles of a phase."""
    written = np.zeros((trace.n, trace.n), dtype=np.bool_)
    for row0, row1, column0, column1 in trace.steps[position].tiles:
        written[row0:row1, column0:column1] = True
    return written


def _relaxation(
    lesson: PairsLesson, cell: MatrixCell, pivot: int, there: float, onwards: float, held: float
) -> LessonStep:
    offer = there + onwards
    detour = lesson.sum_of(there, onwards)
    before, least = lesson.text_of(held), lesson.text_of(min(offer, held))
    text = f"{_name(lesson.graph, *cell)} = min({before}, {detour}) = {least}"
    if len(lesson.pivots) > 1:
        text = f"{text}, through {lesson.graph.vertex_label(pivot)}"
    if offer >= held:
        return LessonStep(Step.TEST, text, cell, pivot=pivot)
    return LessonStep(Step.IMPROVE, text, cell, (cell.column, offer), pivot)


def _differences(lesson: PairsLesson) -> list[LessonStep]:
    """One step for each cell that fell, through the pivot that accounts for it, if one does."""
    assert lesson.trace.distances is not None
    before, after = lesson.matrix_before, lesson.trace.distances[lesson.position]
    steps = []
    for row, column in zip(*(part.tolist() for part in np.nonzero(after < before)), strict=True):
        held, now = float(before[row, column]), float(after[row, column])
        pivot = _pivot_of(after, row, column, lesson.pivots)
        if pivot is not None:
            there, onwards = float(after[row, pivot]), float(after[pivot, column])
            steps.append(_relaxation(lesson, MatrixCell(row, column), pivot, there, onwards, held))
        else:
            name = _name(lesson.graph, row, column)
            text = f"{name} falls from {lesson.text_of(held)} to {lesson.text_of(now)}"
            steps.append(LessonStep(Step.IMPROVE, text, (row, column), (column, now)))
    return steps


def _pivot_of(after: Float64s, row: int, column: int, pivots: range) -> int | None:
    """The pivot through which a path has the length of a cell; None if there is none."""
    for k in pivots:
        detour = after[row, k] + after[k, column]
        if k not in (row, column) and same_distances(
            np.array([detour]), after[row, column : column + 1]
        ):
            return k
    return None


def _ending(lesson: PairsLesson, cycle: tuple[int, ...]) -> LessonStep:
    """Why the run ends with this phase."""
    name = lesson.graph.vertex_label
    if cycle:
        way = " → ".join(name(v) for v in (*cycle, cycle[0]))
        corner = name(cycle[0])
        return LessonStep(Step.NEGATIVE_CYCLE, f"D[{corner}, {corner}] < 0: negative cycle {way}")
    assert lesson.trace.distances is not None
    unreached = int(np.count_nonzero(~np.isfinite(lesson.trace.distances[-1])))
    has = "has" if unreached == 1 else "have"
    rest = f"; {plural(unreached, 'pair')} {has} no path" if unreached else ""
    return LessonStep(Step.END, f"every vertex was a pivot: D is final{rest}")


def _name(graph: Graph, row: int, column: int) -> str:
    return f"D[{graph.vertex_label(row)}, {graph.vertex_label(column)}]"


def before_last(graph: Graph, trace: MatrixTrace) -> Int32s:
    """(T + 1, n, n) the last vertex but one of each cell's path, before the first phase and
    after each; -1 for none.
    """
    found = _ways.get(trace)
    if found is None:
        found = _ways[trace] = _follow_pivots(graph, trace)
    return found


def _follow_pivots(graph: Graph, trace: MatrixTrace) -> Int32s:
    known = start_distances(graph)
    here = np.where(np.isfinite(known), np.arange(graph.n, dtype=np.int32)[:, None], -1)
    np.fill_diagonal(here, -1)
    found = [here.astype(np.int32)]
    assert trace.distances is not None
    for position in range(len(trace)):
        last, written = found[-1], _written(trace, position)
        for k in pivots_of(trace, position):
            detour = known[:, k, None] + known[k]
            falls = written & (detour < known)
            known = np.where(falls, detour, known)
            last = np.where(falls, last[k], last)
        known = trace.distances[position]
        found.append(last)
    return np.array(found)
