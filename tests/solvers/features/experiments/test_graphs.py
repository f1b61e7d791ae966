"""Small pictures of graphs: what lies where, in which colour, on light and dark pages."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from solvers.features.experiments.graphs import graph_picture
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.colours import LIGHT
from solvers.picture.scene.ramps import Ramp, ramp_colours, rgb

NEAR, FAR = ramp_colours(Ramp.DISTANCES, LIGHT.dark)[[0, -1]]
ROAD = rgb(LIGHT.road)


def line_of(n: int, *, coordinates: bool = True, weight: int = 1) -> Graph:
    """n - 1 vertices from west to east, and one of its own far north."""
    xy = np.column_stack((np.arange(n, dtype=float), np.zeros(n)))
    xy[-1] = (0, n)
    return Graph.from_arcs(
        n,
        np.arange(n - 2),
        np.arange(1, n - 1),
        np.full(n - 2, weight, np.int32),
        coordinates=Coordinates(xy) if coordinates else None,
    )


def pixels(graph: Graph) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(graph_picture(graph, 0).png)).convert("RGBA")).astype(int)


def is_like(pixel: np.ndarray, colour: np.ndarray) -> bool:
    return bool(np.abs(pixel[:3] - colour).max() < 40)


def test_a_network_is_coloured_from_near_to_far():
    drawn = pixels(line_of(400))
    rows, columns = np.nonzero(drawn[:, :, 3] > 200)
    assert rows.max() > 390, "the line lies at the south"
    row = int(np.bincount(rows).argmax())
    filled = np.flatnonzero(drawn[row, :, 3] > 200)
    assert is_like(drawn[row, filled[30]], NEAR)
    assert is_like(drawn[row, filled[-3]], FAR)
    assert drawn[5, 600, 3] == 0, "the page shows through"
    assert columns.max() - columns.min() > 350


def test_without_coordinates_the_matrix_is_shown():
    drawn = pixels(line_of(100, coordinates=False))
    side = len(drawn)
    assert drawn.shape[0] == drawn.shape[1]
    assert drawn[side // 2, side // 2 + side // 100, 3] == 255, (
        "arcs lead from each vertex to the next"
    )
    assert drawn[side - 10, 10, 3] == 0
    words = graph_picture(line_of(100, coordinates=False), 0).words
    assert words.startswith("Adjacency matrix")
    assert "distance from vertex" in words


def test_with_negative_weights_there_are_no_distances():
    picture = graph_picture(line_of(50, weight=-1), 0)
    assert picture.words == "The network"
    drawn = pixels(line_of(50, weight=-1))
    row = int(np.bincount(np.nonzero(drawn[:, :, 3] > 200)[0]).argmax())
    east = np.flatnonzero(drawn[row, :, 3] > 200)[-3]
    assert is_like(drawn[row, east], ROAD)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_graphs_are_drawn(n):
    graph = Graph.from_arcs(
        n, [], [], np.empty(0, np.int32), coordinates=Coordinates(np.zeros((n, 2)))
    )
    assert graph_picture(graph, 0).data_uri.startswith("data:image/png;base64,")


def test_the_source_has_its_pin_on_a_clear_ground():
    drawn = pixels(line_of(400))
    pin = np.abs(drawn[:, :, :3] - rgb(LIGHT.source)).max(axis=2) < 12
    assert (pin & (drawn[:, :, 3] == 255)).sum() > 100
