"""Widgets that all panels use; views and colours change in motion only where it is wanted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QLabel, QTableWidget, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.view import CanvasView
from gui.style import motion
from gui.style.motion import DURATION_MS, desktop_moves, fade
from gui.style.tables import add_heading, align_right, make_tree, settle_table
from gui.style.widgets import ElidedBox, ElidedLabel
from solvers.picture.scene.camera import Camera

WHOLE = Camera(0.0, 0.0, 10.0, 400.0, 300.0)


@pytest.fixture
def view(qtbot) -> CanvasView:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    view = CanvasView(widget, lambda: WHOLE, lambda: QRectF(widget.rect()), least=0.25, most=1e4)
    view.fit()
    return view


def cameras(view: CanvasView) -> list[Camera]:
    seen: list[Camera] = []
    view.moved.connect(lambda: seen.append(view.camera))
    return seen


def test_a_zoom_in_motion_passes_scales_between_and_ends_where_one_at_once_does(view, qtbot):
    view.moves = lambda: True
    seen = cameras(view)
    view.zoom_in()
    qtbot.waitUntil(lambda: view.camera.scale == 15.0, timeout=20 * DURATION_MS)
    scales = [camera.scale for camera in seen[1:]]  # after the change itself
    assert scales == sorted(scales)
    assert any(10.0 < scale < 15.0 for scale in scales)
    assert not view.fitted


@pytest.mark.parametrize("change", ["zoom_in", "zoom_out", "show_all"])
def test_without_motion_a_view_changes_at_once(view, change):
    view.look_at(Camera(1.0, 1.0, 40.0, 400.0, 300.0))
    seen = cameras(view)
    getattr(view, change)()
    assert len(seen) == 1


def test_a_motion_ends_at_once_when_a_measurement_begins(view, qtbot):
    wanted = True
    view.moves = lambda: wanted
    seen = cameras(view)
    view.zoom_in()
    wanted = False
    qtbot.waitUntil(lambda: view.camera.scale == 15.0, timeout=20 * DURATION_MS)
    assert len(seen) <= 3, "the change, its first picture and the last"


def test_zooming_twice_leads_as_far_as_without_motion(view, qtbot):
    view.moves = lambda: True
    view.zoom_in()
    view.zoom_in()
    qtbot.waitUntil(lambda: view.camera.scale == 22.5, timeout=20 * DURATION_MS)


def test_the_user_ends_a_motion_by_moving_the_view(view, qtbot):
    view.moves = lambda: True
    view.zoom_in()
    mine = Camera(3.0, 3.0, 50.0, 400.0, 300.0)
    view.look_at(mine)
    qtbot.wait(2 * DURATION_MS)
    assert view.camera == mine


def test_a_zoom_keeps_the_point_under_the_pointer_in_its_place():
    end = WHOLE.zoomed(4.0, 100.0, 50.0)
    for share in (0.2, 0.5, 0.9):
        assert WHOLE.towards(end, share).to_world(100.0, 50.0) == pytest.approx(
            WHOLE.to_world(100.0, 50.0)
        )
    assert WHOLE.towards(end, 1.0) is end


@pytest.mark.parametrize("measured", [False, True])
def test_a_fading_picture_goes_away_at_once_when_a_measurement_begins(qtbot, monkeypatch, measured):
    monkeypatch.setattr(motion, "DURATION_MS", 60_000 if measured else DURATION_MS)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(200, 100)
    window.show()
    fade(window, lambda: not measured)
    assert window.findChild(QLabel) is not None
    qtbot.waitUntil(lambda: window.findChild(QLabel) is None, timeout=20 * DURATION_MS)


def test_where_nobody_sees_it_nothing_moves(qtbot):
    assert not desktop_moves()  # the tests run offscreen


# -- widgets
# --------------------------------------------------------------------------------------


def test_what_does_not_fit_in_a_line_goes_on_in_the_next(qtbot: QtBot) -> None:
    """The progress of an experiment read "Point 18 of 33, …" in a narrow window."""
    words = "Point 18 of 33, about 2 min left: Bellman-Ford strided + flag"
    label = ElidedLabel(asks=True, lines=2)
    qtbot.addWidget(label)
    label.show_text(words)
    label.resize(label.sizeHint().width() * 2 // 3, 60)
    label.show()
    assert label.text().split("\n") != [words]
    assert label.text().replace("\n", " ") == words
    assert label.sizeHint().height() >= 2 * label.fontMetrics().height()


def test_a_narrow_box_shows_the_short_text_or_elides_it(qtbot: QtBot) -> None:
    box = ElidedBox()
    qtbot.addWidget(box)
    box.addItem("Bellman-Ford strided + flag", "id")
    box.setItemData(0, ("BF strided + flag",), ElidedBox.FORMS_ROLE)
    for text in box.forms(0):
        box.resize(box.room_for(text), 26)
        assert box.shown_text == text
    box.resize(box.room_for("BF strided + flag") // 2, 26)
    assert "…" in box.shown_text
    assert box.forms(-1) == ("",)
    box.resize(80, 26)
    box.show()
    assert not box.grab().isNull()


def test_numbers_and_their_titles_are_aligned_to_the_right(qtbot: QtBot):
    tree = make_tree(("Graph", "Vertices"), "Graphs", [1])
    qtbot.addWidget(tree)
    item = QTreeWidgetItem(tree, ["New York", "264 346"])
    align_right(item, [1])
    for row in (tree.headerItem(), item):
        assert Qt.AlignmentFlag(row.textAlignment(1)) & Qt.AlignmentFlag.AlignRight
        assert not Qt.AlignmentFlag(row.textAlignment(0)) & Qt.AlignmentFlag.AlignRight
    assert tree.accessibleName() == "Graphs"


def test_a_heading_is_bold_harmless_and_never_selected(qtbot: QtBot):
    tree = make_tree(("Graph", "Vertices"), "Graphs")
    qtbot.addWidget(tree)
    head = add_heading(tree, "Roads\u202e")
    assert head.font(0).weight() > tree.font().weight()
    assert "\u202e" not in head.text(0)
    tree.setCurrentItem(head)
    assert tree.selectedItems() == []


def test_tab_leaves_a_table(qtbot: QtBot):
    table = QTableWidget(2, 2)
    qtbot.addWidget(table)
    settle_table(table, "Runs")
    assert not table.tabKeyNavigation()
    # as their cells
    assert table.horizontalHeader().defaultAlignment() & Qt.AlignmentFlag.AlignLeft
    assert table.verticalHeader().isHidden()
