"""The picture of levels: shades, scenes of the cores, marked separators, climbs and the level being settled."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gui.picture.scene import levels
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Camera
from gui.picture.scene.content import PictureContent, vertex_rows
from gui.picture.scene.detail import detail_of
from gui.picture.scene.levels import LevelPicture, LevelView, detail_words, level_picture
from gui.picture.scene.scene import build_scene
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.trace import TracePhase
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Progress
from tests.gui.pictures import street_grid, textbook, trace_of, watched

GRID = street_grid(24, 20)


@cache
def picture() -> LevelPicture:
    return level_picture(levels_of(GRID), build_scene(GRID))


def test_scenes_go_from_the_coarsest_core_to_the_graph_itself() -> None:
    found, cores = picture(), picture().levels.cores
    assert found.whole.contracted == 0
    assert [scene.vertices for scene in found.scenes] == sorted(scene.vertices for scene in found.scenes)
    for k, scene in zip(range(len(found.scenes) - 1, 0, -1), found.scenes, strict=False):
        assert (scene.vertices, scene.edges) == (cores.vertices[k], cores.edges[k])
        kept = np.flatnonzero(cores.stage[cores.hierarchy.tree.rank] >= k)
        assert np.isin(scene.ends, kept).all()
        assert sorted(scene.grid.order.tolist()) == kept.tolist(), "only drawn vertices can be pointed at"
        ends = scene.positions[scene.ends].reshape(-1, 4)
        np.testing.assert_allclose(np.sort(scene.segments, axis=0), np.sort(ends, axis=0), atol=1e-6)
        assert scene.bounds is found.whole.bounds, "the view stays"


def test_a_close_view_of_a_core_is_not_drawn_arc_by_arc() -> None:
    close = Camera.fitting(picture().whole.bounds, 4000, 3000)
    assert detail_of(build_scene(street_grid(4, 4)), Camera.fitting(picture().whole.bounds, 400, 300)) is not None
    assert detail_of(picture().scenes[0], close) is None


def test_the_automatic_detail_keeps_to_its_strokes(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [scene.edges for scene in picture().scenes]
    assert picture().automatic == len(edges) - 1
    monkeypatch.setattr(levels, "AUTOMATIC_STROKES", edges[-1] - 1)
    assert edges[picture().automatic] < edges[-1]
    monkeypatch.setattr(levels, "AUTOMATIC_STROKES", 0)
    assert picture().automatic == 0
    monkeypatch.setattr(levels, "MOST_STROKES", edges[0])
    bounded = level_picture(picture().levels, picture().whole)
    assert [scene.edges for scene in bounded.scenes[:-1]] == [count for count in edges[:-1] if count <= edges[0]]


def test_shades_descend_from_the_top_separator_to_the_leaves() -> None:
    separators, values = picture().levels.separators, picture().values
    level = separators.level[separators.separator]
    assert (values.shade[level == 0] == 0).all()
    by_level = [values.shade[level == k].max() for k in range(separators.levels)]
    assert by_level == sorted(by_level)
    assert by_level[-1] == 255
    assert values.legend.ends == ("top separator", "leaves")


def test_detail_in_words() -> None:
    assert detail_words(picture().whole) == "whole graph: 916 roads"
    coarse = picture().scenes[0]
    assert detail_words(coarse) == f"{coarse.vertices} vertices joined by {coarse.edges} roads and shortcuts"


def test_marked_separators_are_the_first_of_the_dissection() -> None:
    separators = picture().levels.separators
    view = LevelView(picture(), 0, 3)
    assert len(view.marked) == 3
    number, vertices = view.marked[0]
    assert number == 0
    np.testing.assert_array_equal(vertices, separators.of(0))
    content = PictureContent(picture().whole, Activity(GRID.n), values=picture().values, levels=view)
    row = dict(vertex_rows(content, None, int(vertices[0])))
    assert row["level"] == f"0 of {separators.levels - 1}, in a separator of {len(vertices)} vertices"


def test_a_sweep_marks_the_separators_of_its_level_and_a_climb_its_way() -> None:
    separators = picture().levels.separators
    first, second = separators.of(0), separators.of(1)
    trace = trace_of(
        GRID.n, [[7], [int(second[0])], [int(first[-1])], [int(first[0])], [int(first[1]), int(second[1])]]
    )
    trace = replace(trace, phases=(TracePhase("climb", "vertex", 0, 3), TracePhase("sweep", "level", 3, 5)))
    activity, view = Activity(GRID.n, None, trace), LevelView(picture(), 0, 0)
    assert [climb.tolist() for climb in activity.climbs(1)] == [[7, second[0]]]
    assert [climb.tolist() for climb in activity.climbs(4)] == [[7, second[0], first[-1]]]
    assert view.settling(activity, 2) == []
    assert [vertices.tolist() for vertices in view.settling(activity, 4)] == [first.tolist(), second.tolist()]
    halved = replace(trace, stride=2, phases=(TracePhase("climb", "vertex", 0, 5), TracePhase("sweep", "level", 5, 10)))
    assert [climb.tolist() for climb in Activity(GRID.n, None, halved).climbs(4)] == [[7, second[0], first[-1]]]
    assert Activity(GRID.n, None, trace_of(GRID.n, [[1], [2]])).climbs(1) == []


def test_a_small_graph_shows_its_levels_in_place_of_tentative_distances() -> None:
    lesson = watched(textbook(), "cch-tree")
    assert lesson.lesson is not None
    assert replace(lesson, values=level_picture(levels_of(lesson.scene.graph), lesson.scene).values).lesson is None


def test_progress_is_that_of_all_scenes() -> None:
    shares: list[float] = []
    level_picture(picture().levels, picture().whole, Progress(report=lambda done, total: shares.append(done / total)))
    assert shares == sorted(shares)
    assert len(shares) == len(picture().scenes) - 1


def test_cancelling_leaves_no_picture() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        level_picture(picture().levels, picture().whole, Progress(cancel))
