"""The isochrone: key, slider and wheel change the budget; picture, card and exports
show what lies within it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from gui.export.page import Page
from gui.export.picture import export_picture
from gui.window import MainWindow
from solvers.core.result import Result
from solvers.core.variant import all_variants
from solvers.picture.overlay.cards import isochrone_words
from solvers.picture.overlay.legend import legend_texts
from solvers.picture.scene.activity import NEVER, band_shades
from solvers.picture.scene.content import Layer
from solvers.text import format_count
from tests.graphs import right_distances
from tests.gui.pictures import street_grid
from tests.gui.windows import PATIENCE_MS

SOURCE = 20 * 60 + 30  # the middle of the grid


@pytest.fixture
def grid(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with a street grid and the distances from its middle, which go up to 50."""
    graph = street_grid()
    window.parts.session.open_graph(graph)
    window.parts.session.set_source(SOURCE)
    distances = right_distances(graph, SOURCE).astype(np.int32)
    window.parts.session.results.add(
        [
            Result(
                all_variants()[0],
                {},
                graph,
                SOURCE,
                window.parts.session.target,
                distances=distances,
            )
        ]
    )
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=30_000)
    settle(window, qtbot)
    return window


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=30_000)


def wheel(window: MainWindow, notches: int, *, sideways: bool = False) -> None:
    """Turn the wheel over the middle of the graph with Shift held down; macOS reports
    that as sideways.
    """
    canvas = window.parts.canvas.canvas
    at, angle = (
        QPointF(canvas.rect().center()),
        QPoint(120 * notches, 0) if sideways else QPoint(0, 120 * notches),
    )
    event = QWheelEvent(
        at,
        canvas.mapToGlobal(at),
        QPoint(),
        angle,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ShiftModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def test_the_key_lights_what_lies_within_a_quarter_and_a_budget_is_typed(
    grid: MainWindow, qtbot: QtBot
) -> None:
    """Multiples of a step of 0.1 became 7156.700000000001 in session files; on the canvas the
    slider lay over the map, and grew under the pointer: from 25 km to 101 km.
    """
    grid.activateWindow()
    qtbot.waitUntil(grid.isActiveWindow, timeout=PATIENCE_MS)
    qtbot.keyClick(grid, Qt.Key.Key_B)
    settle(grid, qtbot)
    canvas = grid.parts.canvas.canvas
    distances = right_distances(grid.parts.session.graph, SOURCE)
    assert grid.controller_of("isochrone").budget == 12.5
    assert np.array_equal(canvas.content.activity.reveal != NEVER, distances <= 12.5)
    assert canvas.frames.newest.legend.high == 12.5
    assert canvas.frames.newest.isochrone.vertices == np.count_nonzero(distances <= 12.5)
    assert grid.controller_of("isochrone").bar.isVisible()
    qtbot.keyClick(grid, Qt.Key.Key_B)
    settle(grid, qtbot)
    assert grid.controller_of("isochrone").budget is None
    assert canvas.frames.newest.isochrone is None
    assert not grid.controller_of("isochrone").bar.isVisible()

    grid.controller_of("isochrone").show(True)
    bar = grid.controller_of("isochrone").bar
    assert bar.field.text() == "12.5"
    type_budgets(qtbot, grid, "17.25")
    assert grid.controller_of("isochrone").budget == 17.25
    assert bar.slider.value() == 345
    type_budgets(qtbot, grid, "99999")
    assert grid.controller_of("isochrone").budget == 50, "all that is reached"
    assert "lies within 50" in grid.notices.notice.text
    for wrong in ("10km", "5,5", "abc", "7:30", "-3", "nan"):
        type_budgets(qtbot, grid, wrong)
        assert (grid.controller_of("isochrone").budgets, bar.field.text()) == ((50.0,), "50")
        said = f"“{wrong}”: "
        qtbot.waitUntil(lambda said=said: QToolTip.text().startswith(said))

    for share in range(501):
        grid.controller_of("isochrone").set_budget(share * 0.1)
        assert grid.controller_of("isochrone").budget == float(f"{share * 0.1:.9g}")

    assert grid.bars.is_shown("Path")
    assert grid.path_panel.isAncestorOf(bar)
    places = set()
    for budget in (0, 70, 12_000, 50_000):
        bar.show_budgets([budget], 50_000, "ds")
        QApplication.processEvents()
        places.add((bar.slider.geometry().left(), bar.slider.width()))
    assert len(places) == 1


def type_budgets(qtbot: QtBot, window: MainWindow, text: str) -> None:
    field = window.controller_of("isochrone").bar.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_wheel_slider_and_several_budgets(grid: MainWindow, qtbot: QtBot) -> None:
    """Of several, the vertices of a band have one shade, which no other band has; the bar says the
    size of each, the slider keeps their shares.
    """
    wheel(grid, 1)
    assert grid.commands["isochrone"].isChecked()
    camera = grid.parts.canvas.canvas.view.camera
    wheel(grid, 4)
    assert grid.controller_of("isochrone").budget == pytest.approx(12.5 + 4 * 0.5)
    wheel(grid, -2, sideways=True)
    assert grid.controller_of("isochrone").budget == pytest.approx(12.5 + 2 * 0.5)
    wheel(grid, 1_000)
    assert (
        grid.controller_of("isochrone").budget == grid.controller_of("isochrone").farthest == 50.0
    )
    wheel(grid, -1_000)
    assert grid.controller_of("isochrone").budget == 0.0
    assert grid.parts.canvas.canvas.view.camera == camera
    settle(grid, qtbot)

    grid.controller_of("isochrone").set_budget(12.5)
    slider = grid.controller_of("isochrone").bar.slider
    across = (
        slider.width()
        * grid.controller_of("isochrone").budget
        / grid.controller_of("isochrone").farthest
    )
    start = QPoint(round(across), slider.height() // 2)
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=start)
    for step in (20, 40, 60):
        qtbot.mouseMove(slider, start + QPoint(step, 0))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    budget = grid.controller_of("isochrone").budget
    assert budget > 15.0
    settle(grid, qtbot)
    isochrone = grid.parts.canvas.canvas.frames.newest.isochrone
    distances = right_distances(grid.parts.session.graph, SOURCE)
    assert (isochrone.budget, isochrone.vertices) == (budget, np.count_nonzero(distances <= budget))
    title, size = isochrone_words(isochrone, "")
    assert title == f"Within {budget:.4g}"
    assert size.startswith(f"{format_count(isochrone.vertices)} vertices, ")
    assert size.endswith(" of road")

    type_budgets(qtbot, grid, "5, 20, 12.5")
    settle(grid, qtbot)
    content, bar = grid.parts.canvas.canvas.content, grid.controller_of("isochrone").bar
    shade = band_shades(content.legend)[0][content.activity.shade]
    bands = np.digitize(distances, [5, 12.5, 20], right=True)
    of_bands = [set(shade[bands == band].tolist()) for band in range(3)]
    assert [len(shades) for shades in of_bands] == [1, 1, 1]
    assert len(set.union(*of_bands)) == 3
    assert (content.activity.reveal == NEVER).tolist() == (bands == 3).tolist()
    sizes = [np.count_nonzero(distances <= budget) for budget in (5, 12.5, 20)]
    assert legend_texts(content.legend)[0] == "Distance, within 5, 12.5 and 20"
    lines = bar.extent.text().split("\n")
    for line, size, budget in zip(lines, sizes, ("5", "12.5", "20"), strict=True):
        assert line.startswith(f"Within {budget}: {format_count(size)} vertices, ")
    grid.controller_of("isochrone").set_budget(40.0)
    assert grid.controller_of("isochrone").budgets == (10.0, 25.0, 40.0)
    assert bar.field.text() == "10, 25, 40"


def test_colours_panes_and_another_graph(grid: MainWindow, qtbot: QtBot) -> None:
    """The isochrone ends colours that are not of distances, is the same in panes side by side, and
    ends with its graph.
    """
    for layer in (Layer.LEVELS, Layer.DIFFERENCE):
        grid.controller_of("isochrone").show(False)
        grid.parts.canvas.options.set_layer(layer, True)
        assert layer in grid.parts.canvas.options.shown
        grid.controller_of("isochrone").show(True)
        assert layer not in grid.parts.canvas.options.shown

    grid.controller_of("isochrone").show(True)
    grid.parts.canvas.split(2)
    assert {pane.canvas.content.activity.budget for pane in grid.parts.canvas.split_view.panes} == {
        12.5
    }
    grid.controller_of("isochrone").set_budget(20.0)
    assert {pane.canvas.content.activity.budget for pane in grid.parts.canvas.split_view.panes} == {
        20.0
    }
    grid.parts.canvas.split(1)
    assert grid.parts.canvas.options.budget == 20.0
    settle(grid, qtbot)

    grid.controller_of("isochrone").show(True)
    grid.parts.session.open_graph(street_grid(6, 4))
    assert grid.controller_of("isochrone").budget is None
    assert not grid.commands["isochrone"].isChecked()


def test_without_distances_the_reach_says_what_it_needs(window: MainWindow, qtbot: QtBot) -> None:
    window.parts.session.open_graph(street_grid(6, 4))
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=30_000)
    window.commands["isochrone"].trigger()
    assert window.controller_of("isochrone").budget is None
    assert not window.commands["isochrone"].isChecked()
    assert "needs distances" in window.notices.notice.text
    assert "or switch Live on" in window.notices.notice.text
    window.commands["live"].trigger()
    window.commands["isochrone"].trigger()  # before there is an answer
    assert "Live is still preparing them" in window.notices.notice.text


def test_exports_show_the_border(grid: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """The picture with a budget differs from the one without, and its vectors say the size."""
    page, suffixes = Page(640, 480, 96), (".png", ".svg")
    written = []
    for on in (False, True):
        grid.controller_of("isochrone").show(on)
        settle(grid, qtbot)
        picture = grid.parts.canvas.picture_state()
        paths = [export_picture(tmp_path / f"{on}{suffix}", picture, page) for suffix in suffixes]
        written.append([path.read_bytes() for path in paths])
    for without, within in zip(*written, strict=True):
        assert without != within


def test_the_reach_follows_a_source_that_is_dragged_live(grid: MainWindow, qtbot: QtBot) -> None:
    """At each stop the card's size is that of the distances from there, with the budget kept."""
    grid.parts.session.results.clear()
    grid.commands["live"].trigger()
    qtbot.waitUntil(lambda: grid.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    grid.controller_of("isochrone").show(True)
    grid.controller_of("isochrone").set_budget(9.0)
    canvas = grid.parts.canvas.canvas

    def place(vertex):
        x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[vertex])
        return QPointF(x, y).toPoint()

    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=place(SOURCE))
    for stop in (SOURCE + 10, 0):
        qtbot.mouseMove(canvas, place(stop) + QPoint(6, 6))
        qtbot.mouseMove(canvas, place(stop))
        qtbot.waitUntil(
            lambda stop=stop: grid.parts.session.unmeasured.answer.sources == (stop,),
            timeout=PATIENCE_MS,
        )
        settle(grid, qtbot)
        distances = right_distances(grid.parts.session.graph, stop)
        assert canvas.frames.newest.isochrone.vertices == np.count_nonzero(distances <= 9.0)
        assert np.array_equal(canvas.content.activity.reveal != NEVER, distances <= 9.0)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=place(0))
    assert grid.controller_of("isochrone").budget == 9.0


def test_a_saved_budget_waits_for_distances(window: MainWindow, qtbot: QtBot) -> None:
    """The wheel does not lose it before they are known, and the slider shows it when they are."""
    graph = street_grid()
    window.parts.session.open_graph(graph)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=PATIENCE_MS)
    window.controller_of("isochrone").restore((20.0,))
    wheel(window, 3)
    assert window.controller_of("isochrone").budget == 20.0
    window.parts.session.set_source(SOURCE)
    distances = right_distances(graph, SOURCE).astype(np.int32)
    result = Result(
        all_variants()[0], {}, graph, SOURCE, window.parts.session.target, distances=distances
    )
    window.parts.session.results.add([result])
    assert window.controller_of("isochrone").bar.slider.value() == 400
    settle(window, qtbot)
    assert window.parts.canvas.canvas.frames.newest.isochrone.vertices == np.count_nonzero(
        distances <= 20
    )
