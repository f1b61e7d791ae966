"""The action table: every row works, no key means two things; keys of text fields, and
menus by right-click.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.actions import _other_acts, _picture_acts, _run_acts, actions
from gui.dialogs.help import ShortcutsDialog
from gui.dialogs.search import SearchCard
from gui.model.playback import Pace
from gui.shell.commands import MENUS, Action, State
from gui.shell.keys import ShiftedPlus, is_unused_by_text
from gui.style.icons import FOLDER
from gui.window import MainWindow
from solvers.picture.scene.content import Layer
from solvers.system.disk_cache import DELETED_KEPT
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, run_only, tick_only, wait_until_idle

REVIEWED = Path(__file__).with_name("menus.txt")

KEYS = {
    "open": "Ctrl+O",
    "generate": "Ctrl+G",
    "cancel": "Esc",
    "play": "Space",
    "step-back": "Left",
    "step": "Right",
    "step-back-10": "Shift+Left",
    "step-10": "Shift+Right",
    "first": "Home",
    "last": "End",
    "slower": "[",
    "faster": "]",
    "source": "S",
    "target": "T",
    "swap": "X",
    "fit": "F",
    "zoom-path": "P",
    "find": "Ctrl+K",
    "export-picture": "Ctrl+E",
    "export-csv": "Ctrl+Shift+E",
    "shortcuts": "F1",
}


def table(window: MainWindow) -> dict[str, Action]:
    return {spec.id: spec for spec, _ in window.commands}


def test_ids_are_unique_and_menus_exist(shared_window: MainWindow) -> None:
    made = actions(shared_window.parts, shared_window, shared_window.features.values())
    assert [spec.id for spec in made] == list(table(shared_window))
    assert {spec.menu for spec in made} == set(MENUS)


def test_every_act_has_a_row_of_the_table(shared_window: MainWindow) -> None:
    """A row without an act raises when the window starts; an act without one would be lost."""
    parts, found = shared_window.parts, set(table(shared_window))
    for acts in (_run_acts, _picture_acts, _other_acts):
        assert set(acts(parts, shared_window)) <= found
    assert f"{DELETED_KEPT.days} days" in table(shared_window)["deleted-kernels"].tip


def test_no_key_means_two_things(shared_window: MainWindow) -> None:
    keys = [
        QKeySequence(key).toString() for spec in table(shared_window).values() for key in spec.keys
    ]
    assert "" not in keys
    assert len(set(keys)) == len(keys)


def test_the_keys_of_the_brief(shared_window: MainWindow) -> None:
    found = table(shared_window)
    assert {
        action_id: key for action_id, key in KEYS.items() if key not in found[action_id].keys
    } == {}
    assert found["run"].keys == ("F5", "Ctrl+R")


def test_every_icon_is_drawn(shared_window: MainWindow) -> None:
    for spec in table(shared_window).values():
        assert not spec.icon or (FOLDER / f"{spec.icon}.svg").is_file(), spec.id


@pytest.mark.parametrize(
    ("needs", "state", "enabled"),
    [
        (State.ALWAYS, State.ALWAYS, True),
        (State.GRAPH | State.CHOICES | State.IDLE, State.GRAPH | State.CHOICES | State.IDLE, True),
        (State.GRAPH | State.CHOICES | State.IDLE, State.GRAPH | State.IDLE, False),
        (State.GRAPH | State.CHOICES | State.IDLE, State.GRAPH | State.CHOICES, False),
        (State.BUSY, State.GRAPH | State.CHOICES, False),
        (State.BUSY, State.BUSY, True),
        (State.PATH, State.GRAPH | State.PATH, True),
    ],
)
def test_enabled_in_just_these_states(needs: State, state: State, enabled: bool) -> None:
    spec = Action("one", MENUS[0], "One", lambda: None, needs=needs)
    assert (not spec.why_disabled(state)) is enabled
    assert bool(spec.why_disabled(state)) is not enabled


def test_every_disabled_action_says_why(shared_window: MainWindow) -> None:
    for spec in table(shared_window).values():
        for needed in spec.needs:
            assert spec.why_disabled(~needed), (spec.id, needed)


def test_check_marks_follow_what_is_shown_however_that_was_changed(window: MainWindow) -> None:
    checked = {
        action_id: window.commands[action_id].isChecked
        for action_id in ("pace-time", "pace-progress", "levels")
    }
    assert not any(is_checked() for is_checked in checked.values())
    window.parts.playback.set_pace(Pace.TIME)
    window.parts.canvas.options.set_layer(Layer.LEVELS, True)
    assert checked["pace-time"]()
    assert checked["levels"]()
    window.parts.playback.set_pace(Pace.PROGRESS)
    window.parts.canvas.options.set_layer(Layer.LEVELS, False)
    assert [action_id for action_id, is_checked in checked.items() if is_checked()] == [
        "pace-progress"
    ]


def test_every_action_stands_in_its_menu(shared_window: MainWindow) -> None:
    # mypy has checked the handlers; here: that all can be reached by mouse.
    menus = {
        action.menu().title().replace("&", ""): action.menu()
        for action in shared_window.menuBar().actions()
    }
    assert tuple(menus) == MENUS
    for spec, action in shared_window.commands:
        menu = menus[spec.menu]
        if spec.submenu:
            menu = next(entry.menu() for entry in menu.actions() if entry.text() == spec.submenu)
        assert action in menu.actions()
        assert action.toolTip()


def test_without_a_graph_only_what_makes_sense_is_enabled(shared_window: MainWindow) -> None:
    enabled = {spec.id for spec, action in shared_window.commands if action.isEnabled()}
    assert {"open", "generate", "find", "devices"} <= enabled
    assert not enabled & {"run", "cancel", "fit", "play", "export-picture", "export-csv", "swap"}


def test_keys_are_letters_in_a_field_ticks_in_a_list_and_commands_elsewhere(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    armed: list[object] = []
    window.parts.canvas.options.armed_changed.connect(armed.append)
    ends = (window.parts.session.source, window.parts.session.target)
    field = window.parts.help.search().field
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "stxfp [")
    qtbot.keyClick(field, Qt.Key.Key_Left)
    qtbot.keyClick(field, Qt.Key.Key_X)
    assert field.text() == "stxfp x["
    assert armed == []
    assert (window.parts.session.source, window.parts.session.target) == ends

    window.parts.help.search().close()
    window.parts.canvas.setFocus()
    source, target = window.parts.session.source, window.parts.session.target
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_X)
    assert (window.parts.session.source, window.parts.session.target) == (target, source)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_T)
    assert armed == ["target"]

    played: list[bool] = []
    window.commands["play"].triggered.connect(played.append)
    tree = window.variants_panel.findChild(QTreeWidget)
    combo = window.findChild(QComboBox, "device")
    assert combo is not None
    tree.setFocus()
    qtbot.waitUntil(tree.hasFocus)
    tree.setCurrentItem(tree.topLevelItem(0).child(0))
    before = window.parts.session.choices.ids
    qtbot.keyClick(tree, Qt.Key.Key_Space)
    assert window.parts.session.choices.ids != before
    assert played == []


def test_the_search_finds_commands_ids_and_parameters_and_says_why_one_is_disabled(
    qtbot: QtBot, window: MainWindow
) -> None:
    """Enter ran the first match that was enabled, however far from the words that had
    been typed.
    """
    dialog = window.parts.help.search()
    qtbot.keyClicks(dialog.field, "swap source")
    assert dialog.list.currentItem().text(0) == "Edit: Swap source and target"
    assert dialog.reason.text() == "Open or generate a graph first"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.reason.foregroundRole() is QPalette.ColorRole.WindowText, (
        "what Enter has met stands out"
    )
    dialog.field.setText("tick dijkstra heap")
    assert dialog.reason.text() == ""
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert "dijkstra-heap" in window.parts.session.choices.ids

    dialog = window.parts.help.search()
    qtbot.keyClicks(dialog.field, "trial")
    assert dialog.list.topLevelItem(0).text(0) == "Run: Trials, warm-ups and time limit…"
    dialog.field.setText("sssp-near-far")
    assert dialog.list.topLevelItem(0).text(1).startswith("sssp-near-far")
    dialog.field.setText("xyzzy")
    assert [
        dialog.list.topLevelItem(i).text(0) for i in range(dialog.list.topLevelItemCount())
    ] == ["No match for \N{LEFT DOUBLE QUOTATION MARK}xyzzy\N{RIGHT DOUBLE QUOTATION MARK}"]
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible(), "there is nothing to do"
    dialog.field.setText("layout of dijkstra array")
    assert dialog.list.topLevelItem(0).text(1) == "dijkstra-array.layout = csr"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.parts.session.results.selected_id == "dijkstra-array"
    qtbot.waitUntil(window.card.form.fields["layout"].hasFocus)

    open_graph(qtbot, window, TINY)
    tick_only(window)
    dialog = window.parts.help.search()
    assert isinstance(dialog, SearchCard)
    qtbot.keyClicks(dialog.field, "swap")
    assert dialog.list.topLevelItem(0).text(0) == "Edit: Swap source and target"
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "tick dijk heap")
    assert dialog.list.topLevelItem(0).text(0) == "Tick Dijkstra: heap"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.parts.session.choices.ids == ("dijkstra-heap",)
    session, dialog = window.parts.session, window.parts.help.search()
    ends = session.source, session.target
    qtbot.keyClicks(dialog.field, "swap")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert (session.target, session.source) == ends


def test_the_shortcuts_dialog_lists_every_key(qtbot: QtBot, window: MainWindow) -> None:
    page = window.parts.help.show_shortcuts()
    words = " ".join(label.text() for label in page.findChildren(QLabel))
    for key in KEYS.values():
        assert key in words
    page.close()


def test_menus_and_all_made_from_them_are_those_reviewed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """They are one text, so that what a change does to them is read as a difference.

    The letters after the name of an entry are its state without a graph, with one,
    after a run, with two panes, and with views and modes switched on: disabled (-),
    enabled (o), and each with a check mark (=, x).
    """
    entries = list(_entries(window.menuBar(), ""))
    words = [f"{where}{_words(action)}" for where, action in entries]
    states = [_states(entries)]
    rest = [
        *_toolbar(window),
        *_searched(window),
        *_shortcuts(window),
        *(f"Tour  {s.title}  {s.command}" for s in window.parts.tour.stops),
    ]

    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "bf-serial")
    states.append(_states(entries))
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: window.parts.playback.length > 0, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    states.append(_states(entries))
    window.commands["split-2"].trigger()
    states.append(_states(entries))
    window.parts.canvas.options.set_layer(Layer.SO_FAR, False)  # in a lesson no tree is drawn
    for action_id in (
        "isochrone",
        "live",
        "layout-circular",
        "tree-20",
        "pace-time",
        "scheme-dark",
        "present",
    ):
        window.commands[action_id].trigger()
    wait_until_idle(qtbot, window)
    states.append(_states(entries))

    marks = ["".join(letters) for letters in zip(*states, strict=True)]
    lines = [f"{line}  {mark}".rstrip() for line, mark in zip(words, marks, strict=True)]
    shown = "\n".join([*lines, *rest, ""])
    (tmp_path / REVIEWED.name).write_text(shown, "utf-8")
    assert shown == REVIEWED.read_text("utf-8"), (
        f"if this is wanted: cp {tmp_path / REVIEWED.name} {REVIEWED}"
    )


def _entries(widget: QWidget, where: str) -> Iterator[tuple[str, QAction]]:
    """What a menu bar or a menu holds, in order, with the titles of the menus that it is in."""
    for action in widget.actions():
        yield where, action
        menu = action.menu()
        if isinstance(menu, QMenu) and menu.title() != "Open recent":
            yield from _entries(menu, f"{where}{menu.title()} > ")


def _words(action: QAction) -> str:
    if action.isSeparator():
        return "----"
    keys = " or ".join(key.toString() for key in action.shortcuts())
    drawn = "" if action.icon().isNull() else "with icon"
    tip = action.toolTip().replace("\n", " ")
    parts = (action.text(), action.objectName(), keys, drawn, tip)
    return "  ".join(part for part in parts if part)


def _states(entries: list[tuple[str, QAction]]) -> list[str]:
    letters = {(False, False): "-", (True, False): "o", (False, True): "=", (True, True): "x"}
    return ["" if a.isSeparator() else letters[a.isEnabled(), a.isChecked()] for _, a in entries]


def _toolbar(window: MainWindow) -> list[str]:
    found = (
        (action, window.toolbar.widgetForAction(action)) for action in window.toolbar.actions()
    )
    return [f"Toolbar  {_words(action)}  {type(widget).__name__}" for action, widget in found]


def _searched(window: MainWindow) -> list[str]:
    window.commands["find"].trigger()
    dialog = window.findChild(SearchCard)
    assert dialog is not None
    items = [dialog.list.topLevelItem(i) for i in range(dialog.list.topLevelItemCount())]
    commands = {f"{spec.menu}: {spec.text}" for spec, _ in window.commands}
    dialog.close()
    return [
        f"Search  {item.text(0)}  {item.text(1)}".rstrip()
        for item in items
        if item.text(0) in commands
    ]


def _shortcuts(window: MainWindow) -> list[str]:
    window.commands["shortcuts"].trigger()
    dialog = window.findChild(ShortcutsDialog)
    assert dialog is not None
    words = [f"Shortcuts  {label.text()}" for label in dialog.findChildren(QLabel)]
    dialog.reject()
    return words


# -- keys in text fields
# -----------------------------------------------------------------------------------------------


def test_plus_typed_with_shift_triggers_the_action_and_without_it_does_not(qtbot: QtBot) -> None:
    """On an American keyboard Ctrl+Shift+Plus did nothing: Qt called it ambiguous."""
    window = QMainWindow()
    qtbot.addWidget(window)
    field = QLineEdit()
    window.setCentralWidget(field)
    done: list[str] = []
    larger = QAction("larger", window)
    larger.triggered.connect(lambda: done.append("larger"))
    ShiftedPlus(larger, window)
    window.show()
    qtbot.waitExposed(window)
    field.setFocus()
    held = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(field, Qt.Key.Key_Plus, held | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(field, Qt.Key.Key_Plus, held)
    assert done == ["larger"]
    assert field.text() == ""


def test_ctrl_shortcuts_work_in_text_fields_and_undo_takes_back_typing_first(
    qtbot: QtBot, window: MainWindow
) -> None:
    """Qt's text fields claimed Ctrl+Z with nothing to undo; on X11 also Ctrl+E and Ctrl+K."""
    open_graph(qtbot, window, TINY)
    session, field = window.parts.session, window.endpoints.source
    session.set_source(3)
    control = Qt.KeyboardModifier.ControlModifier
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "77")
    qtbot.keyClick(field, Qt.Key.Key_Z, control)
    assert (field.text(), session.source) == (str(session.graph.vertex_id(3)), 3)
    qtbot.keyClick(field, Qt.Key.Key_Z, control)
    assert session.source == 0
    qtbot.keyClick(field, Qt.Key.Key_Y, control)
    assert session.source == 3
    for key in (Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_E, Qt.Key.Key_K):
        press = QKeyEvent(QEvent.Type.ShortcutOverride, key, control)
        assert is_unused_by_text(field, press) == (key in (Qt.Key.Key_E, Qt.Key.Key_K))


# -- context menus
# --------------------------------------------------------------------------------------


@pytest.fixture
def solved(qtbot: QtBot, window: MainWindow) -> MainWindow:
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "dijkstra-heap", "bf-serial")
    qtbot.waitUntil(lambda: window.parts.playback.length > 0)
    return window


def right_clicked(window: MainWindow, widget: QWidget, at: QPoint | None = None) -> list[QAction]:
    """The entries of the menu that a right-click opens; the widget below the pointer
    has the event.
    """
    place = widget.rect().center() if at is None else at
    target = widget.childAt(place) or widget
    inside = target.mapFrom(widget, place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, inside, target.mapToGlobal(inside))
    QApplication.sendEvent(target, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    entries = menu.actions()
    menu.hide()
    return entries


def words(window: MainWindow, widget: QWidget, at: QPoint | None = None) -> set[str]:
    return {entry.text() for entry in right_clicked(window, widget, at)}


def test_every_part_has_a_menu(solved: MainWindow) -> None:
    tree, board = solved.variants_panel.tree, solved.parts.charts
    of_group = words(solved, tree.viewport(), tree.visualItemRect(tree.topLevelItem(0)).center())
    assert "Run" in of_group
    assert not any(text.startswith("Tick only") for text in of_group)
    assert "Trace selected variant" in words(solved, solved.results_panel.table)
    assert "Play or pause" in words(solved, solved.play_bar.scrubber)
    assert {"Show timing in a window of its own", "Export chart…"} <= words(solved, board.timing)
    assert "Export chart…" in words(solved, board.tabs.tabBar())


def test_entries_are_about_the_selected_variant(qtbot: QtBot, solved: MainWindow) -> None:
    results = solved.parts.session.results
    both = ("dijkstra-heap", "bf-serial")
    for variant_id, other in (both, both[::-1]):
        results.set_baseline(other)
        results.select(variant_id)
        for view in (solved.results_panel.table, solved.variants_panel.tree):
            view.scrollTo(view.currentIndex())
            right_clicked(solved, view.viewport(), view.visualRect(view.currentIndex()).center())[
                0
            ].trigger()
        assert results.baseline.variant.id == variant_id
        assert tuple(solved.parts.session.choices.ids) == (variant_id,)


def test_a_step_beyond_the_run_is_answered(qtbot: QtBot, window: MainWindow) -> None:
    """Its rows and keys stay enabled there; they did nothing."""
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "bf-serial")
    playback, notices = window.parts.playback, window.notices
    qtbot.waitUntil(lambda: playback.length > 1, timeout=PATIENCE_MS)
    for end, names in (
        ("last", ("step", "step-10", "last")),
        ("first", ("step-back", "step-back-10", "first")),
    ):
        window.commands[end].trigger()
        at, words = playback.position, f"This is the {end} step of the run."
        for name in names:
            notices.dismiss()
            window.commands[name].trigger()
            assert notices.notice is not None, name
            assert (notices.notice.text, playback.position) == (words, at)
    notices.dismiss()
    window.commands["last"].trigger()
    assert notices.notice is None
