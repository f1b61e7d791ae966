"""The table of results, also in little room: hidden columns, whole names, rows before
the line beneath.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QImage
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gui.charts.rows import phase_rows, timing_rows
from gui.model.run_state import RunState
from gui.model.session import Session
from gui.model.settings import LINEAR, PHASE, SCALE, SOLVE, UNIT, DisplayChoices
from gui.panels.results_rows import Column
from gui.panels.results_table import CELL_MARGIN, DOT_ROOM, ResultsPanel
from gui.panels.variant_card import VariantCard
from gui.style.paint import DOT_PX
from gui.style.theme import tokens
from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Result, Status, Trial, Verdict
from solvers.core.variant import all_variants
from solvers.picture.colours import LIGHT
from solvers.picture.variant_colours import variant_colour
from tests.golden import Golden
from tests.gui.panels.sample import activity_trace, cell, failed_result, make_result
from tests.gui.pictures import is_like


def add(session: Session, *results: tuple[str, *tuple[float, ...]]) -> None:
    """Add results by id and the times of their trials."""
    for variant_id, *times in results:
        session.results.add([make_result(session, variant_id, tuple(times))])


def tip_of(panel: ResultsPanel, row: int, column: Column) -> str:
    return str(panel.model.index(row, column).data(Qt.ItemDataRole.ToolTipRole))


def head(panel: ResultsPanel, column: Column) -> str:
    return str(panel.model.headerData(column, Qt.Orientation.Horizontal))


def shown_ids(panel: ResultsPanel) -> list[str]:
    return [row.variant.id for row in panel.model.rows]


def click_head(qtbot: QtBot, panel: ResultsPanel, column: Column) -> None:
    header = panel.table.horizontalHeader()
    at = QPoint(
        header.sectionViewportPosition(column) + header.sectionSize(column) // 2,
        header.height() // 2,
    )
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def bar_image(panel: ResultsPanel, row: int) -> tuple[QImage, QRect]:
    """The table's picture, and the bar's cell in it."""
    return panel.table.viewport().grab().toImage(), panel.table.visualRect(
        panel.model.index(row, Column.BAR)
    )


def bar_length(panel: ResultsPanel, row: int) -> int:
    """Pixels from the cell's left margin to the median's mark, which has the variant's
    full colour.
    """
    image, cell = bar_image(panel, row)
    wanted = QColor(variant_colour(panel.model.rows[row].variant.id, tokens().dark))
    y = cell.top() + round(cell.height() * 0.33)
    found = [x for x in range(cell.left(), cell.right()) if image.pixelColor(x, y) == wanted]
    assert found, "no mark of the median"
    return max(found) - cell.left()


def skipped(session: Session, *times: float) -> Result:
    return make_result(
        session,
        "bf-vertex",
        times,
        status=Status.SKIPPED,
        error="Skipped.",
        verdict=None,
        path=None,
        iterations=None,
        relaxations=None,
    )


SAMPLED = Verdict(
    True, 0, "600 of 4\u202f000 rows (chosen with seed 1) proved.", tuple(range(600)), 1
)
DOUBT = (Disturbance(DisturbanceKind.LOAD, "Other programs used 1.4 cores during the trials."),)
NO_CUDA = "fw-blocked needs an NVIDIA GPU through CUDA; none was found."
NO_MEMORY = "fw-cell: the matrix needs 5.4 GB; this device has 2 GB free."
DEVICE = {"device_name": "A device"}
SAID: dict[str, Callable[[Session], list[Result]]] = {
    "seconds": lambda s: [
        make_result(s, "bf-serial", (59_999.0,)),
        make_result(s, "bf-vertex", (2_499.0,)),
    ],
    "what does not apply, fails, or needs too much": lambda s: [
        make_result(s, "bf-serial", (1.0,)),
        failed_result(s, "fw-blocked", Status.NOT_APPLICABLE, NO_CUDA),
        failed_result(s, "fw-cell", Status.OUT_OF_MEMORY, NO_MEMORY),
        failed_result(s, "fw-vertex", Status.ERROR, "fw-vertex: it broke."),
    ],
    "ended early": lambda s: [skipped(s, 9.0, 11.0)],
    "cancelled once proved": lambda s: [
        make_result(s, "bf-serial", (9.0,), status=Status.CANCELLED, error="The run was cancelled.")
    ],
    "skipped before its first trial": lambda s: [skipped(s)],
    "wrong distances": lambda s: [
        make_result(
            s, "da2cf-f-gpu-racy", (1.0,), verdict=Verdict(False, 1204, "Vertex 17 is 31 too long.")
        )
    ],
    "not verified": lambda s: [make_result(s, "bf-serial", (1.0,), verdict=None)],
    "sampled rows": lambda s: [make_result(s, "fw-serial", (1.0,), verdict=SAMPLED)],
    "another number of iterations in the watched run": lambda s: [
        make_result(s, "bf-serial", (59.0,), trace=activity_trace((1,) * 8)),
        make_result(s, "bf-vertex", (59.0,), trace=activity_trace((1,) * 8), iterations=8),
    ],
    "a warm graph": lambda s: [
        make_result(s, "bf-vertex", (4.0,), **DEVICE),
        make_result(s, "bf-strided", (2.0,), graph_upload_ms=1.5, **DEVICE),
    ],
    "disturbed": lambda s: [make_result(s, "bf-serial", (4.0,) * 6, disturbances=DOUBT)],
}


@pytest.mark.parametrize("name", SAID)
def test_what_the_table_says(
    panel: ResultsPanel, session: Session, golden: Golden, name: str
) -> None:
    for result in SAID[name](session):
        session.results.add([result])
    t = tokens()
    colours = {
        QColor(value).name(): f" ({role})"
        for role, value in vars(t).items()
        if role in ("muted", "good", "bad")
    }
    said = [" | ".join(head(panel, column) for column in Column)]
    for row, shown in enumerate(panel.model.rows):
        texts = []
        for column in Column:
            index = panel.model.index(row, column)
            colour = index.data(Qt.ItemDataRole.ForegroundRole)
            mark = "" if colour is None else colours.get(colour.name(), "")
            texts.append(f"{cell(panel, row, column)}{mark}")
        spoken = panel.model.index(row, Column.VERIFIED).data(Qt.ItemDataRole.AccessibleTextRole)
        session.results.select(shown.variant.id)
        said += [
            " | ".join(texts).rstrip(),
            f"spoken: {spoken}".rstrip(),
            f"below: {panel.detail.text()}",
        ]
        said += [tip_of(panel, row, Column.MEDIAN)]
        assert panel.table.columnSpan(row, Column.BAR) == (
            len(Column) - Column.BAR if shown.outcome else 1
        )
    golden.check("results table", name, "\n".join(said))


def test_an_empty_table_says_how_to_fill_it(panel: ResultsPanel) -> None:
    assert panel.empty.isVisible()
    assert panel.empty.text().startswith("Tick variants, choose a source and press Run")


def test_results_arrive_one_by_one_with_right_figures(
    panel: ResultsPanel, session: Session
) -> None:
    add(session, ("bf-serial", 59.0, 60.2, 61.0))
    assert not panel.empty.isVisible()
    assert [cell(panel, 0, column) for column in Column] == [
        "Bellman-Ford serial",
        "",
        "61.2",
        "1.00×",
        "✓",
        "60.0 – 62.0",
        "412",
        "733\u202f846",
    ]
    add(session, ("bf-strided-flag", 8.4, 8.4, 9.0))
    assert cell(panel, 1, Column.MEDIAN) == "9.40"
    assert cell(panel, 1, Column.SPEED_UP) == "6.51×"
    assert head(panel, Column.MEDIAN) == "Median, ms"


def test_after_a_move_it_is_said_that_results_return(panel: ResultsPanel, session: Session) -> None:
    add(session, ("bf-serial", 59.0))
    session.set_source(1)
    assert panel.empty.isVisible()
    assert "return with Undo" in panel.empty.text()
    session.results.clear()
    session.set_source(0)
    session.open_graph(session.graph)
    assert "return with Undo" not in panel.empty.text()


def test_another_baseline_turns_the_ratios_round(panel: ResultsPanel, session: Session) -> None:
    add(session, ("bf-serial", 99.0), ("bf-vertex", 9.0))
    index = panel.controls.baseline.findData("bf-vertex")
    panel.controls.baseline.setCurrentIndex(index)
    panel.controls.baseline.activated.emit(index)
    assert session.results.baseline.variant.id == "bf-vertex"
    assert [cell(panel, row, Column.SPEED_UP) for row in (0, 1)] == ["0.100×", "1.00×"]
    # a variant of the user's, which was deleted since
    panel.controls.baseline.setItemData(index, "bf-vertex@changed")
    panel.controls.baseline.setItemIcon(index, QIcon())
    panel.controls.recolour()
    assert not panel.controls.baseline.itemIcon(index).isNull()


def test_phase_unit_and_scale_are_chosen_in_a_menu(
    panel: ResultsPanel, session: Session, choices: DisplayChoices
) -> None:
    add(session, ("bf-serial", 59.0))
    assert panel.controls.display_button.text().strip() == "Total · ms · log"
    for name, value in ((PHASE, SOLVE), (UNIT, "µs"), (SCALE, LINEAR)):
        panel.controls.display_button.menu().findChild(QAction, f"{name} {value}").trigger()
    assert panel.controls.display_button.text().strip() == "Solve · µs · linear"
    assert cell(panel, 0, Column.MEDIAN) == "59\u202f000"
    assert (choices[PHASE], choices[UNIT], choices[SCALE]) == (SOLVE, "µs", LINEAR)


def test_bars_are_as_long_as_times_on_the_chosen_scale(
    panel: ResultsPanel, session: Session, choices: DisplayChoices
) -> None:
    add(session, ("bf-serial", 99.0), ("bf-vertex", 9.0), ("bf-edge", 0.0))
    longest, middle, shortest = (bar_length(panel, row) for row in range(3))
    assert longest - middle == pytest.approx(middle - shortest, abs=3), "equal steps in log10"
    choices.choose(SCALE, LINEAR)
    longest, middle, shortest = (bar_length(panel, row) - 6 for row in range(3))
    assert middle == pytest.approx(longest / 10, abs=2)
    assert shortest == pytest.approx(longest / 100, abs=2)


def test_whiskers_reach_from_the_fastest_to_the_slowest_trial(
    panel: ResultsPanel, session: Session, choices: DisplayChoices
) -> None:
    add(session, ("bf-serial", 49.0, 59.0, 99.0))
    choices.choose(SCALE, LINEAR)
    image, cell_rect = bar_image(panel, 0)
    y = cell_rect.center().y()
    after_median = cell_rect.left() + bar_length(panel, 0) + 3
    dark = [
        x
        for x in range(after_median, cell_rect.right())
        if image.pixelColor(x, y).lightness() < 150
    ]
    share = (max(dark) - cell_rect.left() - 5) / (bar_length(panel, 0) - 5)
    assert share == pytest.approx(100 / 60, rel=0.05)


def test_every_column_sorts_and_a_third_click_restores_the_order(
    qtbot: QtBot, panel: ResultsPanel, session: Session
) -> None:
    session.results.add(
        [make_result(session, "dijkstra-heap", (5.0, 9.0), iterations=3, relaxations=30)]
    )
    session.results.add(
        [make_result(session, "bf-serial", (1.0, 1.5), iterations=2, relaxations=40)]
    )
    session.results.add([failed_result(session, "fw-cell", Status.ERROR, "fw-cell: no.")])
    session.results.add(
        [make_result(session, "bf-vertex", (3.0, 9.9), iterations=9, relaxations=20)]
    )
    arrived = shown_ids(panel)
    ascending = {
        Column.VARIANT: ["bf-serial", "bf-vertex", "dijkstra-heap", "fw-cell"],
        Column.BAR: ["bf-serial", "bf-vertex", "dijkstra-heap", "fw-cell"],
        Column.MEDIAN: ["bf-serial", "bf-vertex", "dijkstra-heap", "fw-cell"],
        Column.SPEED_UP: ["dijkstra-heap", "bf-vertex", "bf-serial", "fw-cell"],
        Column.RANGE: ["bf-serial", "dijkstra-heap", "bf-vertex", "fw-cell"],
        Column.ITERATIONS: ["bf-serial", "dijkstra-heap", "bf-vertex", "fw-cell"],
        Column.RELAXATIONS: ["bf-vertex", "dijkstra-heap", "bf-serial", "fw-cell"],
    }
    session.results.select("bf-vertex")
    for column, order in ascending.items():
        click_head(qtbot, panel, column)
        assert shown_ids(panel) == order, column
        assert panel.table.currentIndex().row() == order.index("bf-vertex"), (
            "the selection moves along"
        )
        click_head(qtbot, panel, column)
        numbers = [i for i in order if i != "fw-cell" or column is Column.VARIANT]
        assert shown_ids(panel) == [*reversed(numbers), *(i for i in order if i not in numbers)]
        click_head(qtbot, panel, column)
        assert shown_ids(panel) == arrived
    click_head(qtbot, panel, Column.MEDIAN)
    assert [line.split("\t")[0] for line in panel.model.as_tsv().splitlines()[1:]] == ascending[
        Column.MEDIAN
    ]


def test_variants_that_wait_or_run_are_greyed_rows(panel: ResultsPanel, session: Session) -> None:
    add(session, ("bf-serial", 1.0))
    session.results.set_run_state(RunState(("bf-serial", "bf-vertex"), "dijkstra-heap"))
    assert shown_ids(panel) == ["bf-serial", "dijkstra-heap", "bf-vertex"]
    assert cell(panel, 0, Column.MEDIAN) == "2.00", (
        "the earlier figures stay until there are new ones"
    )
    assert [cell(panel, row, Column.BAR) for row in (1, 2)] == ["running", "queued"]
    for row in range(3):
        assert (
            panel.model.index(row, 0).data(Qt.ItemDataRole.ForegroundRole).name()
            == QColor(tokens().muted).name()
        )
    trials = (
        Trial(0, True, Phases(solve=9.0)),
        Trial(1, False, Phases(solve=4.0)),
        Trial(2, False, Phases(solve=6.0)),
    )
    session.results.set_run_state(RunState(("bf-vertex",), "dijkstra-heap", trials))
    assert [cell(panel, 1, column) for column in (Column.MEDIAN, Column.SPEED_UP)] == [
        "5.00",
        "2 trials",
    ]
    assert bar_length(panel, 1) > 6
    session.results.set_run_state(RunState())
    assert shown_ids(panel) == ["bf-serial"]


def test_selecting_a_row_selects_everywhere_and_back(
    qtbot: QtBot, panel: ResultsPanel, session: Session
) -> None:
    add(session, ("bf-serial", 1.0), ("bf-vertex", 2.0))
    centre = panel.table.visualRect(panel.model.index(1, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert session.results.selected_id == "bf-vertex"
    session.results.select("bf-serial")
    assert panel.table.currentIndex().row() == 0
    figures = (
        "2.00 ms in 1 trial, preparation up to 1.00 ms, 412 iterations, "
        "733\u202f846 {} relaxed; verified: all 6 distances proved."
    )
    assert panel.detail.text() == figures.format("arcs")
    add(session, ("fw-serial", 1.0))
    session.results.select("fw-serial")
    assert panel.detail.text() == figures.format("cells")


def test_the_table_is_copied_with_full_precision(
    qtbot: QtBot, panel: ResultsPanel, session: Session
) -> None:
    add(session, ("bf-serial", 59.123456))
    session.results.add([replace(make_result(session, "bf-vertex", (9.0,)), verdict=None)])
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    heads, first, second = QGuiApplication.clipboard().text().rstrip("\n").split("\n")
    assert heads.split("\t")[:3] == ["variant", "title", "median_total_ms"]
    assert first.split("\t")[:6] == [
        "bf-serial",
        "Bellman-Ford serial",
        "60.123456",
        "60.123456",
        "60.123456",
        "1",
    ]
    assert second.split("\t")[-3:] == ["733846", "ok", "not_run"]


def test_names_carry_their_algorithm(panel: ResultsPanel, session: Session) -> None:
    """Four variants were called "serial"."""
    for variant_id in ("bf-serial", "fw-serial", "dijkstra-heap", "sssp-near-far"):
        session.results.add([make_result(session, variant_id, (1.0,))])
    names = ["Bellman-Ford serial", "Floyd-Warshall serial", "Dijkstra heap", "Near-far"]
    assert [cell(panel, row, Column.VARIANT) for row in range(4)] == names
    assert panel.controls.baseline.itemText(0) == "Bellman-Ford serial"
    panel.resize(330, 300)
    assert panel.controls.baseline.forms(0) == ("Bellman-Ford serial", "BF serial")
    assert [cell(panel, row, Column.VARIANT) for row in range(4)] == [
        "BF serial",
        "FW serial",
        "Dij. heap",
        "Near-far",
    ]
    assert (
        panel.model.index(0, 0)
        .data(Qt.ItemDataRole.ToolTipRole)
        .startswith("Bellman-Ford serial (bf-serial)")
    )


def test_the_table_does_not_draw_its_dots_at_every_paint(
    panel: ResultsPanel, session: Session
) -> None:
    add(session, ("bf-serial", 59.0))
    index = panel.model.index(0, 0)
    first = panel.model.data(index, Qt.ItemDataRole.DecorationRole)
    assert panel.model.data(index, Qt.ItemDataRole.DecorationRole).cacheKey() == first.cacheKey()


def test_a_disturbed_time_has_a_mark(panel: ResultsPanel, session: Session) -> None:
    session.results.add([make_result(session, "bf-serial", (4.0,) * 6, disturbances=DOUBT)])
    session.results.add([make_result(session, "bf-vertex", (4.0,) * 6)])
    image = panel.table.viewport().grab().toImage()

    def brown_pixels(row: int) -> int:
        rect = panel.table.visualRect(panel.model.index(row, Column.MEDIAN))
        colours = (
            image.pixelColor(rect.left() + x, rect.top() + y)
            for x in range(24)
            for y in range(rect.height())
        )
        return sum(colour.red() > colour.blue() + 60 for colour in colours)

    assert brown_pixels(0) > 5
    assert brown_pixels(1) == 0


def test_an_answer_checked_on_sampled_rows_is_never_shown_as_verified(
    panel: ResultsPanel, session: Session
) -> None:
    session.results.add([make_result(session, "fw-serial", (1.0,), verdict=SAMPLED)])
    add(session, ("bf-serial", 1.0))
    rows = (*timing_rows(session.results.all, "total"), *phase_rows(session.results.all))
    assert len(rows) == 4
    assert all(
        ("sampled, 600 rows" in row.title) == (row.variant_id == "fw-serial") for row in rows
    )
    card = VariantCard(session)
    session.results.select("fw-serial")
    assert "sampled, 600 rows" in card.note.text()
    assert "sampled, 600 rows" in panel.model.as_tsv()


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
    """The bar's size in a window of 1600 x 1000."""
    panel.resize(*size)
    for variant in all_variants()[:11]:
        session.results.add([make_result(session, variant.id, (1.0,))])
    last = panel.table.visualRect(panel.model.index(10, Column.SPEED_UP))
    assert panel.table.viewport().rect().contains(last)
    assert not {Column.BAR, Column.MEDIAN, Column.SPEED_UP} & hidden_columns(panel)


def hidden_columns(panel: ResultsPanel) -> set[Column]:
    return {column for column in Column if panel.table.isColumnHidden(column)}


@pytest.mark.parametrize("width", [300, 380, 520, 1000])
def test_no_column_is_cut_off_at_any_width(
    panel: ResultsPanel, session: Session, width: int
) -> None:
    add(session, ("bf-serial", 59.0, 61.0))
    panel.resize(width, 300)
    content = [c for c in Column if not panel.table.isColumnHidden(c)]
    assert sum(panel.table.columnWidth(c) for c in content) <= panel.table.viewport().width() + 4
    assert {Column.VARIANT, Column.MEDIAN} <= set(content)
    for column in content[1:]:
        assert panel.table.columnWidth(column) >= panel.table.fontMetrics().horizontalAdvance(
            cell(panel, 0, column)
        )


def test_names_begin_after_their_dots_in_large_type(
    panel: ResultsPanel, session: Session, type_of: Callable[[int], None]
) -> None:
    """At 200 % the dots lay over their first letters."""
    type_of(200)
    add(session, ("bf-serial", 59.0, 60.2, 61.0))
    panel.resize(900, 300)
    image = panel.table.viewport().grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    row = panel.table.visualRect(panel.model.index(0, Column.VARIANT)).center().y()
    dot = is_like(pixels[row, :60], variant_colour("bf-serial", dark=False)).nonzero()[0]
    letters = is_like(pixels[row - 12 : row + 12], LIGHT.muted, 30).any(axis=0).nonzero()[0]
    assert len(dot) > DOT_PX
    assert dot.max() < letters.min()


def test_a_reason_is_as_long_as_fits(panel: ResultsPanel, session: Session) -> None:
    """At 1280 x 720 it read "not applicable: needs non-negati…"."""
    add(session, ("bf-serial", 59.0, 60.2, 61.0))
    why = "dijkstra-heap: needs non-negative weights, but arc 5 → 4 of tiny weighs −3."
    session.results.add([failed_result(session, "dijkstra-heap", Status.NOT_APPLICABLE, why)])
    row, shown = next(row for row in panel.model.rows if row.outcome), []
    option = QStyleOptionViewItem()
    for width in (900, 240, 110):
        option.rect = QRect(0, 0, width, 20)
        option.fontMetrics = panel.table.fontMetrics()
        index = panel.model.index(panel.model.rows.index(row), Column.BAR)
        panel.table.itemDelegate().initStyleOption(option, index)
        shown.append(option.text)
    assert shown == [row.outcome, "needs non-negative weights", "not applicable"]


def test_hidden_columns_are_told_of_and_shown_on_demand(
    qtbot: QtBot, panel: ResultsPanel, session: Session
) -> None:
    """In a narrow panel columns went without a word."""
    add(session, ("bf-serial", 59.0, 60.2, 61.0))
    assert not panel.controls.more_button.isVisible()
    panel.resize(381, 300)
    hidden = [column for column in Column if panel.table.isColumnHidden(column)]
    assert hidden
    assert panel.controls.more_button.isVisible()
    assert panel.controls.more_button.text() == f"+{len(hidden)} columns"
    assert "Arcs relaxed" in panel.controls.more_button.toolTip().replace("\n", " ")
    panel.controls.more_button.click()
    assert not any(panel.table.isColumnHidden(column) for column in Column)
    qtbot.waitUntil(lambda: panel.table.horizontalScrollBar().maximum() > 0)
    panel.resize(900, 300)
    assert not panel.controls.more_button.isVisible()
    assert panel.table.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def test_names_are_whole_in_a_narrow_panel_and_speed_ups_stay(
    panel: ResultsPanel, session: Session
) -> None:
    """At 1280 x 720 six variants read "compou...F, CPU"."""
    panel.resize(470, 200)
    for variant_id in LONG:
        session.results.add([make_result(session, variant_id, (1234.5, 1300.0))])
    room = panel.table.columnWidth(Column.VARIANT) - panel.table.iconSize().width()
    metrics = panel.table.fontMetrics()
    assert all(
        metrics.horizontalAdvance(cell(panel, row, Column.VARIANT)) < room
        for row in range(len(LONG))
    )
    assert not {Column.BAR, Column.MEDIAN, Column.SPEED_UP, Column.VERIFIED} & hidden_columns(panel)


def test_usual_names_are_whole_where_bars_can_be_shorter(
    panel: ResultsPanel, session: Session
) -> None:
    """In the side bar's usual width "BF edge + flags" took two lines beside bars of 72 pixels."""
    panel.resize(338, 300)
    add(
        session,
        ("bf-edge-flags", 17_600.0),
        ("bf-strided-flag", 10_500.0),
        ("auto-target", 0.465, 103.0),
    )
    names = [
        panel.table.fontMetrics().horizontalAdvance(cell(panel, row, Column.VARIANT))
        for row in range(3)
    ]
    assert max(names) + DOT_ROOM + CELL_MARGIN <= panel.table.columnWidth(Column.VARIANT)
    words = head(panel, Column.BAR)
    room = panel.table.columnWidth(Column.BAR) - 8
    assert panel.table.horizontalHeader().fontMetrics().horizontalAdvance(words) <= room, words


@pytest.mark.parametrize("width", [338, 700])
def test_the_arrow_of_sorting_stands_beside_the_head(
    qtbot: QtBot, panel: ResultsPanel, session: Session, width: int
) -> None:
    """It lay over the "×" of a narrow table."""
    panel.resize(width, 300)
    add(session, ("bf-edge-flags", 17_600.0), ("bf-strided-flag", 10_500.0), ("auto-target", 0.4))
    header, column = panel.table.horizontalHeader(), Column.SPEED_UP

    def runs_of_ink() -> list[int]:
        """Widths of what stands in the section, letter by letter."""
        left, wide = header.sectionViewportPosition(column), header.sectionSize(column)
        picture = header.viewport().grab(QRect(left, 0, wide, header.height() - 2)).toImage()
        dark = [
            min(picture.pixelColor(x, y).lightnessF() for y in range(picture.height())) < 0.8
            for x in range(picture.width())
        ]
        return [len(run) for run in "".join(" x"[is_dark] for is_dark in dark).split()]

    click_head(qtbot, panel, column)
    *words, arrow = runs_of_ink()
    assert 5 <= arrow <= 10, "it touches no letter"
    assert sum(words) >= 4, "and the words are there"


@pytest.mark.parametrize("width", [340, 376, 382, 390, 460, 700])
def test_columns_reach_the_edge_and_names_have_the_room_of_padding(
    qtbot: QtBot, panel: ResultsPanel, session: Session, width: int
) -> None:
    """A margin was left for a scroll bar that was not there, and names were cut beside
    figures padded with spaces.

    Words above the table made a narrow panel wider than its columns, too.
    """
    add(
        session,
        ("bf-serial", 349.0, 349.0),
        ("bf-strided", 309.0, 309.0),
        ("da2cf-f-cpu", 0.662, 0.662),
    )
    panel.resize(width, 600)
    table = panel.table
    assert not table.verticalScrollBar().isVisible()
    qtbot.waitUntil(lambda: abs(table.horizontalHeader().length() - table.viewport().width()) <= 1)
    medians = [str(panel.model.index(row, Column.MEDIAN).data()) for row in range(3)]
    assert (
        (medians[0] == medians[0].strip()) is (head(panel, Column.MEDIAN) == "ms") is (width <= 382)
    )


def test_choices_are_whole_while_there_is_no_baseline(
    qtbot: QtBot, panel: ResultsPanel, session: Session
) -> None:
    """During the first variant of a run the button read "Total ... log"."""
    panel.resize(338, 300)
    session.results.add([failed_result(session, "fw-cell", Status.ERROR, "fw-cell: no.")])
    button = panel.controls.display_button
    qtbot.waitUntil(lambda: panel.controls.layout().geometry().width() == panel.controls.width())
    assert button.width() >= button.sizeHint().width()


def test_a_name_cut_short_and_a_hidden_column_are_in_the_tooltip(
    panel: ResultsPanel, session: Session
) -> None:
    add(session, ("bf-serial", 59.0), ("da2cf-f-cpu", 9.0))
    panel.resize(180, 200)
    tip = tip_of(panel, 1, Column.VARIANT)
    assert tip.startswith(
        "Dijkstra compound frontier F, CPU (da2cf-f-cpu)\n6.00× as fast as the baseline "
        "(1.50× – 24.0×; few trials)\n"
    )
    assert "733\u202f846 arcs relaxed" in tip.replace("\n", " ")


def test_in_a_low_panel_rows_come_before_the_line_beneath(
    panel: ResultsPanel, session: Session
) -> None:
    for variant_id in LONG:
        session.results.add([make_result(session, variant_id, (2.0,))])
    assert panel.detail.isVisible()
    panel.resize(330, 190)
    assert not panel.detail.isVisible()
    session.results.add([failed_result(session, "fw-cell", Status.ERROR, "fw-cell: no.")])
    session.results.select("fw-cell")
    assert panel.detail.isVisible()  # what went wrong is always said
