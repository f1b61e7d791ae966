"""Questions on a run, made from its trace: what is next, what is relaxed, what a
distance becomes, who ends first.

A question names a run and an iteration; its answer is vertices, arcs, cells, a number or runs.
The window's lesson asks the same ones as the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from solvers.core.result import Result
from solvers.core.result_view import played_iterations, watched_remark
from solvers.core.trace import MOST_DISTANCES, ActivityTrace, MatrixTrace, Work
from solvers.features.lesson.pairs_lesson import PairsLesson, pairs_lesson_of
from solvers.graphs.graph import Graph
from solvers.text import plural
from solvers.units import to_public_unit

_MOST_ANSWERS = 12  # vertices or arcs that one is asked to find
_MOST_QUESTIONS = 3  # of each kind


class QuestionKind(Enum):
    """What is asked for; the values are those of the page."""

    FRONTIER = "frontier"
    ARCS = "arcs"
    DISTANCE = "distance"
    CELLS = "cells"  # of the matrix
    CELL = "cell"  # the distance in one
    FIRST = "first"

    @property
    def is_number(self) -> bool:
        return self in (QuestionKind.DISTANCE, QuestionKind.CELL)


@dataclass(frozen=True)
class TraceQuestion:
    """A question, its answer, and the place in the run at which it is asked."""

    kind: QuestionKind
    words: str
    run: int
    position: int  # the recorded iteration that is shown while it is asked; -1 before the first
    # vertices, positions of arcs in the graph, cells (row times n, and column), one distance
    # in the public unit (inf if not reached), or numbers of runs
    answer: tuple[float, ...]
    vertex: int = -1  # of a distance, or its cell; else -1

    def worded(self, words: str) -> TraceQuestion:
        """The same question in a teacher's words."""
        return replace(self, words=words)

    def described(self) -> dict[str, object]:
        """For JSON, in which infinity is None."""
        return {
            "kind": self.kind.value,
            "words": self.words,
            "run": self.run,
            "position": self.position,
            "answer": [one if np.isfinite(one) else None for one in self.answer],
            "vertex": self.vertex,
        }


def right_answer(question: TraceQuestion, results: Sequence[Result]) -> str:
    """The answer in words: names with commas, arcs as ``1→2``, a number."""
    return ", ".join(_names(question, results))


def is_right(question: TraceQuestion, given: str, results: Sequence[Result]) -> bool:
    """Whether an answer in words is right; names may have any order, and arcs ``-`` or
    ``->`` for the arrow.
    """
    if question.kind.is_number:
        try:
            value = float(given.strip().replace("\N{MINUS SIGN}", "-").replace("∞", "inf"))
        except ValueError:
            return False
        return math.isclose(value, question.answer[0], rel_tol=1e-6)
    return {_plain(one) for one in given.split(",") if one.strip()} == set(
        map(_plain, _names(question, results))
    )


def _names(question: TraceQuestion, results: Sequence[Result]) -> list[str]:
    graph = results[question.run].graph
    if question.kind.is_number:
        return [f"{question.answer[0]:.7g}"]
    numbers = [int(one) for one in question.answer]
    if question.kind is QuestionKind.FIRST:
        return [results[number].variant.full_title for number in numbers]
    if question.kind is QuestionKind.ARCS:
        return [
            f"{graph.vertex_text(graph.tails[arc])}→{graph.vertex_text(graph.indices[arc])}"
            for arc in numbers
        ]
    if question.kind is QuestionKind.CELLS:
        pairs = [divmod(cell, graph.n) for cell in numbers]
        return [f"{graph.vertex_text(row)}→{graph.vertex_text(column)}" for row, column in pairs]
    return [graph.vertex_text(vertex) for vertex in numbers]


def _plain(name: str) -> str:
    return re.sub(r"\s*(?:→|->|-)\s*", "→", name.strip().casefold())


def questions_of(results: Sequence[Result]) -> tuple[TraceQuestion, ...]:
    """Questions of every kind that these runs can answer: of the first traced run of a
    small graph, and of all.
    """
    found: list[TraceQuestion] = []
    for run, result in enumerate(results):
        trace = result.trace
        if (
            isinstance(trace, ActivityTrace)
            and trace.stride == 1
            and result.graph.n <= MOST_DISTANCES
        ):
            found = _of_trace(result, trace, run)
            break
        if isinstance(trace, MatrixTrace) and pairs_lesson_of(result.graph, trace, 0, None):
            found = _of_matrix(result.graph, trace, run)
            break
    return (*found, *_first_to_end(results))


def _of_trace(result: Result, trace: ActivityTrace, run: int) -> list[TraceQuestion]:
    asked = [_frontier(trace, run, k) for k in range(len(trace) - 1)]
    asked += [_arcs(result, trace, run, k) for k in range(1, len(trace))]
    asked += [_distance(result, trace, run, k) for k in range(1, len(trace))]
    return _chosen(asked)


def _chosen(asked: Sequence[TraceQuestion | None]) -> list[TraceQuestion]:
    """A few of each kind, evenly spread over the run, in its order."""
    chosen: list[TraceQuestion] = []
    for kind in QuestionKind:
        fitting = [one for one in asked if one is not None and one.kind is kind]
        if fitting:
            places = np.unique(
                np.linspace(0, len(fitting) - 1, _MOST_QUESTIONS).round().astype(int)
            )
            chosen += [fitting[place] for place in places]
    return sorted(chosen, key=lambda question: question.position)


def _frontier(trace: ActivityTrace, run: int, k: int) -> TraceQuestion | None:
    upcoming = sorted(set(trace.frontier(k + 1).tolist()))
    if not 0 < len(upcoming) <= _MOST_ANSWERS:
        return None
    words = (
        f"Which {'vertex is' if len(upcoming) == 1 else 'vertices are'} "
        "in the next frontier? Click them."
    )
    return TraceQuestion(QuestionKind.FRONTIER, words, run, k, tuple(upcoming))


def _arcs(result: Result, trace: ActivityTrace, run: int, k: int) -> TraceQuestion | None:
    """The arcs that leave the frontier; only where the variant's count of relaxed arcs
    says that it relaxes these.
    """
    graph = result.graph
    leaving = np.flatnonzero(np.isin(graph.tails, trace.frontier(k)))
    if not 0 < len(leaving) <= _MOST_ANSWERS or int(trace.relaxed[k]) != len(leaving):
        return None
    if not _can_be_told_apart(graph, leaving):
        return None
    words = f"Which arcs are relaxed in {_when(trace, k)}? Click them."
    return TraceQuestion(QuestionKind.ARCS, words, run, k - 1, tuple(leaving.tolist()))


def _distance(result: Result, trace: ActivityTrace, run: int, k: int) -> TraceQuestion | None:
    """The vertex whose tentative distance falls most in iteration ``k``; None where none falls."""
    if trace.distances is None:
        return None
    before, after = trace.distances[k - 1], trace.distances[k]
    fell = np.flatnonzero(after < before)
    if not len(fell):
        return None
    vertex = int(fell[np.argmax(np.nan_to_num(before[fell] - after[fell], posinf=np.inf))])
    words = (
        f"What is the distance of vertex {result.graph.vertex_text(vertex)} "
        f"after {_when(trace, k)}?"
    )
    value = float(to_public_unit(float(after[vertex]), result.graph.weight_unit))
    return TraceQuestion(QuestionKind.DISTANCE, words, run, k - 1, (value,), vertex)


def _of_matrix(graph: Graph, trace: MatrixTrace, run: int) -> list[TraceQuestion]:
    phases = [PairsLesson(graph, trace, k) for k in range(1, len(trace))]
    return _chosen([one for lesson in phases for one in (_cells(lesson, run), _cell(lesson, run))])


def _cells(lesson: PairsLesson, run: int) -> TraceQuestion | None:
    """The cells that fall in a phase."""
    fell = np.flatnonzero(lesson.fallen)
    if not 0 < len(fell) <= _MOST_ANSWERS:
        return None
    which = "cell of the matrix falls" if len(fell) == 1 else "cells of the matrix fall"
    words = f"Which {which} {_through(lesson)}? Click them."
    return TraceQuestion(QuestionKind.CELLS, words, run, lesson.position - 1, tuple(fell.tolist()))


def _cell(lesson: PairsLesson, run: int) -> TraceQuestion | None:
    """The cell that falls most in a phase; None where none falls."""
    fell = np.flatnonzero(lesson.fallen)
    if not len(fell):
        return None
    graph, after = lesson.graph, lesson.matrix.ravel()[fell]
    falls = np.nan_to_num(lesson.matrix_before.ravel()[fell] - after, posinf=np.inf)
    cell = int(fell[np.argmax(falls)])
    row, column = (graph.vertex_text(v) for v in divmod(cell, graph.n))
    value = float(to_public_unit(float(lesson.matrix.ravel()[cell]), graph.weight_unit))
    words = f"What is D[{row}, {column}] {_through(lesson, 'after')}?"
    return TraceQuestion(QuestionKind.CELL, words, run, lesson.position - 1, (value,), cell)


def _through(lesson: PairsLesson, when: str = "at") -> str:
    """The phase in a question, such as "at pivot 4"."""
    if lesson.trace.work is Work.PIVOTS:
        return f"{when} pivot {lesson.graph.vertex_text(lesson.pivots[0])}"
    place = lesson.place[0].lower() + lesson.place[1:]
    return f"{when if when == 'after' else 'in'} {place}"


def _can_be_told_apart(graph: Graph, arcs: NDArray[np.int64]) -> bool:
    """Whether each arc can be clicked: loops and the heavier of two parallel arcs cannot."""
    tails, heads = graph.tails[arcs], graph.indices[arcs]
    pairs = np.unique(np.column_stack((tails, heads)), axis=0)
    return len(pairs) == len(arcs) and not bool((tails == heads).any())


def _when(trace: ActivityTrace, k: int) -> str:
    """Kept iteration ``k`` as it is told while it is played."""
    return f"iteration {k + 1}" if trace.phase(k) is None else trace.place(k)


def _first_to_end(results: Sequence[Result]) -> list[TraceQuestion]:
    """Which run ends first, counted as runs are played: a timed run may take another number
    of iterations. Of runs that are not played the timed ones count; where that leaves
    open which number is meant, nothing is asked.
    """
    ended = {i: r for i, r in enumerate(results) if r.ok and r.iterations is not None}
    played = {i: played_iterations(r) for i, r in ended.items()}
    is_open = None in played.values() and any(map(watched_remark, ended.values()))
    if len(ended) < 2 or is_open:
        return []
    counts = {i: played[i] or r.iterations or 0 for i, r in ended.items()}
    least = min(counts.values())
    first = tuple(i for i, count in counts.items() if count == least)
    words = f"Which of these {plural(len(counts), 'run')} ends after the fewest iterations?"
    return [TraceQuestion(QuestionKind.FIRST, words, next(iter(counts)), -1, first)]
