"""Prominence: levels by flow, pens by scale, and pictures in which great roads stand
out of small ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.features.prominence.roads import Prominence
from solvers.graphs.generators import find
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.overlay.vectors import raster_strokes
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.lit_roads import LEVELS, RoadPen
from solvers.picture.scene.scene import build_scene, visible_edges
from solvers.system.threads import ThreadTeam

SIZE = (400, 300)


@pytest.fixture
def grid() -> PictureContent:
    """Level roads 1 apart, of which the middle one is great."""
    lines, along = 21, 60
    at = np.arange(lines * along).reshape(lines, along)
    tails, heads = at[:, :-1].reshape(-1), at[:, 1:].reshape(-1)
    places = np.stack((at % along, at // along), axis=-1).reshape(-1, 2).astype(float)
    graph = Graph.from_arcs(
        at.size,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.ones(2 * len(tails), np.int32),
        coordinates=Coordinates(places),
    )
    flows = np.where((graph.tails // along == 10), 1e6, 1.0).astype(np.float32)
    return PictureContent(
        build_scene(graph), Activity(graph.n), prominence=Prominence.of_flows(graph, flows)
    )


def pixels(content: PictureContent, tokens: Tokens) -> np.ndarray:
    """(h, w) contrast to the canvas."""
    camera = Camera.fitting(content.scene.bounds, *SIZE)
    frame = FramePainter(ThreadTeam(1)).last_frame(Request(content, camera, 1.0, tokens))
    channels = frame.pixels.view(np.uint8).reshape(*frame.pixels.shape, 4)[..., :3].astype(int)
    return np.abs(channels - channels[0, 0]).sum(axis=-1)


def test_levels_follow_the_flow_of_a_road_in_both_directions() -> None:
    graph = Graph.from_arcs(
        4,
        [0, 1, 1, 2, 2, 3],
        [1, 0, 2, 1, 3, 2],
        np.ones(6, np.int32),
        coordinates=Coordinates(np.eye(4)[:, :2]),
    )
    flows = np.array([900.0, 100.0, 0.0, 10.0, 0.0, 0.0], np.float32)
    order = np.lexsort((graph.indices, graph.tails))
    found = Prominence.of_flows(graph, flows[order]).levels
    by_ends = {
        (int(u), int(v)): int(level)
        for u, v, level in zip(graph.tails, graph.indices, found, strict=True)
    }
    assert by_ends[0, 1] == by_ends[1, 0] == LEVELS - 1
    assert by_ends[1, 2] == by_ends[2, 1] < LEVELS - 1
    assert by_ends[2, 3] == by_ends[3, 2] == 0


def test_without_any_flow_all_roads_are_alike() -> None:
    graph = find("road").generate({"vertices": 50})
    assert not Prominence.of_flows(graph, np.zeros(graph.m, np.float32)).levels.any()


@pytest.mark.parametrize("spacing", [0.1, 2.0, 11.0, 60.0, 500.0])
def test_greater_roads_are_wider_and_denser_at_every_scale(spacing: float) -> None:
    pen = RoadPen.of(spacing)
    for values in (pen.widths, pen.strengths):
        assert (np.diff(values) > 0).all()
        assert values[-1] >= 2.5 * values[0]
    assert pen.strengths[-1] <= 2.0  # as `lines.cu` requires


def test_small_roads_get_fainter_from_far() -> None:
    strengths = [RoadPen.of(spacing).strengths[0] for spacing in (60.0, 11.0, 2.0)]
    assert strengths == sorted(strengths, reverse=True)
    assert strengths[-1] < 0.4 * strengths[0]


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
@pytest.mark.parametrize("visited", [False, True])
def test_the_great_road_stands_out_and_the_small_ones_recede(
    grid: PictureContent, tokens: Tokens, visited: bool
) -> None:
    distances = np.arange(grid.scene.graph.n) if visited else None
    shown = replace(grid, activity=Activity(grid.scene.graph.n, distances))
    by_prominence, alike = pixels(shown, tokens), pixels(replace(shown, prominence=None), tokens)
    middle = SIZE[1] // 2
    rows = by_prominence[:, 180:220].mean(axis=1)
    assert rows.argmax() in range(middle - 3, middle + 4)
    assert rows.max() > 1.6 * np.delete(rows, range(middle - 3, middle + 4)).max()
    before = alike[:, 180:220].mean(axis=1)
    assert before.max() < 1.3 * np.delete(before, range(middle - 3, middle + 4)).max()


def test_vectors_have_the_widths_of_the_raster(grid: PictureContent) -> None:
    camera = Camera.fitting(grid.scene.bounds, *SIZE)
    sketch = FramePainter(ThreadTeam(1)).last_frame(Request(grid, camera, 1.0, LIGHT))
    edges = visible_edges(grid.scene, camera.bounds)
    lines: dict[float, int] = {}
    for stroke in raster_strokes(camera, grid, LIGHT, edges, sketch):
        lines[stroke.width] = lines.get(stroke.width, 0) + len(stroke.lines)
    assert lines[max(lines)] == 59
    assert max(lines) > 2 * min(lines)
