"""The table of results in little room: hidden columns, whole names, rows before the line beneath."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.panels.results_rows import Column
from gui.panels.results_table import ResultsPanel
from solvers.core.result import Status
from solvers.core.variant import all_variants
from tests.gui.panels.sample import cell, failed_result, make_result

LONG = (
    "da2cf-f-cpu",
    "harish-narayanan-racy",
    "sssp-near-far-cluster",
    "bf-edge-flags-shared",
    "auto",
    "bf-strided-flag",
)


@pytest.mark.parametrize("size", [(516, 352), (400, 352)])
def test_eleven_variants_are_seen_at_once_with_their_speed_ups(
    panel: ResultsPanel, session: Session, size: tuple[int, int]
) -> None:
    """The dock's size in a window of 1600 x 1000."""
    panel.resize(*size)
    for variant in all_variants()[:11]:
        session.add_result(make_result(session, variant.id, (1.0,)))
    last = panel.table.visualRect(panel.model.index(10, Column.SPEED_UP))
    assert panel.table.viewport().rect().contains(last)
    assert not {Column.BAR, Column.MEDIAN, Column.SPEED_UP} & hidden_columns(panel)


def hidden_columns(panel: ResultsPanel) -> set[Column]:
    return {column for column in Column if panel.table.isColumnHidden(column)}


@pytest.mark.parametrize("width", [300, 380, 520, 1000])
def test_no_column_is_cut_off_at_any_width(panel: ResultsPanel, session: Session, width: int) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0, 61.0)))
    panel.resize(width, 300)
    content = [c for c in Column if not panel.table.isColumnHidden(c)]
    assert sum(panel.table.columnWidth(c) for c in content) <= panel.table.viewport().width() + 4
    assert {Column.VARIANT, Column.MEDIAN} <= set(content)
    for column in content[1:]:
        assert panel.table.columnWidth(column) >= panel.table.fontMetrics().horizontalAdvance(cell(panel, 0, column))


def test_hidden_columns_are_told_of_and_shown_on_demand(qtbot: QtBot, panel: ResultsPanel, session: Session) -> None:
    """In a narrow panel columns went without a word."""
    session.add_result(make_result(session, "bf-serial", (59.0, 60.2, 61.0)))
    assert not panel.controls.more_button.isVisible()
    panel.resize(330, 300)
    hidden = [column for column in Column if panel.table.isColumnHidden(column)]
    assert hidden
    assert panel.controls.more_button.isVisible()
    assert panel.controls.more_button.text() == f"+{len(hidden)} columns"
    assert "Arcs relaxed" in panel.controls.more_button.toolTip()
    panel.controls.more_button.click()
    assert not any(panel.table.isColumnHidden(column) for column in Column)
    qtbot.waitUntil(lambda: panel.table.horizontalScrollBar().maximum() > 0)
    panel.resize(900, 300)
    assert not panel.controls.more_button.isVisible()
    assert panel.table.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def test_names_are_whole_in_a_narrow_panel_and_speed_ups_stay(panel: ResultsPanel, session: Session) -> None:
    """At 1280 x 720 six variants read "compou...F, CPU"."""
    panel.resize(470, 200)
    for variant_id in LONG:
        session.add_result(make_result(session, variant_id, (1234.5, 1300.0)))
    room = panel.table.columnWidth(Column.VARIANT) - panel.table.iconSize().width()
    metrics = panel.table.fontMetrics()
    assert all(metrics.horizontalAdvance(cell(panel, row, Column.VARIANT)) < room for row in range(len(LONG)))
    assert not {Column.BAR, Column.MEDIAN, Column.SPEED_UP, Column.VERIFIED} & hidden_columns(panel)


def test_a_name_cut_short_and_a_hidden_column_are_in_the_tooltip(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0,)))
    session.add_result(make_result(session, "da2cf-f-cpu", (9.0,)))
    panel.resize(180, 200)
    tip = panel.model.index(1, Column.VARIANT).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("Dijkstra compound frontier F, CPU (da2cf-f-cpu)\n6.00× as fast as the baseline\n")
    assert "733\u202f846 arcs relaxed" in tip


def test_in_a_low_panel_rows_come_before_the_line_beneath(panel: ResultsPanel, session: Session) -> None:
    for variant_id in LONG:
        session.add_result(make_result(session, variant_id, (2.0,)))
    assert panel.detail.isVisible()
    panel.resize(330, 190)
    assert not panel.detail.isVisible()
    session.add_result(failed_result(session, "fw-cell", Status.ERROR, "fw-cell: no."))
    session.select("fw-cell")
    assert panel.detail.isVisible()  # what went wrong is always said
