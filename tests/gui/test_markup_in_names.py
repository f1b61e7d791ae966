"""A graph file whose name and content are HTML: it is shown letter by letter wherever
the window shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QTextDocumentFragment
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.controllers.export import ExportController
from gui.dialogs.export import ExportOptions
from gui.dialogs.messages import DetailsDialog
from gui.dialogs.open import OpenOptionsDialog
from gui.dialogs.search import SearchCard
from gui.features.data_race.dialog import DataRaceDialog
from gui.model.notice import Notice, Severity
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, run_only, wait_until_idle

NAME = "<b>x<i>&<[*]\x01"
SEEN = "<b>x<i>&<[*]\\x01"


@pytest.fixture
def marked_up(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """The textbook graph under another name, in a folder of such a name, solved."""
    folder = tmp_path / "<u>y"
    folder.mkdir()
    (folder / f"{NAME}.gr").write_bytes(TINY.read_bytes())
    open_graph(qtbot, window, folder / f"{NAME}.gr")
    run_only(qtbot, window, "bf-serial", "fw-serial")
    return window


def as_seen(text: str) -> str:
    """What a reader sees of a text that Qt takes for HTML if it looks like it."""
    return (
        QTextDocumentFragment.fromHtml(text).toPlainText() if GuiQt.mightBeRichText(text) else text
    )


def texts_of_models(model: QAbstractItemModel) -> Iterator[tuple[str, str]]:
    for row in range(model.rowCount(QModelIndex())):
        for column in range(model.columnCount(QModelIndex())):
            index = model.index(row, column)
            yield "item", str(model.data(index, Qt.ItemDataRole.DisplayRole) or "")
            yield "tip", str(model.data(index, Qt.ItemDataRole.ToolTipRole) or "")


def texts_of(widget: QWidget) -> Iterator[tuple[str, str]]:
    """Kind and text of everything that the widget shows: "tip" and "label" are HTML if
    they look like it.
    """
    yield "tip", widget.toolTip()
    yield "tip", widget.whatsThis()
    yield "plain", widget.statusTip()
    if widget.isWindow():
        yield "title", widget.windowTitle()
    match widget:
        case QLabel():
            plain = widget.textFormat() is Qt.TextFormat.PlainText
            yield "plain" if plain else "label", widget.text()
        case QAbstractButton() | QGroupBox():
            yield (
                "mnemonic",
                widget.text() if isinstance(widget, QAbstractButton) else widget.title(),
            )
        case QPlainTextEdit():
            yield "plain", widget.toPlainText()
        case QComboBox():
            yield from texts_of_models(widget.model())
        case QAbstractItemView() if widget.model() is not None:
            yield from texts_of_models(widget.model())


def all_texts() -> list[tuple[str, str]]:
    """Everything shown in all windows and menus."""
    found: list[tuple[str, str]] = []
    for top in QApplication.topLevelWidgets():
        for widget in (top, *top.findChildren(QWidget)):
            found.extend(texts_of(widget))
        for action in top.findChildren(QAction):
            found.extend(
                (
                    ("mnemonic", action.text()),
                    ("tip", action.toolTip()),
                    ("plain", action.statusTip()),
                )
            )
    return [(kind, text) for kind, text in found if text]


def assert_nothing_is_rich() -> set[str]:
    """Kinds of places where the name was seen, each time letter by letter."""
    kinds = set()
    for kind, text in all_texts():
        assert "\x01" not in text, (kind, text)
        seen = as_seen(text) if kind in ("tip", "label") else text
        if kind == "mnemonic":
            seen = seen.replace("&&", "&")
        elif kind == "title":
            seen = seen.replace("[*][*]", "[*]")
        if "x<i>" in text or "x&lt;i&gt;" in text:
            assert SEEN in seen, (kind, text)
            kinds.add(kind)
        elif kind == "tip" and GuiQt.mightBeRichText(text):
            assert "<u>y" in seen or "<b>" in seen, (kind, text)
    return kinds


def test_no_widget_tooltip_or_action_takes_the_name_for_html(
    marked_up: MainWindow, qtbot: QtBot, tmp_path: Path
):
    window = marked_up
    window.recent_menu.fill()
    window.parts.open.show_information()
    window.commands["find"].trigger()
    (path,) = window.parts.settings.recent_files
    dialogs = [
        OpenOptionsDialog(path, window),
        DataRaceDialog("variant", "caveat", window.parts.session.graph.name, window),
    ]
    for dialog in dialogs:
        dialog.show()
    window.parts.session.notice(Notice(Severity.INFO, f"{NAME} was read.", NAME))
    window.notices.details_requested.emit(window.notices.notice)
    run_id = window.controller_of("kept_runs").runs.summaries[0].run.run_id
    window.controller_of("kept_runs").runs.rename(run_id, NAME)
    window.controller_of("kept_runs").open(run_id)
    qtbot.waitUntil(lambda: window.parts.session.results.stored_run is not None)
    wait_until_idle(qtbot, window)
    comparison = window.controller_of("kept_runs").compare(run_id, run_id)
    assert comparison is not None
    dialogs.append(comparison)
    kinds = assert_nothing_is_rich()
    assert kinds == {"title", "plain", "mnemonic", "tip", "item"}
    for dialog in (*dialogs, *window.findChildren(DetailsDialog), *window.findChildren(SearchCard)):
        dialog.close()


def test_an_error_that_quotes_the_file_is_plain_too(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
):
    path = tmp_path / f"{NAME}.gr"
    path.write_text("p sp 2 1\na <b>1</b> 2 3\n")
    with qtbot.waitSignal(window.parts.session.noticed, timeout=60_000):
        window.parts.open.open(path)
    wait_until_idle(qtbot, window)
    notice = window.notices.notice
    assert "<b>1</b>" in notice.text
    window.notices.details_requested.emit(notice)
    assert_nothing_is_rich()
    for dialog in window.findChildren(DetailsDialog):
        assert "<b>1</b>" in dialog.text.toPlainText()
        dialog.close()


def test_a_result_that_carries_markup_is_plain_in_table_card_and_tips(marked_up: MainWindow):
    from dataclasses import replace

    session = marked_up.parts.session
    session.results.add(
        [replace(session.results.all[0], note=f"{NAME} chosen", error=NAME, device_name=NAME)]
    )
    assert_nothing_is_rich()


@pytest.mark.parametrize("what", ["picture", "chart"])
def test_titles_of_svg_files_are_escaped(
    marked_up: MainWindow, qtbot: QtBot, tmp_path: Path, what: str
):
    window = marked_up
    qtbot.waitUntil(lambda: window.parts.canvas.picture_state() is not None, timeout=60_000)
    export: ExportController = window.parts.export
    getattr(export, what)(tmp_path / "out.svg", ExportOptions(0, 800, 600, 96, "white"))
    wait_until_idle(qtbot, window)
    whole = (tmp_path / "out.svg").read_text(encoding="utf-8")
    title = ElementTree.fromstring(whole).findtext("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert "<b>x<i>&<[*]" in title
    assert "<b>x" not in whole
    assert escape("<b>x<i>") in whole
