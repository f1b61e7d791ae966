"""Curved roads, the way of paths along them, the road under a point; and communities of hubs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solvers.features.closed_roads.lasso import roads_inside
from solvers.features.prominence.communities import communities, community_values
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.content import PictureContent, road_rows, vertex_rows
from solvers.picture.scene.paths import (
    PathTree,
    drawn_tree,
    points_on_roads,
    polyline,
    road_polylines,
)
from solvers.picture.scene.road_segments import roads_at
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.system.cancel import SILENT
from tests.curved import curved_town
from tests.gui.pictures import street_grid


@pytest.fixture(scope="module")
def scene() -> DrawableGraph:
    return build_scene(curved_town())


def world(scene: DrawableGraph, *places: tuple[float, float]) -> np.ndarray:
    """World coordinates of places of the town, whose middle is (5, 0.5) and whose
    longer side is 10.
    """
    return np.array([((x - 5.0) / 10.0, -(y - 0.5) / 10.0) for x, y in places])


NORTH, SOUTH = ((4, 3), (6, 3)), ((4, -2), (6, -2))


def test_every_piece_of_every_road_is_drawn_once_and_roads_are_counted(
    scene: DrawableGraph,
) -> None:
    north, south = ((3, 0), *NORTH, (7, 0)), ((3, 0), *SOUTH, (7, 0))
    lines = [((0, 0), (3, 0)), ((7, 0), (10, 0)), *pairwise(north)]
    lines += list(pairwise(south))
    wanted = {frozenset(map(tuple, world(scene, *line).round(4).tolist())) for line in lines}

    drawn = scene.segments.reshape(-1, 2, 2).round(4)

    assert {
        frozenset(map(tuple, (np.round(pair.astype(float), 4)).tolist())) for pair in drawn
    } == wanted
    assert (scene.strokes, scene.edges) == (8, 4)
    assert scene.mean_length == pytest.approx(float(scene.lengths.sum()) / 4)
    # the curves belong to the extent
    assert (scene.bounds.y0, scene.bounds.y1) == pytest.approx((-0.25, 0.25))


def test_a_piece_belongs_to_the_nearer_end_along_its_road(scene: DrawableGraph) -> None:
    middles = scene.segments.reshape(-1, 2, 2).mean(axis=1)
    left = np.abs(middles[:, 0]) > 0.01  # those that cross the middle have both owners
    on_curve = np.abs(middles[:, 1] - 0.05) > 0.01
    for owners, middle in zip(scene.ends[left & on_curve], middles[left & on_curve], strict=True):
        assert owners.tolist() == ([1, 1] if middle[0] < 0 else [2, 2])
    assert sorted(map(sorted, scene.ends[~left].tolist())) == [[1, 2], [1, 2]]
    assert {tuple(sorted(road)) for road in scene.roads[on_curve].tolist()} == {(1, 2)}


def test_a_path_follows_the_lightest_road_in_its_direction(scene: DrawableGraph) -> None:
    there, back = polyline(scene, np.array([0, 1, 2])), polyline(scene, np.array([2, 1]))

    np.testing.assert_allclose(there, world(scene, (0, 0), (3, 0), *NORTH, (7, 0)))
    np.testing.assert_allclose(back, world(scene, (7, 0), *SOUTH[::-1], (3, 0)))


def test_with_other_weights_or_a_closed_road_the_path_takes_the_other_road(
    scene: DrawableGraph,
) -> None:
    from dataclasses import replace

    by_length = replace(scene, graph=scene.graph.with_weights("metres"))
    closed = replace(scene, graph=RoadChanges().close((20, 30)).apply(scene.graph))

    np.testing.assert_allclose(
        polyline(by_length, np.array([1, 2])), world(scene, (3, 0), *SOUTH, (7, 0))
    )
    # as before
    np.testing.assert_allclose(
        polyline(closed, np.array([1, 2])), world(scene, (3, 0), *NORTH, (7, 0))
    )


def test_courses_of_several_roads_and_points_on_them(scene: DrawableGraph) -> None:
    tails, heads = np.array([0, 2, 1]), np.array([1, 1, 2])

    points, begins = road_polylines(scene, tails, heads)
    middles = points_on_roads(scene, tails, heads, np.full(3, 0.5))

    assert begins.tolist() == [0, 2, 6, 10]
    np.testing.assert_allclose(points[2:6], world(scene, (7, 0), *SOUTH[::-1], (3, 0)))
    np.testing.assert_allclose(middles, world(scene, (1.5, 0), (5, -2), (5, 3)), atol=1e-9)
    ends = points_on_roads(scene, tails, heads, np.ones(3))
    np.testing.assert_allclose(ends, scene.positions[heads], atol=1e-9)


def test_a_tree_is_drawn_along_the_curves(scene: DrawableGraph) -> None:
    tree, positions = drawn_tree(scene, PathTree(np.array([-1, 0, 1, 2], np.int32)))

    lines = {(int(tree.predecessors[head]), int(head)) for head in tree.heads}

    assert lines == {(0, 1), (1, 4), (4, 5), (5, 2), (2, 3)}
    np.testing.assert_allclose(positions[4:6], world(scene, *NORTH))
    alone, _ = drawn_tree(scene, PathTree(np.full(4, -1, np.int32)))
    assert len(alone.heads) == 0


def test_a_road_is_found_on_its_curve_and_not_on_the_line_between_its_ends(
    scene: DrawableGraph,
) -> None:
    (x, y), (x0, y0) = world(scene, (5, 3), (5, 0))

    ((first, last),) = roads_at(scene, float(x), float(y), 0.01)
    assert sorted((first, last)) == [1, 2]
    assert roads_at(scene, float(x0), float(y0), 0.01) == []
    around = world(scene, (4.5, 2.5), (5.5, 2.5), (5.5, 3.5), (4.5, 3.5))
    assert sorted(map(tuple, roads_inside(scene, around).tolist())) == [(1, 2)]


def test_another_layout_has_straight_roads() -> None:
    graph = curved_town()
    scene = build_scene(graph, np.random.default_rng(1).random((4, 2)))

    assert scene.curves is None
    assert scene.strokes == scene.edges == 3
    assert len(polyline(scene, np.array([0, 1, 2]))) == 3


def test_the_card_of_a_vertex_names_its_roads_and_its_travel_time(scene: DrawableGraph) -> None:
    answer = np.array([0, 10, 30, 40], np.int32)
    content = PictureContent(scene, Activity(4, answer, None, "0.1 s"))

    rows = dict(vertex_rows(content, None, 1))

    assert rows["travel time"] == "1 s"
    assert rows["roads"] == "Main Street, Hill Road, Valley Road"
    assert content.legend.quantity == "travel time"
    assert road_rows(content, 1, 2) == [("road", "Hill Road"), ("length", "8 m"), ("time", "2 s")]


@pytest.fixture(scope="module")
def streets() -> DrawableGraph:
    return build_scene(street_grid())


def middles(scene: DrawableGraph) -> np.ndarray:
    return scene.segments.reshape(-1, 2, 2).astype(np.float64).mean(axis=1)


def test_the_nearest_road_within_reach_is_found(streets: DrawableGraph) -> None:
    for edge in range(0, streets.edges, 97):
        x, y = middles(streets)[edge]
        found = roads_at(streets, x, y, 0.3 * streets.mean_length)
        assert found[0] == tuple(streets.ends[edge].tolist())
    bounds = streets.bounds
    assert roads_at(streets, bounds.x1 + 1.0, bounds.y1 + 1.0, streets.mean_length) == []


def test_at_a_junction_all_its_roads_are_found(streets: DrawableGraph) -> None:
    vertex = int(np.bincount(streets.ends.reshape(-1)).argmax())
    x, y = streets.positions[vertex].tolist()
    found = roads_at(streets, x, y, 0.01 * streets.mean_length)
    expected = streets.ends[(streets.ends == vertex).any(axis=1)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected.tolist()))


# -- communities
# --------------------------------------------------------------------------------------


def cliques(sizes: list[int], seed: int) -> tuple[Graph, np.ndarray]:
    """Cliques joined in a row by one arc each, numbered at random; and the clique of
    each vertex.
    """
    of = np.repeat(np.arange(len(sizes)), sizes)
    tails, heads = (ends for ends in np.nonzero(np.triu(of[:, None] == of, 1)))
    starts = np.cumsum([0, *sizes[:-1]])
    tails, heads = np.append(tails, starts[:-1]), np.append(heads, starts[1:])
    names = np.random.default_rng(seed).permutation(len(of))
    clique = np.empty(len(of), int)
    clique[names] = of
    return Graph.from_arcs(
        len(of), names[tails], names[heads], np.ones(len(tails), np.int32)
    ), clique


@pytest.mark.parametrize("sizes", [[9, 7, 5], [30, 20, 12, 6], [5, 4]])
def test_cliques_are_communities_numbered_by_size(sizes):
    for seed in range(3):
        graph, clique = cliques(sizes, seed)
        assert communities(graph, SILENT).tolist() == clique.tolist()


@pytest.mark.parametrize("hub", [True, False])
def test_only_graphs_with_hubs_are_coloured(hub):
    leaves = np.arange(2, 200)
    graph = (
        Graph.from_arcs(200, leaves % 2, leaves, np.ones(198, np.int32))
        if hub
        else Graph.from_arcs(200, np.arange(199), np.arange(1, 200), np.ones(199, np.int32))
    )
    found = community_values(graph, SILENT)
    assert (found is not None) == hub
    if found is not None:
        assert len(set(found.shade.tolist())) == 2
        assert found.shade[2] == found.shade[0] != found.shade[1]
        assert found.words_of is not None
        assert found.words_of(0) == "1 of 2, 100 vertices"
