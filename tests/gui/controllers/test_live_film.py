"""Live answers leave the window: as a picture, as a film of a drag, and as a measured run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from gui.dialogs.export import SCHEME
from gui.dialogs.film import FilmChoice, FilmDialog
from gui.export.film import FilmOptions
from gui.export.live_film import LiveFilmComposition
from gui.export.page import Page
from gui.picture.scene.content import PictureContent
from gui.window import MainWindow
from solvers.graphs.weights import to_float
from solvers.graphs.writers import write_dimacs
from tests.graphs import right_distances
from tests.gui.pictures import street_grid
from tests.gui.windows import PATIENCE_MS, TINY, open_graph, tick_only, wait_until_idle


@pytest.fixture
def live(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A street grid in live mode, with a way along its lower edge."""
    window.session.open_graph(street_grid(24, 16))
    window.session.set_endpoints(0, 23)
    qtbot.waitUntil(lambda: window.canvas.canvas.frame is not None, timeout=PATIENCE_MS)
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: window.session.live.answer is not None, timeout=PATIENCE_MS)
    return window


def drag(window: MainWindow, qtbot: QtBot, *stops: int) -> None:
    """Drag the source with the mouse over these vertices."""
    canvas = window.canvas.canvas

    def place(vertex: int) -> QPoint:
        return QPointF(*canvas.camera.to_screen(canvas.content.scene.positions[vertex])).toPoint()

    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=place(window.session.source))
    for stop in stops:
        qtbot.mouseMove(canvas, place(stop) + QPoint(7, 7))
        qtbot.mouseMove(canvas, place(stop))
        qtbot.waitUntil(lambda stop=stop: window.session.live.answer.query.sources == (stop,), timeout=PATIENCE_MS)
        qtbot.wait(90)  # longer than two frames of the film
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=place(stops[-1]))


def test_a_recorded_drag_becomes_a_gif(live: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    live.reaching.show(True)
    live.commands["record-drag"].trigger()
    drag(live, qtbot, 100, 200, 210)
    live.commands["record-drag"].trigger()
    film = live.live_film.film()
    visited = list(dict.fromkeys(step.sources for step in film.steps))
    assert [visited[0], visited[-1]] == [(0,), (210,)]
    assert {(100,), (200,)} < set(visited)
    choice = FilmChoice(0, 320, 240, SCHEME, FilmOptions(0, film.length - 1))
    live.exporting.film_of(film, tmp_path / "drag.gif", choice)
    wait_until_idle(qtbot, live)
    with Image.open(tmp_path / "drag.gif") as gif:
        assert gif.n_frames > 3
        first = np.asarray(gif.convert("RGB"))
        gif.seek(gif.n_frames - 1)
        assert np.any(first != np.asarray(gif.convert("RGB")))


def test_every_step_of_a_film_is_solved(live: MainWindow) -> None:
    """The scripted drag along the path: content, path and reach are those of the step, and the film says what it is."""
    live.reaching.restore(4.0)
    film = live.live_film.film()
    assert [step.sources for step in film.steps] == [(vertex,) for vertex in range(24)]
    assert film.words.endswith("live, not measured")
    composition = film.compose(Page(160, 120, 96))
    assert isinstance(composition, LiveFilmComposition)
    for position in (0, 11, 23):
        composition.move(position)
        content = composition._state.content
        right = right_distances(live.session.graph, position)
        assert np.array_equal(to_float(content.activity.answer), right)
        assert content.activity.budget == 4.0
        assert (content.source, content.target, content.path.tolist()) == (position, 23, list(range(position, 24)))


def test_the_film_is_asked_for_and_written(
    live: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accept(dialog: FilmDialog) -> QDialog.DialogCode:
        dialog.width_box.setValue(160)
        dialog.height_box.setValue(120)
        dialog.every.setValue(12)
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(FilmDialog, "exec", accept)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "live.gif"), ""))
    live.commands["export-live-film"].trigger()
    wait_until_idle(qtbot, live)
    with Image.open(tmp_path / "live.gif") as gif:
        assert gif.n_frames == 3


def test_without_a_way_and_a_recording_there_is_nothing_to_film(live: MainWindow, qtbot: QtBot) -> None:
    live.session.set_target(None)
    qtbot.waitUntil(lambda: live.session.live.answer.query.target is None, timeout=PATIENCE_MS)
    live.commands["export-live-film"].trigger()
    assert "nothing to film" in live.notices.notice.text
    live.commands["live"].trigger()
    assert not live.commands["export-live-film"].isEnabled()
    assert not live.commands["record-drag"].isEnabled()


def test_switching_live_off_ends_the_recording(live: MainWindow) -> None:
    live.commands["record-drag"].trigger()
    live.commands["live"].trigger()
    assert not live.commands["record-drag"].isChecked()


def test_a_pinned_answer_is_a_measured_run_with_a_name(live: MainWindow, qtbot: QtBot) -> None:
    tick_only(live, "bf-python")
    assert live.session.results == ()
    live.session.live.add_source(50)
    live.commands["pin"].trigger()
    assert "further source" in live.notices.notice.text
    wait_until_idle(qtbot, live)
    (result,) = live.session.results
    assert (result.source, result.target, result.verdict.verified) == (0, 23, True)
    assert result.times()
    qtbot.waitUntil(lambda: len(live.run_list.summaries) == 1, timeout=PATIENCE_MS)
    assert live.run_list.summaries[0].run.name == "Live 0 → 23"
    assert live.session.live.on


def test_a_pinned_run_with_a_closed_road_says_so_and_comes_back_with_it(
    live: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """The run store notes the changes, and opening the run again makes them, whatever was open before."""
    write_dimacs(street_grid(24, 16), tmp_path / "grid.gr")
    live.commands["live"].trigger()
    open_graph(qtbot, live, tmp_path / "grid.gr")
    live.session.set_endpoints(0, 23)
    tick_only(live, "bf-python")
    live.commands["live"].trigger()
    live.session.roads.close((12, 13))
    qtbot.waitUntil(lambda: live.session.graph is not live.session.whole_graph, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, live)
    live.commands["pin"].trigger()
    wait_until_idle(qtbot, live)
    assert live.session.results[0].target_distance == 25
    qtbot.waitUntil(lambda: len(live.run_list.summaries) == 1, timeout=PATIENCE_MS)
    kept = live.run_list.summaries[0].run
    assert kept.name == "Live 0 → 23, 1 road closed"
    assert kept.graph.source.roads == live.session.roads.changes

    live.session.roads.clear()
    live.runs.open(kept.run_id)
    qtbot.waitUntil(lambda: live.session.stored_run is not None, timeout=PATIENCE_MS)
    assert live.session.roads.applied_changes == kept.graph.source.roads
    assert live.session.results[0].target_distance == 25

    open_graph(qtbot, live, TINY)
    live.runs.open(kept.run_id)
    live.notices.notice.action()
    qtbot.waitUntil(lambda: live.session.stored_run is not None, timeout=PATIENCE_MS)
    assert live.session.roads.applied_changes == kept.graph.source.roads
    assert live.session.results[0].target_distance == 25


def test_a_film_of_changed_roads_takes_the_way_around(live: MainWindow, qtbot: QtBot) -> None:
    live.session.roads.close((12, 13))
    qtbot.waitUntil(lambda: live.session.live.answer.graph is not live.session.whole_graph, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: live.live_film.film() is not None, timeout=PATIENCE_MS)
    film = live.live_film.film()
    assert len(film.steps) == 26
    composition = film.compose(Page(160, 120, 96))
    composition.move(0)
    right = right_distances(live.session.graph, 0)
    assert np.array_equal(to_float(composition._state.content.activity.answer), right)
    assert right[23] == 25


def test_the_film_of_a_closed_road_shows_before_during_after_and_who_is_farther(
    live: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.commands["export-roads-film"].trigger()
    assert "no changed road" in live.notices.notice.text
    live.session.roads.close((12, 13))
    qtbot.waitUntil(lambda: live.live_film.roads_film() is not None, timeout=PATIENCE_MS)
    film = live.live_film.roads_film()
    composition = film.compose(Page(160, 120, 96))

    def shown(position: int) -> PictureContent:
        composition.move(position)
        return composition._state.content

    first, last = shown(0), shown(film.length - 1)
    assert (first.road_marks, first.path_before, first.values) == (None, None, None)
    assert [float(first.activity.answer[23]), float(last.activity.answer[23])] == [23, 25]
    assert last.legend.quantity == "farther than before by"
    assert last.path_before.tolist() == first.path.tolist()
    assert "1 road closed: 11 vertices farther" in composition._state.words
    during = [shown(position) for position in range(25, 54)]
    lengths = [float(content.activity.answer[23]) for content in during]
    assert lengths == sorted(lengths)
    assert all(content.road_marks is not None and content.values is None for content in during)
    answered = []
    monkeypatch.setattr(live.exporting, "ask_film_of", lambda *asked: answered.append(asked))
    live.commands["export-roads-film"].trigger()
    assert answered[0][1] == "step"


def test_a_reach_film_is_filled_by_what_is_lit(live: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    live.reaching.restore(4.0)
    film = live.live_film.film()
    lit, wider = film.lit().picture.view, film.within(8.0).lit().picture.view
    whole = live.canvas.canvas.content.scene.bounds
    assert lit.size > wider.y1 - wider.y0 > lit.y1 - lit.y0, "the way is along the lower edge"
    assert (lit.y1 - lit.y0) < 0.4 * (whole.y1 - whole.y0)
    dialogs: list[FilmDialog] = []
    monkeypatch.setattr(FilmDialog, "exec", lambda dialog: dialogs.append(dialog))
    live.commands["export-live-film"].trigger()
    (dialog,) = dialogs
    assert (dialog.subject.currentText(), dialog.choice.budget) == ("What is lit", 4.0)
