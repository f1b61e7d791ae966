"""Colours of values: visited ground and trail, regions, differences, and the levels of
a hierarchy.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from solvers import all_sources
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.core.trace import TracePhase
from solvers.errors import Cancelled
from solvers.features.all_sources.maps import reduction_map, value_text
from solvers.features.all_sources.reductions import REDUCTIONS
from solvers.graphs.network import MOST_SOURCES
from solvers.graphs.weights import INT32
from solvers.picture.layout.arrangements import rings
from solvers.picture.scene import levels
from solvers.picture.scene.activity import (
    NEVER,
    Activity,
    Legend,
    RingScale,
    activity_of,
    band_shades,
)
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.colour_scale import ColourScale
from solvers.picture.scene.content import PictureContent, vertex_rows
from solvers.picture.scene.detail import detail_of
from solvers.picture.scene.levels import LevelPicture, LevelView, detail_words, level_picture
from solvers.picture.scene.ramps import Ramp, RegionRamps, ramp_colours
from solvers.picture.scene.scene import build_scene
from solvers.picture.scene.values import ValueMap, VertexValues
from solvers.system.cancel import CancelToken, Progress
from tests import graphs
from tests.gui.pictures import graph_of, street_grid, textbook, trace_of, watched

FAR = INT32.infinity


def test_both_ends_of_the_ramp_of_differences_differ_from_its_middle() -> None:
    for dark in (False, True):
        colours = ramp_colours(Ramp.DIFFERENCES, dark)
        assert np.abs(colours[0] - colours[255]).sum() > 200
        assert np.abs(colours[255] - colours[128]).sum() > 80


@pytest.mark.openmp
def test_values_that_are_all_the_same() -> None:
    found = all_sources(graphs.from_list(2, [(0, 1, 4)], directed=False))
    shown = reduction_map(found, REDUCTIONS[0])
    assert shown.counts.tolist() == [2]
    assert shown.values.shade.tolist() == [0, 0]
    assert shown.values.legend.ends == ("4", "4")
    assert shown.values.words_of is not None
    assert shown.values.words_of(1) == "4"
    np.testing.assert_array_equal(shown.edges, [4.0, 5.0])


def test_closeness_is_written_as_the_inverse_of_a_distance() -> None:
    closeness = REDUCTIONS[1]
    assert value_text(0.0, closeness, "m") == "0"
    assert value_text(1 / 2500.0, closeness, "m") == "1 / 2.50 km"


FRONTIERS = [[0], [1, 2], [2], [3]]


@pytest.mark.parametrize(
    ("answer", "reveal"),
    [
        (None, [0, 1, 1, 3, NEVER, NEVER]),
        (np.array([0, 1, 1, 2, 5, FAR], np.int32), [0, 1, 1, 3, 3, NEVER]),
    ],
    ids=["when first active", "at the end if reached and never active"],
)
def test_vertices_are_revealed(answer, reveal):
    assert Activity(6, answer, trace_of(6, FRONTIERS)).reveal.tolist() == reveal


def test_distances_alone_are_shown_at_once_and_tinted_from_near_to_far():
    answer = np.array([0, 5, 10, INT32.infinity], dtype=np.int32)
    activity = Activity(4, answer, unit="m")
    assert activity.reveal.tolist() == [0, 0, 0, NEVER]
    assert activity.shade[:3].tolist() == [0, 127, 255]
    assert (activity.legend.low, activity.legend.high, activity.legend.unit) == (0.0, 10.0, "m")
    negative = Activity(3, np.array([-4.0, 0.0, 4.0]))
    assert (negative.legend.low, negative.legend.high) == (-4.0, 4.0)
    assert negative.shade.tolist() == [0, 127, 255]


def test_the_trail_is_the_iterations_before_and_fades():
    activity = Activity(6, trace=trace_of(6, FRONTIERS))
    trail = activity.trail(3)
    assert [frontier.tolist() for frontier, _ in trail] == [[0], [1, 2], [2]]
    freshness = [share for _, share in trail]
    assert freshness == sorted(freshness)
    assert activity.trail(0) == []


def test_gathered_iterations_are_one_frontier_and_those_before_the_trail():
    activity = Activity(6, trace=trace_of(6, FRONTIERS))
    assert activity.frontier(3, 2).tolist() == [2, 3]
    assert activity.frontier(1, 9).tolist() == [0, 1, 2], "the run has no earlier ones"
    assert [frontier.tolist() for frontier, _ in activity.trail(3, 2)] == [[0, 1, 2]]
    assert activity.trail(1, 2) == []


def test_no_run_leaves_nothing_visited():
    activity = Activity(3)
    assert len(activity.reveal) == 0
    assert activity.legend is None
    assert len(activity.frontier(0)) == 0


@pytest.mark.parametrize("n", [5, 7])
def test_a_trace_of_another_graph_is_left_out(n):
    graph = graph_of([(0, 1, 1)], [(0.0, 0.0)] * 6)
    assert activity_of(graph, None, trace_of(n, FRONTIERS)).trace is None
    assert activity_of(graph, None, trace_of(6, FRONTIERS)).trace is not None


def test_vertices_lie_on_the_circles_of_their_distances():
    graph = graph_of([(0, 1, 20), (0, 2, 60), (2, 3, 40), (1, 4, 30)], None)
    distances = np.array([0.0, 20, 60, 100, 50])
    placed = rings(graph, 0, distances)
    scale = RingScale.of(placed.positions, placed.low, placed.high, "m")
    positions = build_scene(graph, placed.positions).positions
    circles = dict(scale.circles)
    assert list(circles) == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    for v in range(1, 5):
        assert np.hypot(*(positions[v] - scale.centre)) == pytest.approx(circles[distances[v]])


def test_circles_have_round_distances_whole_ones_if_all_are_and_none_without_a_range():
    assert RingScale((0.0, 0.0), 0.5, -4.0, 6.0).circles[0] == (-3.0, pytest.approx(0.05))
    assert [
        distance for distance, _ in RingScale((0.0, 0.0), 0.5, 0.0, 4.0, whole=True).circles
    ] == [1, 2, 3, 4]
    assert len(RingScale((0.0, 0.0), 0.5, 0.0, 4.0).circles) == 8
    assert RingScale((0.0, 0.0), 0.5, 0.0, 0.0).circles == []


REGIONS = RegionRamps(3)


def test_shades_are_those_of_the_nearest_source() -> None:
    infinity = 2**30 - 1
    activity = Activity(
        5,
        np.array([0, 0, 10, 5, infinity], np.int32),
        owners=np.array([0, 2, 2, 1, 255], np.uint8),
        regions=3,
    )
    last = REGIONS.levels - 1
    assert activity.shade[:4].tolist() == [0, 2 * 85, 2 * 85 + last, 85 + last // 2]
    assert activity.reveal.tolist() == [0, 0, 0, 0, NEVER]
    assert activity.legend.ramp == REGIONS


def test_near_shades_of_different_regions_differ_and_far_ones_fade() -> None:
    for dark in (False, True):
        colours = ramp_colours(RegionRamps(MOST_SOURCES), dark)
        levels = RegionRamps(MOST_SOURCES).levels
        near = colours[: MOST_SOURCES * levels : levels]
        apart = np.abs(near[:, None] - near[None]).sum(axis=2) + 1e9 * np.eye(MOST_SOURCES)
        assert apart.min() > 40
        canvas = 20.0 if dark else 250.0
        far = colours[levels - 1 :: levels]
        assert (np.abs(far - canvas).sum(axis=1) < np.abs(near - canvas).sum(axis=1)).all()


def test_bands_begin_anew_in_every_region() -> None:
    activity = Activity(2, np.array([0, 10], np.int32), owners=np.zeros(2, np.uint8), regions=3)
    assert activity.legend is not None
    own, begins = band_shades(replace(activity.legend, step=5.0))
    levels = REGIONS.levels
    assert own[:levels].max() < levels
    assert own[levels : 2 * levels].min() >= levels
    assert [begins[i * levels : (i + 1) * levels].sum() for i in range(3)] == [2, 2, 2]


GRID = street_grid(24, 20)


@cache
def picture() -> LevelPicture:
    return level_picture(levels_of(GRID), build_scene(GRID))


def test_scenes_go_from_the_coarsest_core_to_the_graph_itself() -> None:
    found, cores = picture(), picture().levels.cores
    assert found.whole.contracted == 0
    assert [scene.vertices for scene in found.scenes] == sorted(
        scene.vertices for scene in found.scenes
    )
    for k, scene in zip(range(len(found.scenes) - 1, 0, -1), found.scenes, strict=False):
        assert (scene.vertices, scene.edges) == (cores.vertices[k], cores.edges[k])
        kept = np.flatnonzero(cores.stage[cores.hierarchy.tree.rank] >= k)
        assert np.isin(scene.ends, kept).all()
        assert sorted(scene.grid.order.tolist()) == kept.tolist(), (
            "only drawn vertices can be pointed at"
        )
        ends = scene.positions[scene.ends].reshape(-1, 4)
        np.testing.assert_allclose(
            np.sort(scene.segments, axis=0), np.sort(ends, axis=0), atol=1e-6
        )
        assert scene.bounds is found.whole.bounds, "the view stays"


def test_a_close_view_of_a_core_is_not_drawn_arc_by_arc() -> None:
    close = Camera.fitting(picture().whole.bounds, 4000, 3000)
    assert (
        detail_of(build_scene(street_grid(4, 4)), Camera.fitting(picture().whole.bounds, 400, 300))
        is not None
    )
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
    assert [scene.edges for scene in bounded.scenes[:-1]] == [
        count for count in edges[:-1] if count <= edges[0]
    ]


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
    assert (
        detail_words(coarse)
        == f"{coarse.vertices} vertices joined by {coarse.edges} roads and shortcuts"
    )


def test_marked_separators_are_the_first_of_the_dissection() -> None:
    separators = picture().levels.separators
    view = LevelView(picture(), 0, 3)
    assert len(view.marked) == 3
    number, vertices = view.marked[0]
    assert number == 0
    np.testing.assert_array_equal(vertices, separators.of(0))
    content = PictureContent(
        picture().whole, Activity(GRID.n), values=picture().values, levels=view
    )
    row = dict(vertex_rows(content, None, int(vertices[0])))
    assert (
        row["level"] == f"0 of {separators.levels - 1}, in a separator of {len(vertices)} vertices"
    )


def test_a_sweep_marks_the_separators_of_its_level_and_a_climb_its_way() -> None:
    separators = picture().levels.separators
    first, second = separators.of(0), separators.of(1)
    trace = trace_of(
        GRID.n,
        [[7], [int(second[0])], [int(first[-1])], [int(first[0])], [int(first[1]), int(second[1])]],
    )
    trace = replace(
        trace, phases=(TracePhase("climb", "vertex", 0, 3), TracePhase("sweep", "level", 3, 5))
    )
    activity, view = Activity(GRID.n, None, trace), LevelView(picture(), 0, 0)
    assert [climb.tolist() for climb in activity.climbs(1)] == [[7, second[0]]]
    assert [climb.tolist() for climb in activity.climbs(4)] == [[7, second[0], first[-1]]]
    assert view.settling(activity, 2) == []
    assert [vertices.tolist() for vertices in view.settling(activity, 4)] == [
        first.tolist(),
        second.tolist(),
    ]
    halved = replace(
        trace,
        stride=2,
        phases=(TracePhase("climb", "vertex", 0, 5), TracePhase("sweep", "level", 5, 10)),
    )
    assert [climb.tolist() for climb in Activity(GRID.n, None, halved).climbs(4)] == [
        [7, second[0], first[-1]]
    ]
    assert Activity(GRID.n, None, trace_of(GRID.n, [[1], [2]])).climbs(1) == []


def test_a_small_graph_shows_its_levels_in_place_of_tentative_distances() -> None:
    lesson = watched(textbook(), "cch-tree")
    assert lesson.explanation is not None
    assert (
        replace(
            lesson, values=level_picture(levels_of(lesson.scene.graph), lesson.scene).values
        ).explanation
        is None
    )


def test_progress_is_that_of_all_scenes() -> None:
    shares: list[float] = []
    level_picture(
        picture().levels,
        picture().whole,
        Progress(report=lambda done, total: shares.append(done / total)),
    )
    assert shares == sorted(shares)
    assert len(shares) == len(picture().scenes) - 1


def test_cancelling_leaves_no_picture() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        level_picture(picture().levels, picture().whole, Progress(cancel))


@pytest.mark.parametrize(
    ("sample", "ends", "clipped"),
    [
        ([*range(3, 9)] * 20 + [26], (3.0, 8.0), (False, True)),
        ([0.0] + [*range(100, 110)] * 20, (100.0, 109.0), (True, False)),
        ([*range(101)], (0.0, 100.0), (False, False)),
        ([5.0] * 99 + [9.0], (5.0, 9.0), (False, False)),
        ([4.0], (4.0, 4.0), (False, False)),
        ([5.55e-17, *range(1, 10)], (0.0, 9.0), (False, False)),
    ],
    ids=["an outlier above", "below", "even", "all the same but one", "one", "rounding"],
)
def test_a_scale_of_colours_uses_the_data(
    sample: list[float], ends: tuple[float, float], clipped: tuple[bool, bool]
) -> None:
    """One far vertex left a tenth of the ramp to all others."""
    scale = ColourScale.of(min(sample), max(sample), np.array(sample))
    assert (scale.low, scale.high) == ends
    assert (scale.clips_low, scale.clips_high) == clipped
    signs = "≤ a" if clipped[0] else "a", "≥ b" if clipped[1] else "b"
    assert scale.ends("a", "b") == signs


def test_bars_of_a_histogram_have_the_shades_of_their_values() -> None:
    legend = Legend("distance", 3.0, 8.0, "")
    values = VertexValues(np.zeros(1, np.uint8), np.zeros(1, np.int32), legend)
    edges = np.array([0.0, 2.0, 4.0, 7.0, 9.0, 26.0])
    shown = ValueMap("Eccentricity", values, np.ones(5, np.int64), edges, str)
    assert shown.bin_shades.tolist() == [0, 0, 127, 255, 255]
    assert replace(shown, values=None).bin_shades[-1] > 150, "over its own range"
