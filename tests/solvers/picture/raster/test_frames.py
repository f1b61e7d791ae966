"""Frames: layers, play-back, tint, spots of light and schemes change the pixels that
they should, and only those.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import Cancelled
from solvers.features.closed_roads.marks import marks_of
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.colours import DARK, LIGHT
from solvers.picture.raster import edge_buffers, marks
from solvers.picture.raster.device import FIRST_SLICE_PIXELS, SLICE_S, SliceBudget
from solvers.picture.raster.edge_buffers import PixelSizes
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.raster.marks import PROFILE_STEPS, add_light, spot_profile, waves_of
from solvers.picture.scene.activity import NEVER, Activity, Legend
from solvers.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import build_scene
from solvers.picture.scene.values import VertexValues
from solvers.system.cancel import CancelToken, Progress
from solvers.system.threads import ThreadTeam, split_evenly
from tests.gui.pictures import (
    camera_for,
    channels,
    content_of,
    frame_of,
    graph_of,
    is_like,
    street_grid,
    trace_of,
)

GRID = street_grid()
MIDDLE = 20 * 60 + 30


def pixel_of(content, vertex, ratio=1.0):
    """(row, column) of a vertex in a frame."""
    x, y = camera_for(content.scene).to_screen(content.scene.positions[vertex]) * ratio
    return int(y), int(x)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_frame_has_the_device_pixels_of_the_view(ratio):
    frame = frame_of(content_of(GRID), ratio=ratio)
    assert frame.pixels.shape == (240 * ratio, 320 * ratio)
    assert frame.drawn == 1.0


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_frontier_of_an_iteration_is_where_the_trace_says(ratio):
    frontiers = [[0], [MIDDLE, 100], [5]]
    content = content_of(GRID, trace=trace_of(GRID.n, frontiers), position=1)
    frame = frame_of(content, ratio=ratio)
    now = is_like(frame.pixels, LIGHT.frontier, 12)
    for vertex in frontiers[1]:
        assert now[pixel_of(content, vertex, ratio)]
    assert not now[pixel_of(content, 5, ratio)]
    rows, columns = np.nonzero(now)
    near = [
        np.hypot(rows - r, columns - c)
        for r, c in (pixel_of(content, v, ratio) for v in frontiers[1])
    ]
    assert np.minimum(*near).max() < 9 * ratio


def lit(content, *, tokens=LIGHT, **changed):
    """How much the frontier and its trail change each pixel, summed over the channels."""
    with_light, without = (
        channels(frame_of(replace(content, layers=layers, **changed), tokens=tokens).pixels)
        for layers in (FIRST_LAYERS, FIRST_LAYERS - {Layer.FRONTIER})
    )
    return np.abs(with_light - without).sum(axis=-1)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_a_single_settled_vertex_is_seen_in_a_graph_of_any_size(tokens):
    """A frontier of many has small spots, so that they do not merge; one vertex has a large one."""
    one, many = (
        content_of(GRID, trace=trace_of(GRID.n, [vertices]))
        for vertices in ([MIDDLE], list(range(0, GRID.n, 2)))
    )
    assert (lit(one, tokens=tokens) > 100).sum() > 100
    apart = camera_for(one.scene).zoomed(0.2, 160, 120)
    seen, bare = (
        frame_of(replace(one, layers=layers), camera=apart, tokens=tokens).pixels
        for layers in (FIRST_LAYERS, FIRST_LAYERS - {Layer.FRONTIER})
    )
    assert (seen != bare).sum() > 100, "zoomed far out as well"
    assert (lit(many, tokens=tokens) > 100).sum() / (GRID.n // 2) < 30


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_light_hides_nothing(tokens):
    """Roads under a dense frontier and its trail are still told from the ground between them."""
    waves = [list(range(k * 60, k * 60 + 60)) for k in range(40)]
    content = content_of(
        GRID, trace=trace_of(GRID.n, waves), answer=np.arange(GRID.n, dtype=np.int32), position=20
    )
    bare = channels(
        frame_of(replace(content, layers=FIRST_LAYERS - {Layer.FRONTIER}), tokens=tokens).pixels
    )
    trailed = channels(frame_of(content, tokens=tokens).pixels)
    for wave in waves[16:19]:
        rows, columns = np.array([pixel_of(content, vertex) for vertex in wave[5:55]]).T
        there, beside = trailed[rows, columns], trailed[rows, columns + 2]
        assert (bare[rows, columns] != bare[rows, columns + 2]).any()
        assert (there != beside).any(axis=1).mean() > 0.9


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_the_trail_fades(tokens):
    apart = [column + 60 * row for row in (5, 20, 35) for column in (10, 50)]
    content = content_of(GRID, trace=trace_of(GRID.n, [[vertex] for vertex in apart]), position=4)
    light = lit(content, tokens=tokens)
    amounts = [light[pixel_of(content, vertex)] for vertex in apart]
    assert amounts[:5] == sorted(amounts[:5])
    assert amounts[0] > 0
    assert amounts[5] == 0, "not yet reached"


def test_gathered_iterations_shine_together():
    waves = [[k * 60 + 30] for k in range(40)]
    content = content_of(GRID, trace=trace_of(GRID.n, waves), position=30)
    one, ten = lit(content), lit(content, gathered=10)
    for k in range(21, 31):
        assert ten[pixel_of(content, waves[k][0])] > 200
    assert one[pixel_of(content, waves[22][0])] == 0


def test_ground_is_visited_from_the_iteration_that_reached_it():
    layers = FIRST_LAYERS - {Layer.FRONTIER}
    trace = trace_of(GRID.n, np.arange(GRID.n).reshape(40, 60).tolist())
    content = content_of(GRID, trace=trace, position=9, layers=layers)
    plain = frame_of(content_of(GRID, trace=trace_of(GRID.n, [[0], [0]]), layers=layers)).pixels
    early = frame_of(content).pixels
    reached, beyond = pixel_of(content, 5 * 60 + 30), pixel_of(content, 30 * 60 + 30)
    assert early[reached] != plain[reached]
    assert early[beyond] == plain[beyond]


def test_each_layer_changes_its_own_pixels():
    trace = trace_of(GRID.n, [[0], [MIDDLE]])
    content = content_of(GRID, trace=trace, answer=np.arange(GRID.n, dtype=np.int32), position=1)
    full, no_frontier, nothing = (
        frame_of(replace(content, layers=layers)).pixels
        for layers in (FIRST_LAYERS, FIRST_LAYERS - {Layer.FRONTIER}, frozenset())
    )
    places = [pixel_of(content, vertex) for vertex in (0, MIDDLE)]
    changed = full != no_frontier
    assert all(changed[place] for place in places)
    rows, columns = np.nonzero(changed)
    assert (
        np.minimum(*(np.hypot(rows - row, columns - column) for row, column in places)).max() < 20
    )
    assert len(np.unique(nothing)) == 1
    assert is_like(nothing, LIGHT.canvas, 0).all()


def test_near_and_far_have_the_ends_of_the_tint():
    answer = np.arange(GRID.n, dtype=np.int32)
    content = content_of(GRID, answer=answer)
    frame = frame_of(content)
    near, far = (frame.pixels[pixel_of(content, v)] for v in (60 * 2 + 5, GRID.n - 60 * 2 - 5))
    green = lambda pixel: int((pixel >> 8) & 0xFF)  # noqa: E731
    assert green(near) < 100, "violet"
    assert green(far) > 130, "cyan"
    assert frame.legend.high == GRID.n - 1


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_values_take_the_place_of_distances_in_the_colours_of_their_ramp(tokens):
    shade = np.where(np.arange(GRID.n) < GRID.n // 2, 0, 255).astype(np.uint8)
    reveal = np.zeros(GRID.n, np.int32)
    reveal[MIDDLE : MIDDLE + 60] = NEVER
    values = VertexValues(
        shade, reveal, Legend("level", 0, 9, "", ramp=Ramp.LEVELS, ends=("top", "leaves"))
    )
    content = content_of(GRID, answer=np.arange(GRID.n, dtype=np.int32), values=values)
    frame = frame_of(content, tokens=tokens)
    assert frame.legend is values.legend
    bands = replace(content, layers=content.layers | {Layer.BANDS})
    np.testing.assert_array_equal(
        frame_of(bands, tokens=tokens).pixels, frame.pixels, "words have no bands"
    )
    canvas = int(tokens.canvas[3:5], 16)
    for vertex, wanted in ((5 * 60 + 30, 0), (35 * 60 + 30, 255)):
        pixel = int(frame.pixels[pixel_of(content, vertex)])
        got = np.array([pixel >> shift & 0xFF for shift in (16, 8, 0)])
        assert np.abs(got - ramp_colours(Ramp.LEVELS, tokens.dark)[wanted]).max() < 0.15 * 255
        assert abs(got[1] - canvas) > 40, "it stands out from the canvas"
    unvalued = frame.pixels[pixel_of(content, MIDDLE + 30)]
    alone = frame_of(content_of(GRID), tokens=tokens).pixels[pixel_of(content, MIDDLE + 30)]
    ground = channels(np.array([int(tokens.canvas[1:], 16)], np.uint32))
    faint, full = (
        np.abs(channels(np.array([pixel])) - ground).sum() for pixel in (unvalued, alone)
    )
    assert 0 < faint < full, "roads without a value are unvisited, and recede"


@pytest.mark.parametrize(("tokens", "brighter"), [(LIGHT, False), (DARK, True)])
def test_edges_stand_out_from_the_canvas_in_both_schemes(tokens, brighter):
    frame = frame_of(content_of(GRID), tokens=tokens)
    canvas = is_like(frame.pixels, tokens.canvas, 1)
    assert canvas.sum() > 1000
    edges = (frame.pixels[~canvas] >> 8) & 0xFF
    ground = int(tokens.canvas[3:5], 16)
    contrast = (edges.astype(int) - ground) * (1 if brighter else -1)
    assert contrast.min() > -2
    assert np.percentile(contrast, 50) > 25


def test_a_transparent_background_has_no_canvas():
    frame = frame_of(content_of(GRID), background="transparent")
    alpha = frame.pixels >> 24
    assert alpha.min() == 0
    assert alpha.max() > 100
    assert ((frame.pixels & 0xFF) <= alpha).all()  # premultiplied


def test_a_step_of_the_play_back_draws_no_edge_again(monkeypatch):
    content = content_of(GRID, trace=trace_of(GRID.n, [[0], [1], [2]]))
    painter = FramePainter()
    camera = camera_for(content.scene)
    painter.last_frame(Request(content, camera, 1.0, LIGHT))
    monkeypatch.setattr(
        "solvers.picture.raster.lines.draw_edges", lambda *_: pytest.fail("edges drawn again")
    )
    later = PictureContent(content.scene, content.activity, 2)
    assert (painter.last_frame(Request(later, camera, 1.0, LIGHT)).pixels != 0).all()


def hairball(n=300, m=60_000) -> PictureContent:
    rng = np.random.default_rng(1)
    arcs, xy = rng.integers(0, n, (2, m)), Coordinates(rng.random((n, 2)))
    return PictureContent(
        build_scene(Graph.from_arcs(n, *arcs, np.ones(m, np.int32), coordinates=xy)), Activity(n)
    )


def hairball_request(answer: np.ndarray | None = None) -> Request:
    content = replace(hairball(), activity=Activity(300, answer))
    return Request(content, camera_for(content.scene, (1200, 1200)), 1.0, LIGHT)


@pytest.mark.parametrize("answer", [None, np.arange(300, dtype=np.int32)], ids=["bare", "visited"])
def test_a_hairball_comes_in_slices_of_the_same_tone_that_add_up_to_the_whole(answer):
    request = hairball_request(answer)
    scene = request.content.scene
    assert scene.edges * scene.mean_length * request.camera.scale > FIRST_SLICE_PIXELS
    frames = list(FramePainter().frames(request, patience_s=1e9))
    shares = [frame.drawn for frame in frames]
    assert shares[0] < 0.75
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    np.testing.assert_array_equal(frames[-1].pixels, FramePainter().last_frame(request).pixels)
    first, last = (
        channels(frame.pixels)[300:900, 300:900].mean() for frame in (frames[0], frames[-1])
    )
    assert answer is not None or first == pytest.approx(last, abs=6.0)


def test_a_newer_request_stops_the_refinement_but_not_the_first_picture():
    painter, request = FramePainter(), hairball_request()
    assert len(list(painter.frames(request, newer=lambda: True))) == 1
    assert [frame.drawn for frame in painter.frames(request, patience_s=1e9)][-1] == 1.0


def test_cancel_stops_the_drawing_of_a_hairball():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        FramePainter().last_frame(hairball_request(), Progress(token))


def test_a_small_graph_is_left_to_the_detail():
    content = content_of(
        graph_of([(0, 1, 1), (1, 0, 2), (1, 2, 3), (2, 2, 4)], [(0, 0), (1, 0), (1, 1)])
    )
    frame = frame_of(content)
    assert len(np.unique(frame.pixels)) == 1
    courses = {(arc.tail, arc.head): arc.form.value for arc in frame.detail.arcs}
    assert courses == {(0, 1): "bent", (1, 0): "bent", (1, 2): "one way", (2, 2): "loop"}


ORDER = np.random.default_rng(4).permutation(GRID.n)
SCRUBBED = content_of(
    GRID,
    trace=trace_of(GRID.n, [[int(v) for v in wave] for wave in np.array_split(ORDER[:2000], 60)]),
    answer=np.arange(GRID.n, dtype=np.int32),
)


@given(
    st.lists(st.integers(0, 59), min_size=2, max_size=6),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([FIRST_LAYERS, FIRST_LAYERS - {Layer.EDGES}, FIRST_LAYERS - {Layer.VISITED}]),
)
@settings(max_examples=25)
def test_a_step_to_any_iteration_equals_a_picture_from_scratch(positions, ratio, layers):
    painter, camera = FramePainter(), camera_for(SCRUBBED.scene)
    for position in positions:
        request = Request(replace(SCRUBBED, position=position, layers=layers), camera, ratio, LIGHT)
        np.testing.assert_array_equal(
            painter.last_frame(request).pixels, FramePainter().last_frame(request).pixels
        )


def test_another_result_in_the_same_view_is_coloured_anew():
    painter, camera = FramePainter(), camera_for(SCRUBBED.scene)
    painter.last_frame(Request(SCRUBBED, camera, 1.0, LIGHT))
    painter.settle(Request(SCRUBBED, camera, 1.0, LIGHT))
    for content in (
        replace(SCRUBBED, activity=Activity(GRID.n, np.arange(GRID.n)[::-1].astype(np.int32))),
        SCRUBBED,
    ):
        for tokens in (LIGHT, DARK):
            request = Request(content, camera, 1.0, tokens)
            np.testing.assert_array_equal(
                painter.last_frame(request).pixels, FramePainter().last_frame(request).pixels
            )


@pytest.mark.parametrize("threads", [2, 5])
def test_a_picture_is_the_same_with_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setattr(edge_buffers, "_SHARED_FROM", 0)
    content = replace(SCRUBBED, position=40)
    for zoomed in (1.0, 7.0):
        request = Request(content, camera_for(content.scene).zoomed(zoomed, 70, 110), 2.0, LIGHT)
        alone, together = (
            FramePainter(ThreadTeam(n)).last_frame(request).pixels for n in (1, threads)
        )
        np.testing.assert_array_equal(alone, together)


def test_bands_laid_together_are_the_picture():
    content = replace(SCRUBBED, position=30)
    camera = camera_for(content.scene)
    whole = FramePainter().last_frame(Request(content, camera, 2.0, LIGHT)).pixels
    painter = FramePainter()
    bands = [
        painter.last_frame(Request(content, camera, 2.0, LIGHT, rows=rows)).pixels
        for rows in split_evenly(480, 7)
    ]
    np.testing.assert_array_equal(np.concatenate(bands), whole)


def test_the_pace_follows_the_machine_within_bounds():
    budget = SliceBudget()
    for _ in range(20):
        budget.learn(4e6, 2 * SLICE_S)  # a slow machine
    assert budget.pixels == pytest.approx(2e6, rel=0.01)
    budget.learn(100.0, 9.0)  # tells nothing: the threads had to be woken
    assert budget.pixels == pytest.approx(2e6, rel=0.01)
    for _ in range(40):
        budget.learn(budget.pixels, 1e-4)
    assert budget.pixels == 2.5e8


WARM = "#FFC46B"
NIGHT, PAPER, CLEAR = 0xFF15181C, 0xFFFAFAF8, 0x00000000


def picture(
    ground: int, *spots: tuple[float, float], adding: int, opacity: float = 1.0
) -> np.ndarray:
    image = np.full((40, 40), ground, np.uint32)
    profile = spot_profile(3.0, WARM, opacity, adding=adding)
    add_light(image, 0, np.array(spots, np.float32).reshape(-1, 2), *profile)
    return image


@pytest.mark.parametrize("soft", [False, True])
def test_a_profile_falls_from_the_middle_to_nothing(soft):
    profile, rest, reach = spot_profile(3.0, WARM, 0.8, soft=soft, hot=True)
    alpha = profile >> 24
    assert len(profile) == PROFILE_STEPS
    assert reach == (3.0 if soft else 3.5)
    assert (np.diff(alpha.astype(int)) <= 0).all()
    assert (alpha[0], alpha[-1]) == (204, 0)
    assert (channels(profile) <= alpha[:, None]).all(), "premultiplied"
    assert (((255 * rest + 128) >> 8)[:, 3] + alpha <= 255).all(), "no channel overflows"
    red, _, blue = channels(profile[:1])[0]
    assert red in (203, 204)
    assert blue > 130, "the middle of a hot spot is nearly white"


@pytest.mark.parametrize(("ground", "adding"), [(NIGHT, 256), (PAPER, 0)])
def test_a_spot_shines_where_it_is_and_ends_at_its_reach(ground, adding):
    image = picture(ground, (20.0, 18.0), (np.nan, 3.0), adding=adding)
    rows, columns = np.nonzero(image != ground)
    away = np.hypot(rows + 0.5 - 18.0, columns + 0.5 - 20.0)
    assert 2.5 < away.max() <= 3.5
    assert np.abs(channels(image)[17:19, 19:21] - [0xFF, 0xC4, 0x6B]).max() <= (20 if adding else 0)


def test_light_adds_up_in_any_order():
    one, other = (20.0, 18.0), (23.0, 18.0)
    alone = picture(NIGHT, one, adding=256, opacity=0.5)
    both, turned = (
        picture(NIGHT, *spots, adding=256, opacity=0.5) for spots in ((one, other), (other, one))
    )
    assert (channels(both) >= channels(alone)).all()
    assert channels(both)[18, 21].sum() > channels(alone)[18, 21].sum() + 50
    assert np.abs(channels(both) - channels(turned)).max() <= 1


@pytest.mark.parametrize("adding", [0, 128, 256])
def test_on_a_transparent_picture_light_stays_premultiplied(adding):
    image = picture(CLEAR, (20.0, 18.0), (22.0, 19.0), adding=adding, opacity=0.7)
    alpha = (image >> 24).astype(int)
    assert alpha.max() > 170
    assert (channels(image) <= alpha[..., None] + 1).all()


def opacity_of(count: int, spacing: float, ratio: float) -> float:
    content = SimpleNamespace(trail=(), frontier=np.arange(count, dtype=np.int32))
    measures = PixelSizes(spacing=spacing, line=1.0, dot=0.0, frontier=1.7, gain=1.0)
    return waves_of(content, measures, ratio)[-1].opacity


@pytest.mark.parametrize("spacing", [1.2, 0.8, 0.4, 0.1])
def test_a_crowd_shines_in_a_small_picture_as_in_a_large_one(spacing: float) -> None:
    """New York's frontier was vivid on a canvas of 700 pixels and grey on one of 500:
    spots on one pixel are one.
    """
    assert opacity_of(60_000, spacing, 1.0) >= 0.95 * opacity_of(60_000, 1.2, 1.0)


def test_more_pixels_to_a_logical_one_let_more_spots_overlap() -> None:
    assert opacity_of(60_000, 0.4, 2.0) < opacity_of(60_000, 0.4, 1.0)
    assert opacity_of(60_000, 0.4, math.inf) < opacity_of(60_000, 0.4, 2.0), (
        "vectors are not snapped"
    )
    assert opacity_of(800, 0.4, 1.0) == 1.0, "a line"


SCENE = build_scene(GRID)


def request(content: PictureContent) -> Request:
    return Request(content, camera_for(content.scene), 1.0, LIGHT)


def field(start: int, **rest) -> PictureContent:
    """Distances by columns, some unknown."""
    distances = np.abs(np.arange(GRID.n) % 60 - start).astype(np.float64)
    distances[:200] = np.inf
    return PictureContent(SCENE, Activity(GRID.n, distances), **rest)


def test_other_shades_have_the_pixels_of_a_new_view() -> None:
    painter = FramePainter()
    bands = FIRST_LAYERS | {Layer.BANDS}
    for content in (
        field(0),
        field(30),
        field(9, layers=bands),
        field(9, layers=bands - {Layer.EDGES}),
        field(1),
    ):
        np.testing.assert_array_equal(
            painter.last_frame(request(content)).pixels,
            FramePainter().last_frame(request(content)).pixels,
        )
    assert painter._owned is not None


def test_another_view_is_drawn_in_the_memory_of_the_last() -> None:
    painter, content = FramePainter(), field(30)
    camera, densities = camera_for(content.scene), []
    for seen in (camera, camera.zoomed(2.0, 90.0, 60.0), camera, replace(camera, width=150.0)):
        view = replace(request(content), camera=seen)
        np.testing.assert_array_equal(
            painter.last_frame(view).pixels, FramePainter().last_frame(view).pixels
        )
        densities.append(painter._buffers.density)
    first, second, third, smaller = densities
    assert first is second is third
    assert smaller.shape[1] == 150


def test_closing_a_road_draws_no_edge_again() -> None:
    painter = FramePainter()
    painter.last_frame(request(field(0)))
    buffers = painter._buffers
    changed = RoadChanges().close((GRID.vertex_id(3), GRID.vertex_id(4))).apply(GRID)
    painter.last_frame(request(replace(field(0), scene=replace(SCENE, graph=changed))))
    assert painter._buffers is buffers
    assert buffers.view.scene.graph is changed


def test_many_changed_roads_are_part_of_the_pixels(monkeypatch) -> None:
    changes = RoadChanges().close(
        (GRID.vertex_id(70), GRID.vertex_id(71)), (GRID.vertex_id(71), GRID.vertex_id(72))
    )
    content = PictureContent(SCENE, Activity(GRID.n), road_marks=marks_of(GRID, changes))
    few = FramePainter().last_frame(request(content))
    assert not few.roads_drawn
    assert not is_like(few.pixels, LIGHT.closed, 80).any()
    monkeypatch.setattr("solvers.picture.raster.frames.MOST_PAINTED", 1)
    monkeypatch.setattr(marks, "MOST_PAINTED", 1)
    many = FramePainter().last_frame(request(content))
    assert many.roads_drawn
    assert is_like(many.pixels, LIGHT.closed, 80).any()
