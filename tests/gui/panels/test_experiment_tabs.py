"""Charts of an experiment under the pointer: what is lit, hidden, switched and exported."""

from __future__ import annotations

import csv
import re
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from gui.export.picture import draw_svg
from gui.panels import experiment_tabs
from gui.panels.experiment_tabs import ChartDrawing, ExperimentCharts
from solvers.errors import FileNotWritten, InputError
from solvers.experiments.chart_files import write_chart
from solvers.experiments.charts import ChartData, ChartMaker
from solvers.experiments.svg import WIDTH
from tests.solvers.experiments.measured import by_label
from tests.solvers.experiments.samples import sample

TIMES = {
    "scan": [4.0] * 6,
    "heap, arity 2": [2.0] * 6,
    "heap, arity 4": [1.0, 1.0, 1.0, 1.1, 1.1, 9.0],
}
CHARTS = 'kind = "time"\nphase = "solve"'
MORE = (
    "[[chart]]\n"
    'kind = "work"\n'
    'title = "Work"\n'
    "[[chart]]\n"
    'kind = "phases"\n'
    'title = "Phases"\n'
    "\n"
    "[[published]]"
)


@pytest.fixture
def charts(tmp_path: Path) -> tuple[ChartData, ...]:
    experiment = sample(tmp_path, ('kind = "time"', CHARTS), ("[[published]]", MORE))
    return ChartMaker(experiment, by_label(experiment, TIMES)).all()


@pytest.fixture
def shown(qtbot: QtBot, charts: tuple[ChartData, ...]) -> ExperimentCharts:
    for other in QApplication.topLevelWidgets():
        other.hide()  # a dialog of an earlier test would be under the pointer
    area = ExperimentCharts()
    qtbot.addWidget(area)
    area.resize(WIDTH + 40, 1400)
    area.show_charts(charts)
    area.show()
    qtbot.waitExposed(area)
    return area


def place_of(drawing: ChartDrawing, point: str) -> QPoint:
    mark = next(one for one in drawing.places.marks if one.mark.point == point)
    return drawing.to_widget(mark.x, mark.y).toPoint()


def key_of(drawing: ChartDrawing, label: str) -> QPoint:
    index = next(i for i, line in enumerate(drawing._chart.lines) if line.label == label)
    key = next(one for one in drawing.places.keys if one.line == index)
    return drawing.to_widget(key.x + 20, key.y).toPoint()


def test_a_point_under_the_pointer_is_lit_in_every_chart(qtbot: QtBot, shown: ExperimentCharts):
    time, work, phases = shown.drawings
    before = [drawing.grab().toImage() for drawing in shown.drawings]
    qtbot.mouseMove(time, place_of(time, "heap, arity 2 on random, vertices 40"))
    assert all(
        drawing.grab().toImage() != image
        for drawing, image in zip(shown.drawings, before, strict=True)
    )
    qtbot.waitUntil(lambda: "6 trials" in QToolTip.text())
    assert "80.0 ms (80.0 ms – 80.0 ms)" in QToolTip.text().replace("\u202f", " ")
    qtbot.mouseMove(time, QPoint(3, 3))
    assert [drawing.grab().toImage() for drawing in shown.drawings] == before
    qtbot.mouseMove(phases, place_of(phases, "scan on random, vertices 40"))
    assert work.grab().toImage() != before[1], "a bar lights its point too"


def test_charts_are_in_the_typeface_of_the_window(
    shown: ExperimentCharts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt takes a list of families for one that there is not, and the first font of the
    system for that.
    """
    drawing, svg = shown.drawings[0], experiment_tabs.chart_svg
    before = drawing.grab().toImage()
    one = partial(re.compile('font-family="[^"]*"').sub, 'font-family="Tautpath Sans"')
    monkeypatch.setattr(
        experiment_tabs, "chart_svg", lambda *chart, **scheme: one(svg(*chart, **scheme))
    )
    drawing.show_view(drawing.view)
    assert drawing.grab().toImage() == before


def test_charts_in_a_narrow_panel_can_be_read(qtbot: QtBot, shown: ExperimentCharts) -> None:
    """They were reduced with the panel, to letters of 8 pixels."""
    shown.resize(580, 1400)
    time = shown.drawings[0]
    qtbot.waitUntil(lambda: time.width() < 580)
    corner = time.to_widget(100, 0)
    assert corner.x() > 85
    right = max(time.to_widget(key.x, key.y).x() for key in time.places.keys)
    assert right < time.width() - 100, "the names of the legend have room"
    qtbot.mouseMove(time, place_of(time, "heap, arity 2 on random, vertices 40"))
    qtbot.waitUntil(lambda: "6 trials" in QToolTip.text())


def test_a_click_into_the_legend_hides_the_line_in_every_chart(
    qtbot: QtBot, shown: ExperimentCharts
):
    time, work, _ = shown.drawings
    spot = key_of(time, "scan")
    qtbot.mouseClick(time, Qt.MouseButton.LeftButton, pos=spot)
    for chart in shown.drawn[:2]:
        assert "scan" not in [line.label for line in chart.lines]
        assert "heap, arity 2" in [line.label for line in chart.lines]
    assert not any(
        place.mark.point.startswith("scan") for place in (*time.places.marks, *work.places.marks)
    )
    qtbot.mouseClick(time, Qt.MouseButton.LeftButton, pos=key_of(time, "scan"))
    assert "scan" in [line.label for line in shown.drawn[0].lines]


def test_the_reference_of_a_hidden_baseline_stays(qtbot: QtBot, tmp_path: Path):
    experiment = sample(tmp_path, ('kind = "time"', 'kind = "speed-up"'))
    drawing = ChartDrawing(ChartMaker(experiment, by_label(experiment, TIMES)).all()[0])
    qtbot.addWidget(drawing)
    drawing.show_line("scan", False)
    assert [line.is_ideal for line in drawing.drawn.lines if line.label == "scan"] == [True]
    drawing.show_line("scan", True)
    assert [line.is_ideal for line in drawing.drawn.lines if line.label == "scan"] == [False, True]


def test_axes_are_switched_where_they_can_be_logarithmic(qtbot: QtBot, shown: ExperimentCharts):
    time, _, phases = shown.drawings
    assert time.y_button.isChecked()
    before = place_of(time, "scan on random, vertices 20")
    qtbot.mouseClick(time.y_button, Qt.MouseButton.LeftButton)
    assert not time.drawn.y.is_log
    assert place_of(time, "scan on random, vertices 20") != before
    assert phases.y_button.isHidden(), "stacked bars begin at 0"
    assert phases.x_button.isHidden(), "names have no logarithm"


def test_what_is_exported_is_what_is_drawn(qtbot: QtBot, shown: ExperimentCharts, tmp_path: Path):
    time = shown.drawings[0]
    qtbot.mouseClick(time, Qt.MouseButton.LeftButton, pos=key_of(time, "scan"))
    with qtbot.waitSignal(shown.export_requested) as exported:
        qtbot.mouseClick(time.export_button, Qt.MouseButton.LeftButton)
    (chart,) = exported.args
    for ending in ("png", "svg", "csv", "tex"):
        write_chart(chart, tmp_path / f"chart.{ending}", draw_svg)
    with (tmp_path / "chart.csv").open(encoding="utf-8") as file:
        lines = {row["line"] for row in csv.DictReader(file)}
    assert lines == {line.label for line in chart.lines}
    assert "scan" not in lines
    assert ">scan<" not in (tmp_path / "chart.svg").read_text(encoding="utf-8")
    image = QImage(str(tmp_path / "chart.png"))
    assert image.width() == 2.5 * WIDTH
    colours = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    }
    assert "#d55e00" in colours, "the second series"
    assert "#0072b2" not in colours or chart.lines[-1].is_published, "the first is hidden"


def test_an_unknown_ending_and_a_missing_folder_are_refused(
    charts: tuple[ChartData, ...], tmp_path: Path
):
    with pytest.raises(
        InputError, match=r"chart.bmp: a chart is written as .png, .svg, .csv or .tex"
    ):
        write_chart(charts[0], tmp_path / "chart.bmp", draw_svg)
    with pytest.raises(FileNotWritten):
        write_chart(charts[0], tmp_path / "none" / "chart.png", draw_svg)
