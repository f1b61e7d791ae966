"""Threads of the displayed iteration on the card: rows of lanes, words and figures follow the play-back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from gui.model.playback import Playback
from gui.panels.threads import ThreadActivityPanel, WarpView, matrix_figures_of, shown_warps, state_colours
from gui.panels.variant_card import VariantCard
from gui.style.theme import tokens
from solvers.core.recorder import MatrixRecorder
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, KernelLog, MatrixTrace
from solvers.running.thread_states import ThreadState
from solvers.running.traced_run import device_activity
from tests.graphs import at_random
from tests.gui.panels.sample import make_result, opened_session
from tests.solvers.running.test_traced_run import made_up


def played(qtbot: QtBot, result: Result) -> tuple[VariantCard, Playback]:
    """The card of a traced result at its first iteration."""
    session, playback = opened_session(result.graph), Playback()
    session.results.add([result])
    card = VariantCard(session, playback)
    qtbot.addWidget(card)
    card.resize(320, 900)
    card.show()
    qtbot.waitExposed(card)
    session.results.select(result.variant.id)
    playback.load(result.trace)
    playback.to_start()
    return card, playback


def panel_of(card: VariantCard) -> ThreadActivityPanel:
    assert card.activity is not None
    return card.activity


def test_it_follows_the_play_back(qtbot: QtBot) -> None:
    result = made_up("bf-edge-flags")
    card, playback = played(qtbot, result)
    panel = panel_of(card)
    assert panel.isVisible()
    assert panel.heading.text().startswith("Iteration 1 of")
    first = int(result.graph.out_degrees[0])
    assert panel.words.text().startswith(f"{first} of 704 threads useful")
    before = panel.warps.states.copy(), panel.warps.numbers.copy()
    playback.step(1)
    assert panel.heading.text().startswith("Iteration 2 of")
    assert not (np.array_equal(before[0], panel.warps.states) and np.array_equal(before[1], panel.warps.numbers))
    trace = result.trace
    assert isinstance(trace, ActivityTrace)
    useful = int(result.graph.out_degrees[trace.frontier(1)].sum())
    assert panel.words.text().startswith(f"{useful} of 704 threads useful")
    assert "Launched: 2 kernels; the one that relaxes in 11 blocks of 64 threads." in panel.figures.text()
    assert "of the 1.00 GB/s that a copy reaches" in panel.figures.text()


def test_useful_lanes_have_the_colour_of_their_state(qtbot: QtBot) -> None:
    card, _ = played(qtbot, made_up("bf-vertex"))
    view = panel_of(card).warps
    qtbot.waitUntil(lambda: view.height() > view._strip_height() + 8 * view._pitch(view.width()))
    image = view.grab().toImage()
    colours = state_colours(tokens())
    pitch, left = view._pitch(view.width()), view._label_width()
    top = view._strip_height()
    for row, lane in ((0, 0), (0, 5), (1, 7)):
        state = ThreadState(int(view.states[row, lane]))
        if state is ThreadState.WORKS:
            continue  # translucent
        ratio = image.devicePixelRatio()
        at = QPoint(int((left + (lane + 0.5) * pitch - 0.5) * ratio), int((top + (row + 0.5) * pitch - 0.5) * ratio))
        assert image.pixelColor(at).name() == colours[state].name()
    assert view.states[0, 0] == ThreadState.USEFUL, "the source"


def test_a_processor_is_called_one_and_has_no_warps(qtbot: QtBot) -> None:
    card, _ = played(qtbot, made_up("bf-vertex", is_cpu=True))
    panel = panel_of(card)
    assert "Pretend, a CPU" in panel.heading.text()
    assert "a CPU runs a block on one core" in panel.words.text()
    assert "They keep" not in panel.words.text()


def test_launches_that_are_not_divided_show_no_threads(qtbot: QtBot) -> None:
    card, _ = played(qtbot, made_up("sssp-near-far"))
    panel = panel_of(card)
    assert panel.isVisible()
    assert not panel.warps.isVisible()
    assert "not divided" in panel.figures.text()


def test_without_a_trace_of_kernels_there_is_nothing(qtbot: QtBot) -> None:
    session = opened_session()
    result = make_result(session, "bf-vertex")
    card, _ = played(qtbot, replace(result))
    assert not panel_of(card).isVisible()


@pytest.mark.parametrize(
    ("busy", "count", "rows", "wanted"),
    [
        ([3], 4, 8, [0, 1, 2, 3]),
        ([5, 6, 90, 91], 100, 3, [5, 6, 90]),
        ([50], 100, 3, [50, 51, 52]),
        ([99], 100, 3, [97, 98, 99]),
        ([], 100, 2, [0, 1]),
    ],
)
def test_busy_warps_are_shown_first(busy: list[int], count: int, rows: int, wanted: list[int]) -> None:
    assert shown_warps(np.array(busy, np.int64), count, rows).tolist() == wanted


def test_an_empty_view_paints(qtbot: QtBot) -> None:
    view = WarpView()
    qtbot.addWidget(view)
    view.resize(280, view.heightForWidth(280))
    assert not view.grab().isNull()


def test_threads_that_look_for_offers_are_not_called_useful(qtbot: QtBot) -> None:
    card, _ = played(qtbot, made_up("da2cf-u-gpu"))
    view = panel_of(card).warps
    assert not (view.states == ThreadState.USEFUL).any()
    assert (view.states == ThreadState.WORKS).any()
    assert not len(view.shares), "no strip: it is not known which threads are useful"
    assert "threads useful" in panel_of(card).words.text(), "only how many"


def matrix_run(variant_id: str, log: KernelLog, relaxed: int | None = None, asked: int | None = None) -> Result:
    """An all-pairs run of 60 vertices in two phases, whose launches ``log`` has counted."""
    graph = at_random(60, 200, 5)
    recorder = MatrixRecorder(graph.n, launches=log)
    for step in range(2):
        log.launched("relax", 5, 1024)
        recorder.matrix_step(step, 1, np.array([0, 60, 0, 60]), None, 2.0, relaxed, asked)
    return make_result(opened_session(graph), variant_id, trace=recorder.finish(bandwidth=1e10))


def test_phases_of_all_pairs_runs_show_relaxations_and_bytes(qtbot: QtBot) -> None:
    log = KernelLog("Pretend", is_cpu=False)
    card, _ = played(qtbot, matrix_run("fw-cell", log, relaxed=216_000, asked=4_000_000))
    words = panel_of(card).figures.text().replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "Relaxed: 216 000 cells, 108 M cells/s when watched" in words
    assert "threads ask for at least 4.00 MB, 2.00 GB/s: 20 % of the 10.0 GB/s that a copy reaches." in words
    card, _ = played(qtbot, matrix_run("cch-batch-device", log, relaxed=216_000))
    words = panel_of(card).figures.text()
    assert "M arcs/s when watched" in words
    assert "Memory: not known." in words


def test_several_gpus_are_counted_together_and_copies_apart(qtbot: QtBot) -> None:
    log, recorder = KernelLog("Pretend", is_cpu=False), MatrixRecorder(4)
    log.launched("multiply", 5, 256)
    recorder.launches = log
    recorder.matrix_step(0, 1, np.array([0, 4, 0, 4]), None, 2.0, 64, 4_000_000, 1_000_000)
    session = opened_session()
    words = {}
    for gpus in (1, 2):
        result = make_result(session, "fw-blocked-gpus", trace=recorder.finish(gpus * 1e10, gpus))
        activity = device_activity(result)
        assert isinstance(result.trace, MatrixTrace)
        assert activity is not None
        figures = matrix_figures_of(result, result.trace, activity, 0)
        words[gpus] = (figures.heading, "\n".join(figures.lines))
    assert words[1][0].endswith("on Pretend")
    assert "Copied: 1.00 MB between host and device, 500 MB/s when watched." in words[1][1]
    assert words[2][0].endswith("on 2 × Pretend")
    assert "10 % of the 20.0 GB/s that a copy reaches on all 2 together." in words[2][1]
    assert "Copied: 1.00 MB from one GPU to the others" in words[2][1]


@pytest.mark.parametrize(
    ("variant_id", "last"), [("fw-cell", "3 600 of 5 120 threads have a cell (70 %)."), ("fw-vertex", "not known")]
)
def test_phases_of_all_pairs_runs_show_their_launches(qtbot: QtBot, variant_id: str, last: str) -> None:
    card, playback = played(qtbot, matrix_run(variant_id, KernelLog("Pretend", is_cpu=False)))
    panel = panel_of(card)
    assert panel.isVisible()
    assert panel.heading.text() == "Step 1 of 2 on Pretend"
    words = panel.figures.text().replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "Launched: relax in 5 blocks of 1 024 threads: 5 120 threads, 160 warps." in words
    assert "Cells: 3 600 written in 2.00 ms, 1.80 M cells/s when watched." in words
    assert last in words
    playback.step(1)
    assert panel.heading.text() == "Step 2 of 2 on Pretend"


def test_a_run_on_a_device_without_figures_says_why(qtbot: QtBot) -> None:
    result = made_up("bf-edge-flags")
    assert isinstance(result.trace, ActivityTrace)
    card, _ = played(qtbot, replace(result, trace=replace(result.trace, launches=None)))
    panel = panel_of(card)
    assert panel.isVisible()
    assert panel.figures.text().startswith("No launches to show")
    assert not panel.warps.isVisible()
