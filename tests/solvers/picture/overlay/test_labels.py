"""Labels of close views and ids of markers: none overlaps another, a vertex or a pin."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from solvers.features.closed_roads.marks import road_marks
from solvers.graphs.readers import read_graph
from solvers.picture.display import Box, Words
from solvers.picture.overlay.labels import LabelPlan, labels_of, weight_text
from solvers.picture.overlay.markers import marker_label, marker_marks, pin_area
from solvers.picture.overlay.view import LabelStyles
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import disc_radius
from solvers.picture.scene.figure import id_fits, is_figure
from tests.data import data_file
from tests.gui.pictures import camera_for, content_of, street_grid, textbook, view_of, watched

SIZE = (900, 640)


@pytest.mark.parametrize("sample", ["textbook", "tiny"])
def test_no_two_labels_overlap_and_none_lies_on_a_vertex(sample):
    graph = textbook() if sample == "textbook" else read_graph(data_file("other/tinyEWD.txt")).graph
    content = watched(graph, "bf-python")
    camera = camera_for(content.scene, SIZE)
    view, radius = view_of(content, camera), disc_radius(content.scene, camera)
    labels = labels_of(view, LabelStyles.of(radius))
    boxes = [box for _, box in labels.weights]
    boxes += [*labels.ids.values(), *labels.values.values()]
    assert len(labels.values) == 8
    assert len(labels.weights) >= len(view.detail.arcs) - 1
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    centres = camera.to_screen(content.scene.positions)
    for box in boxes:
        nearest = np.clip(centres, [box.x0, box.y0], [box.x1, box.y1])
        assert np.hypot(*(nearest - centres).T).min() > radius


def test_labels_keep_clear_of_pins_and_negative_weights_have_a_minus_sign() -> None:
    """In a small view the distance of the target lay beneath its pin."""
    content = watched(textbook(), "bf-python")
    content = replace(content, source=0, target=int(content.scene.positions[:, 1].argmax()))
    camera = camera_for(content.scene, (420, 300))
    view = view_of(content, camera)
    while is_figure(disc_radius(content.scene, camera)):
        camera = camera.zoomed(0.8, camera.width / 2, camera.height / 2)
    labels = labels_of(replace(view, camera=camera), LabelStyles.of(6.0))
    boxes = [*labels.values.values(), *labels.ids.values()]
    for vertex in (content.source, content.target):
        pin = pin_area(complex(*camera.to_screen(content.scene.positions[vertex])))
        assert not any(box.overlaps(pin) for box in boxes)
    assert labels.values
    arc = replace(view.detail.arcs[0], weight=-6.0)
    assert weight_text(arc, content) == "\N{MINUS SIGN}6"


def test_ids_beside_the_markers_grow_with_the_type():
    """In a presentation, whose type is larger, they kept their size."""
    content = content_of(street_grid(), source=5, target=2300)
    plain, large = (
        {mark.text: mark.style.size for mark in marker_marks(view) if isinstance(mark, Words)}
        for view in (view_of(content, type_factor=factor) for factor in (1.0, 2.0))
    )
    assert plain
    assert large == {text: 2 * size for text, size in plain.items()}


@pytest.mark.parametrize("closed", [False, True])
def test_the_id_of_a_pin_covers_neither_another_nor_the_sign_of_a_closed_road(closed):
    """In a race of small panes both ids were one blot, and one lay over the cross of a
    closed road.
    """
    content = content_of(street_grid(), source=1220, target=None if closed else 1221)
    if closed:
        road = np.array([[1404, 1405]], np.int32)
        content = replace(
            content, road_marks=road_marks(road, np.array([np.inf]), np.zeros(1, bool))
        )
    view = view_of(content)
    places = []
    for mark in marker_marks(view):
        if isinstance(mark, Words):
            above, below = view.sizes.heights(mark.style)
            across = view.sizes.width(mark.text, mark.style)
            places.append(Box(mark.x, mark.y - above, mark.x + across, mark.y + below))
    if closed:
        x, y = view.points_of(np.array([1404, 1405])).mean(axis=0)
        places.append(Box.around(x, y, 10.0, 10.0))
    one, other = places
    assert not one.overlaps(other)


@pytest.mark.parametrize("x", [0.0, 100.0, 180.0, 200.0])
@pytest.mark.parametrize("y", [0.0, 60.0, 120.0])
def test_the_id_beside_a_marker_in_view_is_not_cut_off(x: float, y: float):
    at, box = label_at(x, y, 200.0)
    assert box.inside(Box(0.0, 0.0, 200.0, 120.0 + box.height))
    assert (at.real > x) == (x < 150.0), "to the right where there is room"


def test_an_id_does_not_lie_across_the_end_of_the_map():
    """New York's source, whose id is 1, had half of it on the map's border."""
    plain, box = label_at(80.0, 60.0, 200.0)
    border = plain.real + 5.0
    assert label_at(80.0, 60.0, 200.0, border=border)[0].real > border
    for beyond in (plain.real - 1.0, box.x1 + 1.0):
        assert label_at(80.0, 60.0, 200.0, border=beyond)[0] == plain
    long, _ = label_at(80.0, 60.0, 900.0, text="9888580428", border=160.0)
    assert long.real == plain.real, "Liechtenstein's ids were far from their pins"


def test_an_id_is_not_half_beneath_a_panel():
    """A label of the canvas lay below an open panel."""
    panel = Box(0.0, 0.0, 130.0, 120.0)
    assert label_at(100.0, 60.0, 200.0)[0].real > 100.0
    assert label_at(100.0, 60.0, 200.0, clear_area=panel)[1].inside(panel)


def label_at(x, y, width, text="3000", border=np.inf, clear_area=None):
    """Where the id of a pin stands in a view so wide."""
    content = content_of(street_grid(4, 4))
    camera = Camera(0.0, 0.0, 1.0, width, 120.0)
    view = view_of(content, camera, detail=None, clear_area=clear_area)
    return marker_label(view, complex(x, y), 8.5, text, LabelStyles.of(0.0).ids, border)


def test_an_id_stands_inside_a_disc_that_is_large_enough_for_it():
    assert id_fits(8.0, 30.0)
    assert not id_fits(80.0, 30.0), "wider than the disc"
    assert not id_fits(0.0, 2.0), "too small for any"


VIEW = Box(0.0, 0.0, 200.0, 120.0)


def plan(
    discs: list[tuple[float, float, float]], curves: list[list[tuple[float, float]]] | None = None
) -> LabelPlan:
    return LabelPlan(
        VIEW, np.array(discs, np.float64), np.array(curves or [], np.float64).reshape(-1, 3, 2)
    )


@pytest.mark.parametrize(
    "centre", [(4.0, 4.0), (196.0, 4.0), (100.0, 118.0), (2.0, 60.0), (100.0, 60.0)]
)
def test_a_label_of_a_vertex_in_view_is_all_in_view(centre: tuple[float, float]) -> None:
    box = plan([(*centre, 6.0)]).round_disc(0, 50.0, 14.0)
    assert box.inside(VIEW)
    nearest = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
    assert np.hypot(*(nearest - centre)) >= 6.0, "beside its vertex, not on it"


def test_a_label_of_an_arc_keeps_to_the_part_in_view() -> None:
    leaving = [(20.0, 60.0), (220.0, 60.0), (420.0, 60.0)]
    box = plan([(20.0, 60.0, 5.0)], [leaving]).on_curve(0, 30.0, 12.0)
    assert box.inside(VIEW)
