"""The lesson of a recorded iteration or phase, whichever of both a trace has."""

from __future__ import annotations

from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.features.lesson.lesson import Lesson, lesson_of, words_without_distances
from solvers.features.lesson.matrix_lesson import MatrixLesson, matrix_lesson_of
from solvers.graphs.graph import Graph
from solvers.picture.scene.explanation import Explanations


def lesson_on(
    graph: Graph, trace: ActivityTrace | MatrixTrace, position: int, source: int | None
) -> Lesson | MatrixLesson | None:
    """As `Explanations.of`."""
    if isinstance(trace, MatrixTrace):
        return matrix_lesson_of(graph, trace, position, source)
    return lesson_of(graph, trace, position)


EXPLANATIONS = Explanations(lesson_on, words_without_distances)
