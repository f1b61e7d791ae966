"""The steps within an iteration: every sum is right, and together they are what the trace has."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gui.model.samples import sample
from gui.picture.scene.lesson import Lesson
from gui.picture.scene.lesson_steps import LessonStep, steps_of
from solvers.core.pseudocode import Step
from solvers.core.recorder import TraceRecorder
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from tests.gui.pictures import graph_of, textbook, watched

_SUM = re.compile(r"relax (\d+) → (\d+): (−?\d+) ([+−]) (\d+) = (−?\d+) ([<≥]) (−?\d+|∞)")


def lessons(graph: Graph, variant_id: str) -> list[Lesson]:
    """A lesson for each iteration of a run from the first vertex."""
    trace = watched(graph, variant_id).activity.trace
    assert trace is not None
    return [Lesson(graph, trace, k) for k in range(len(trace))]


def improved_heads(steps: tuple[LessonStep, ...]) -> set[int]:
    return {step.arc[1] for step in steps if step.step is Step.IMPROVE and step.arc is not None}


def test_dijkstra_is_told_arc_by_arc() -> None:
    first, second, *_, last = lessons(textbook(), "dijkstra-heap")
    assert [step.text for step in steps_of(first)] == [
        "take 1, at distance 0",
        "relax 1 → 2: 0 + 2 = 2 < ∞",
        "relax 1 → 3: 0 + 9 = 9 < ∞",
        "relax 1 → 4: 0 + 6 = 6 < ∞",
    ]
    assert [step.text for step in steps_of(second)] == [
        "take 2, at distance 2",
        "relax 2 → 1: 2 + 2 = 4 ≥ 0",
        "relax 2 → 4: 2 + 5 = 7 ≥ 6",
        "relax 2 → 5: 2 + 3 = 5 < ∞",
    ]
    assert steps_of(last)[-1] == LessonStep(Step.END, "nothing is left to do")


@pytest.mark.parametrize("variant_id", ["dijkstra-heap", "da2cf-f-cpu", "da2cf-u-cpu", "bf-python"])
@pytest.mark.parametrize("name", ["tiny", "grid"])
def test_every_sum_is_right_and_every_fall_is_told(variant_id: str, name: str) -> None:
    graph = read_graph(sample(name).path).graph
    for lesson in lessons(graph, variant_id):
        steps = steps_of(lesson)
        assert steps[0].step is Step.SELECT
        assert improved_heads(steps) == lesson.improved
        for step in steps:
            if (found := _SUM.fullmatch(step.text)) is None:
                assert step.arc is None
                continue
            groups = (text if text in "+−" else text.replace("−", "-") for text in found.groups())
            tail, head, reached, sign, weight, offer, relation, held = groups
            assert step.arc == (graph.vertex(int(tail)), graph.vertex(int(head)))
            assert int(reached) + (int(weight) if sign == "+" else -int(weight)) == int(offer)
            assert (float(offer) < float(held.replace("∞", "inf"))) is (relation == "<")
            assert (relation == "<") is (step.step is Step.IMPROVE)


def test_negative_weights_are_subtracted() -> None:
    graph = read_graph(sample("negative-arcs").path).graph
    texts = [step.text for lesson in lessons(graph, "bf-python") for step in steps_of(lesson)]
    assert any("relax 5 → 4: 9 − 5 = 4 < 8" in text for text in texts)


def test_a_negative_cycle_ends_the_last_iteration() -> None:
    graph = read_graph(sample("negative-cycle").path).graph
    recorder = TraceRecorder(graph.n)
    recorder.iteration(np.array([0]), 1, 1, 0.1, np.array([0.0, 5, np.inf, np.inf, 14, np.inf]))
    lesson = Lesson(graph, recorder.finish(), 0)
    cycle = tuple(graph.vertex(i) for i in (2, 3, 4))
    last = steps_of(lesson, cycle)[-1]
    assert last.step is Step.NEGATIVE_CYCLE
    assert "2 → 3 → 4 → 2" in last.text


def test_where_the_order_is_unknown_only_what_follows_from_the_distances_is_told() -> None:
    graph = graph_of([(0, 1, 5), (1, 2, 1), (0, 3, 2), (3, 1, 1)], [(0, 0), (1, 0), (2, 0), (1, 1)])
    recorder = TraceRecorder(graph.n)
    # 1 and 3 fall together, 1 already by way of 3, and 2 by way of the new distance of 1: no order of the arcs of
    # vertex 0 alone does that
    recorder.iteration(np.array([0]), 2, 3, 0.1, np.array([0.0, 3.0, 4.0, 2.0]))
    steps = steps_of(Lesson(graph, recorder.finish(), 0))
    assert [step.text for step in steps[1:-1]] == [
        "relax 3 → 1: 2 + 1 = 3 < ∞",
        "relax 1 → 2: 3 + 1 = 4 < ∞",
        "relax 0 → 3: 0 + 2 = 2 < ∞",
    ]


def test_a_fall_without_an_arc_is_told_without_one() -> None:
    graph = graph_of([(0, 1, 5)], [(0, 0), (1, 0)])
    recorder = TraceRecorder(graph.n)
    recorder.iteration(np.array([0]), 1, 1, 0.1, np.array([0.0, 4.0]))
    steps = steps_of(Lesson(graph, recorder.finish(), 0))
    assert steps[1] == LessonStep(Step.IMPROVE, "1 falls from ∞ to 4")
