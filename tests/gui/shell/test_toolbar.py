"""Tool bar and status bar: trials and time limit, ids typed into the fields, and
messages of quick jobs.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gui.dialogs.search import SearchCard
from gui.model.devices import Devices
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.run_state import RunState
from gui.model.session import Session
from gui.model.settings import Settings
from gui.shell.plan_button import PlanButton, explanation
from gui.shell.side_bars import ModeSwitch
from gui.shell.statusbar import StatusCard
from gui.shell.toolbar import ToolBar
from gui.shell.toolbar_fields import DeviceBox, device_names
from gui.style.text import apply_type_size
from gui.window import MainWindow
from solvers.graphs.graph import Coordinates
from solvers.running.request import ADAPTIVE, MeasurementPlan
from tests import graphs
from tests.gui.panels.sample import PretendGpu
from tests.gui.windows import (
    SAMPLE,
    TINY,
    open_graph,
    run_only,
    tick_only,
    type_into,
    wait_until_idle,
)
from tests.quick import first_quick
from tests.solvers.features.openstreetmap.town import PLACES, write_osm, write_two_villages


def test_what_the_fields_say_is_the_plan(qtbot: QtBot) -> None:
    session = Session()
    button = PlanButton(session)
    qtbot.addWidget(button)
    form = button.form
    assert button.text() == "Auto"
    assert (form.trials.text(), form.warmups.text(), form.limit.text()) == (
        "automatic",
        "automatic",
        "10 s",
    )
    assert not form.reset.isEnabled()
    form.trials.setValue(5)
    assert session.choices.plan == MeasurementPlan(trials=5)
    assert form.limit.text() == "none", "fixed counts have no time limit by themselves"
    form.warmups.setValue(0)
    form.limit.setValue(30)
    assert session.choices.plan == MeasurementPlan(warmups=0, trials=5, time_limit_s=30)
    assert button.text() == "5 trials, 30 s"
    form.warm_graph.click()
    assert session.choices.plan == MeasurementPlan(
        warmups=0, trials=5, time_limit_s=30, warm_graph=True
    )
    assert button.text() == "5 trials, 30 s, warm graph"
    assert form.note.text().startswith("1 warm-up of each variant."), "it uploads the graph"
    form.reset.click()
    assert session.choices.plan == ADAPTIVE
    assert not form.warm_graph.isChecked()
    assert form.trials.text() == "automatic"


def test_the_tooltip_explains_the_plan() -> None:
    assert explanation(MeasurementPlan(time_limit_s=10.0)) == (
        "Warm-ups repeat until two agree within 5 %, at most 5. Then 6 to 200 timed trials, until "
        "the 95 % interval of the median is within ± 3 % of it. No further one begins after 10 s."
    )
    assert (
        explanation(MeasurementPlan(warmups=1, trials=3))
        == "1 warm-up of each variant. Then 3 timed trials."
    )


def test_a_long_run_is_announced_one_follows_the_plan_and_the_next_start_knows_it(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    window.parts.session.choices.set_plan(MeasurementPlan(trials=2))
    assert window.run_button.text() == "Run 1"
    assert "will take" not in window.run_button.toolTip().replace("\n", " ")
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=0, trials=10**9))
    assert window.run_button.text().startswith("Run 1, ≈ ")
    assert "This will take about " in window.run_button.toolTip().replace("\n", " ")
    assert "a rough guess from the size of the graph" in window.run_button.toolTip().replace(
        "\n", " "
    )

    window.parts.session.choices.set_plan(ADAPTIVE)
    window.plan_button.form.trials.setValue(2)
    window.plan_button.form.warmups.setValue(3)
    window.plan_button.form.warm_graph.click()
    run_only(qtbot, window, "dijkstra-heap")
    result = window.parts.session.results.get("dijkstra-heap")
    assert result is not None
    assert [trial.is_warmup for trial in result.trials] == [True] * 3 + [False] * 2
    window.close()
    assert settings.plan == MeasurementPlan(warmups=3, trials=2, warm_graph=True)
    again = MainWindow(settings)
    qtbot.addWidget(again)
    assert again.parts.session.choices.plan == settings.plan


def test_settings_that_make_no_sense_are_ignored(settings: Settings) -> None:
    assert settings.plan == ADAPTIVE
    for value in ("-3", "many"):
        settings.store.setValue("plan/trials", value)
        assert settings.plan == ADAPTIVE


@pytest.mark.parametrize("width", first_quick([1000, 1680, 1280, 1366], 2))
def test_opening_roads_and_a_forecast_move_no_button(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, width: int
) -> None:
    """Race came under the pointer that was over another button, and was measured for minutes."""

    def places() -> dict[str, QRect]:
        others = (
            window.endpoints,
            window.endpoints.target,
            window.findChild(DeviceBox),
            window.plan_button,
        )
        named = {part.objectName(): part for part in (*others, window.run_button)}
        found = {
            name: QRect(part.mapTo(window, QPoint(0, 0)), part.size())
            for name, part in named.items()
        }
        # its width may give the choice of weights room
        corner = window.search_button.mapTo(window, QPoint(0, 0))
        return found | {"search": QRect(corner, QSize(0, 0))}

    window.resize(width, 800)
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap", "bf-serial")
    before = places()
    open_graph(qtbot, window, write_osm(tmp_path / "town.osm.pbf"))
    QApplication.processEvents()
    assert window.weights_box.isVisible() is (width > 1000), "the menu Edit has it too"
    assert places() == before
    window.parts.session.choices.set_plan(
        MeasurementPlan(warmups=0, time_limit_s=2_000.0, trials=10**9)
    )
    QApplication.processEvents()
    assert "≈" in window.run_button.text()
    assert window.run_button.size() == before["run button"].size()


def test_the_bar_is_the_same_at_a_width_however_the_window_came_to_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """What is left out is sought from the last that had room, upwards and downwards."""
    bar = window.findChild(ToolBar)
    open_graph(qtbot, window, write_osm(tmp_path / "town.osm.pbf"))

    def parts_at(width: int) -> dict[str, QRect]:
        window.resize(width, 800)
        qtbot.waitUntil(lambda: window.width() == width)
        QApplication.processEvents()
        shown = [part for part in bar.findChildren(QWidget) if part.isVisible()]
        assert window.run_button in shown
        return {
            f"{k}: {type(part).__name__}": QRect(part.mapTo(bar, QPoint(0, 0)), part.size())
            for k, part in enumerate(shown)
        }

    widths = (1680, 1280, 1100, 940, 860)
    narrowed = [parts_at(width) for width in widths]
    assert len({len(parts) for parts in narrowed}) > 2, "parts are left out"
    assert [parts_at(width) for width in reversed(widths)] == narrowed[::-1]
    assert [parts_at(width) for width in (860, 1680)] == [narrowed[-1], narrowed[0]]


def test_the_menu_has_a_mark_and_the_bar_keeps_its_height_when_the_modes_are_left_out(
    window: MainWindow, qtbot: QtBot
) -> None:
    """All below the bar moved by two pixels, and was painted anew."""
    button = window.menu_button
    picture = button.grab().toImage()
    scale = picture.devicePixelRatio()
    right = range(round((button.width() - 14) * scale), round((button.width() - 3) * scale))
    ground = picture.pixel(right.start, 1)
    rows = range(round(button.height() * scale / 4), round(button.height() * scale * 3 / 4))
    assert sum(picture.pixel(x, y) != ground for x in right for y in rows) > 8

    bar, modes = window.findChild(ToolBar), window.findChild(ModeSwitch)
    window.resize(1680, 800)
    qtbot.waitUntil(lambda: modes.isVisible())
    height = bar.height()
    window.endpoints.setMinimumWidth(1680 - modes.width() - 300)
    bar.fit()
    qtbot.waitUntil(lambda: not modes.isVisible())
    QApplication.processEvents()
    assert window.width() == 1680
    assert bar.height() == height


def test_in_type_of_150_and_200_percent_everything_to_run_has_room(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, qapp: QApplication
) -> None:
    open_graph(qtbot, window, write_osm(tmp_path / "town.osm.pbf"))
    window.resize(853, 480)
    assert window.width() == 853
    qtbot.waitUntil(
        lambda: (
            853 >= window.run_button.mapTo(window, QPoint(window.run_button.width(), 0)).x() > 800
        )
    )
    for part in (window.graph_chip, window.endpoints, window.search_button, window.run_button):
        assert part.isVisible(), part
    for width, name in ((853, "harbour"), (1600, "USA-road-d.NY")):
        window.resize(width, 480)
        qtbot.waitUntil(lambda width=width: window.width() == width)  # type: ignore[misc]
        bold = QFont(window.graph_chip.font())
        bold.setWeight(QFont.Weight.DemiBold)
        assert QFontMetrics(bold).horizontalAdvance(name) + 32 <= window.graph_chip.width()

    window.resize(1280, 720)
    try:
        apply_type_size(qapp, 200)
        button = window.run_button
        qtbot.waitUntil(
            lambda: (
                button.isVisible()
                and button.mapTo(window, QPoint(button.width(), 0)).x() <= window.width()
            )
        )
    finally:
        apply_type_size(qapp, 100)


# -- the fields of end points: each test opens a graph in the module's window, which sets them anew
# --------------------------------------------------------------------------------------


def test_ids_typed_into_the_fields_are_the_file_s_own(
    qtbot: QtBot, shared_window: MainWindow
) -> None:
    open_graph(qtbot, shared_window, SAMPLE)
    field = shared_window.endpoints.source
    type_into(qtbot, field, "17")
    assert shared_window.parts.session.source == 16


def test_an_id_may_be_pasted_with_separators(qtbot: QtBot, shared_window: MainWindow) -> None:
    open_graph(qtbot, shared_window, SAMPLE)
    for text, vertex in (("2,000", 1999), ("1\u202f500", 1499)):
        shared_window.endpoints.source.selectAll()
        shared_window.endpoints.source.insert(text)
        qtbot.keyClick(shared_window.endpoints.source, Qt.Key.Key_Return)
        assert shared_window.parts.session.source == vertex


def test_a_place_is_the_nearest_point_of_a_road(qtbot: QtBot, shared_window: MainWindow) -> None:
    xy = np.array([[9.50, 47.10], [9.53, 47.14], [9.50, 47.19]])
    graph = replace(
        graphs.from_list(3, [(0, 1, 1), (1, 2, 1)]), coordinates=Coordinates(xy, geographic=True)
    )
    shared_window.parts.session.open_graph(graph)
    field = shared_window.endpoints.source
    for text, vertex, shown in (
        ("47.14, 9.52", 3, "47.14000, 9.52000"),
        ("47.10,9.50", 0, "10"),
        ("48.5, 9.5", 0, "48.5, 9.5"),
    ):
        field.selectAll()
        field.insert(text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        wait_until_idle(qtbot, shared_window)
        assert (shared_window.parts.session.source, field.text()) == (vertex, shown)
    assert "48.5, 9.5 is outside this graph: latitudes 47.10 to 47.19" in field.error


def test_coordinates_are_whole_in_the_fields_of_end_points(
    qtbot: QtBot, shared_window: MainWindow
) -> None:
    """The longitude was cut off."""
    for text in ("47.18592, 9.50484", "-33.86882, -151.20930"):
        field = shared_window.endpoints.target
        field.setText(text)
        assert field.fontMetrics().horizontalAdvance(text) < field.width() - 16
    field.clear()
    assert field.font().pointSizeF() == QApplication.font().pointSizeF()


def test_a_long_device_name_is_shortened_then_cut_in_the_middle_and_whole_on_hover(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """At 1280 x 720 and 150 % the processor was "CPU:…nCL)"."""
    device = PretendGpu()
    device.name = "NVIDIA H200"
    assert device_names(device) == ("CUDA: NVIDIA H200", "CUDA: H200", "H200")
    box = window.findChild(DeviceBox)
    with monkeypatch.context() as patched:
        # every machine's is as long as it likes
        patched.setattr(window.parts.session.device, "name", "AMD EPYC")
        box.refresh()
        for level, text in enumerate(device_names(window.parts.session.device)):
            box.shorten(level)
            assert box.shown_text == text

    name = "NVIDIA RTX 6000 Ada Generation Laptop with a long name and a 48 GB"
    device = PretendGpu()
    device.name = name
    listed = SimpleNamespace(devices=(device,))
    monkeypatch.setattr(Devices, "list", property(lambda _: listed))
    window.resize(1440, 800)
    window.parts.session.set_device(device)
    box = window.findChild(DeviceBox)
    qtbot.waitUntil(lambda: box.shown_text.endswith("48 GB"))
    assert box.shown_text.startswith("RTX")
    assert "…" in box.shown_text
    assert box.fontMetrics().horizontalAdvance(box.shown_text) < box.width() - 20
    assert name in box.toolTip().replace("\n", " ")


def test_an_unknown_id_is_refused_beneath_the_field_with_the_nearest(
    qtbot: QtBot, shared_window: MainWindow
) -> None:
    open_graph(qtbot, shared_window, SAMPLE)
    field = shared_window.endpoints.target
    for text, words in (("3001", "3000"), ("first", "first")):
        type_into(qtbot, field, text)
        assert f"“{text}”" in field.error
        assert words in field.error
    assert shared_window.parts.session.target == 2999
    qtbot.keyClicks(field, "2")
    assert field.error == ""


def test_an_empty_target_asks_for_distances_only(qtbot: QtBot, shared_window: MainWindow) -> None:
    open_graph(qtbot, shared_window, SAMPLE)
    field = shared_window.endpoints.target
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert shared_window.parts.session.target is None


def test_the_search_goes_to_a_vertex_and_moves_no_end_point(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, SAMPLE)
    qtbot.mouseClick(window.search_button, Qt.MouseButton.LeftButton)
    card = window.findChild(SearchCard)
    qtbot.waitUntil(card.field.hasFocus)
    camera = window.parts.canvas.graph_canvas.view.camera
    qtbot.keyClicks(card.field, "1500")
    assert card.list.topLevelItem(0).text(1) == "vertex"
    qtbot.keyClick(card.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.parts.canvas.graph_canvas.view.camera != camera)
    assert window.parts.session.selected_vertex == 1499
    assert (window.parts.session.source, window.parts.session.target) == (0, 2999)
    assert not card.isVisible()


def test_the_search_finds_streets_and_places_and_escape_closes_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    tags = {30: {"place": "village", "name": "Zürs"}}
    town = write_osm(tmp_path / "town.osm", places=PLACES | {30: (9.5032, 47.1002)}, node_tags=tags)
    open_graph(qtbot, window, town)
    card = window.parts.help.search()
    for text, found in (
        ("zur", ("Zürs", "27 m from vertex 4")),
        ("back la", ("Back Lane", "street")),
    ):
        card.field.setText(text)
        first = card.list.topLevelItem(0)
        assert (first.text(0), first.text(1)) == found
    qtbot.keyClick(card.field, Qt.Key.Key_Escape)
    assert not card.isVisible()
    card = window.parts.help.search()
    card.field.setText("zurs")
    qtbot.mouseClick(
        card.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=card.list.visualItemRect(card.list.topLevelItem(0)).center(),
    )
    graph = window.parts.session.graph
    assert graph.vertex_id(window.parts.session.selected_vertex) == 4


def test_the_fields_of_end_points_take_places_and_say_how_far_they_are(
    qtbot: QtBot, shared_window: MainWindow, tmp_path: Path
) -> None:
    tags = {30: {"place": "village", "name": "Zürs"}}
    open_graph(
        qtbot,
        shared_window,
        write_osm(tmp_path / "t.osm", places=PLACES | {30: (9.5032, 47.1002)}, node_tags=tags),
    )
    shared_window.endpoints.target.selectAll()
    shared_window.endpoints.target.insert("Zürs")
    qtbot.keyClick(shared_window.endpoints.target, Qt.Key.Key_Return)
    wait_until_idle(qtbot, shared_window)
    assert shared_window.endpoints.target.text() == "4"
    assert shared_window.notices.notice.text == "Zürs: on vertex 4, 27 m away."


def test_a_refused_id_goes_when_a_run_begins_and_enter_and_escape_give_the_keys_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    """Its bubble lay over the results of a run that used another vertex."""
    open_graph(qtbot, window, TINY)
    window.activateWindow()
    field = window.endpoints.source
    field.setFocus()
    type_into(qtbot, field, "3")
    assert QApplication.focusWidget() is window.parts.canvas.focusProxy()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "5")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "3"
    assert QApplication.focusWidget() is window.parts.canvas.focusProxy()

    tick_only(window, "dijkstra-heap")
    field.setFocus()
    type_into(qtbot, field, "77")
    assert "77" in field.error
    window.parts.run.start()
    qtbot.waitUntil(lambda: not field.error)
    wait_until_idle(qtbot, window)
    assert field.text() == "3"
    assert window.parts.session.results.all


@pytest.mark.parametrize(
    ("typed", "said"),
    first_quick(
        [
            ("abc", "“abc” is not a vertex id: ids in this graph are integers, 1 to 8."),
            ("99999999999999999999", "Nearest: 8."),
            ("-1", "Nearest: 1."),
            ("3.5", "“3.5” is not a vertex id"),
            ("47.14, 9.52", "“47.14, 9.52” is not a vertex id"),
        ],
        2,
    ),
)
def test_what_is_no_id_is_refused_in_words(
    qtbot: QtBot, shared_window: MainWindow, typed: str, said: str
) -> None:
    open_graph(qtbot, shared_window, TINY)
    field = shared_window.endpoints.source
    before = shared_window.parts.session.source
    type_into(qtbot, field, typed)
    assert said in field.error
    assert shared_window.parts.session.source == before


def test_a_burst_of_progress_is_painted_at_an_easy_pace(qtbot: QtBot) -> None:
    """A progress bar paints itself at every new value: hundreds of quick trials froze
    the window for a second.
    """
    jobs = Jobs()
    bar = StatusCard(Session(), jobs)
    qtbot.addWidget(bar)
    bar.show()
    content: list[int] = []
    bar.strip.valueChanged.connect(content.append)
    release = []

    def work(context: JobContext) -> None:
        for step in range(400):
            context.progress(step / 400, f"trial {step}")
        while not release:
            context.cancel.check()

    jobs.start(JobKind.SOLVE, "Solving", work)
    qtbot.waitUntil(lambda: bar._words.whole_text == "Trial 399")
    assert len(content) < 100
    assert bar.strip.value() == int(399 / 400 * bar.strip.maximum())
    release.append(True)
    qtbot.waitUntil(lambda: not jobs.all())


def test_the_time_left_follows_the_estimate(qtbot: QtBot) -> None:
    jobs, session = Jobs(), Session()
    bar = StatusCard(session, jobs)
    qtbot.addWidget(bar)

    def work(context: JobContext) -> None:
        context.progress(0.5, "Solving, trial 2")
        while True:
            context.cancel.check()

    jobs.start(JobKind.SOLVE, "Solving", work)
    qtbot.waitUntil(lambda: bar._words.whole_text == "Solving, trial 2")
    session.results.set_run_state(RunState((), "bf-serial", expected_end=time.monotonic() + 7200.2))
    assert bar._words.whole_text == "Solving, trial 2, about 2 h left"
    session.results.set_run_state(RunState((), "bf-serial", expected_end=time.monotonic() - 1.0))
    assert bar._words.whole_text == "Solving, trial 2", (
        "an estimate that was too short is not shown"
    )
    jobs.cancel(JobKind.SOLVE)
    qtbot.waitUntil(lambda: not jobs.all())


def test_the_menus_are_in_a_bar_by_choice(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    assert not window.menuBar().isVisible()
    assert window.menu_button.isVisible()
    window.commands["menu-bar"].trigger()
    assert window.menuBar().isVisible()
    assert not window.menu_button.isVisible()
    assert Settings(window.parts.settings.store).menu_bar, "it is kept"
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_F10)
    assert window.menuBar().activeAction() is window.menuBar().actions()[0]
    qtbot.keyClick(window.menuBar(), Qt.Key.Key_Escape)
    window.commands["present"].trigger()
    assert not window.menuBar().isVisible()
    window.commands["present"].trigger()
    assert window.menuBar().isVisible()
    window.commands["menu-bar"].trigger()
    assert not window.menuBar().isVisible()
    assert window.menu_button.isVisible()


@pytest.mark.parametrize(("platform", "has_bar"), [("darwin", True), ("linux", False)])
def test_the_menus_are_in_a_bar_where_those_of_other_programs_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, has_bar: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    assert Settings(store).menu_bar is has_bar


def test_a_street_in_several_places_is_asked_about(
    qtbot: QtBot, shared_window: MainWindow, tmp_path: Path
) -> None:
    """ "Landstrasse" was taken for a vertex between the villages."""
    open_graph(qtbot, shared_window, write_two_villages(tmp_path / "two.osm"))
    field, session = shared_window.endpoints.target, shared_window.parts.session
    field.selectAll()
    field.insert("Landstrasse")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [one.text() for one in menu.actions()] == ["Landstrasse, Vaduz", "Landstrasse, Schaan"]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(menu, key)
    assert session.graph.vertex_id(session.target) in (20, 21)
