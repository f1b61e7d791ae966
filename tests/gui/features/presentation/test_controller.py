"""Presentation mode: what is hidden and shown, its caption, and that everything returns
as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from gui.features.presentation.controller import PresentationController
from gui.model.notice import Notice, Severity
from gui.model.settings import Settings
from gui.style.text import apply_type_size, current_percent
from gui.window import MainWindow
from solvers.picture.colours import LIGHT
from tests.gui.pictures import is_like
from tests.gui.windows import TINY, controller_of, open_graph, run_only


@pytest.fixture
def solved(qtbot: QtBot, qapp: QApplication, window: MainWindow) -> Iterator[MainWindow]:
    """The textbook graph, solved and traced."""
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "dijkstra-heap")
    qtbot.waitUntil(lambda: window.parts.playback.length > 0)
    yield window
    if window.commands["present"].isChecked():  # its end gives back the size of before
        window.commands["present"].trigger()
    apply_type_size(qapp, 100)


def presentation(window: MainWindow) -> PresentationController:
    made: PresentationController = controller_of(window, "presentation")
    return made


def shown_panels(window: MainWindow) -> set[str]:
    return {title for title in window.bars.actions_of_panels if window.bars.is_shown(title)}


def test_only_canvas_caption_legend_and_scrubber_are_left(qtbot: QtBot, solved: MainWindow) -> None:
    solved.commands["present"].trigger()
    assert shown_panels(solved) == set()
    for bar in (solved.menuBar(), solved.status, solved.toolbar, solved.play_bar):
        assert not bar.isVisible()
    assert solved.parts.canvas.isVisible()
    assert presentation(solved).caption.isVisible()
    assert presentation(solved).foot.scrubber.isVisible()
    assert solved.isFullScreen()
    assert current_percent() == 140
    assert solved.parts.canvas.canvas.legend_is_elsewhere
    caption = presentation(solved).caption
    words = caption.subject.whole_text, caption.figures.text()
    assert words[0].startswith("textbook")
    assert words[0].endswith("Dijkstra heap")
    assert words[1].startswith("iteration")
    assert words[1].endswith("proved")

    legend = presentation(solved).foot.legend
    qtbot.waitUntil(lambda: legend.width() > 50)
    assert (
        legend.mapTo(solved, legend.rect().topLeft()).y()
        >= solved.parts.canvas.mapTo(solved, solved.parts.canvas.rect().bottomLeft()).y()
    )
    picture = legend.grab().toImage()
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width())
        for y in range(picture.height())
    }
    assert len(colours) > 10

    solved.parts.playback.seek(0)
    first = presentation(solved).caption.figures.text()
    solved.parts.playback.step(1)
    assert presentation(solved).caption.figures.text() != first
    qtbot.mouseClick(presentation(solved).foot.play_button, Qt.MouseButton.LeftButton)
    assert solved.parts.playback.playing
    solved.parts.playback.pause()


def test_everything_returns_as_it_was(qtbot: QtBot, solved: MainWindow, settings: Settings) -> None:
    """Also where the widget with the focus is gone, and as the window closes."""
    solved.bars.open("Path", by_user=True)
    qtbot.wait(50)
    panels, size = shown_panels(solved), solved.size()
    assert "Path" in panels
    camera = solved.parts.canvas.canvas.view.camera
    solved.commands["present"].trigger()
    qtbot.wait(50)
    qtbot.keyClick(solved.parts.canvas.canvas, Qt.Key.Key_Escape)
    assert not solved.commands["present"].isChecked()
    qtbot.waitUntil(lambda: solved.size() == size)
    assert shown_panels(solved) == panels
    assert current_percent() == 100
    solved.commands["type-normal"].trigger()
    assert solved.notices.notice.text == "The type has 100 % already.", "it did nothing"
    assert not solved.isFullScreen()
    assert solved.play_bar.isVisible()
    assert not presentation(solved).caption.isVisible()
    qtbot.waitUntil(lambda: solved.parts.canvas.canvas.view.camera == camera)

    solved.notices.dismiss()
    field = QLineEdit(solved)
    field.show()
    field.setFocus()
    solved.commands["present"].trigger()
    delete(field)
    qtbot.keyClick(solved.parts.canvas.canvas, Qt.Key.Key_Escape)
    assert not solved.commands["present"].isChecked()
    assert solved.play_bar.isVisible()

    solved.commands["present"].trigger()
    solved.close()
    assert panels == {
        title for side in ("left", "right") if (title := settings.bar("Compare", side)[0])
    }


def test_steps_of_the_lesson_are_seen_and_escape_closes_a_notice_first(
    qtbot: QtBot, solved: MainWindow
) -> None:
    """N went on in a panel that is not shown; else the lesson comes to the front."""
    solved.commands["present"].trigger()
    said, arcs = [], []
    for _ in range(4):
        solved.commands["lesson-next"].trigger()
        content = solved.parts.canvas.canvas.content
        said.append(content.sentence)
        arcs.append(content.explanation.step_path)
    assert len(set(said)) == 4
    assert any(arcs)
    solved.commands["present"].trigger()
    assert solved.parts.canvas.canvas.content.sentence not in said

    solved.commands["present"].trigger()
    solved.parts.session.notice(Notice(Severity.INFO, "Something happened."))
    qtbot.keyClick(solved.parts.canvas.canvas, Qt.Key.Key_Escape)
    assert solved.notices.notice is None
    assert solved.commands["present"].isChecked()
    qtbot.keyClick(solved.parts.canvas.canvas, Qt.Key.Key_Escape)
    assert not solved.commands["present"].isChecked()

    solved.commands["lesson-next"].trigger()
    qtbot.waitUntil(lambda: not controller_of(solved, "lesson").panel.visibleRegion().isEmpty())
    assert controller_of(solved, "lesson").panel.step is not None


def coloured(qtbot: QtBot, widget: QWidget, colour: str) -> np.ndarray:
    """(k, 2) pixels, x and y, of a colour in what a widget shows when it has come to rest."""
    qtbot.wait(300)
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return np.argwhere(is_like(pixels, colour, 8))[:, ::-1]


def test_vertices_and_numbers_grow_with_the_captions(qtbot: QtBot, solved: MainWindow) -> None:
    """F11 enlarged captions, but not the discs with their ids, and the weights."""
    solved.resize(1600, 1000)
    solved.parts.playback.step(-1)
    canvas = solved.parts.canvas.canvas
    areas = [len(coloured(qtbot, canvas, LIGHT.frontier))]
    solved.commands["present"].trigger()
    solved.resize(1600, 1000)
    areas.append(len(coloured(qtbot, canvas, LIGHT.frontier)))
    assert areas[1] > 1.4 * areas[0]


def test_a_small_window_in_large_type_has_a_legend(
    qtbot: QtBot, solved: MainWindow, type_of: Callable[[int], None]
) -> None:
    """At 1280 x 720 and 150 %, a projector's, there was none."""
    solved.bars.open("Lesson", by_user=True)
    type_of(150)
    solved.resize(1280, 720)
    solved.parts.playback.to_start()  # where the path is not known yet
    path = coloured(qtbot, solved.parts.canvas.canvas, LIGHT.path)
    assert len(path) > 30, "the sample of the shortest path"
    assert np.ptp(path[:, 1]) < 8 < np.ptp(path[:, 0])
    solved.commands["present"].trigger()
    solved.resize(1280, 720)
    assert len(coloured(qtbot, presentation(solved).foot.legend, LIGHT.path)) > 30
