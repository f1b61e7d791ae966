"""The action table: every row works, every key of the window's brief is there, no key means two things."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QPalette
from PySide6.QtWidgets import QComboBox, QTreeWidget
from pytestqt.qtbot import QtBot

from gui.dialogs.palette import PaletteDialog
from gui.shell.actions import ACTIONS, MENUS, State
from gui.style.theme import FOLDER
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, tick_only

KEYS = {
    "open": "Ctrl+O", "generate": "Ctrl+G", "cancel": "Esc", "play": "Space", "step-back": "Left", "step": "Right",
    "step-back-10": "Shift+Left", "step-10": "Shift+Right", "first": "Home", "last": "End", "slower": "[",
    "faster": "]", "source": "S", "target": "T", "swap": "X", "fit": "F", "zoom-path": "P", "find": "Ctrl+F",
    "export-picture": "Ctrl+E", "export-csv": "Ctrl+Shift+E", "palette": "Ctrl+K", "shortcuts": "F1",
}  # fmt: skip


def test_ids_are_unique_and_menus_exist() -> None:
    assert len({spec.id for spec in ACTIONS}) == len(ACTIONS)
    assert {spec.menu for spec in ACTIONS} == set(MENUS)


def test_no_key_means_two_things() -> None:
    keys = [QKeySequence(key).toString() for spec in ACTIONS for key in spec.shortcuts]
    assert "" not in keys
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("action_id", "key"), KEYS.items())
def test_the_key_of_the_brief(action_id: str, key: str) -> None:
    spec = next(spec for spec in ACTIONS if spec.id == action_id)
    assert key in spec.shortcuts


def test_run_has_both_of_its_keys() -> None:
    assert next(spec for spec in ACTIONS if spec.id == "run").shortcuts == ("F5", "Ctrl+R")


def test_every_icon_is_drawn() -> None:
    for spec in ACTIONS:
        assert not spec.icon or (FOLDER / f"{spec.icon}.svg").is_file(), spec.id


@pytest.mark.parametrize(
    ("action_id", "state", "enabled"),
    [
        ("open", State.ALWAYS, True),
        ("run", State.GRAPH | State.CHOICES | State.IDLE, True),
        ("run", State.GRAPH | State.IDLE, False),
        ("run", State.GRAPH | State.CHOICES, False),
        ("cancel", State.GRAPH | State.CHOICES, False),
        ("cancel", State.BUSY, True),
        ("play", State.GRAPH, False),
        ("play", State.TRACE, True),
        ("zoom-path", State.GRAPH | State.PATH, True),
        ("export-csv", State.GRAPH, False),
    ],
)
def test_enabled_in_just_these_states(action_id: str, state: State, enabled: bool) -> None:
    assert next(spec for spec in ACTIONS if spec.id == action_id).enabled(state) is enabled


def test_every_disabled_action_says_why() -> None:
    for spec in ACTIONS:
        for needed in spec.needs:
            assert spec.why_disabled(~needed), (spec.id, needed)


def test_every_action_stands_in_its_menu_with_a_handler(window: MainWindow) -> None:
    # Commands looked every handler up when the window was made; here: that all can be reached by mouse.
    menus = {action.menu().title().replace("&", ""): action.menu() for action in window.menuBar().actions()}
    assert tuple(menus) == MENUS
    for spec, action in window.commands:
        menu = menus[spec.menu]
        if spec.submenu:
            menu = next(entry.menu() for entry in menu.actions() if entry.text() == spec.submenu)
        assert action in menu.actions()
        assert action.toolTip()


def test_without_a_graph_only_what_makes_sense_is_enabled(window: MainWindow) -> None:
    enabled = {spec.id for spec, action in window.commands if action.isEnabled()}
    assert {"open", "generate", "palette", "devices"} <= enabled
    assert not enabled & {"run", "cancel", "fit", "play", "export-picture", "export-csv", "swap"}


def test_letters_typed_into_a_field_are_letters(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    armed: list[object] = []
    window.canvas.armed_changed.connect(armed.append)
    ends = (window.session.source, window.session.target)
    field = window.endpoints.search
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "stxfp [")
    qtbot.keyClick(field, Qt.Key.Key_Left)
    qtbot.keyClick(field, Qt.Key.Key_X)
    assert field.text() == "stxfp x["
    assert armed == []
    assert (window.session.source, window.session.target) == ends


def test_the_same_letters_elsewhere_are_commands(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    armed: list[object] = []
    window.canvas.armed_changed.connect(armed.append)
    window.canvas.setFocus()
    source, target = window.session.source, window.session.target
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_X)
    assert (window.session.source, window.session.target) == (target, source)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_T)
    assert armed == ["target"]


def test_space_in_a_list_ticks_and_arrows_move_there(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    played: list[bool] = []
    window.commands["play"].triggered.connect(played.append)
    tree = window.variants_panel.findChild(QTreeWidget)
    combo = window.findChild(QComboBox, "device")
    assert tree is not None
    assert combo is not None
    tree.setFocus()
    qtbot.waitUntil(tree.hasFocus)
    tree.setCurrentItem(tree.topLevelItem(0).child(0))
    before = window.session.chosen_ids
    qtbot.keyClick(tree, Qt.Key.Key_Space)
    assert window.session.chosen_ids != before
    assert played == []


def test_the_palette_finds_commands_and_variants_by_a_few_letters(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window)
    dialog = window.show_palette()
    assert isinstance(dialog, PaletteDialog)
    qtbot.keyClicks(dialog.field, "swap")
    assert dialog.list.topLevelItem(0).text(0) == "Edit: Swap source and target"
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "tick dijk heap")
    assert dialog.list.topLevelItem(0).text(0) == "Tick Dijkstra: heap"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.session.chosen_ids == ("dijkstra-heap",)


def test_the_palette_says_why_an_entry_is_disabled(qtbot: QtBot, window: MainWindow) -> None:
    """Enter ran the first match that was enabled, however far from the words that had been typed."""
    dialog = window.show_palette()
    qtbot.keyClicks(dialog.field, "swap source")
    assert dialog.list.currentItem().text(0) == "Edit: Swap source and target"
    assert dialog.reason.text() == "Open or generate a graph first"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.reason.foregroundRole() is QPalette.ColorRole.WindowText, "what Enter has met stands out"
    dialog.field.setText("tick dijkstra heap")
    assert dialog.reason.text() == ""
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert "dijkstra-heap" in window.session.chosen_ids


def test_the_palette_finds_ids_and_parameters_and_says_where_nothing_matches(qtbot: QtBot, window: MainWindow) -> None:
    dialog = window.show_palette()
    qtbot.keyClicks(dialog.field, "trial")
    assert dialog.list.topLevelItem(0).text(0) == "Run: Trials, warm-ups and time limit…"
    dialog.field.setText("sssp-near-far")
    assert dialog.list.topLevelItem(0).text(1).startswith("sssp-near-far")
    dialog.field.setText("xyzzy")
    assert [dialog.list.topLevelItem(i).text(0) for i in range(dialog.list.topLevelItemCount())] == [
        "No match for \N{LEFT DOUBLE QUOTATION MARK}xyzzy\N{RIGHT DOUBLE QUOTATION MARK}"
    ]
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible(), "there is nothing to do"
    dialog.field.setText("layout of dijkstra array")
    assert dialog.list.topLevelItem(0).text(1) == "dijkstra-array.layout = csr"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.session.selected_id == "dijkstra-array"
    assert window.card.form is not None
    qtbot.waitUntil(window.card.form.fields["layout"].hasFocus)


def test_the_shortcuts_dialog_lists_every_key(qtbot: QtBot, window: MainWindow) -> None:
    from PySide6.QtWidgets import QLabel

    page = window.show_shortcuts()
    words = " ".join(label.text() for label in page.findChildren(QLabel))
    for key in KEYS.values():
        assert key in words
    page.close()
