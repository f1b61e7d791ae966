"""The table of results."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gui.charts.rows import phase_rows, timing_rows
from gui.model.session import Session
from gui.panels.card import VariantCard
from gui.panels.results import ResultsPanel
from gui.panels.results_model import Column
from solvers.contracts.results import Status, Verdict
from tests.gui.panels.sample import failed_result, make_result, opened_session


@pytest.fixture
def session() -> Session:
    return opened_session()


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ResultsPanel:
    panel = ResultsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(900, 300)
    panel.show()
    return panel


def cell(panel: ResultsPanel, row: int, column: Column) -> str:
    return panel.model.index(row, column).data().rstrip("\u2007\u2008")


def test_an_empty_table_says_how_to_fill_it(panel: ResultsPanel) -> None:
    assert panel.empty.isVisible()
    assert panel.empty.text().startswith("Tick variants, choose a source and press Run")


def test_results_arrive_one_by_one_with_right_figures(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0, 60.2, 61.0)))
    assert not panel.empty.isVisible()
    assert [cell(panel, 0, column) for column in Column] == [
        "serial",
        "61.2",
        "1.00×",
        "✓",
        "60.0–62.0",
        "412",
        "733,846",
    ]
    session.add_result(make_result(session, "bf-strided-flag", (8.4, 8.4, 9.0)))
    assert cell(panel, 1, Column.MEDIAN) == "9.40"
    assert cell(panel, 1, Column.SPEED_UP) == "6.51×"
    assert panel.model.headerData(Column.MEDIAN, Qt.Orientation.Horizontal) == "median, ms"


def test_one_unit_for_the_whole_column(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59_999.0,)))
    session.add_result(make_result(session, "bf-vertex", (2_499.0,)))
    assert panel.model.headerData(Column.MEDIAN, Qt.Orientation.Horizontal) == "median, s"
    assert [cell(panel, row, Column.MEDIAN) for row in (0, 1)] == ["60.0", "2.50"]


def test_another_baseline_turns_the_ratios_round(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (99.0,)))
    session.add_result(make_result(session, "bf-vertex", (9.0,)))
    index = panel.baseline.findData("bf-vertex")
    panel.baseline.setCurrentIndex(index)
    panel.baseline.activated.emit(index)
    assert session.baseline.variant.id == "bf-vertex"
    assert [cell(panel, row, Column.SPEED_UP) for row in (0, 1)] == ["0.100×", "1.00×"]


def test_the_solve_alone_can_be_compared(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0,)))
    panel.phase_box.setCurrentIndex(panel.phase_box.findData("solve"))
    assert cell(panel, 0, Column.MEDIAN) == "59.0"


def test_selecting_a_row_selects_everywhere_and_back(qtbot: QtBot, panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (1.0,)))
    session.add_result(make_result(session, "bf-vertex", (2.0,)))
    centre = panel.table.visualRect(panel.model.index(1, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert session.selected_id == "bf-vertex"
    session.select("bf-serial")
    assert panel.table.currentIndex().row() == 0
    assert panel.detail.text() == (
        "2.00 ms to 2.00 ms in 1 trial, 412 iterations, 733,846 arcs relaxed; verified: all 6 distances proved."
    )


def test_a_failure_is_told_in_words_and_the_others_stand(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (1.0,)))
    sentence = "fw-cell: the matrix needs 5.4 GB; this device has 2 GB free."
    session.add_result(failed_result(session, "fw-cell", Status.OUT_OF_MEMORY, sentence))
    assert cell(panel, 1, Column.MEDIAN) == "out of memory"
    assert sentence in panel.model.index(1, Column.MEDIAN).data(Qt.ItemDataRole.ToolTipRole)
    assert cell(panel, 0, Column.MEDIAN) == "2.00"
    assert panel.table.columnSpan(1, Column.MEDIAN) > 1


def test_wrong_distances_show_a_cross_and_the_reason(panel: ResultsPanel, session: Session) -> None:
    wrong = make_result(session, "da2cf-f-gpu-racy", (1.0,), verdict=Verdict(False, 1204, "Vertex 17 is 31 too long."))
    session.add_result(wrong)
    assert cell(panel, 0, Column.VERIFIED) == "✗"
    words = panel.model.index(0, Column.VERIFIED).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words == "wrong at 1,204 entries: vertex 17 is 31 too long"


def test_the_table_is_copied_with_full_precision(qtbot: QtBot, panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.123456,)))
    session.add_result(replace(make_result(session, "bf-vertex", (9.0,)), verdict=None))
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, first, second = QGuiApplication.clipboard().text().rstrip("\n").split("\n")
    assert head.split("\t")[:3] == ["variant", "title", "median_total_ms"]
    assert first.split("\t")[:6] == ["bf-serial", "serial", "60.123456", "60.123456", "60.123456", "1"]
    assert second.split("\t")[-3:] == ["733846", "ok", "not_run"]


@pytest.mark.parametrize("width", [300, 380, 520, 1000])
def test_no_column_is_cut_off_at_any_width(panel: ResultsPanel, session: Session, width: int) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0, 61.0)))
    panel.resize(width, 300)
    content = [c for c in Column if not panel.table.isColumnHidden(c)]
    assert sum(panel.table.columnWidth(c) for c in content) <= panel.table.viewport().width() + 4
    assert {Column.VARIANT, Column.MEDIAN} <= set(content)
    for column in content[1:]:
        assert panel.table.columnWidth(column) >= panel.table.fontMetrics().horizontalAdvance(cell(panel, 0, column))


def test_two_variants_of_one_title_are_told_apart(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (1.0,)))
    session.add_result(make_result(session, "fw-serial", (1.0,)))
    assert [cell(panel, row, Column.VARIANT) for row in (0, 1)] == ["Bellman-Ford serial", "Floyd-Warshall serial"]


def test_the_table_does_not_draw_its_dots_at_every_paint(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0,)))
    index = panel.model.index(0, 0)
    first = panel.model.data(index, Qt.ItemDataRole.DecorationRole)
    assert panel.model.data(index, Qt.ItemDataRole.DecorationRole).cacheKey() == first.cacheKey()


def test_hidden_columns_are_told_of_and_shown_on_demand(qtbot: QtBot, panel: ResultsPanel, session: Session) -> None:
    """In a narrow panel columns went without a word."""
    session.add_result(make_result(session, "bf-serial", (59.0, 60.2, 61.0)))
    assert not panel.more_button.isVisible()
    panel.resize(330, 300)
    hidden = [column for column in Column if panel.table.isColumnHidden(column)]
    assert hidden
    assert panel.more_button.isVisible()
    assert panel.more_button.text() == f"+{len(hidden)}"
    assert "arcs relaxed" in panel.more_button.toolTip()
    panel.more_button.click()
    assert not any(panel.table.isColumnHidden(column) for column in Column)
    qtbot.waitUntil(lambda: panel.table.horizontalScrollBar().maximum() > 0)
    panel.resize(900, 300)
    assert not panel.more_button.isVisible()
    assert panel.table.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def test_floyd_warshall_relaxes_cells_not_arcs(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "fw-serial", (59.0,)))
    session.add_result(make_result(session, "bf-serial", (59.0,)))
    assert "733,846 cells relaxed" in panel.detail.text()
    session.select("bf-serial")
    assert "733,846 arcs relaxed" in panel.detail.text()


LONG = (
    "da2cf-f-cpu",
    "harish-narayanan-racy",
    "sssp-near-far-cluster",
    "bf-edge-flags-shared",
    "auto",
    "bf-strided-flag",
)


def test_names_come_before_columns_and_are_whole_in_a_narrow_panel(panel: ResultsPanel, session: Session) -> None:
    """At 1280 x 720 six variants read "compou...F, CPU"."""
    panel.resize(330, 200)
    for variant_id in LONG:
        session.add_result(make_result(session, variant_id, (1234.5, 1300.0)))
    room = panel.table.columnWidth(Column.VARIANT) - panel.table.iconSize().width()
    metrics = panel.table.fontMetrics()
    assert all(metrics.horizontalAdvance(cell(panel, row, Column.VARIANT)) < room for row in range(len(LONG)))
    assert not panel.table.isColumnHidden(Column.MEDIAN)
    assert not panel.table.isColumnHidden(Column.VERIFIED)


def test_a_name_cut_short_and_a_hidden_column_are_in_the_tooltip(panel: ResultsPanel, session: Session) -> None:
    session.add_result(make_result(session, "bf-serial", (59.0,)))
    session.add_result(make_result(session, "da2cf-f-cpu", (9.0,)))
    panel.resize(180, 200)
    tip = panel.model.index(1, Column.VARIANT).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("compound frontier F, CPU (da2cf-f-cpu)\n6.00× as fast as the baseline\n")
    assert "733,846 arcs relaxed" in tip


def test_in_a_low_panel_rows_come_before_the_line_beneath(panel: ResultsPanel, session: Session) -> None:
    for variant_id in LONG:
        session.add_result(make_result(session, variant_id, (2.0,)))
    assert panel.detail.isVisible()
    panel.resize(330, 190)
    assert not panel.detail.isVisible()
    session.add_result(failed_result(session, "fw-cell", Status.ERROR, "fw-cell: no."))
    session.select("fw-cell")
    assert panel.detail.isVisible()  # what went wrong is always said


def test_an_answer_checked_on_sampled_rows_is_never_shown_as_verified(panel: ResultsPanel, session: Session) -> None:
    sampled = Verdict(True, 0, "600 of 4,000 rows (chosen with seed 1) proved.", tuple(range(600)), 1)
    session.add_result(make_result(session, "fw-serial", (1.0,), verdict=sampled))
    session.add_result(make_result(session, "bf-serial", (1.0,)))
    assert [cell(panel, row, Column.VERIFIED) for row in (0, 1)] == ["sampled", "✓"]
    index = panel.model.index(0, Column.VERIFIED)
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        assert "sampled, 600 rows: 600 of 4,000 rows" in index.data(role)
        assert "verified" not in index.data(role)
    assert "sampled, 600 rows" in panel.detail.text()
    rows = (*timing_rows(session.results, "total"), *phase_rows(session.results))
    assert len(rows) == 4
    assert all(("sampled, 600 rows" in row.title) == (row.variant_id == "fw-serial") for row in rows)
    card = VariantCard(session)
    session.select("fw-serial")
    assert "sampled, 600 rows" in card.note.text()
    assert "sampled, 600 rows" in panel.model.as_tsv()
