"""The guided tour, the samples and the lesson in the real window: as a user clicks through them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.controllers.help import TourAnchor
from gui.dialogs.help import HelpPage
from gui.model.samples import SAMPLES
from gui.shell.tour_bubble import beside
from gui.window import MainWindow
from solvers.core.result import Status
from solvers.picture.colours import LIGHT
from tests.gui.pictures import is_like
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    controller_of,
    open_graph,
    run_only,
    trigger,
    wait_until_idle,
)


def press(qtbot: QtBot, button: QPushButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_tour_goes_from_stop_to_stop_and_does_what_it_tells(
    qtbot: QtBot, window: MainWindow
) -> None:
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["tour"].trigger()
    bubble = window.parts.tour.bubble
    assert bubble.isVisible()
    assert window.parts.session.graph.n == 48
    for number, stop in enumerate(window.parts.tour.stops, 1):
        wait_until_idle(qtbot, window)
        assert bubble.title.text() == stop.title
        assert bubble.count.text() == f"{number} of {len(window.parts.tour.stops)}"
        outlined = stop.place is not TourAnchor.WINDOW
        # once the toolbar is laid out
        qtbot.waitUntil(lambda outlined=outlined: bubble.outline.isVisible() is outlined)
        assert window.rect().contains(bubble.geometry()), stop.title
        press(qtbot, bubble.next_button)
    assert not bubble.isVisible()
    assert not bubble.outline.isVisible()
    assert len(window.parts.session.results.all) == 2, "the tour pressed Run"
    assert window.parts.playback.length


def test_back_does_nothing_twice_escape_ends_and_an_early_end_leaves_the_graph(
    qtbot: QtBot, window: MainWindow
) -> None:
    """The outline follows a place that hides and appears, as the Run button does in a toolbar that
    is too narrow for it.
    """
    open_graph(qtbot, window, TINY)
    graph = window.parts.session.graph
    window.commands["tour"].trigger()
    window.parts.tour.end()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is graph

    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["tour"].trigger()
    wait_until_idle(qtbot, window)
    bubble, graph = window.parts.tour.bubble, window.parts.session.graph
    press(qtbot, bubble.next_button)
    press(qtbot, bubble.back_button)
    assert window.parts.tour.number == 0
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is graph
    qtbot.keyClick(bubble.next_button, Qt.Key.Key_Space)
    assert window.parts.tour.number == 1
    qtbot.keyClick(bubble.next_button, Qt.Key.Key_Escape)
    assert window.parts.tour.number is None
    assert not bubble.isVisible()

    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["tour"].trigger()
    wait_until_idle(qtbot, window)
    bubble = window.parts.tour.bubble
    assert bubble is not None
    while window.parts.tour.stops[window.parts.tour.number or 0].place is not TourAnchor.RUN:
        press(qtbot, bubble.next_button)
    qtbot.waitUntil(bubble.outline.isVisible)
    window.run_button.hide()
    assert not bubble.outline.isVisible()
    window.run_button.show()
    assert bubble.outline.isVisible()
    assert bubble.outline.size() == window.run_button.size()


def test_keys_are_the_tours_own(qtbot: QtBot, window: MainWindow) -> None:
    """Return did nothing; Space and N played and stepped beneath it."""
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["tour"].trigger()
    playback, tour = window.parts.playback, window.parts.tour
    while tour.stops[tour.number].title != "Lesson":
        wait_until_idle(qtbot, window)
        assert window.focusWidget() is tour.bubble.next_button, tour.stops[tour.number].title
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    wait_until_idle(qtbot, window)
    playback.pause()
    playback.to_start()
    row = controller_of(window, "lesson").panel.list.currentRow()
    for key in (Qt.Key.Key_N, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_P):
        qtbot.keyClick(window.focusWidget(), key)
        assert tour.bubble.isAncestorOf(window.focusWidget())
    assert (playback.position, controller_of(window, "lesson").panel.list.currentRow()) == (0, row)
    tour.bubble.next_button.setFocus()
    number = tour.number
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert not playback.playing
    assert tour.number == number + 1
    press(qtbot, tour.bubble.back_button)
    window.parts.canvas.setFocus()  # where its text says that keys act
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_N)
    assert controller_of(window, "lesson").panel.list.currentRow() == row + 1
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not tour.on


def test_what_was_open_comes_back_after_the_tour(qtbot: QtBot, window: MainWindow) -> None:
    session, canvas = window.parts.session, window.parts.canvas
    open_graph(qtbot, window, TINY)
    session.set_endpoints(2, 5)
    run_only(qtbot, window, "dijkstra-heap")
    session.want_roads(session.roads.close((1, 2)))
    wait_until_idle(qtbot, window)
    run_only(qtbot, window, "bf-serial", "dijkstra-heap")
    session.results.select("bf-serial")
    canvas.view.zoom_in()
    wait_until_idle(qtbot, window)

    def state() -> tuple[object, ...]:
        runs = [(one.variant.id, one.run_id) for one in session.results.all]
        ends, view = (session.source, session.target), canvas.canvas.view.state
        changes, ticks = session.applied_roads, session.choices.ids
        return session.graph, ends, runs, session.results.selected_id, changes, ticks, view

    before, mode = state(), window.bars.mode
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        window.commands["tour"].trigger()
        for _ in range(5):
            wait_until_idle(qtbot, window)
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
        assert session.graph.n == 48
        if key is Qt.Key.Key_Escape:
            qtbot.keyClick(window.focusWidget(), key)
        while window.parts.tour.on:
            wait_until_idle(qtbot, window)
            qtbot.keyClick(window.focusWidget(), key)
        wait_until_idle(qtbot, window)
        assert state() == before
        assert window.bars.mode is mode
        assert window.focusWidget() is canvas.canvas


def test_the_buttons_of_the_tour_are_whole_in_large_type(
    qtbot: QtBot, window: MainWindow, type_of: Callable[[int], None]
) -> None:
    type_of(150)
    window.commands["tour"].trigger()
    wait_until_idle(qtbot, window)
    bubble = window.parts.tour.bubble
    for part in (bubble.count, bubble.end_button, bubble.back_button, bubble.next_button):
        assert part.width() >= part.minimumSizeHint().width()
    assert window.rect().contains(bubble.geometry())


def test_a_card_lies_beside_what_it_shows_and_inside_the_window() -> None:
    window, size = QRect(0, 0, 1000, 700), QSize(340, 200)
    for area in (
        QRect(0, 0, 250, 700),
        QRect(700, 0, 300, 700),
        QRect(300, 0, 400, 60),
        QRect(300, 640, 400, 60),
    ):
        card = QRect(beside(area, size, window), size)
        assert window.contains(card)
        assert not card.intersects(area)
    whole = QRect(beside(window, size, window), size)
    assert window.contains(whole)
    assert whole.center().x() - window.center().x() in range(-2, 3)
    assert QPoint(0, 0) != whole.topLeft()


def test_a_word_on_a_card_opens_the_glossary_and_every_sample_its_end_points(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.parts.session.results.select("bf-vertex")
    window.card.text.linkActivated.emit("glossary:relax")
    (found,) = (
        w for w in QApplication.topLevelWidgets() if isinstance(w, HelpPage) and w.isVisible()
    )
    qtbot.addWidget(found)
    assert found.windowTitle() == "Glossary"
    assert "improves the distance of its head" in found.text.toPlainText()

    for entry in SAMPLES:
        with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
            window.commands[f"sample-{entry.id}"].trigger()
        wait_until_idle(qtbot, window)
        ends = (window.endpoints.source.text(), window.endpoints.target.text())
        assert ends == (str(entry.source), str(entry.target))
        if entry.variants:
            assert set(window.parts.session.choices.ids) == set(entry.variants)
            assert controller_of(window, "lesson").panel.isVisible()


def like(widget: QWidget, colour: str) -> np.ndarray:
    """(k, 2) x and y of the pixels of a widget that have a colour."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return np.argwhere(is_like(pixels, colour, 8))[:, ::-1]


def test_a_negative_cycle_of_the_start_page_has_headline_legend_and_a_play_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    """It has a place in the chart, too."""
    buttons = {button.text(): button for button in window.start_page.findChildren(QPushButton)}
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        press(qtbot, buttons["Negative cycle"])
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.n == 6
    assert "Tour, three minutes" in buttons

    window.resize(1600, 1000)
    run_only(qtbot, window, "bf-serial")
    canvas = window.parts.canvas.canvas
    assert "3 → 4 → 2 → 3" in window.results_place.hero.headline.text()
    assert "total weight −3" in window.results_place.hero.remark.text()
    assert len(like(canvas, LIGHT.path)) == 0, "there is no path"
    at_end = len(like(canvas, LIGHT.cycle))
    window.commands["first"].trigger()
    qtbot.wait(300)
    sample = like(canvas, LIGHT.cycle)
    assert 15 < len(sample) < at_end / 3, "only in the legend: the cycle is not known yet"
    assert np.ptp(sample[:, 1]) < 8
    window.bars.open("Results", by_user=True)
    frontier = window.parts.charts.frontier
    window.parts.charts.tabs.setCurrentIndex(2)
    qtbot.wait(300)
    diamond = like(frontier, LIGHT.cycle)
    assert len(diamond) > 30
    end = frontier.view.mapFromScene(frontier.view.pixel(QPointF(6.0, 0.0)))
    assert abs(np.median(diamond[:, 0]) - frontier.view.mapTo(frontier, end).x()) <= 3

    window.bars.open("Lesson", by_user=True)
    result = window.parts.session.results.selected
    assert result.status is Status.NEGATIVE_CYCLE
    assert result.trace is not None
    window.commands["first"].trigger()
    falls = [controller_of(window, "lesson").panel.table.item(1, 1).text()]
    while window.parts.playback.position < window.parts.playback.length - 1:
        window.commands["step"].trigger()
        falls.append(controller_of(window, "lesson").panel.table.item(1, 1).text())
    assert len(set(falls)) > 2
    content = window.parts.canvas.canvas.content
    assert set(content.cycle) == {1, 2, 3}


def test_keys_step_through_the_lesson(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["sample-tiny"].trigger()
    wait_until_idle(qtbot, window)
    trigger(qtbot, window, "run")
    window.commands["first"].trigger()
    panel = controller_of(window, "lesson").panel
    at = panel.list.currentRow()
    qtbot.keyClick(window.parts.canvas.canvas, Qt.Key.Key_N)
    assert panel.list.currentRow() == at + 1

    def marked() -> object:
        return window.parts.canvas.canvas.content.explanation.step_path

    assert marked() == panel.step.arc
    window.commands["roads"].trigger()

    qtbot.waitUntil(lambda: marked() is None)
    window.bars.open("Lesson")
    qtbot.waitUntil(lambda: panel.step is not None and marked() == panel.step.arc)
    window.parts.canvas.canvas.setFocus()
    qtbot.keyClick(window.parts.canvas.canvas, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert panel.list.currentRow() == at
