"""Legend, scale bar, caption and sentence of an exported picture cover nothing of a whole graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gui.export.composition import GraphComposition, PictureState, image_pixels, whole_image
from gui.export.margins import caption_lines
from gui.export.page import Page
from gui.export.split_composition import PaneState, SplitComposition, SplitState
from gui.model.playback import Pace
from solvers.picture.colours import LIGHT
from solvers.picture.overlay.markers import PIN_HEIGHT
from solvers.picture.scene.camera import Bounds
from tests.gui.pictures import content_of, graph_of, is_like, street_grid, textbook, watched

RING = graph_of(
    [(v, (v + k) % 10, 1 + (v * k) % 7) for v in range(10) for k in (1, 3)],
    [(np.cos(0.2 * np.pi * v), np.sin(0.2 * np.pi * v)) for v in range(10)],
)
SLIDES = [
    Page(1920, 1080, margin=True, text_scale=1.9),
    Page(1440, 1080, margin=True, text_scale=1.9),
]
GRID = street_grid()


def state_of(content) -> PictureState:
    return PictureState(
        content, content.scene.bounds, "ten vertices  ·  0 → 9: 12  ·  Dijkstra heap"
    )


def contents():
    return {
        "ring": watched(RING, "dijkstra-heap"),
        "textbook": watched(textbook(), "bf-serial"),
        "grid": content_of(
            GRID, answer=np.arange(GRID.n, dtype=np.int32), source=0, target=GRID.n - 1
        ),
    }


@pytest.mark.parametrize("page", SLIDES, ids=["16:9", "4:3"])
@pytest.mark.parametrize("name", ["ring", "textbook", "grid"])
def test_legends_lie_on_empty_ground(name, page):
    state = state_of(contents()[name])
    pictures = [
        image_pixels(whole_image(GraphComposition(state, page, with_legend=drawn)))
        for drawn in (True, False)
    ]
    added = pictures[0] != pictures[1]
    assert added.sum() > 5_000
    rows, columns = np.nonzero(added)
    card = pictures[1][rows.min() : rows.max(), columns.min() : columns.max()]
    assert is_like(card, LIGHT.canvas, 0).all()


@pytest.mark.parametrize("page", SLIDES, ids=["16:9", "4:3"])
@pytest.mark.parametrize("name", ["ring", "textbook", "grid"])
def test_the_graph_lies_inside_the_margins(name, page):
    state = state_of(contents()[name])
    composition = GraphComposition(state, page)
    left, top, right, bottom = composition.insets
    points = composition.camera.to_screen(state.content.scene.positions)
    assert (points.min(axis=0) >= (left - 1e-6, top - 1e-6)).all()
    assert (points.max(axis=0) <= (page.across - right + 1e-6, page.down - bottom + 1e-6)).all()


def test_a_tall_map_has_the_height_of_a_wide_slide():
    tall = street_grid(30, 40)
    content = content_of(tall, answer=np.arange(tall.n, dtype=np.int32))
    points = GraphComposition(state_of(content), SLIDES[0]).camera.to_screen(
        content.scene.positions
    )
    assert np.ptp(points[:, 1]) > 0.92 * SLIDES[0].down


def test_the_margin_of_a_film_has_room_for_every_sentence():
    content = watched(textbook(), "bf-serial")
    page = SLIDES[1]
    cameras = {
        GraphComposition(state_of(replace(content, position=k)), page).camera for k in range(3)
    }
    assert len(cameras) == 1


@pytest.mark.parametrize("page", SLIDES, ids=["16:9", "4:3"])
def test_panes_of_a_lesson_show_the_same_part_and_have_their_legend_below(page):
    ids = ("dijkstra-heap", "bf-serial")
    panes = tuple(
        PaneState(
            replace(state_of(watched(RING, id)), caption=""),
            id,
            id,
            np.arange(2),
            with_legend=not i,
        )
        for i, id in enumerate(ids)
    )
    composition = SplitComposition(SplitState(panes, 2, 1, Pace.ITERATIONS, "ring"), page)
    left, right = (pane.camera for pane in composition.panes)
    assert (left.scale, left.x, left.y) == pytest.approx(
        (right.scale, right.x, right.y), rel=5e-3, abs=5e-3
    )
    pixels, bottom = image_pixels(whole_image(composition)), composition.cells[0].bottom
    assert bottom < page.height - 100
    assert is_like(pixels[bottom:], LIGHT.frontier, 4).sum() > 100  # the legend's active vertex


def test_a_part_in_view_has_no_margins():
    state = state_of(contents()["grid"])
    page = replace(SLIDES[0], margin=False)
    composition = GraphComposition(replace(state, view=Bounds(0.0, 0.0, 0.2, 0.2)), page)
    assert composition.insets is None


def test_the_pin_of_an_end_point_at_the_top_is_whole():
    """New York's target lost its head in a slide."""
    highest = int(content_of(GRID).scene.positions[:, 1].argmin())
    content = content_of(GRID, source=0, target=highest)
    composition = GraphComposition(PictureState(content, content.scene.bounds, ""), SLIDES[0])
    assert composition.camera.to_screen(content.scene.positions[highest])[1] >= PIN_HEIGHT


def test_a_tall_map_stands_with_its_column_in_the_middle_of_a_slide():
    """New York's left third of a slide was empty, and its caption was cut into four lines."""
    tall = street_grid(30, 40)
    content = content_of(tall, answer=np.arange(tall.n, dtype=np.int32))
    words = "USA-road-d.NY  ·  1 → 264346: 49.5 km  ·  Dijkstra heap"
    state = PictureState(content, content.scene.bounds, words)
    pixels = image_pixels(whole_image(GraphComposition(state, SLIDES[0])))
    inked = np.flatnonzero(~is_like(pixels, LIGHT.canvas, 8).all(axis=0))
    left, right = inked[0], SLIDES[0].width - inked[-1]
    assert left > 200
    assert abs(left - right) < 80
    lines = [fact for _, fact, _ in caption_lines(words, 169.0)]
    assert lines == ["USA-road-d.NY", "1 → 264346: 49.5 km", "Dijkstra heap"]
    heights = [height for _, _, height in caption_lines(words, 169.0)]
    assert max(heights) < 1.5 * min(heights), "each has one line"


@pytest.mark.parametrize("page", SLIDES, ids=["16:9", "4:3"])
def test_a_caption_in_the_column_is_a_heading(page):
    tall = street_grid(30, 40)
    content = content_of(tall, answer=np.arange(tall.n, dtype=np.int32))
    pictures = [
        image_pixels(
            whole_image(GraphComposition(PictureState(content, content.scene.bounds, words), page))
        )
        for words in ("a graph  ·  a path", "a GRAPH  ·  a path")
    ]
    rows, columns = np.nonzero(pictures[0] != pictures[1])
    assert rows.max() < page.height / 4
    assert columns.max() < page.width / 2
