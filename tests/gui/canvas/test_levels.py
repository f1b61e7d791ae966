"""The levels of the hierarchy in the window: prepared on request, drawn with more or
less detail, refused in words.
"""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.model.notice import Notice, Severity
from gui.window import MainWindow
from solvers.algorithms.hierarchy import levels
from solvers.algorithms.hierarchy.levels import Levels, levels_of
from solvers.picture.layout.arrangements import Arrangement
from solvers.picture.scene.content import Layer
from solvers.picture.scene.ramps import Ramp
from solvers.system.cancel import Progress
from tests import graphs
from tests.gui.pictures import street_grid
from tests.gui.windows import PATIENCE_MS, trigger, wait_until_idle


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> MainWindow:
    window.parts.session.open_graph(street_grid(24, 20))
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    return window


def show_levels(qtbot: QtBot, window: MainWindow) -> None:
    window.commands["levels"].trigger()
    qtbot.waitUntil(lambda: window.parts.canvas.levels.view is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)


def test_levels_are_prepared_drawn_with_the_chosen_detail_and_hidden_again(
    qtbot: QtBot, opened: MainWindow
) -> None:
    canvas, bar = opened.parts.canvas.canvas, opened.levels_bar
    whole = canvas.content.scene
    assert not bar.isVisible()
    show_levels(qtbot, opened)
    assert bar.isVisible()
    assert canvas.content.scene is whole, "a small graph is drawn whole"
    assert canvas.content.legend.ramp is Ramp.LEVELS
    assert bar.words.whole_text == "whole graph: 916 roads"
    camera, narrowest = canvas.view.camera, bar.minimumSizeHint().width()
    bar.slider.setFocus()
    qtbot.keyClick(bar.slider, Qt.Key.Key_Left)
    assert canvas.content.scene is canvas.content.levels.picture.scenes[-2]
    assert "roads and shortcuts" in bar.words.whole_text
    assert canvas.view.camera == camera
    assert bar.minimumSizeHint().width() == narrowest < 450, (
        "longer words do not push the side bars"
    )
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=PATIENCE_MS)
    qtbot.mouseClick(bar.automatic_button, Qt.MouseButton.LeftButton)
    assert canvas.content.scene is whole
    opened.commands["levels"].trigger()
    assert not bar.isVisible()
    assert canvas.content.levels is None
    assert canvas.content.legend is None
    opened.commands["levels"].trigger()
    assert canvas.content.levels is not None, "they are kept"


def test_separators_are_counted_and_lit_one_after_another(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.canvas.levels._LIGHT_MS", 1)
    show_levels(qtbot, opened)
    canvas, bar = opened.parts.canvas.canvas, opened.levels_bar
    bar.separators.setValue(4)
    assert len(canvas.content.levels.marked) == 4
    qtbot.mouseClick(bar.light_button, Qt.MouseButton.LeftButton)
    assert canvas.content.levels.marked == ()
    assert bar.separators.value() == 4
    qtbot.waitUntil(lambda: len(canvas.content.levels.marked) == 4, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not bar._timer.isActive(), timeout=PATIENCE_MS)


def test_another_layout_has_levels_of_its_own_and_another_graph_none(
    qtbot: QtBot, opened: MainWindow
) -> None:
    show_levels(qtbot, opened)
    canvas = opened.parts.canvas.canvas
    canvas_levels = canvas.content.levels.picture
    opened.levels_bar.slider.setValue(2)
    opened.parts.canvas.scenes.arrange(Arrangement.CIRCULAR)
    qtbot.waitUntil(
        lambda: (
            canvas.content.levels is not None and canvas.content.levels.picture is not canvas_levels
        ),
        timeout=PATIENCE_MS,
    )
    assert canvas.content.levels.detail == 2
    assert canvas.content.levels.picture.levels is canvas_levels.levels
    opened.parts.session.open_graph(street_grid(8, 8))
    assert Layer.LEVELS not in opened.parts.canvas.options.shown
    assert not opened.commands["levels"].isChecked()
    wait_until_idle(qtbot, opened)
    assert canvas.content.levels is None


def test_levels_stay_when_a_road_is_closed(qtbot: QtBot, opened: MainWindow) -> None:
    show_levels(qtbot, opened)
    content = opened.parts.canvas.canvas.content
    opened.levels_bar.slider.setValue(3)
    opened.parts.session.want_roads(opened.parts.session.roads.close((0, 1)))
    qtbot.waitUntil(
        lambda: opened.parts.session.graph is not content.scene.graph, timeout=PATIENCE_MS
    )
    after = opened.parts.canvas.canvas.content
    assert after.levels.picture.levels is content.levels.picture.levels
    assert after.levels.detail == 3
    assert after.scene.graph is opened.parts.session.graph
    wait_until_idle(qtbot, opened)


def test_a_graph_without_small_separators_is_refused_in_words(
    qtbot: QtBot, window: MainWindow
) -> None:
    noticed: list[Notice] = []
    window.parts.session.noticed.connect(noticed.append)
    window.parts.session.open_graph(graphs.at_random(30_000, 60_000, seed=1, directed=False))
    window.parts.canvas.scenes.arrange(Arrangement.CIRCULAR)
    wait_until_idle(qtbot, window)
    window.commands["levels"].trigger()
    qtbot.waitUntil(lambda: bool(noticed), timeout=PATIENCE_MS)
    assert noticed[0].severity is Severity.WARNING
    assert "no levels to show: it has no small separators" in noticed[0].text
    assert Layer.LEVELS not in window.parts.canvas.options.shown
    assert not window.levels_bar.isVisible()


def test_cancelling_the_preparation_hides_the_levels(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def slow(graph: object, progress: Progress) -> Levels:
        begun.set()
        while True:
            progress.checkpoint()

    monkeypatch.setattr(levels, "levels_of", slow)
    opened.commands["levels"].trigger()
    qtbot.waitUntil(begun.is_set, timeout=PATIENCE_MS)
    assert opened.levels_bar.words.whole_text == "The hierarchy is being prepared …"
    trigger(qtbot, opened, "cancel")
    assert Layer.LEVELS not in opened.parts.canvas.options.shown
    assert not opened.commands["levels"].isChecked()


def test_a_run_waits_for_the_preparation_and_uses_it(qtbot: QtBot, opened: MainWindow) -> None:
    """If the preparation waited for the run's trials, both would wait for ever."""
    opened.parts.session.choices.choose("cch-tree")
    for variant_id in opened.parts.session.choices.ids:
        opened.parts.session.choices.choose(variant_id, variant_id == "cch-tree")
    opened.commands["levels"].trigger()
    opened.parts.run.start()
    qtbot.waitUntil(
        lambda: opened.parts.session.results.get("cch-tree") is not None, timeout=PATIENCE_MS
    )
    wait_until_idle(qtbot, opened)
    assert opened.parts.session.results.get("cch-tree").ok
    assert opened.parts.canvas.levels.view.picture.levels is levels_of(opened.parts.session.graph)
