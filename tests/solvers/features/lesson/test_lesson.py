"""The lesson of a small graph: what each iteration and its steps say of vertices, arcs
and distances, and where.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gui.model.samples import sample
from solvers.core.pseudocode import Step
from solvers.core.recorder import TraceRecorder
from solvers.features.lesson.lesson import (
    Lesson,
    LessonStep,
    StepProgress,
    VertexState,
    lesson_of,
    steps_of,
)
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.turn_rules import TurnRules
from solvers.picture.display import Box
from solvers.picture.overlay.labels import LabelPlan
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.figure import ArcState
from solvers.picture.scene.scene import build_scene
from solvers.picture.scene.values import bare_distance
from solvers.text import plural
from solvers.units import TENTHS_OF_SECONDS
from tests.gui.pictures import graph_of, street_grid, textbook, trace_of, watched


def at(content: PictureContent, position: int) -> PictureContent:
    return replace(content, position=position)


def synchronous(graph: Graph, passes: int) -> np.ndarray:
    """(passes, n) distances of Bellman-Ford that reads only what the pass before has left."""
    rows = [np.where(np.arange(graph.n) == 0, 0.0, np.inf)]
    for _ in range(passes):
        after = rows[-1].copy()
        np.minimum.at(after, graph.indices, rows[-1][graph.tails] + graph.weights)
        rows.append(after)
    return np.array(rows[1:])


def test_tentative_distances_are_those_of_the_reference_after_each_iteration():
    graph = textbook()
    content = watched(graph, "bf-python")
    trace = content.activity.trace
    reference = synchronous(graph, graph.n)
    for k in range(len(trace)):
        lesson = at(content, k).explanation
        # a pass may use what it has found itself, never less
        assert (lesson.after <= reference[k]).all()
        if k:
            assert np.array_equal(lesson.before, at(content, k - 1).explanation.after)
    assert np.array_equal(at(content, len(trace) - 1).explanation.after, reference[-1])
    assert np.array_equal(content.explanation.after, content.activity.distances)


def test_dijkstra_settles_a_vertex_a_step_and_never_takes_it_back():
    content = watched(textbook(), "dijkstra-heap")
    order = [int(content.activity.frontier(k)[0]) for k in range(8)]
    for k in range(8):
        lesson = at(content, k).explanation
        states = [lesson.vertex(v) for v in range(8)]
        assert states[order[k]] is VertexState.ACTIVE
        assert all(states[v] is VertexState.INACTIVE for v in order[:k])
        waiting = {VertexState.TENTATIVE, VertexState.UNREACHED}
        assert all(states[v] in waiting for v in order[k + 1 :])
    assert [content.scene.graph.ids[v] for v in order][:4] == [1, 2, 5, 4]


def test_arcs_are_idle_relaxed_improved_or_the_way_so_far():
    # vertex 2 (index 1) is being relaxed
    lesson = at(watched(textbook(), "dijkstra-heap"), 1).explanation
    assert lesson.arc(1, 4) is ArcState.IMPROVED
    assert lesson.arc(1, 3) is ArcState.RELAXED  # 2 + 5 is no better than 6
    assert lesson.arc(0, 1) is ArcState.TREE
    assert lesson.arc(0, 2) is ArcState.TREE
    assert lesson.arc(6, 7) is ArcState.IDLE
    assert lesson.value(7) == "∞"
    assert lesson.former_value(4) == ""
    assert lesson.words == "Iteration 2: 2 relaxes 3 arcs; 5 comes nearer"


def test_a_distance_that_falls_again_names_what_it_was():
    # vertex 5 offers 3 a way of 7 instead of 9
    lesson = at(watched(textbook(), "dijkstra-heap"), 2).explanation
    assert (lesson.former_value(2), lesson.value(2)) == ("9", "7")
    assert lesson.parents[2] == 4


def test_every_reached_vertex_has_a_way_back_to_the_source():
    content = watched(textbook(), "bf-python")
    for k in range(len(content.activity.trace)):
        lesson = at(content, k).explanation
        for v in np.flatnonzero(np.isfinite(lesson.after)):
            steps = 0
            while v != 0 and steps <= 8:
                v, steps = lesson.parents[v], steps + 1
            assert v == 0
        assert all(lesson.parents[v] < 0 for v in np.flatnonzero(np.isinf(lesson.after)))


def test_larger_graphs_and_runs_that_told_nothing_have_no_lesson():
    grid = street_grid(20, 20)
    assert lesson_of(grid, trace_of(grid.n, [[0]]), 0) is None
    assert lesson_of(textbook(), trace_of(8, [[0]]), 0) is None
    assert lesson_of(textbook(), None, 0) is None


def test_the_arcs_of_an_iteration_are_counted_as_the_run_counted_them():
    """Of a network with rules for turns other arcs are relaxed than those of its vertices."""
    plain = textbook()
    into = int(np.flatnonzero(plain.tails == 0)[0])
    out = int(np.flatnonzero(plain.tails == plain.indices[into])[0])
    network = plain.with_turns(TurnRules.of({(into, out): 7}))
    content = watched(network, "dijkstra-heap")
    trace, own = content.activity.trace, []
    for k in range(len(trace)):
        lesson = at(content, k).explanation
        assert f" {plural(int(trace.relaxed[k]), 'arc')};" in lesson.words
        own.append(network.out_degrees[sorted(lesson.active)].sum())
    assert trace.relaxed.tolist() != own


def test_a_run_that_told_no_distances_is_put_into_words_all_the_same():
    graph = textbook()
    silent = Activity(graph.n, None, trace_of(8, [[0], [1, 4]]))
    untold = replace(watched(graph, "dijkstra-heap"), activity=silent, position=1)
    assert untold.explanation is None
    assert untold.sentence == (
        "Iteration 2: 2 and 5 relax 2 arcs; this variant records no tentative distances"
    )
    assert replace(untold, layers=FIRST_LAYERS - {Layer.SO_FAR}).sentence == ""
    grid = street_grid(20, 20)
    large = PictureContent(build_scene(grid), Activity(grid.n, None, trace_of(grid.n, [[0]])))
    assert large.sentence == ""


def test_the_layer_switches_the_lesson_off():
    content = watched(textbook(), "dijkstra-heap")
    assert isinstance(content.explanation, Lesson)
    assert (
        PictureContent(
            content.scene, content.activity, 3, layers=FIRST_LAYERS - {Layer.SO_FAR}
        ).explanation
        is None
    )


def test_labels_that_find_no_place_are_left_out():
    discs = np.array([[50.0, 50.0, 10.0]])
    plan = LabelPlan(Box(0.0, 0.0, 100.0, 100.0), discs, np.empty((0, 3, 2)))
    plan.reserve(Box(0, 0, 90, 100))
    assert plan.round_disc(0, 10, 10) is None
    assert plan.at(Box(20, 20, 30, 30)) is None
    assert plan.at(Box(90, 0, 100, 10)) is not None  # touching is not overlapping
    assert plan.at(Box(95, 0, 105, 10)) is None  # outside the view


def test_labels_keep_off_lines_where_there_is_room():
    discs = np.array([[100.0, 100.0, 10.0]])
    upward = np.array([[[100.0, 100.0], [100.0, 50.0], [100.0, 0.0]]])
    box = LabelPlan(Box(0.0, 0.0, 200.0, 200.0), discs, upward).round_disc(0, 20, 10)
    assert box.y0 >= 110  # below, since the line goes up


def test_distances_are_written_short():
    texts = [bare_distance(d, "") for d in (np.inf, 1204.0, 0.38, 0.1 + 0.2, -3.0)]
    assert texts == ["∞", "1\u202f204", "0.38", "0.3", "−3"]
    assert bare_distance(123457.0, TENTHS_OF_SECONDS) == "12\u202f345.7", "as the page has it"


_SUM = re.compile(r"relax (\d+) → (\d+): (−?\d+) ([+−]) (\d+) = (−?\d+) ([<≥]) (−?\d+|∞)")


def lessons(graph: Graph, variant_id: str) -> list[Lesson]:
    """A lesson for each iteration of a run from the first vertex."""
    trace = watched(graph, variant_id).activity.trace
    assert trace is not None
    return [Lesson(graph, trace, k) for k in range(len(trace))]


def first_lesson(graph: Graph, distances: list[float]) -> Lesson:
    """An iteration after which the distances from vertex 0 are these."""
    recorder = TraceRecorder(graph.n)
    recorder.iteration(np.array([0]), 1, 1, 0.1, np.array(distances))
    return Lesson(graph, recorder.finish(), 0)


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


@pytest.mark.parametrize("variant_id", ["dijkstra-heap", "da2cf-f-cpu", "bf-python", "bf-serial"])
def test_the_steps_lead_from_the_distances_before_to_those_after(variant_id: str) -> None:
    for whole in lessons(read_graph(sample("tiny").path).graph, variant_id):
        steps = steps_of(whole)
        begun = [
            replace(whole, progress=StepProgress(steps, steps[: k + 1])) for k in range(len(steps))
        ]
        assert np.array_equal(begun[0].after, whole.before)
        assert np.array_equal(begun[-1].after, whole.after)
        for before, after in pairwise(begun):
            fell = np.flatnonzero(after.after < before.after).tolist()
            assert fell == [step[0] for step in [after.progress.done[-1].fall] if step is not None]
        assert [lesson.at_end for lesson in begun[:-1]] == [False] * (len(begun) - 1)


def test_caption_and_colours_of_a_full_pass_agree() -> None:
    """The caption said that every vertex relaxes its arcs; few had the colour of that."""
    for lesson in lessons(read_graph(sample("tiny").path).graph, "bf-python"):
        reached = np.flatnonzero(np.isfinite(lesson.before))
        relaxing = [v for v in range(lesson.graph.n) if lesson.vertex(v) is VertexState.ACTIVE]
        assert lesson.relaxes_all
        assert "every reached vertex relaxes its arcs" in lesson.words
        assert relaxing == reached.tolist()


def test_negative_weights_are_subtracted() -> None:
    graph = read_graph(sample("negative-arcs").path).graph
    texts = [step.text for lesson in lessons(graph, "bf-python") for step in steps_of(lesson)]
    assert any("relax 5 → 4: 9 − 5 = 4 < 8" in text for text in texts)


def test_a_negative_cycle_ends_the_last_iteration() -> None:
    graph = read_graph(sample("negative-cycle").path).graph
    lesson = first_lesson(graph, [0.0, 5, np.inf, np.inf, 14, np.inf])
    cycle = tuple(graph.vertex(i) for i in (2, 3, 4))
    last = steps_of(lesson, cycle)[-1]
    assert last.step is Step.NEGATIVE_CYCLE
    assert "2 → 3 → 4 → 2" in last.text


def test_where_the_order_is_unknown_only_what_follows_from_the_distances_is_told() -> None:
    graph = graph_of([(0, 1, 5), (1, 2, 1), (0, 3, 2), (3, 1, 1)], [(0, 0), (1, 0), (2, 0), (1, 1)])
    # 1 and 3 fall together, 1 already by way of 3, and 2 by way of the new distance of
    # 1: no order of the arcs of vertex 0 alone does that
    steps = steps_of(first_lesson(graph, [0.0, 3.0, 4.0, 2.0]))
    assert [step.text for step in steps[1:-1]] == [
        "relax 3 → 1: 2 + 1 = 3 < ∞",
        "relax 1 → 2: 3 + 1 = 4 < ∞",
        "relax 0 → 3: 0 + 2 = 2 < ∞",
    ]


def test_a_fall_without_an_arc_is_told_without_one() -> None:
    graph = graph_of([(0, 1, 5)], [(0, 0), (1, 0)])
    steps = steps_of(first_lesson(graph, [0.0, 4.0]))
    assert steps[1] == LessonStep(Step.IMPROVE, "1 falls from ∞ to 4", fall=(1, 4.0))
