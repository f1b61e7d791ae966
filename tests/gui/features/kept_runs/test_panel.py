"""The Runs panel in the real window, and runs of earlier in it: table, charts, path,
and the graph they belong to.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from gui.features.kept_runs.dialog import LEAST_SPAN, CompareRunsDialog, ratio_ticks, reach
from gui.features.kept_runs.panel import RunsPanel
from gui.features.kept_runs.rows import (
    CROSS,
    INTERRUPTED,
    TICK,
    RunColumn,
    run_rows,
    short_time,
    verdict_of,
)
from gui.model.notice import Notice
from gui.panels.results import StoredRunBar
from gui.window import MainWindow
from solvers.core.result import Disturbance, DisturbanceKind, Status, Verdict
from solvers.features.kept_runs.comparison import compare
from solvers.features.kept_runs.store.run_store import RunStore, RunSummary, VariantSummary
from solvers.graphs import generators
from tests.gui.windows import (
    PATIENCE_MS,
    SAMPLE,
    TINY,
    open_graph,
    run_only,
    trigger,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of

VARIANTS = ("bf-serial", "dijkstra-heap")


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The window with a small graph and the Runs panel in front."""
    open_graph(qtbot, window, TINY)
    trigger(qtbot, window, "runs")
    return window


def run(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> str:
    """Run variants; returns the id of the new run."""
    before = {s.run.run_id for s in window.controller_of("kept_runs").runs.summaries}
    run_only(qtbot, window, *(variant_ids or VARIANTS))
    (new,) = {s.run.run_id for s in window.controller_of("kept_runs").runs.summaries} - before
    return new


def click(window: MainWindow, run_id: str, *, ctrl: bool = False, double: bool = False) -> None:
    """Click the row of a run, as the mouse does."""
    panel = panel_of(window)
    row = panel.model.row_of(run_id)
    assert row >= 0
    place = panel.table.visualRect(panel.model.index(row, RunColumn.NAME)).center()
    keys = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    viewport = panel.table.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, keys, place)
    if double:
        QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, keys, place)


def open_stored(qtbot: QtBot, window: MainWindow, run_id: str) -> None:
    """Show a kept run, and wait until it is shown."""
    window.controller_of("kept_runs").open(run_id)
    wait_for_stored(qtbot, window)


def wait_for_stored(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(
        lambda: window.parts.session.results.stored_run is not None, timeout=PATIENCE_MS
    )
    wait_until_idle(qtbot, window)


def notice_of(window: MainWindow) -> Notice:
    notice = window.notices.notice
    assert notice is not None
    return notice


def take_up(window: MainWindow, text: str) -> None:
    """Press the button of the notice, which is called so."""
    notice = notice_of(window)
    assert notice.action_text == text
    assert notice.action is not None
    notice.action()


def panel_of(window: MainWindow) -> RunsPanel:
    found: RunsPanel = window.controller_of("kept_runs").panel
    return found


def listed(window: MainWindow) -> list[str]:
    """Run ids and headings, as they stand in the list."""
    return [row.run_id or row.texts[0] for row in panel_of(window).model.rows]


# -- the list
# --------------------------------------------------------------------------------------


def test_a_row_names_what_matters_and_is_renamed_in_its_place(
    opened: MainWindow, qtbot: QtBot
) -> None:
    """From an empty panel on; in one as narrow as it is at first, and with a long name, too."""
    panel = panel_of(opened)
    assert panel.isVisible()
    assert panel.empty.isVisible()
    assert "Every run is kept here" in panel.empty.text()
    assert not panel.open_button.isEnabled()

    run_id = run(qtbot, opened)
    row = panel_of(opened).model.rows[panel_of(opened).model.row_of(run_id)]
    texts = [
        row.texts[c]
        for c in (RunColumn.NAME, RunColumn.ENDS, RunColumn.VERIFIED, RunColumn.VARIANTS)
    ]
    assert texts == ["textbook", "1 → 8", TICK, "Bellman-Ford serial, Dijkstra heap"]
    assert "Dijkstra heap: " in row.tip

    table = panel_of(opened).table
    click(opened, run_id)
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, "before the change")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: RunStore().run(run_id).name != "")
    wait_until_idle(qtbot, opened)
    row = panel_of(opened).model.rows[panel_of(opened).model.row_of(run_id)]
    assert row.texts[RunColumn.NAME] == "before the change"
    assert RunStore().run(run_id).name == "before the change"

    today = datetime.now()
    panel.rename_requested.emit(run_id, "a name that is too long for the panel")
    wait_until_idle(qtbot, opened)
    opened.bars.open("Runs")
    assert not panel.table.isColumnHidden(RunColumn.WHEN)
    when = panel.model.rows[1].texts[RunColumn.WHEN]
    assert re.fullmatch(rf"{today.day} {today:%b}, \d\d:\d\d", when)


def test_two_runs_are_compared_and_those_of_the_open_graph_come_first(
    qtbot: QtBot, opened: MainWindow
) -> None:
    first = run(qtbot, opened)
    opened.parts.session.set_source(2)
    second = run(qtbot, opened)
    click(opened, second)
    click(opened, first, ctrl=True)
    qtbot.mouseClick(panel_of(opened).compare_button, Qt.MouseButton.LeftButton)
    dialog = opened.findChild(CompareRunsDialog)
    store = RunStore()
    expected = compare(store.run(first), store.run(second))
    assert [row.ratio for row in dialog.rows] == [row.ratio for row in expected], (
        "the older is the baseline"
    )
    assert dialog.summary.text() == "2 variants in both runs: 2 not comparable."
    dialog.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert any(line.startswith("Source\t") and len(set(line.split("\t"))) == 3 for line in lines)
    dialog.swap()
    swapped = compare(store.run(second), store.run(first))
    assert [row.ratio for row in dialog.rows] == [row.ratio for row in swapped]
    dialog.phase.setCurrentIndex(1)
    assert dialog.rows[0].first == store.run(second).variants[0].median("solve")
    dialog.close()

    panel = panel_of(opened)
    click(opened, first)
    assert not panel.compare_button.isEnabled()
    qtbot.mouseClick(panel.pin_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    assert panel.pin_button.text() == "Unpin"
    click(opened, second)
    assert panel.compare_button.isEnabled()
    qtbot.mouseClick(panel.compare_button, Qt.MouseButton.LeftButton)
    dialog = opened.findChildren(CompareRunsDialog)[-1]
    assert [row.title for row in dialog.rows] == ["Bellman-Ford serial", "Dijkstra heap"]
    dialog.close()
    click(opened, first)
    qtbot.mouseClick(panel.pin_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    assert panel.pin_button.text() == "Pin"

    assert listed(opened) == ["This graph: 2 runs", second, first]
    open_graph(qtbot, opened, SAMPLE)
    third = run(qtbot, opened, "dijkstra-heap")
    assert listed(opened) == ["This graph: 1 run", third, "Other graphs: 2 runs", second, first]


def test_the_filter_finds_runs_by_graph_variant_and_name(qtbot: QtBot, opened: MainWindow) -> None:
    heap, serial = run(qtbot, opened, "dijkstra-heap"), run(qtbot, opened, "bf-serial")
    panel = panel_of(opened)
    qtbot.keyClicks(panel.filter, "dijkstra HEAP")
    assert listed(opened) == ["This graph: 1 run", heap]
    panel.filter.setText("no such thing")
    opened.bars.open("Runs")
    assert panel.empty.isVisible()
    assert "No run matches" in panel.empty.text()
    panel.filter.clear()
    assert listed(opened)[1:] == [serial, heap]


def test_verdicts_of_wrong_interrupted_and_inapplicable_runs() -> None:
    def summary(*variants: VariantSummary, ended: str = "yes") -> RunSummary:
        return RunSummary(kept_run_of("a", ended_utc=ended), variants)

    right, wrong = (
        VariantSummary("bf-serial", 1.0, Status.OK, verified) for verified in (True, False)
    )
    refused = VariantSummary("astar", None, Status.NOT_APPLICABLE, None)
    assert verdict_of(summary(right, refused)) == TICK
    assert verdict_of(summary(right, wrong)) == CROSS
    assert verdict_of(summary(right, ended="")) == INTERRUPTED
    assert verdict_of(summary(refused)) == "–"


def test_pinned_runs_stand_at_the_top_of_their_group() -> None:
    older, newer = (
        kept_run_of("a", is_baseline=True),
        kept_run_of("b", started_utc="2026-11-21T10:00:00+00:00"),
    )
    rows = run_rows([RunSummary(newer, ()), RunSummary(older, ())], newer.graph.sha256)
    assert [row.run_id for row in rows] == ["", "a", "b"]


def test_foreign_times_are_shown_as_they_are() -> None:
    assert short_time("yesterday") == "yesterday"
    assert short_time("") == "–"
    assert short_time("2019-05-04T12:00:00+00:00").startswith("4 May 2019, ")


# -- experiments
# --------------------------------------------------------------------------------------

SWEEP, SWEEP_TITLE = "sweep/small", "A sweep, small"


@pytest.fixture
def swept(qtbot: QtBot, opened: MainWindow) -> MainWindow:
    """A window that lists two runs of an experiment and another run, on other graphs."""
    about = {"name": SWEEP_TITLE, "experiment": SWEEP}
    serial = kept_variant_of("bf-serial", 1.0)
    RunStore().add(
        [
            kept_run_of("older", serial, **about),
            kept_run_of("newer", serial, started_utc="2026-11-21T10:00:00+00:00", **about),
            kept_run_of("plain", serial),
        ]
    )
    opened.controller_of("kept_runs").runs.load()
    wait_until_idle(qtbot, opened)
    opened.bars.open("Runs")
    return opened


def test_runs_of_an_experiment_unfold_below_its_name_and_are_deleted_with_it(
    qtbot: QtBot, swept: MainWindow
) -> None:
    assert listed(swept) == [f"▸ {SWEEP_TITLE}: 2 runs", "Other graphs: 1 run", "plain"]
    panel = panel_of(swept)
    head = panel.model.rows[0]
    assert head.texts[RunColumn.WHEN].startswith("21 Nov"), "the time of its newest run"
    words = panel.table.fontMetrics().horizontalAdvance(head.texts[RunColumn.WHEN])
    assert panel.table.columnWidth(RunColumn.WHEN) > words
    click(swept, SWEEP)
    assert listed(swept)[:3] == [f"▾ {SWEEP_TITLE}: 2 runs", "newer", "older"]
    assert panel.model.rows[1].texts[RunColumn.NAME] == "diamond", "its title stands above"
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert listed(swept)[:2] == [f"▸ {SWEEP_TITLE}: 2 runs", "Other graphs: 1 run"]
    qtbot.keyClicks(panel.filter, "sweep")
    assert listed(swept)[1:] == ["newer", "older"], "what is looked for is not hidden"

    panel.filter.clear()
    click(swept, SWEEP)
    click(swept, SWEEP)
    assert not panel_of(swept).open_button.isEnabled()
    qtbot.keyClick(panel_of(swept).table, Qt.Key.Key_Delete)
    wait_until_idle(qtbot, swept)
    assert listed(swept) == ["Other graphs: 1 run", "plain"]
    assert notice_of(swept).text == "Deleted 2 runs."
    swept.commands["undo"].trigger()
    wait_until_idle(qtbot, swept)
    assert listed(swept)[0] == f"▸ {SWEEP_TITLE}: 2 runs"


# -- names, pins, deletion
# -------------------------------------------------------------------------------------------


def test_runs_are_deleted_listed_and_come_back_by_keys_and_buttons_whatever_graph_is_open(
    qtbot: QtBot, opened: MainWindow
) -> None:
    first, second, third = run(qtbot, opened), run(qtbot, opened), run(qtbot, opened)
    opened.bars.open("Runs")
    panel = panel_of(opened)
    assert not panel.deleted_button.isVisible()
    click(opened, first)
    click(opened, third, ctrl=True)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    wait_until_idle(qtbot, opened)
    assert listed(opened) == ["This graph: 1 run", second]
    assert notice_of(opened).text == "Deleted 2 runs."
    take_up(opened, "Undo")
    wait_until_idle(qtbot, opened)
    assert listed(opened)[1:] == [third, second, first]
    assert undoing(opened).history.redoText() == "delete 2 runs"

    click(opened, first)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    wait_until_idle(qtbot, opened)
    take_up(opened, "Undo")
    wait_until_idle(qtbot, opened)
    click(opened, first)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    wait_until_idle(qtbot, opened)
    open_graph(qtbot, opened, SAMPLE)
    assert opened.commands["undo"].text() == "Undo delete 1 run"
    canvas = opened.parts.canvas.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_until_idle(qtbot, opened)
    assert listed(opened)[1:] == [third, second, first]
    qtbot.keyClick(canvas, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    wait_until_idle(qtbot, opened)
    assert listed(opened)[1:] == [third, second]

    open_graph(qtbot, opened, TINY)
    click(opened, second)
    qtbot.mouseClick(panel.delete_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    qtbot.mouseClick(panel.deleted_button, Qt.MouseButton.LeftButton)
    assert listed(opened) == ["Recently deleted: 2 runs", second, first]
    assert not panel.delete_button.isVisible()
    assert "can be restored until" in panel.model.rows[1].tip
    click(opened, first)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert listed(opened)[1:] == [second, first]
    qtbot.mouseClick(panel.restore_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    assert listed(opened) == ["Recently deleted: 1 run", second]
    click(opened, second, double=True)
    wait_until_idle(qtbot, opened)
    assert listed(opened) == ["This graph: 3 runs", third, second, first]
    assert not panel.deleted_button.isVisible()


# -- comparing
# --------------------------------------------------------------------------------------


def test_the_comparison_says_what_disturbs_it(qtbot: QtBot, window: MainWindow) -> None:
    times = (1.0, 1.1, 1.2, 1.1, 1.0, 1.1)
    load = Disturbance(DisturbanceKind.LOAD, "Other programs kept 1.5 of 2 cores busy.")
    fast = kept_variant_of("bf-serial", *times, disturbances=(load,))
    slow = kept_variant_of(
        "bf-serial", *(3 * ms for ms in times), verdict=Verdict(False, 2, "2 are wrong")
    )
    dialog = CompareRunsDialog(
        kept_run_of("a", fast, kept_variant_of("auto", 1.0)),
        kept_run_of("b", slow, kept_variant_of("auto", 3.0)),
        window,
    )
    qtbot.addWidget(dialog)
    serial, automatic = dialog.rows
    assert serial.outcome == "not comparable: wrong answer: second"
    assert serial.tip == "First: Other programs kept 1.5 of 2 cores busy."
    assert automatic.outcome == "uncertain: few trials"
    assert dialog.table.horizontalHeaderItem(4).text() == "Interval", "95 % is said of no other"
    assert dialog.table.item(1, 4).text().endswith(", widened")
    assert dialog.summary.text() == "2 variants in both runs: 1 uncertain, 1 not comparable."


# -- files
# --------------------------------------------------------------------------------------


def test_runs_are_exported_and_opened_elsewhere(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = run(qtbot, opened)
    trials = {r.variant.id: len(r.trials) for r in opened.parts.session.results.all}
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "out"))
    click(opened, run_id)
    qtbot.mouseClick(panel_of(opened).export_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, opened)
    table = tmp_path / "out" / "trials.csv"
    assert table.is_file()
    assert (tmp_path / "out" / "summary.csv").is_file()

    monkeypatch.setenv("TAUTPATH_DATA", str(tmp_path / "elsewhere"))
    other = MainWindow(opened.parts.settings)
    qtbot.addWidget(other)
    other.show()
    open_graph(qtbot, other, TINY)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    other.commands["import-runs"].trigger()
    qtbot.waitUntil(lambda: other.parts.session.results.stored_run is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, other)
    assert {r.variant.id: len(r.trials) for r in other.parts.session.results.all} == trials
    assert listed(other) == ["This graph: 1 run", run_id]
    other.close()


def drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    actions, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    window.dropEvent(
        QDropEvent(QPointF(20, 20), actions, data, buttons, Qt.KeyboardModifier.NoModifier)
    )


def test_a_bad_table_is_refused_by_line_and_column_and_a_right_one_is_dropped(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    run_id = run(qtbot, opened)
    opened.controller_of("kept_runs").export([run_id], tmp_path)
    wait_until_idle(qtbot, opened)
    table = tmp_path / "trials.csv"
    right = table.read_text("utf-8")
    table.write_text(right.replace(",true,", ",perhaps,", 1), "utf-8")
    drop(opened, table)
    wait_until_idle(qtbot, opened)
    assert notice_of(opened).text.startswith(
        "trials.csv, line 2: column is_warmup: “perhaps” is not true or false"
    )
    assert len(listed(opened)) == 2

    table.write_text(right, "utf-8")
    opened.controller_of("kept_runs").delete([run_id])
    open_graph(qtbot, opened, SAMPLE)
    drop(opened, tmp_path / "trials.csv")
    qtbot.waitUntil(lambda: run_id in listed(opened), timeout=PATIENCE_MS)
    wait_until_idle(qtbot, opened)
    graph = opened.parts.session.graph
    assert graph.name.startswith("harbour"), "the open graph stays"
    assert "which is not open" in notice_of(opened).text


# -- its place
# --------------------------------------------------------------------------------------


def test_the_command_opens_the_panel_which_shows_what_other_windows_have_added(
    qtbot: QtBot, window: MainWindow
) -> None:
    assert not panel_of(window).isVisible()
    RunStore().add([kept_run_of("a", kept_variant_of("bf-serial", 1.0))])
    assert listed(window) == []
    window.commands["runs"].trigger()
    assert panel_of(window).isVisible()
    qtbot.waitUntil(lambda: listed(window) == ["All graphs: 1 run", "a"], timeout=PATIENCE_MS)


def test_an_earlier_run_is_shown_by_a_double_click_closed_and_replaced_by_a_new_one(
    qtbot: QtBot, opened: MainWindow
) -> None:
    session = opened.parts.session
    run_id = run(qtbot, opened)
    before = {r.variant.id: r for r in session.results.all}
    ends = session.source, session.target
    session.set_source(1)
    assert not session.results.all
    click(opened, run_id, double=True)
    qtbot.waitUntil(lambda: session.results.stored_run is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, opened)
    assert (session.source, session.target) == ends
    assert {r.variant.id: r.trials for r in session.results.all} == {
        i: r.trials for i, r in before.items()
    }
    selected = session.results.selected
    assert selected.path is not None
    expected = before[selected.variant.id].path
    assert selected.path.tolist() == expected.tolist()
    assert selected.distances is not None, "computed anew, and equal by their hash"
    assert len(opened.results_panel.model.rows) == 2
    bar = opened.findChild(StoredRunBar)
    assert bar.isVisible()
    assert bar.label.text().startswith("Stored run of ")

    qtbot.mouseClick(opened.findChild(StoredRunBar).close_button, Qt.MouseButton.LeftButton)
    assert not opened.parts.session.results.all
    assert run_id in listed(opened)

    open_stored(qtbot, opened, run_id)
    run(qtbot, opened, "dijkstra-heap")
    assert opened.parts.session.results.stored_run is None
    assert [r.variant.id for r in opened.parts.session.results.all] == ["dijkstra-heap"]
    assert not opened.findChild(StoredRunBar).isVisible()

    run_id = run(qtbot, opened, "dijkstra-heap", "dijkstra-target", "fw-serial")
    open_stored(qtbot, opened, run_id)
    assert len(opened.parts.session.results.all) == 3
    opened.parts.session.set_target(1)
    assert [r.variant.id for r in opened.parts.session.results.all] == ["dijkstra-heap"], (
        "its distances are known"
    )
    assert opened.parts.session.results.all[0].path is not None


def test_a_graph_of_a_file_or_a_generator_is_offered_and_made_again_with_the_run(
    qtbot: QtBot, opened: MainWindow
) -> None:
    run_id = run(qtbot, opened)
    open_graph(qtbot, opened, SAMPLE)
    click(opened, run_id, double=True)
    assert "which is not open" in notice_of(opened).text
    take_up(opened, f"Open {TINY.name} and the run")
    wait_for_stored(qtbot, opened)
    assert opened.parts.session.graph_source.path == str(TINY.resolve())

    with qtbot.waitSignal(opened.parts.session.graph_changed, timeout=PATIENCE_MS):
        opened.parts.open.generate(generators.find("grid"), {"columns": 7, "rows": 5, "seed": 3})
    wait_until_idle(qtbot, opened)
    generated = opened.parts.session.graph
    assert generated is not None
    run_id = run(qtbot, opened, "dijkstra-heap")
    open_graph(qtbot, opened, TINY)
    click(opened, run_id, double=True)
    take_up(opened, f"Generate {generated.name} and open the run")
    wait_for_stored(qtbot, opened)
    assert opened.parts.session.graph.sha256 == generated.sha256


def test_a_graph_whose_file_has_changed_is_told(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    road = tmp_path / "road.gr"
    road.write_text("p sp 3 2\na 1 2 5\na 2 3 5\n")
    open_graph(qtbot, opened, road)
    run_id = run(qtbot, opened, "dijkstra-heap")
    open_graph(qtbot, opened, TINY)
    road.write_text("p sp 3 2\na 1 2 5\na 2 3 6\n")
    opened.controller_of("kept_runs").open(run_id)
    with qtbot.waitSignal(opened.parts.session.graph_changed, timeout=PATIENCE_MS):
        take_up(opened, "Open road.gr and the run")
    qtbot.waitUntil(lambda: opened.notices.notice is not None, timeout=PATIENCE_MS)
    assert "road has changed since the run of" in notice_of(opened).text
    assert opened.parts.session.results.stored_run is None
    road.unlink()
    open_graph(qtbot, opened, TINY)
    opened.controller_of("kept_runs").open(run_id)
    assert "is missing" in notice_of(opened).text
    assert notice_of(opened).action is None


def test_intervals_of_ratios_have_a_scale(qtbot: QtBot, window: MainWindow) -> None:
    """Bars stood around a line at 1 without any other number."""
    times = (10.0, 10.1, 10.2, 10.3, 10.4, 10.5)
    for factor in (1.1, 3.0, 200.0):
        dialog = CompareRunsDialog(
            kept_run_of("a", kept_variant_of("bf-serial", *times)),
            kept_run_of("b", kept_variant_of("bf-serial", *(factor * ms for ms in times))),
            window,
        )
        qtbot.addWidget(dialog)
        dialog.show()
        span = max(reach(dialog.rows[0].ratio), LEAST_SPAN)
        ticks = ratio_ticks(span, 200.0, dialog.fontMetrics())
        assert len(ticks) >= 3
        for place, words in ticks:
            told = math.log(float(words.removesuffix("×").replace("\u202f", "")))
            assert place == pytest.approx(100.0 * (1 + told / span), abs=1.0)
        assert (100.0, "1×") in ticks
        header = dialog.table.horizontalHeader()
        left = header.sectionViewportPosition(5)
        picture = header.viewport().grab(QRect(left, 0, header.sectionSize(5), 18)).toImage()
        assert any(
            picture.pixelColor(x, y).lightnessF() < 0.6
            for x in range(picture.width())
            for y in range(picture.height())
        )
