"""Roads drawn by their flow: which segment shows which road, width and light,
differences, bands, and SVG.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gui.export.composition import PictureState
from gui.export.page import Page
from gui.export.picture import export_picture
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.maps import betweenness_map
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.road_flows import RoadFlows, share_text
from solvers.features.all_sources.run import run_all_sources
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.overlay.legend import legend_texts
from solvers.picture.raster import frames, lines
from solvers.picture.raster.flow_light import FlowLight
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent, road_rows
from solvers.picture.scene.road_segments import arcs_of_segments
from solvers.text import THIN_SPACE
from tests.curved import curved_town
from tests.gui.pictures import content_of
from tests.solvers.picture.raster.scenes import scene_of

pytestmark = pytest.mark.openmp

HILL, VALLEY, VALLEY_BACK = 2, 3, 4  # arcs of the town


def flows_of(graph: Graph) -> Flows:
    found = run_all_sources(AllSourcesRequest(graph, has_flows=True)).flows
    assert found is not None
    return found


@pytest.fixture(scope="module")
def town() -> RoadFlows:
    return RoadFlows(flows_of(curved_town()))


def pixels_of(
    content: PictureContent, tokens: Tokens, rows: tuple[int, int] | None = None
) -> np.ndarray:
    camera = Camera.fitting(content.scene.bounds, 600, 400)
    return FramePainter().last_frame(Request(content, camera, 1.0, tokens, rows=rows)).pixels


def brightness(pixels: np.ndarray) -> np.ndarray:
    return sum(((pixels >> shift) & 255).astype(int) for shift in (0, 8, 16))


def test_each_of_two_roads_between_the_same_vertices_has_its_own_flow(town: RoadFlows) -> None:
    """Hill Road carries four of twelve pairs one way, Valley Road four the other way;
    Main Street half of them each.
    """
    assert town.shares[[HILL, VALLEY, VALLEY_BACK, 0, 1]] == pytest.approx(
        [4 / 12, 4 / 12, 4 / 12, 6 / 12, 6 / 12]
    )
    scene = content_of(town.graph).scene
    arcs = arcs_of_segments(scene, town.graph)
    curved = scene.roads.min(axis=1) == 1
    north = scene.segments[:, [1, 3]].mean(axis=1) < scene.positions[0, 1]
    assert set(arcs[curved & north]) == {HILL}
    assert set(arcs[curved & (scene.segments[:, [1, 3]].mean(axis=1) > scene.positions[0, 1])]) <= {
        VALLEY,
        VALLEY_BACK,
    }
    assert dict(town.rows(0, 1)) == {"paths": "6", "share": "50 %"}
    assert ("share", "33 %") in road_rows(content_of(town.graph, flows=town), 1, 2)
    many = replace(town.flows, arcs=1e11 * town.flows.arcs, paths=12e11)
    assert RoadFlows(many).rows(0, 1)[0] == (
        "paths",
        f"600{THIN_SPACE}000{THIN_SPACE}000{THIN_SPACE}000",
    )
    assert town.rows(0, 3) == []
    assert [town.name(arc) for arc in town.greatest(10)] == ["Main Street"]
    assert town.histogram.counts.sum() == 4


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=["dark", "light"])
def test_a_greater_flow_is_wider_and_stands_out_more(tokens: Tokens) -> None:
    scene = scene_of("road")
    graph = scene.graph
    longest = scene.roads[np.argmax(np.hypot(*(scene.segments[:, :2] - scene.segments[:, 2:]).T))]
    row = graph.row(int(longest[0]))
    arc = row.start + int(np.flatnonzero(graph.indices[row] == longest[1])[0])

    def picture(flow: float) -> np.ndarray:
        arcs = np.zeros(graph.m)
        arcs[-1], arcs[arc] = 1e6, flow
        shown = RoadFlows(Flows(AllSourcesRequest(graph), arcs, np.zeros(graph.n), 2e6, "test"))
        return brightness(pixels_of(replace(content_of(graph, flows=shown), scene=scene), tokens))

    bare = picture(0.0)
    less, more = ((picture(flow) - bare) * (1 if tokens.dark else -1) for flow in (1e4, 1e6))
    assert np.count_nonzero(more) > 1.5 * np.count_nonzero(less) > 0
    assert more.max() > less.max() > 0


def test_bands_have_the_pixels_of_the_whole_picture(town: RoadFlows) -> None:
    content = content_of(town.graph, flows=town)
    whole = pixels_of(content, DARK)
    for rows in ((0, 130), (130, 131), (131, 400)):
        np.testing.assert_array_equal(pixels_of(content, DARK, rows), whole[slice(*rows)])


@pytest.mark.parametrize("with_flows", [True, False])
@pytest.mark.parametrize(
    ("right", "down"),
    [(9.0, 4.0), (-31.0, 0.0), (0.0, -17.0), (-40.0, 23.0), (31.0, -12.0), (2.5, 0.0)],
)
def test_a_panned_picture_is_drawn_anew_only_where_it_was_not(
    right: float, down: float, with_flows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = find("road").generate({"vertices": 3000})
    flows = RoadFlows(flows_of(graph)) if with_flows else None
    content = replace(content_of(graph), flows=flows)
    camera = Camera.fitting(content.scene.bounds, 300, 200).zoomed(2.4, 150.0, 100.0)
    painter = FramePainter()
    drawn: list[int] = []
    right_edges = lines.draw_edges

    def draw_edges(density: np.ndarray, *rest: object) -> None:
        drawn.append(density.size)
        right_edges(density, *rest)

    monkeypatch.setattr(lines, "draw_edges", draw_edges)
    for _ in range(2):
        last = painter.last_frame(Request(content, camera, 1.0, DARK)).pixels
        drawn.clear()
        camera = camera.panned(right, down)
    panned = painter.last_frame(Request(content, camera, 1.0, DARK)).pixels
    assert (panned != last).any()
    moved = int(right) == right
    assert (sum(drawn) == 300 * 200 - (300 - abs(int(right))) * (200 - abs(int(down)))) is moved
    alone = FramePainter().last_frame(Request(content, camera, 1.0, DARK)).pixels
    assert np.abs(brightness(panned) - brightness(alone)).max() <= 3, "rounding"


def test_flows_are_drawn_once_for_all_iterations_and_ends(
    town: RoadFlows, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    monkeypatch.setattr(frames, "FlowLight", lambda *of: drawn.append(of) or FlowLight(*of))
    painter, content = FramePainter(), content_of(town.graph, flows=town)
    camera = Camera.fitting(content.scene.bounds, 300, 200).zoomed(2.4, 150.0, 100.0)

    def picture(
        content: PictureContent, camera: Camera = camera, tokens: Tokens = DARK
    ) -> np.ndarray:
        return painter.last_frame(Request(content, camera, 1.0, tokens)).pixels

    first = picture(content)
    np.testing.assert_array_equal(picture(replace(content, position=1, source=2, target=0)), first)
    assert len(drawn) == 1
    assert not np.array_equal(picture(content, tokens=LIGHT), first)
    assert not np.array_equal(
        picture(replace(content, flows=RoadFlows(town.flows, town.flows))), first
    )
    assert not np.array_equal(picture(content, camera.panned(20.0, 0.0)), first)
    np.testing.assert_array_equal(picture(content), first)
    assert len(drawn) == 5


def test_a_closed_road_loses_what_others_gain() -> None:
    graph = curved_town()
    closed = RoadChanges().close((20, 30), one_way=True).apply(graph)  # both arcs from 20 to 30
    shown = RoadFlows(flows_of(closed), flows_of(graph))
    assert shown.graph is graph
    assert shown.values[HILL] == pytest.approx(-4 / 12)
    assert (
        shown.shades[HILL]
        < shown.nothing
        < RoadFlows(flows_of(graph), flows_of(closed)).shades[HILL]
    )
    bars = shown.histogram
    assert (bars.title, bars.counts[0], bars.counts.sum()) == ("Change of the share", 1, 2)
    assert [bars.write(edge) for edge in (-1.0, 0.0, 0.75)] == ["\N{MINUS SIGN}33 %", "0", "+3.3 %"]
    assert legend_texts(shown.legend)[1].startswith("loses")
    assert "before" in dict(shown.rows(1, 2))
    assert {shown.values[arc] > 0 for arc in shown.greatest(2)} == {False, True}, (
        "though the roads meet"
    )
    same = RoadFlows(flows_of(graph), flows_of(graph))
    assert set(same.shades.tolist()) == {same.nothing}
    assert same.greatest(10) == []
    plain = pixels_of(content_of(graph, flows=same), DARK)
    assert not np.array_equal(pixels_of(content_of(graph, flows=shown), DARK), plain)


def test_the_histogram_leaves_out_what_is_below_the_scale(town: RoadFlows) -> None:
    arcs = np.zeros(town.graph.m)
    arcs[[HILL, VALLEY]] = 1e6, 1.0
    shown = RoadFlows(replace(town.flows, arcs=arcs, paths=2e6)).histogram
    assert (shown.title, shown.counts.sum()) == ("Share of paths from 0.005 %", 1)


def test_svg_and_png_show_the_flows(town: RoadFlows, tmp_path: Path) -> None:
    content = content_of(town.graph, flows=town)
    for flows in (None, town):
        state = PictureState(replace(content, flows=flows), content.scene.bounds)
        for kind, page in (("svg", Page(400, 300, 96)), ("png", Page(400, 300, 96, "transparent"))):
            export_picture(tmp_path / f"{flows is None}.{kind}", state, page)
    assert "Share of all shortest paths" in (tmp_path / "False.svg").read_text()
    request = replace(town.flows.request, budget=1200.0)
    within = RoadFlows(replace(town.flows, request=request)).legend.quantity
    assert within == "share of shortest paths up to 2 min"
    assert (tmp_path / "False.svg").read_text().count("<path") > (
        tmp_path / "True.svg"
    ).read_text().count("<path")
    assert (tmp_path / "False.png").read_bytes() != (tmp_path / "True.png").read_bytes()


def test_no_path_of_a_drawing_is_longer_than_qt_reads(tmp_path: Path) -> None:
    """Of 1.1 MB of roads in one path, a viewer by QtSvg left out most."""
    content = content_of(find("road").generate({"vertices": 16_000}))
    drawing = export_picture(
        tmp_path / "roads.svg", PictureState(content, content.scene.bounds), Page(900, 600, 96)
    )
    moves = [path.count("M") for path in re.findall(r' d="([^"]*)"', drawing.read_text())]
    assert sum(moves) > 16_383 >= max(moves)


def test_betweenness_of_vertices_is_a_map_by_orders_of_magnitude(town: RoadFlows) -> None:
    shown = betweenness_map(town.flows)
    assert shown.values.words_of(1) == "4"
    assert shown.values.reveal[0] > 0, "nothing passes a vertex at the end"
    assert shown.counts.sum() == 2
    assert share_text(0.000123) == "0.012 %"
