"""Reading the picture: bands of distance with their legend, the shortest-path tree, the
vertex that was looked for.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.painting.picture import paint_annotations
from solvers.picture.colours import LIGHT
from solvers.picture.raster.pixel_colours import make_tones
from solvers.picture.scene.activity import Legend, band_colours, band_shades, banded, round_step
from solvers.picture.scene.content import FIRST_LAYERS, Layer
from solvers.picture.scene.paths import PathTree, draw_tree, vertex_depths
from solvers.system.threads import thread_team
from solvers.verification.paths import recover_predecessors
from tests.gui.pictures import camera_for, content_of, frame_of, is_like, painted, street_grid

GRID = street_grid()
# from the corner, vertex 0
HOPS = (np.arange(60)[None, :] + np.arange(40)[:, None]).ravel().astype(np.int32)
BANDED = FIRST_LAYERS | {Layer.BANDS}


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [(0, 98, 10), (0, 1_440_081, 200_000), (0, 1.51, 0.2), (5, 5, 0), (0, 11, 1), (0, 12, 2)],
)
def test_bands_are_round_and_few(low: float, high: float, step: float) -> None:
    assert round_step(low, high) == pytest.approx(step)


def test_shades_of_one_band_share_a_colour_and_each_band_begins_once() -> None:
    legend = Legend("distance", 0.0, 98.0, "", 10.0)
    own, begins = band_shades(legend)
    assert len(np.unique(own)) == 10
    assert np.flatnonzero(begins).tolist() == [
        int(np.ceil(255 * edge / 98)) for edge in range(10, 100, 10)
    ]
    shades = make_tones(LIGHT).shades
    assert len(np.unique(banded(shades, legend)[~begins])) == 10
    plain = Legend("distance", 0.0, 98.0, "")
    assert np.array_equal(banded(shades, plain), shades)
    colours = np.zeros((256, 3))
    assert band_colours(colours, plain) is colours


def test_the_picture_has_as_many_tints_as_bands() -> None:
    def tints_in(layers: frozenset[Layer]) -> int:
        content = content_of(GRID, answer=HOPS, layers=layers)
        frame = frame_of(content, camera=camera_for(content.scene, (900, 640)))
        x, y = frame.camera.to_screen(content.scene.positions).round().astype(int).T
        return len(np.unique(frame.pixels[y, x]))

    # crossings of lines are blended, so there are more than ten
    assert tints_in(BANDED) < tints_in(FIRST_LAYERS) / 2


def test_the_legend_says_how_wide_the_bands_are(qapp: object) -> None:
    content = content_of(GRID, answer=HOPS, layers=BANDED)
    assert content.legend.step == 10
    assert content_of(GRID, answer=HOPS).legend.step == 0
    assert content_of(GRID, answer=HOPS, layers=BANDED - {Layer.VISITED}).legend is None

    def picture(layers: frozenset[Layer]) -> np.ndarray:
        some = content_of(GRID, answer=HOPS, layers=layers)
        frame = frame_of(some)
        return painted(
            (320, 240), lambda painter: paint_annotations(painter, frame, frame.camera, some, LIGHT)
        )

    assert (picture(FIRST_LAYERS) != picture(BANDED)).any()


def test_depths_are_arcs_from_the_source_and_cycles_end() -> None:
    assert vertex_depths(np.array([-1, 0, 1, 2, 5, 4, 2, -1], np.int32)).tolist()[:4] == [
        0,
        1,
        2,
        3,
    ]
    assert vertex_depths(np.array([-1, 0, 1, 1], np.int32)).tolist() == [0, 1, 2, 2]
    assert len(vertex_depths(np.array([1, 0], np.int32))) == 2


def test_the_tree_ends_at_its_depth() -> None:
    predecessors = recover_predecessors(GRID, 0, HOPS)
    tree = PathTree(predecessors, 3)
    assert set(tree.heads.tolist()) == {v for v in range(GRID.n) if 0 < HOPS[v] <= 3}
    assert len(PathTree(predecessors).heads) == GRID.n - 1
    assert tree.holds(0, 1)
    assert not tree.holds(1, 0)
    assert not tree.holds(int(predecessors[30]), 30)  # too deep


def test_the_tree_is_drawn_along_its_arcs_only_as_deep_as_wanted() -> None:
    predecessors = recover_predecessors(GRID, 0, HOPS)
    layers = FIRST_LAYERS | {Layer.TREE}
    content = content_of(GRID, layers=layers, tree=PathTree(predecessors, 20))
    frame = frame_of(content, camera=camera_for(content.scene, (800, 600)))
    orange = is_like(frame.pixels, LIGHT.path, 70)
    bare = frame_of(content_of(GRID), camera=frame.camera)
    assert not is_like(bare.pixels, LIGHT.path, 70).any()
    places = frame.camera.to_screen(content.scene.positions)
    for v in content.tree.heads[::7]:
        x, y = ((places[v] + places[predecessors[v]]) / 2).round().astype(int)
        assert orange[y - 1 : y + 2, x - 1 : x + 2].any()
    deep = int(np.flatnonzero(HOPS == 60)[0])
    x, y = places[deep].round().astype(int)
    assert not orange[y - 5 : y + 6, x - 5 : x + 6].any()


def drawn_tree(
    tree: PathTree, positions: np.ndarray, size: tuple[int, int], threads: int, rows: int
) -> np.ndarray:
    """A picture of a tree in bands of so many rows, drawn by so many threads."""
    height, width = size
    image = np.zeros((height, width), np.uint32)
    with thread_team(threads) as team:
        for top in range(0, height, rows):
            band = image[top : top + rows]
            draw_tree(band, tree, positions, (top, 1.0, 0.3, 0.7), (np.uint32(0xFFD55E00), 2), team)
    return image


@pytest.mark.parametrize(("threads", "rows"), [(2, 700), (7, 700), (3, 171)])
def test_the_tree_has_the_same_pixels_with_any_number_of_threads(threads: int, rows: int) -> None:
    """Lines that cross, lie out of sight, reach in from outside and lead to vertices
    without a place.
    """
    n, rng = 60_000, np.random.default_rng(5)
    positions = rng.uniform(-100.0, 900.0, (n, 2))
    positions[1::2] = positions[::2] + rng.normal(scale=30.0, size=(n // 2, 2))
    positions[::997] = np.nan
    predecessors = np.arange(-1, n - 1, dtype=np.int32)
    predecessors[::2] = -1
    predecessors[2:200:2] = rng.integers(0, 2, 99)  # long ones
    tree = PathTree(predecessors)
    alone = drawn_tree(tree, positions, (700, 800), 1, 700)
    assert (alone != 0).mean() > 0.3
    assert len(np.unique(alone)) > 3  # lines over lines
    assert np.array_equal(drawn_tree(tree, positions, (700, 800), threads, rows), alone)
