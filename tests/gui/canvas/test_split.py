"""Runs side by side: each pane shows its own iteration, all show the same view, shorter
runs wait at their end.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.pane import Pane
from gui.model import playback
from gui.model.playback import Pace
from gui.painting.pane_head import NO_RESULT
from gui.window import MainWindow
from solvers.core.recorder import TraceRecorder
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.picture.colours import LIGHT
from solvers.picture.scene.content import Layer
from tests.gui.pictures import is_like, street_grid
from tests.gui.windows import TINY, controller_of, open_graph, run_only

GRID = street_grid()
LONG, SHORT, SLOW = "dijkstra-heap", "bf-serial", "bf-python"


def trace_of(iterations: int, ms: float, first: int) -> ActivityTrace:
    """One active vertex an iteration: ``first``, the one after it, and so on."""
    recorder = TraceRecorder(GRID.n)
    for k in range(iterations):
        recorder.iteration(np.array([first + k]), 4, 1, ms)
    return recorder.finish()


def result_of(variant_id: str, trace: ActivityTrace | None, graph: Graph = GRID) -> Result:
    return Result(
        find_variant(variant_id),
        {},
        graph,
        0,
        5,
        distances=np.arange(graph.n, dtype=np.int32),
        trace=trace,
    )


@pytest.fixture
def area(qtbot: QtBot, area: CanvasArea) -> CanvasArea:
    """A street grid with three runs: 30 iterations of 1 ms, 10 of 1 ms, 5 of 20 ms."""
    area.resize(900, 640)
    area.session.open_graph(GRID)
    qtbot.waitUntil(lambda: area.graph_canvas.content is not None, timeout=30_000)
    for variant_id, trace in (
        (LONG, trace_of(30, 1.0, 0)),
        (SHORT, trace_of(10, 1.0, 600)),
        (SLOW, trace_of(5, 20.0, 1200)),
    ):
        area.session.results.add([result_of(variant_id, trace)])
    area.playback.load(area.session.results.selected.trace)
    return area


def positions(area: CanvasArea) -> dict[str, int]:
    return {
        pane.displayed_run.variant_id: pane.canvas.content.position
        for pane in area.split_view.panes
    }


def test_each_pane_shows_its_own_iteration_and_shorter_runs_stay_at_their_end(area, qtbot):
    area.split(3)
    painters = [canvas.frames.renderer._make_drawer() for canvas in area.findChildren(GraphCanvas)]
    assert [painter._device for painter in painters] == [area.scenes.device] * 4
    assert area.playback.length == 30  # the longest leads
    for at, expected in (
        (0, (0, 0, 0)),
        (3, (3, 3, 3)),
        (7, (7, 7, 4)),
        (20, (20, 9, 4)),
        (29, (29, 9, 4)),
    ):
        area.playback.seek(at)
        assert positions(area) == dict(zip((LONG, SHORT, SLOW), expected, strict=True))
    area.playback.seek(20)
    area.resize(1200, 640)
    qtbot.waitUntil(lambda: area.split_view.panes[0].width() > 390)
    words = [pane.head.progress.text() for pane in area.split_view.panes]
    assert words == ["iteration 21 of 30", "iteration 10 of 10, done", "iteration 5 of 5, done"]


def test_locked_by_real_time_the_same_milliseconds_have_passed(area):
    area.split(3)
    area.playback.set_pace(Pace.TIME)
    assert area.playback.length == 5  # 100 ms: the slowest leads
    area.playback.seek(0)
    assert area.playback.elapsed_ms == pytest.approx(20.0)
    assert positions(area) == {LONG: 19, SHORT: 9, SLOW: 0}
    area.playback.seek(4)
    assert positions(area) == {LONG: 29, SHORT: 9, SLOW: 4}
    assert area.split_view.panes[0].head.progress.text().endswith("30 of 30  ·  30.0 ms")


def test_locked_by_progress_all_runs_end_together(area):
    area.split(3)
    area.playback.set_pace(Pace.PROGRESS)
    assert area.playback.length == 30
    for at, expected in ((0, (0, 0, 0)), (15, (15, 4, 2)), (28, (28, 8, 3)), (29, (29, 9, 4))):
        area.playback.seek(at)
        assert positions(area) == dict(zip((LONG, SHORT, SLOW), expected, strict=True))
        assert not any(pane.displayed_run.waits for pane in area.split_view.panes)


@pytest.mark.parametrize(
    ("pace", "expected"),
    [(Pace.ITERATIONS, (10, 1, 1)), (Pace.PROGRESS, (10, 3, 1)), (Pace.TIME, (20, 10, 1))],
)
def test_each_pane_gathers_what_it_does_between_two_pictures(area, pace, expected):
    area.split(3)
    area.playback.set_pace(pace)
    area.playback.set_speed(
        {Pace.TIME: 60.0, **dict.fromkeys((Pace.ITERATIONS, Pace.PROGRESS), 600.0)}[pace]
    )
    area.playback.seek({Pace.TIME: 0, Pace.ITERATIONS: 20, Pace.PROGRESS: 20}[pace])
    gathered = [pane.displayed_run.gathered for pane in area.split_view.panes]
    assert tuple(gathered) == expected
    assert [len(pane.canvas.content.frontier) for pane in area.split_view.panes] == gathered


@pytest.mark.parametrize("width", [300, 560])
def test_the_progress_text_of_a_narrow_pane_is_never_cut(area, qtbot, width):
    recorder = TraceRecorder(GRID.n)
    for k in range(3000):
        recorder.iteration(np.array([k % GRID.n]), 4, 1, 1.0)
    area.session.results.add([result_of(LONG, recorder.finish())])
    area.split(3)
    assert area.minimumSizeHint().width() < 600
    area.resize(width, 480)
    qtbot.waitUntil(lambda: area.split_view.width() == max(width, area.minimumSizeHint().width()))
    for pane in area.split_view.panes:
        label = pane.head.progress
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
        assert "3\u202f000" in label.text() or pane.displayed_run.variant_id != LONG
        assert label.text().startswith("iteration") or label.toolTip().startswith("iteration")


@pytest.mark.parametrize(
    ("width", "height", "columns"), [(900, 400, 3), (500, 700, 2), (240, 900, 1)]
)
def test_panes_are_divided_so_that_their_pictures_are_large(area, qtbot, width, height, columns):
    """Three panes of 128 pixels stood side by side over a canvas that was higher than wide."""
    area.split(3)
    area.resize(width, height)
    panes = area.split_view.panes
    qtbot.waitUntil(lambda: len({pane.x() for pane in panes}) == columns)
    assert panes[-1].geometry().right() == area.split_view.width() - 1


@pytest.mark.parametrize(("width", "beside"), [(900, True), (300, True), (230, False)])
def test_zoom_buttons_do_not_lie_over_the_legend_of_panes(area, qtbot, width, beside):
    area.split(2)
    area.resize(width, 640)
    legend, buttons = area.split_page.legend, area._buttons
    qtbot.waitUntil(lambda: legend.width() > 100 and legend.geometry().right() <= width)
    qtbot.waitUntil(lambda: buttons.isVisible() is beside)
    if beside:
        left = buttons.mapTo(area, QPoint()).x()
        assert legend.mapTo(area, QPoint(legend.width(), 0)).x() <= left


def test_the_legend_of_panes_names_the_dots(area, qtbot):
    """Beside each other, and in a race, runs had dots that nothing explained."""
    area.split(2)
    area.resize(900, 640)
    area.playback.seek(5)
    legend = area.split_page.legend

    def has_dot() -> bool:
        image = legend.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        return bool(is_like(pixels, LIGHT.frontier).any())

    qtbot.waitUntil(has_dot)


def test_exported_panes_show_the_same_part(area, qtbot):
    """Of three panes the last is wider; its map came out half as large as the others."""
    area.split(3)
    area.resize(500, 700)
    panes = area.split_view.panes
    qtbot.waitUntil(lambda: panes[2].width() > 1.5 * panes[0].width())
    assert len({state.picture.view for state in area.picture_state().panes}) == 1


def test_a_quick_run_moves_on_while_the_leader_is_within_an_iteration(area, qtbot, monkeypatch):
    ticks = itertools.count()  # a 60th of a second each, however late they come
    monkeypatch.setattr(playback, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 60))
    area.split(3)
    area.playback.set_pace(Pace.TIME)
    seen = set()
    area.split_view.panes[0].displayed_run.changed.connect(
        lambda: seen.add(area.split_view.panes[0].displayed_run.position)
    )
    area.playback.set_speed(2.0)
    area.playback.seek(0)
    area.playback.play()
    qtbot.waitUntil(lambda: not area.playback.playing, timeout=60_000)
    assert len(seen) >= 4
    assert max(seen) == 29


def test_panning_and_zooming_one_pane_moves_all(area):
    area.split(4)
    first, *others = area.canvases
    area.view.zoom_in()
    first.view.look_at(first.view.camera.panned(40, -25))
    assert len(others) == 3
    for canvas in others:
        assert (
            canvas.view.camera.x,
            canvas.view.camera.y,
            canvas.view.camera.scale,
        ) == pytest.approx((first.view.camera.x, first.view.camera.y, first.view.camera.scale))
    others[1].view.fit()
    assert first.view.camera.scale == pytest.approx(others[1].view.camera.scale)


def test_the_card_stays_with_its_vertex_while_another_pane_is_moved(area, qtbot):
    area.split(2)
    first, other = area.canvases
    qtbot.waitUntil(lambda: first.frames.current and other.frames.current, timeout=10_000)
    area.session.select_vertex(777)
    before = first.select.card.pos()
    other.view.pan(QPointF(25, -15))
    assert first.select.card.pos() - before == QPoint(25, -15)


def test_the_panes_show_the_frontiers_of_their_own_runs(area, qtbot):
    area.split(2)
    area.playback.seek(4)

    def shows_it(pane: Pane) -> bool:
        canvas, vertex = pane.canvas, int(pane.displayed_run.trace.frontier(4)[0])
        x, y = (
            canvas.view.camera.to_screen(canvas.content.scene.positions[vertex]).round().astype(int)
        )
        return bool(is_like(canvas.frames.newest.pixels, LIGHT.frontier, 8)[y, x])

    qtbot.waitUntil(lambda: all(canvas.frames.current for canvas in area.canvases), timeout=10_000)
    assert all(shows_it(pane) for pane in area.split_view.panes)


def test_layers_are_those_of_all_panes_and_survive_the_way_back(area):
    area.split(2)
    area.options.set_layer("visited", False)
    assert all(Layer.VISITED not in canvas.content.layers for canvas in area.canvases)
    area.split(1)
    assert area.canvases == (area.graph_canvas,)
    assert Layer.VISITED not in area.graph_canvas.content.layers
    assert area.playback.length == 30  # the selected result's own trace again


def test_the_box_of_a_pane_chooses_its_run(area):
    area.split(2)
    pane = area.split_view.panes[1]
    assert [pane.box.itemData(i) for i in range(pane.box.count())] == [LONG, SHORT, SLOW]
    pane.box.setCurrentIndex(2)
    pane.box.activated.emit(2)
    assert pane.result.variant.id == SLOW
    assert {result.variant.id for result in area.split_results()} == {LONG, SLOW}


def test_a_click_in_any_pane_selects_and_shift_click_sets_the_target(area, qtbot):
    area.split(2)
    canvas = area.canvases[1]
    x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[777])
    at = QPoint(round(float(x)), round(float(y)))
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert area.session.selected_vertex == 777
    assert [pane.select.card.isVisible() for pane in area.canvases] == [True, False]
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, at)
    assert area.session.target == 777
    qtbot.mouseClick(area.canvases[0].select.card.source, Qt.MouseButton.LeftButton)
    assert area.split_results() == ()  # answers for another source are gone


def test_what_is_not_traced_yet_is_traced_when_it_is_to_be_shown(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, LONG, SHORT, SLOW)
    window.commands["split-3"].trigger()
    qtbot.waitUntil(
        lambda: all(
            pane.displayed_run.trace is not None for pane in window.parts.canvas.split_view.panes
        ),
        timeout=60_000,
    )
    assert window.commands["split-3"].isChecked()
    assert (
        len({pane.displayed_run.variant_id for pane in window.parts.canvas.split_view.panes}) == 3
    )
    window.commands["pace-time"].trigger()
    assert window.parts.playback.pace is Pace.TIME
    window.commands["split-1"].trigger()
    assert window.parts.canvas.split_view.panes == ()


def test_no_variant_is_in_two_panes_by_itself_and_an_empty_pane_takes_the_next_result(area):
    area.split(4)
    *others, last = area.split_view.panes
    assert {pane.displayed_run.variant_id for pane in others} == {LONG, SHORT, SLOW}
    assert last.result is None
    assert last.head.progress.text() in NO_RESULT
    area.session.results.add([result_of("dijkstra-array", trace_of(5, 1.0, 0))])
    assert last.displayed_run.variant_id == "dijkstra-array"
    assert len(area.split_results()) == 4


def traced_textbook(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> CanvasArea:
    """These runs of the textbook's graph side by side, all traced, beside the lesson."""
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, *variant_ids)
    window.bars.open("Lesson", by_user=True)
    area = window.parts.canvas
    area.split(len(variant_ids))
    traced = lambda: all(pane.displayed_run.trace for pane in area.split_view.panes)  # noqa: E731
    qtbot.waitUntil(traced, timeout=60_000)
    window.parts.playback.to_start()
    return area


def test_the_lesson_follows_the_pane_that_is_clicked(qtbot: QtBot, window: MainWindow) -> None:
    """It showed the pseudo-code of one run with the steps of another, and marked the
    arc in the first pane.
    """
    area = traced_textbook(qtbot, window, "bf-python", "dijkstra-heap")
    panel = controller_of(window, "lesson").panel
    for pane in reversed(area.split_view.panes):
        other = next(one for one in area.split_view.panes if one is not pane)
        qtbot.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
        variant = pane.result.variant
        window.parts.playback.step(1)
        panel.next()
        panel.next()
        assert panel.code.title.text() == variant.pseudocode.title
        assert panel.run_title.whole_text == variant.full_title
        lesson = pane.canvas.content.explanation
        assert lesson.trace is pane.displayed_run.trace
        assert lesson.step_path == panel.step.arc is not None
        assert panel.step.text in pane.canvas.content.sentence
        assert other.canvas.content.explanation.progress is None
        assert (pane.is_followed, other.is_followed) == (True, False)
        edges = [one.grab().toImage().pixelColor(0, 40).name() for one in (pane, other)]
        assert edges[0] == LIGHT.accent.lower() != edges[1]
        assert window.parts.session.results.selected_id == variant.id


def test_the_lesson_goes_on_where_its_own_run_does(qtbot: QtBot, window: MainWindow) -> None:
    """At equal shares, an iteration of one run is several of the other; at equal time
    all of one may lie within the first of the other.
    """
    area = traced_textbook(qtbot, window, "bf-edge-flags", "dijkstra-heap")
    panel = controller_of(window, "lesson").panel
    for pace in Pace:
        window.parts.playback.set_pace(pace)
        window.parts.playback.to_start()
        for pane in area.split_view.panes:
            qtbot.mouseClick(pane.head.progress, Qt.MouseButton.LeftButton)
            assert pane.is_followed
            while panel.back_button.isEnabled():
                panel.previous()
            seen = []
            while panel.next_button.isEnabled():
                seen.append(pane.displayed_run.position)
                panel.next()
            assert list(dict.fromkeys(seen)) == list(range(len(pane.displayed_run.trace)))
    area.split(1)
    assert panel.run_title.isHidden()
    assert panel.step is not None
