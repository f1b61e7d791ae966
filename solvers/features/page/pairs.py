"""The lesson of Floyd-Warshall on a page: pseudo-code, steps and distances as the window has them.

The page computes none of it. Which path a step tries follows from the last vertex but one
of each path, which the page has after every phase.
"""

from __future__ import annotations

import numpy as np

from solvers.core.pseudocode import Pseudocode
from solvers.core.result import Result
from solvers.core.trace import MatrixTrace
from solvers.features.lesson.lesson import LessonStep
from solvers.features.lesson.matrix_lesson import MatrixLesson
from solvers.features.lesson.pairs_lesson import (
    before_last,
    pair_steps_of,
    pairs_lesson_of,
    start_distances,
)
from solvers.features.page.mark_table import PROBE, ROLE_OF
from solvers.features.page.pack import Packer

_MOST_STEPPED = 50  # vertices of a graph whose page has the steps within a phase


def has_lesson(result: Result) -> bool:
    trace = result.trace
    return isinstance(trace, MatrixTrace) and bool(pairs_lesson_of(result.graph, trace, 0, None))


def pack_lesson(packer: Packer, number: int, result: Result) -> dict[str, object] | None:
    """Put the distances after each phase into the packer; None if the run has no lesson."""
    trace, graph, code = result.trace, result.graph, result.variant.pseudocode
    if not isinstance(trace, MatrixTrace) or trace.distances is None or not has_lesson(result):
        return None
    lessons = [MatrixLesson(graph, trace, k) for k in range(len(trace))]
    packer.values(
        f"{number}.matrices", np.concatenate((start_distances(graph)[None], trace.distances))
    )
    packer.integers(f"{number}.beforeLast", before_last(graph, trace))
    stepped = graph.n <= _MOST_STEPPED
    return {
        "code": [] if code is None else [[line.text, line.depth] for line in code.lines],
        "marks": [[words, ROLE_OF[colour]] for words, colour, _ in lessons[0].key(PROBE)],
        "places": [lesson.place for lesson in lessons],
        "words": [lesson.words for lesson in lessons],
        "pivots": [[lesson.pivots.start, lesson.pivots.stop] for lesson in lessons],
        "steps": [
            [_described(step, code) for step in pair_steps_of(lesson, result.cycle)]
            for lesson in lessons
            if stepped
        ],
    }


def _described(step: LessonStep, code: Pseudocode | None) -> dict[str, object]:
    row, column = step.arc if step.arc is not None else (None, None)
    return {
        "text": step.text,
        "line": None if code is None else code.line_of(step.step),
        "row": row,
        "column": column,
        "pivot": step.pivot,
        "fall": None if step.fall is None else step.fall[1],
    }
