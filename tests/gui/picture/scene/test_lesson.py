"""The lesson of a small graph: what each iteration says of vertices, arcs and distances, and where its labels stand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.controllers.opening import SAMPLES
from gui.painting.detail_labels import Fonts, labels_of
from gui.painting.geometry import disc_radius
from gui.painting.picture import paint_annotations, paint_graph
from gui.picture.layout.stress import layout
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from gui.picture.scene.labels import Box, LabelPlan
from gui.picture.scene.lesson import ArcState, Lesson, VertexState, distance_text, lesson_of
from gui.picture.scene.scene import build_scene
from gui.style.tokens import LIGHT
from solvers.contracts.catalog import find
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.running.runner import Choice, RunRequest, run
from tests.data import data_file
from tests.gui.pictures import camera_for, frame_of, is_like, street_grid, trace_of

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = (900, 640)


def textbook() -> Graph:
    return read_graph(SAMPLES / "textbook.gr").graph


def watched(graph: Graph, variant_id: str) -> PictureContent:
    """The last iteration of a run from the first vertex."""
    entry = find(variant_id)
    (result,) = run(RunRequest(graph, 0, graph.n - 1, (Choice(entry, entry.settle({})),), None, 0, 0, trace=True))
    activity = Activity(graph.n, result.distances, result.trace)
    positions = layout(graph) if graph.coordinates is None else None
    return PictureContent(build_scene(graph, positions), activity, activity.last, 0, graph.n - 1, result.path)


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
        lesson = at(content, k).lesson
        assert (lesson.after <= reference[k]).all()  # a pass may use what it has found itself, never less
        if k:
            assert np.array_equal(lesson.before, at(content, k - 1).lesson.after)
    assert np.array_equal(at(content, len(trace) - 1).lesson.after, reference[-1])
    assert np.array_equal(content.lesson.after, content.activity.distances)


def test_dijkstra_settles_a_vertex_a_step_and_never_takes_it_back():
    content = watched(textbook(), "dijkstra-heap")
    order = [int(content.activity.frontier(k)[0]) for k in range(8)]
    for k in range(8):
        lesson = at(content, k).lesson
        states = [lesson.vertex(v) for v in range(8)]
        assert states[order[k]] is VertexState.ACTIVE
        assert all(states[v] is VertexState.SETTLED for v in order[:k])
        waiting = {VertexState.TENTATIVE, VertexState.UNREACHED}
        assert all(states[v] in waiting for v in order[k + 1 :])
    assert [content.scene.graph.ids[v] for v in order][:4] == [1, 2, 5, 4]


def test_arcs_are_idle_relaxed_improved_or_the_way_so_far():
    lesson = at(watched(textbook(), "dijkstra-heap"), 1).lesson  # vertex 2 (index 1) is being relaxed
    assert lesson.arc(1, 4) is ArcState.IMPROVED
    assert lesson.arc(1, 3) is ArcState.RELAXED  # 2 + 5 is no better than 6
    assert lesson.arc(0, 1) is ArcState.TREE
    assert lesson.arc(0, 2) is ArcState.TREE
    assert lesson.arc(6, 7) is ArcState.IDLE
    assert lesson.value(7) == "∞"
    assert lesson.former_value(4) == ""
    assert lesson.words == "Iteration 2: 2 relaxes 3 arcs; 5 comes nearer"


def test_a_distance_that_falls_again_names_what_it_was():
    lesson = at(watched(textbook(), "dijkstra-heap"), 2).lesson  # vertex 5 offers 3 a way of 7 instead of 9
    assert (lesson.former_value(2), lesson.value(2)) == ("9", "7")
    assert lesson.parents[2] == 4


def test_every_reached_vertex_has_a_way_back_to_the_source():
    content = watched(textbook(), "bf-python")
    for k in range(len(content.activity.trace)):
        lesson = at(content, k).lesson
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


def test_a_run_that_told_no_distances_is_put_into_words_all_the_same():
    graph = textbook()
    silent = Activity(graph.n, None, trace_of(8, [[0], [1, 4]]))
    untold = replace(watched(graph, "dijkstra-heap"), activity=silent, position=1)
    assert untold.lesson is None
    assert untold.sentence == ("Iteration 2: 2 and 5 relax 2 arcs; this variant does not tell its distances on the way")
    assert replace(untold, layers=FIRST_LAYERS - {Layer.LESSON}).sentence == ""
    grid = street_grid(20, 20)
    large = PictureContent(build_scene(grid), Activity(grid.n, None, trace_of(grid.n, [[0]])))
    assert large.sentence == ""
    camera = camera_for(untold.scene, SIZE)
    frame, pictures = frame_of(untold, camera=camera), []
    for layers in (FIRST_LAYERS, FIRST_LAYERS - {Layer.LESSON}):
        image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        paint_annotations(painter, frame, camera, replace(untold, layers=layers), LIGHT)
        painter.end()
        pictures.append(np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]).copy())
    assert (pictures[0][:60] != 0).any()
    assert not (pictures[1][:60] != 0).any()


def test_the_layer_switches_the_lesson_off():
    content = watched(textbook(), "dijkstra-heap")
    assert isinstance(content.lesson, Lesson)
    assert PictureContent(content.scene, content.activity, 3, layers=FIRST_LAYERS - {Layer.LESSON}).lesson is None


@pytest.mark.parametrize("sample", ["textbook", "tiny"])
def test_no_two_labels_overlap_and_none_lies_on_a_vertex(sample):
    path = SAMPLES / "textbook.gr" if sample == "textbook" else data_file("other/tinyEWD.txt")
    content = watched(read_graph(path).graph, "bf-python")
    camera = camera_for(content.scene, SIZE)
    detail = frame_of(content, camera=camera).detail
    painter = QPainter(QImage(8, 8, QImage.Format.Format_ARGB32))
    labels = labels_of(detail, camera, content, Fonts.of(painter, disc_radius(content.scene, camera)))
    painter.end()
    boxes = [box for _, box in labels.weights] + list(labels.ids.values()) + list(labels.values.values())
    assert len(labels.values) == 8
    assert len(labels.weights) >= len(detail.arcs) - 1
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))
    centres = camera.to_screen(content.scene.positions)
    for box in boxes:
        nearest = np.clip(centres, [box.left(), box.top()], [box.right(), box.bottom()])
        assert np.hypot(*(nearest - centres).T).min() > disc_radius(content.scene, camera)


def test_labels_that_find_no_place_are_left_out():
    discs = np.array([[50.0, 50.0, 10.0]])
    plan = LabelPlan((100.0, 100.0), discs, np.empty((0, 3, 2)))
    plan.reserve(Box(0, 0, 100, 100))
    assert plan.round_disc(0, 10, 10) is None
    assert plan.at(Box(20, 20, 30, 30)) is None
    assert plan.at(Box(100, 0, 110, 10)) is not None  # touching is not overlapping


def test_labels_keep_off_lines_where_there_is_room():
    discs = np.array([[100.0, 100.0, 10.0]])
    upward = np.array([[[100.0, 100.0], [100.0, 50.0], [100.0, 0.0]]])
    box = LabelPlan((200.0, 200.0), discs, upward).round_disc(0, 20, 10)
    assert box.y0 >= 110  # below, since the line goes up


def test_the_picture_shows_the_frontier_the_improved_arc_and_hides_the_path_until_the_end():
    content = watched(textbook(), "dijkstra-heap")
    camera = camera_for(content.scene, SIZE)

    def painted(position: int) -> np.ndarray:
        now = at(content, position)
        image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        paint_graph(painter, frame_of(now, camera=camera), camera, now, LIGHT)
        painter.end()
        return np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]).copy()

    middle, end = painted(1), painted(content.activity.last)
    x, y = camera.to_screen(content.scene.positions[1]).round().astype(int)
    assert is_like(middle, LIGHT.frontier, 8)[y - 12 : y - 6, x - 4 : x + 4].any()
    ends = camera.to_screen(content.scene.positions[[1, 4]])
    on_arc = (ends[0] + 0.3 * (ends[1] - ends[0])).round().astype(int)
    assert is_like(middle, LIGHT.good, 16)[on_arc[1] - 2 : on_arc[1] + 3, on_arc[0] - 2 : on_arc[0] + 3].any()
    assert not is_like(middle, LIGHT.path, 8).any()
    assert is_like(end, LIGHT.path, 8).any()


def test_distances_are_written_short():
    assert [distance_text(d) for d in (np.inf, 1204.0, 0.38, 0.1 + 0.2, -3.0)] == ["∞", "1,204", "0.38", "0.3", "-3"]
