"""The rasteriser covers the pixels of lines and discs, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.picture.raster import lines
from solvers.picture.raster.marks import add_light, place_spots, spot_profile
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.lit_roads import EVEN, NO_LEVELS

NO_SKIP = np.empty(0, np.uint8)
ALIKE = NO_LEVELS, EVEN.widths, EVEN.strengths


def drawn(*ends_of_lines, size=(40, 30), width=1.0, fade=1e9, skip=NO_SKIP, roads=ALIKE):
    """(density, owner) of lines in pixels; the ends of line i are vertices 2i and 2i +
    1; -1 owns what is blank.
    """
    density, claims = lines.blank(*size)
    segments = np.array(ends_of_lines, dtype=np.float32).reshape(-1, 4)
    ends = np.arange(2 * len(segments), dtype=np.int32).reshape(-1, 2)
    blocks = np.arange(-(-len(segments) // BLOCK))
    lines.draw_edges(
        density, claims, 0, segments, ends, blocks, skip, 1.0, 0.0, 0.0, width, fade, *roads
    )
    owners = [
        lines.owner_of(claim, ends.reshape(-1)) if claim != lines.UNCLAIMED else -1
        for claim in claims.flat
    ]
    return density / lines.UNITS, np.array(owners).reshape(claims.shape)


@pytest.mark.parametrize("count", [1, 3])
def test_a_horizontal_line_fills_its_row_of_pixels_and_lines_add_up(count):
    density, _ = drawn(*[(5.0, 10.5, 25.0, 10.5)] * count)
    assert density[10, 5:25] == pytest.approx(count)
    assert density.sum() == pytest.approx(20.0 * count)


@pytest.mark.parametrize(
    ("length", "count", "low", "high"), [(0.3, 10, 2.99, 3.01), (1e-4, 2000, 1.0, 2.0)]
)
def test_lines_shorter_than_a_pixel_add_up_to_their_length_and_leave_a_trace(
    length, count, low, high
):
    density, owner = drawn(*[(7.1, 7.2, 7.1 + length, 7.2)] * count)
    assert low < density[7, 7] < high
    assert owner[7, 7] >= 0


def test_vertical_line_between_two_columns_is_shared_by_both():
    density, _ = drawn((12.0, 4.0, 12.0, 20.0))
    assert density[4:20, 11] == pytest.approx(0.5)
    assert density[4:20, 12] == pytest.approx(0.5)


@pytest.mark.parametrize("end", [(30.0, 12.0), (30.0, 25.0), (9.0, 26.0), (3.0, 2.0), (20.0, 1.0)])
def test_total_density_is_length_times_width_whatever_the_direction(end):
    density, _ = drawn((15.0, 14.0, *end), width=1.6)
    length = np.hypot(end[0] - 15.0, end[1] - 14.0)
    assert density.sum() == pytest.approx(1.6 * length, rel=0.06)


@pytest.mark.parametrize(
    "line", [(3.0, 4.0, 33.0, 21.0), (33.0, 21.0, 3.0, 4.0), (8.0, 2.0, 17.0, 28.0)]
)
def test_density_lies_within_a_pixel_of_the_line(line):
    density, _ = drawn(line)
    x0, y0, x1, y1 = line
    rows, columns = np.nonzero(density)
    away = np.abs((x1 - x0) * (rows + 0.5 - y0) - (y1 - y0) * (columns + 0.5 - x0)) / np.hypot(
        x1 - x0, y1 - y0
    )
    assert away.max() < 1.3
    assert density.max() <= 1.0 + 1e-6


def test_line_is_clipped_at_the_border_and_goes_on_outside():
    inside, _ = drawn((0.0, 15.5, 40.0, 15.5))
    through, _ = drawn((-1e6, 15.5, 1e6, 15.5))
    assert through == pytest.approx(inside, abs=1e-3)


@pytest.mark.parametrize(
    "line", [(-9.0, -9.0, -2.0, -3.0), (50.0, 5.0, 60.0, 25.0), (-5.0, 34.0, 45.0, 36.0)]
)
def test_nothing_is_drawn_of_a_line_outside(line):
    density, owner = drawn(line)
    assert density.sum() == 0
    assert (owner == -1).all()


def test_density_of_one_pixel_is_clamped_and_never_overflows():
    density, claims = lines.blank(3, 3)
    density[:] = lines.MOST_DENSITY - 10
    segments, ends = (
        np.array([[0, 1.5, 3, 1.5], [1.1, 1.5, 1.9, 1.5]], np.float32),
        np.zeros((2, 2), np.int32),
    )
    lines.draw_edges(
        density, claims, 0, segments, ends, np.array([0]), NO_SKIP, 1.0, 0.0, 0.0, 1.0, 1e9, *ALIKE
    )
    assert density[1].tolist() == [lines.MOST_DENSITY] * 3
    point, vertex, radius = np.array([[1.5, 0.5]]), np.array([0], np.int32), np.array([1.0])
    lines.draw_vertices(density, claims, 0, point, vertex, 2, 1.0, 0.0, 0.0, radius, 1e9)
    assert density[0, 1] == lines.MOST_DENSITY


def test_lines_have_the_width_and_strength_of_their_levels():
    roads = np.array([1, 0, 1], np.uint8), np.array([1.0, 3.0]), np.array([0.25, 2.0])
    density, _ = drawn(
        (5.0, 10.5, 25.0, 10.5), (5.0, 20.5, 25.0, 20.5), (5.2, 25.5, 5.7, 25.5), roads=roads
    )
    assert density[8:13, 15] == pytest.approx([0.0, 2.0, 2.0, 2.0, 0.0])
    assert density[19:22, 15] == pytest.approx([0.0, 0.25, 0.0])
    # 0.5 long, three times as wide, twice as strong: no more than two lines
    assert density[25, 5] == 2.0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_pixel_goes_to_the_last_edge_that_covers_it_whatever_the_order_of_drawing(order):
    # the third only touches
    crossing = np.array([[2, 8.5, 30, 8.5], [2, 8.5, 30, 8.5], [2, 9.3, 30, 9.3]], np.float32)
    segments = np.full((3 * BLOCK, 4), np.nan, np.float32)
    segments[::BLOCK] = crossing
    ends = np.arange(2 * len(segments), dtype=np.int32).reshape(-1, 2)
    density, claims = lines.blank(40, 20)
    for block in order:
        lines.draw_edges(
            density,
            claims,
            0,
            segments,
            ends,
            np.array([block]),
            NO_SKIP,
            1.0,
            0.0,
            0.0,
            1.0,
            1e9,
            *ALIKE,
        )
    assert {lines.owner_of(claim, ends.reshape(-1)) for claim in claims[8, 2:16]} == {
        ends[BLOCK, 0]
    }
    assert {lines.owner_of(claim, ends.reshape(-1)) for claim in claims[9, 16:30]} == {
        ends[2 * BLOCK, 1]
    }


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_line_without_a_place_is_left_out(bad):
    density, _ = drawn((bad, 5.0, 20.0, 5.0), (5.0, 10.5, 25.0, 10.5))
    assert density.sum() == pytest.approx(20.0)


def test_each_half_of_an_edge_belongs_to_its_nearer_end():
    _, owner = drawn((30.0, 10.5, 10.0, 10.5))
    assert (owner[10, 21:30] == 0).all()
    assert (owner[10, 10:19] == 1).all()


def test_long_lines_fade_by_the_root_of_their_length():
    density, _ = drawn((0.0, 10.5, 40.0, 10.5), fade=10.0)
    assert density[10, 20] == pytest.approx(0.5)


def test_edges_between_marked_vertices_are_left_to_others():
    skip = np.array([1, 1, 1, 0], dtype=np.uint8)
    density, _ = drawn((5.0, 5.5, 15.0, 5.5), (5.0, 9.5, 15.0, 9.5), skip=skip)
    assert density[5].sum() == 0
    assert density[9].sum() == pytest.approx(10.0)


def placed(points, size, *, crowded):
    """(spots, marks) of points in pixels; a crowd keeps one a pixel."""
    positions = np.array(points, dtype=np.float64)
    spots = np.empty((len(positions), 2), np.float32)
    seen = np.zeros((size[1] + 4, size[0] + 4) if crowded else (0, 0), np.uint8)
    vertices = np.arange(len(positions), dtype=np.int32)
    window = (-2, -2, size[0] + 2, size[1] + 2)
    count = place_spots(spots, positions, vertices, 1.0, 0.0, 0.0, *window, seen, 7)
    return spots[:count], seen


def test_disc_is_blended_where_its_vertex_is():
    image = np.full((20, 20), 0xFF000000, np.uint32)
    spots, _ = placed([[10.0, 8.0], [np.nan, 3.0]], (20, 20), crowded=False)
    add_light(image, 0, spots, *spot_profile(3.0, "#FFFFFF", 1.0))
    assert image[8, 10] == 0xFFFFFFFF
    rows, columns = np.nonzero(image != 0xFF000000)
    assert np.hypot(rows + 0.5 - 8.0, columns + 0.5 - 10.0).max() <= 3.5


def test_spots_keep_their_place_and_those_out_of_sight_are_left_out():
    spots, _ = placed(
        [[3.25, 4.5], [-1.5, 19.0], [-2.5, 4.0], [30.0, 4.0]], (20, 20), crowded=False
    )
    assert spots.tolist() == [[3.25, 4.5], [-1.5, 19.0]]


def test_a_crowd_has_one_spot_a_pixel_and_every_pixel_of_it_one():
    points = np.random.default_rng(0).random((5000, 2)) * 10.0 + 5.0
    spots, seen = placed(points, (20, 20), crowded=True)
    wanted = {(int(x), int(y)) for x, y in points}
    assert {(int(x), int(y)) for x, y in spots} == wanted
    assert len(spots) == len(wanted) == (seen == 7).sum()
    assert (spots % 1 == 0.5).all()
