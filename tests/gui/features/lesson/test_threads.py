"""Threads of the displayed iteration on the card: rows of lanes, words and figures
follow the play-back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from gui.features.lesson.threads import ThreadActivityPanel, WarpView, shown_warps, state_colours
from gui.model.playback import Playback
from gui.panels.variant_card import CardView, VariantCard
from gui.style.theme import tokens
from solvers.core.recorder import MatrixRecorder
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, KernelLog
from solvers.features.lesson.thread_states import ThreadState
from tests.golden import Golden
from tests.graphs import at_random
from tests.gui.panels.sample import make_result, opened_session
from tests.solvers.running.test_traced_run import made_up


def played(qtbot: QtBot, result: Result) -> tuple[VariantCard, Playback]:
    """The card of a traced result at its first iteration."""
    session, playback = opened_session(result.graph), Playback()
    session.results.add([result])
    card = VariantCard(session)
    card.add_view(CardView(ThreadActivityPanel(session, playback)))
    qtbot.addWidget(card)
    card.resize(320, 900)
    card.show()
    qtbot.waitExposed(card)
    session.results.select(result.variant.id)
    playback.load(result.trace)
    playback.to_start()
    return card, playback


def panel_of(card: VariantCard) -> ThreadActivityPanel:
    (panel,) = card.findChildren(ThreadActivityPanel)
    return panel


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
    assert not (
        np.array_equal(before[0], panel.warps.states)
        and np.array_equal(before[1], panel.warps.numbers)
    )


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
        at = QPoint(
            int((left + (lane + 0.5) * pitch - 0.5) * ratio),
            int((top + (row + 0.5) * pitch - 0.5) * ratio),
        )
        assert image.pixelColor(at).name() == colours[state].name()
    assert view.states[0, 0] == ThreadState.USEFUL, "the source"


def test_without_a_trace_of_kernels_there_is_nothing(qtbot: QtBot) -> None:
    card, _ = played(qtbot, make_result(opened_session(), "bf-vertex"))
    assert not panel_of(card).isVisible()
    card, _ = played(qtbot, made_up("bf-vertex"))
    for selected, its in (("bf-serial", False), ("bf-vertex", True)):
        # the picture stays, but the card is that of a variant not run
        card._session.results.select(selected)
        assert panel_of(card).isVisible() == its


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
def test_busy_warps_are_shown_first(
    busy: list[int], count: int, rows: int, wanted: list[int]
) -> None:
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


def matrix_run(
    variant_id: str, log: KernelLog, relaxed: int | None = None, asked: int | None = None
) -> Result:
    """An all-pairs run of 60 vertices in two phases, whose launches ``log`` has counted."""
    graph = at_random(60, 200, 5)
    recorder = MatrixRecorder(graph.n, launches=log)
    for step in range(2):
        log.launched("relax", 5, 1024)
        recorder.matrix_step(step, 1, np.array([0, 60, 0, 60]), None, 2.0, relaxed, asked)
    return make_result(opened_session(graph), variant_id, trace=recorder.finish(bandwidth=1e10))


def copying_run(gpus: int) -> Result:
    """A run whose watched step copies 1 MB."""
    log, recorder = KernelLog("Pretend", is_cpu=False), MatrixRecorder(4)
    log.launched("multiply", 5, 256)
    recorder.launches = log
    recorder.matrix_step(0, 1, np.array([0, 4, 0, 4]), None, 2.0, 64, 4_000_000, 1_000_000)
    return make_result(
        opened_session(), "fw-blocked-gpus", trace=recorder.finish(gpus * 1e10, gpus)
    )


def without_launches() -> Result:
    result = made_up("bf-edge-flags")
    assert isinstance(result.trace, ActivityTrace)
    return replace(result, trace=replace(result.trace, launches=None))


def kernels() -> KernelLog:
    return KernelLog("Pretend", is_cpu=False)


SAID: dict[str, Callable[[], Result]] = {
    "useful threads": lambda: made_up("bf-edge-flags"),
    "a processor": lambda: made_up("bf-vertex", is_cpu=True),
    "launches that are not divided": lambda: made_up("sssp-near-far"),
    "threads that look for offers": lambda: made_up("da2cf-u-gpu"),
    "without launches": without_launches,
    "a thread per cell": lambda: matrix_run("fw-cell", kernels(), relaxed=216_000, asked=4_000_000),
    "a thread per row": lambda: matrix_run("fw-vertex", kernels()),
    "arcs of all pairs": lambda: matrix_run("cch-batch-device", kernels(), relaxed=216_000),
    "one GPU": lambda: copying_run(1),
    "two GPUs": lambda: copying_run(2),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_an_iteration(qtbot: QtBot, golden: Golden, name: str) -> None:
    card, playback = played(qtbot, SAID[name]())
    panel = panel_of(card)
    assert panel.isVisible()
    said = []
    for position in range(min(2, playback.length)):
        playback.seek(position)
        labels = (panel.heading, panel.words, panel.figures)
        said += [label.text() for label in labels if label.isVisible()]
    golden.check("threads of an iteration", name, "\n".join(said))
