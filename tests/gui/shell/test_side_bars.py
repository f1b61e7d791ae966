"""The side bars and modes of the window; notices and play bar lie over the canvas and
move nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QPointF, QRect, QSettings, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.view import ViewFitting
from gui.model.notice import Notice, Severity
from gui.model.settings import Settings
from gui.shell import centre
from gui.shell.side_bars import COMPARE, MODES, FlatButton
from gui.style.widgets import Card
from gui.window import MainWindow
from solvers.picture.overlay.markers import PIN_HEIGHT
from solvers.picture.scene.camera import Margins
from tests.gui.windows import (
    SAMPLE,
    TINY,
    open_graph,
    roads_panel,
    run_only,
    tick_only,
    wait_until_idle,
)


def shown(window: MainWindow) -> set[str]:
    return {title for title in window.bars.actions_of_panels if window.bars.is_shown(title)}


def share_of_canvas(window: MainWindow) -> float:
    """The canvas's share of the window, without what side bars cover of it."""
    canvas = window.parts.canvas.canvas
    return canvas.view.clear_area.width() * canvas.height() / (window.width() * window.height())


@pytest.fixture
def wide(qtbot: QtBot, window: MainWindow) -> MainWindow:
    open_graph(qtbot, window, TINY)
    resize(qtbot, window, 1600, 1000)
    return window


def resize(qtbot: QtBot, window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    qtbot.waitUntil(lambda: window.bars.width() == width)


def test_the_canvas_has_two_thirds_of_the_window_whatever_the_program_opens(
    qtbot: QtBot, wide: MainWindow
) -> None:
    assert shown(wide) == {"Variants"}
    assert share_of_canvas(wide) > 2 / 3
    run_only(qtbot, wide, "dijkstra-heap")
    assert shown(wide) == {"Results"}
    assert share_of_canvas(wide) > 2 / 3
    wide.commands["bars"].trigger()
    assert shown(wide) == set()
    qtbot.waitUntil(lambda: share_of_canvas(wide) > 0.85)


def test_icons_and_words_of_panels_stand_for_one_thing(qtbot: QtBot, wide: MainWindow) -> None:
    """The flag stood for roads and for a race, the clock for runs and for trials. A road is closed,
    not a window; code is no source, and an isochrone no reach.
    """
    icons = [b._icon_name for b in wide.bars.findChildren(FlatButton) if b._icon_name]
    assert len(set(icons)) == len(icons) == len(wide.bars.actions_of_panels)
    actions = {spec.icon: spec.id for spec, _ in wide.commands if spec.icon in icons}
    general = {"chart", "experiment", "history", "information", "path", "table"}
    assert set(actions) == general, actions

    wide.bars.open("Roads")
    assert "Close road" in {b.text() for b in roads_panel(wide).findChildren(QPushButton)}
    wide.bars.open("Selected variant")
    wide.parts.session.results.select("dijkstra-heap")
    qtbot.waitUntil(lambda: wide.card.text.text() != "")
    headings = [b.text() for b in wide.card.findChildren(QAbstractButton)]
    assert "Code" in headings
    assert "Source" not in headings
    assert "<b>Source.</b>" not in wide.card.text.text()
    wide.commands["isochrone"].trigger()
    labels = {label.text() for label in wide.controller_of("isochrone").bar.findChildren(QLabel)}
    assert "Isochrone" in labels
    assert "Reach" not in labels


def test_what_lies_over_the_picture_is_not_painted_again_with_it(
    qtbot: QtBot, wide: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of bars and rails there are only the edges, and these are kept."""
    painted, edges, paint = [], [], Card._painted

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                painted.append(watched)
            return False

    watch, canvas = Watch(), wide.parts.canvas.canvas
    wide.bars.open("Path")
    for _ in range(2):
        qtbot.waitUntil(lambda: canvas.frames.current)
        canvas.repaint()
    for part in (canvas, *wide.bars.findChildren(FlatButton), *wide.bars.findChildren(QLabel)):
        part.installEventFilter(watch)
    monkeypatch.setattr(Card, "_painted", lambda *given: edges.append(given) or paint(*given))
    canvas.repaint()
    assert painted == [canvas]
    assert not edges


def test_bars_are_closed_and_opened_by_keys_and_buttons_and_one_where_there_is_little_room(
    qtbot: QtBot, wide: MainWindow, type_of: Callable[[int], None]
) -> None:
    """What the user opened stays open in a wide window."""
    wide.bars.open("Roads", by_user=True)
    for key, title in ((Qt.Key.Key_BracketLeft, "Variants"), (Qt.Key.Key_BracketRight, "Roads")):
        for is_open in (False, True):
            qtbot.keyClick(wide, key, Qt.KeyboardModifier.ControlModifier)
            assert wide.bars.is_shown(title) is is_open
            assert wide.bars.actions_of_panels[title].isChecked() is is_open

    wide.bars.actions_of_panels["Selected variant"].trigger()
    wide.bars.open("Results")
    assert shown(wide) == {"Selected variant", "Results"}
    wide.bars.actions_of_panels["Selected variant"].trigger()
    assert shown(wide) == {"Results"}, "a second click closes it"

    wide.bars.open("Results", by_user=True)
    wide.bars.open("Variants", by_user=True)
    assert len(shown(wide)) == 2
    resize(qtbot, wide, 1100, 720)
    assert shown(wide) == {"Variants"}
    wide.bars.actions_of_panels["Results"].trigger()
    assert shown(wide) == {"Results"}
    resize(qtbot, wide, 1280, 720)
    assert len(shown(wide)) == 2
    type_of(150)
    assert shown(wide) == {"Results"}
    assert wide.minimumSizeHint().width() <= 1280
    qtbot.waitUntil(lambda: wide.parts.canvas.canvas.view.clear_area.width() >= 0.55 * 1280)


def test_widths_follow_the_border_and_are_kept(
    qtbot: QtBot, wide: MainWindow, settings: Settings
) -> None:
    handle = wide.bars.findChild(QSplitter).handle(1)
    before = wide.variants_panel.width()
    drag(qtbot, handle, 100)
    assert wide.variants_panel.width() == pytest.approx(before + 100, abs=3)
    for width in (1300, 1600):
        resize(qtbot, wide, width, 1000)
    assert wide.variants_panel.width() == pytest.approx(before + 100, abs=3)
    wide.bars.save()
    title, width = settings.bar("Compare", "left")
    assert title == "Variants"
    assert width == pytest.approx(before + 100, abs=3)
    drag(qtbot, handle, -300)
    assert shown(wide) == set(), "so narrow, it closes"
    wide.commands["left-bar"].trigger()
    assert wide.variants_panel.width() == pytest.approx(before + 100, abs=3)


def test_buttons_of_a_notice_have_room_as_it_has_above_the_map(
    wide: MainWindow, qtbot: QtBot
) -> None:
    """ "Keep the largest part only" touched the edges of its button; at 840 x 450 a notice lay over
    the top of the map.
    """
    words = "Keep the largest part only"
    wide.parts.session.notice(
        Notice(Severity.WARNING, "Not connected.", "Details.", words, lambda: None)
    )
    wide.grab()
    shown_buttons = [
        button for button in wide.notices.findChildren(QPushButton) if button.isVisible()
    ]
    assert len(shown_buttons) == 2
    for button in shown_buttons:
        assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 20

    wide.notices.dismiss()
    view = wide.parts.canvas.canvas.view
    wide.parts.session.notice(Notice(Severity.INFO, "Something happened. " * 4))
    assert view.clear_area.top() == 0.0
    resize(qtbot, wide, 840, 450)
    assert view.clear_area.top() >= place(wide.notices, wide.overlay).bottom()
    wide.notices.dismiss()
    qtbot.waitUntil(lambda: view.clear_area.top() == 0.0)


def test_buttons_of_a_notice_are_whole_in_a_narrow_canvas_for_which_wide_panels_leave_room(
    qtbot: QtBot, wide: MainWindow
) -> None:
    """Between the kernel's panel and the results, the last ones were cut off."""
    resize(qtbot, wide, 1240, 800)
    for title in ("Kernel", "Results"):
        wide.bars.open(title, by_user=True)
    assert shown(wide) == {"Kernel", "Results"}
    words = "Generate a network of roads with 4 000 vertices, and open the run"
    for text in ("Undo", words):
        wide.parts.session.notice(
            Notice(Severity.ERROR, "It failed.", "Details.", text, lambda: None, report="Report.")
        )
        QApplication.processEvents()
        notice = wide.notices
        assert notice.width() < 300, "the canvas is narrow"
        buttons = [one for one in notice.findChildren(QPushButton) if one.isVisible()]
        assert len(buttons) == 3
        for button in buttons:
            assert button.width() >= button.sizeHint().width()
            assert notice.rect().contains(place(button, notice))
    assert "…" in buttons[0].text()
    assert buttons[0].toolTip() == words

    wide.notices.dismiss()
    wide.bars.actions_of_panels["Results"].trigger()
    for width in (1360, 840):
        resize(qtbot, wide, width, 600)
        wide.bars.open("Kernel", by_user=True)
        qtbot.waitUntil(lambda: wide.parts.canvas.canvas.view.clear_area.width() >= 290)


def drag(qtbot: QtBot, handle: QWidget, by: int) -> None:
    middle = handle.rect().center()
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(handle, middle + QPoint(by, 0))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.wait(20)


def test_a_mode_has_panels_of_its_own_and_a_graph_too_large_for_lessons_ends_theirs(
    qtbot: QtBot, wide: MainWindow
) -> None:
    session = wide.parts.session
    before = session.graph, session.source, session.target, session.choices.ids
    wide.commands["mode-explore"].trigger()
    assert shown(wide) == {"Path"}
    assert session.unmeasured.follows
    wide.bars.open("Roads", by_user=True)
    wide.commands["mode-teach"].trigger()
    assert shown(wide) == {"Lesson"}
    assert not session.unmeasured.follows
    wide.commands["mode-explore"].trigger()
    assert shown(wide) == {"Roads"}
    assert (session.graph, session.source, session.target, session.choices.ids) == before
    wait_until_idle(qtbot, wide)

    wide.commands["mode-teach"].trigger()
    open_graph(qtbot, wide, TINY)
    assert wide.bars.mode.name == "Teach", "a small graph is what it is for"
    open_graph(qtbot, wide, SAMPLE)
    assert wide.bars.mode is COMPARE
    assert "Lesson" not in shown(wide)


def test_every_panel_opens_in_every_mode(qtbot: QtBot, wide: MainWindow) -> None:
    for mode in MODES:
        wide.bars.set_mode(mode)
        for title, action in wide.bars.actions_of_panels.items():
            if not action.isChecked():
                action.trigger()
            assert wide.bars.is_shown(title)
        wait_until_idle(qtbot, wide)


def test_settings_of_an_older_version_or_with_unknown_panels_are_read(
    qapp: QApplication, tmp_path: Path
) -> None:
    store = QSettings(str(tmp_path / "tautpath.ini"), QSettings.Format.IniFormat)
    for key, value in (
        ("docks", QByteArray(b"old")),
        ("layout_version", 3),
        ("folded", ["path dock"]),
        ("mode", "Dream"),
        ("bars/Compare/left", "Telescope"),
        ("bars/Compare/left_width", "300"),
        ("bars/Compare/right_width", "wide"),
    ):
        store.setValue(key, value)
    window = MainWindow(Settings(store))
    window.show()
    assert window.commands["mode-compare"].isChecked()
    assert shown(window) == set()
    window.close()
    window.deleteLater()


def place(widget: QWidget, window: MainWindow) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def test_a_notice_moves_nothing_and_the_graph_is_above_the_play_bar(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    canvas = window.parts.canvas.canvas
    before, camera = place(canvas, window), canvas.view.camera
    window.parts.session.notice(Notice(Severity.WARNING, "Something happened. " * 12))
    qtbot.waitUntil(lambda: window.notices.isVisible() and window.notices.height() > 30)
    assert (place(canvas, window), canvas.view.camera) == (before, camera)
    assert place(canvas, window).contains(place(window.notices, window))

    window.notices.dismiss()
    tick_only(window, "dijkstra-heap")
    window.bars.open("Results")
    qtbot.wait(20)
    before = place(canvas, window)
    assert not window.play_bar.isVisible()
    window.parts.run.start()
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.length > 0)
    qtbot.waitUntil(lambda: window.play_bar.player.isVisible())
    assert place(canvas, window) == before
    bar = place(window.play_bar, window)
    assert place(canvas, window).contains(bar)
    ys = canvas.view.camera.to_screen(canvas.content.scene.positions)[:, 1]
    assert canvas.mapTo(window, QPoint(0, round(float(ys.max())))).y() < bar.top()
    assert place(window.parts.canvas._buttons, window).bottom() < bar.top()

    view, target = canvas.view, window.parts.session.target
    for below, moves in ((20.0, True), (300.0, False)):
        view.set_covered(Margins())
        point = view.point_of(target)
        view.pan(QPointF(0.0, canvas.height() - below - point.y()))
        before = view.camera
        view.set_covered(Margins(bottom=100))
        assert (view.camera != before) is moves
        assert not view.fitted


def test_a_notice_covers_neither_ends_nor_path(qtbot: QtBot, wide: MainWindow) -> None:
    view, session = wide.parts.canvas.canvas.view, wide.parts.session
    area = view.clear_area
    for x, side in ((area.right() - 60.0, "left"), (area.left() + 60.0, "right")):
        wide.notices.dismiss()
        session.set_target(None)
        point = view.point_of(session.source)
        assert point is not None
        view.pan(QPointF(x, 60.0) - point)
        session.notice(Notice(Severity.INFO, "Something happened. " * 4))
        notice = place(wide.notices, wide.overlay)
        assert (notice.center().x() < area.center().x()) is (side == "left")
        assert not any(
            notice.contains(QPoint(*map(round, p))) for p in wide.parts.canvas.points_to_see()
        )
        # the view moves beneath it, as when a graph is opened
        view.pan(QPointF(notice.center()) - QPointF(x, 60.0))
        assert place(wide.notices, wide.overlay) != notice
    wide.parts.canvas.split(2)
    headers = [place(pane.head, wide.overlay) for pane in wide.parts.canvas.split_view.panes]
    seen = wide.parts.canvas.points_to_see()
    assert all(any(head.contains(QPoint(*map(round, p))) for p in seen) for head in headers)


def test_pins_are_inside_a_low_view_and_a_card_that_offers_a_trace_is_as_wide_as_its_words(
    qtbot: QtBot, wide: MainWindow
) -> None:
    """At 840 x 450 the head of the target's pin lay beneath the toolbar."""
    open_graph(qtbot, wide, SAMPLE)
    scene = wide.parts.canvas.graph_canvas.content.scene
    low = ViewFitting().whole(scene, 350.0, 300.0)
    assert low.to_screen(scene.positions)[:, 1].min() >= PIN_HEIGHT - 1
    run_only(qtbot, wide, "dijkstra-heap")
    wide.parts.playback.load(None)
    card = wide.play_bar.parentWidget()
    qtbot.waitUntil(
        lambda: wide.play_bar.empty.isVisible() and card.width() < 0.6 * wide.overlay.width()
    )
    assert wide.play_bar.offer.text() == wide.play_bar.offer.whole_text
    assert (
        abs(
            place(card, wide.overlay).center().x()
            - wide.parts.canvas.canvas.view.clear_area.center().x()
        )
        <= 1
    )
    resize(qtbot, wide, 853, 480)
    qtbot.waitUntil(lambda: wide.play_bar.offer.text().endswith("…"))
    assert wide.play_bar.trace_button.width() >= wide.play_bar.trace_button.sizeHint().width()


def test_notices_go_after_a_while_and_errors_with_the_next_run(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, TINY)
    monkeypatch.setattr(centre, "EXPIRES_MS", 50)
    window.parts.session.notice(Notice(Severity.WARNING, "Something happened."))
    qtbot.waitUntil(window.notices.isHidden)
    done = []
    offer = Notice(
        Severity.WARNING,
        "Something was lost.",
        action_text="Bring it back",
        action=lambda: done.append(1),
    )
    for lasting in (offer, Notice(Severity.ERROR, "Something failed.")):
        window.parts.session.notice(Notice(Severity.INFO, "Its end is not that of the next."))
        window.parts.session.notice(lasting)
        qtbot.wait(150)
        assert window.notices.isVisible()
    run_only(qtbot, window, "dijkstra-heap")
    assert window.notices.isHidden()
    window.parts.session.notice(offer)
    qtbot.mouseClick(window.notices.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert done
    assert window.notices.isHidden(), "it is brought back once"


def test_an_error_of_a_field_is_below_the_notice_and_goes_with_escape(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    window.resize(1000, 700)
    window.parts.session.notice(Notice(Severity.INFO, "Something happened."))
    qtbot.waitUntil(lambda: window.notices.height() > 20)
    field = window.endpoints.target
    field.setFocus()
    field.clear()
    qtbot.keyClicks(field, "99999")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "99999" in field.error
    bubble = field._bubble
    assert not place(bubble, window).intersects(place(window.notices, window))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.error == ""
    assert window.notices.notice is not None
