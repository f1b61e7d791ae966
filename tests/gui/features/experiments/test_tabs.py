"""Charts of an experiment under the pointer: what is lit, hidden, switched and exported."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from gui.features.experiments.tabs import ChartDrawing, ExperimentCharts
from solvers.errors import FileNotWritten, InputError
from solvers.features.experiments.chart_files import write_chart
from solvers.features.experiments.charts import ChartMaker
from solvers.picture.charts.table import ChartData
from solvers.picture.variant_colours import variant_colours
from tests.solvers.features.experiments.measured import by_label
from tests.solvers.features.experiments.samples import sample

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
    area.resize(900, 1400)
    area.show_charts(charts)
    area.show()
    qtbot.waitExposed(area)
    return area


def place_of(drawing: ChartDrawing, point: str) -> QPoint:
    """Where a mark is in its plot."""
    found = next(one for one in drawing.plot.marks if one.mark.point == point)
    return drawing.plot.mapFromScene(drawing.plot.pixel(found.at))


def key_of(drawing: ChartDrawing, label: str) -> QPoint:
    """Where the name of a line is in its plot."""
    plot = drawing.plot
    index = next(i for i, line in enumerate(drawing._chart.lines) if line.label == label)
    inside = plot.viewport().rect()
    spots = (
        QPoint(x, y) for x in range(inside.right(), 0, -6) for y in range(0, inside.bottom(), 4)
    )
    return next(spot for spot in spots if plot.name_at(plot.mapToScene(spot)) == index)


def hover(drawing: ChartDrawing, place: QPoint) -> None:
    drawing.plot.scene().sigMouseMoved.emit(drawing.plot.mapToScene(place))


def click(qtbot: QtBot, drawing: ChartDrawing, place: QPoint) -> None:
    qtbot.mouseClick(drawing.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_point_under_the_pointer_is_lit_in_every_chart(qtbot: QtBot, shown: ExperimentCharts):
    time, work, phases = shown.drawings
    before = [drawing.grab().toImage() for drawing in shown.drawings]
    hover(time, place_of(time, "heap, arity 2 on random, vertices 40"))
    assert time.grab().toImage() != before[0]
    assert work.grab().toImage() != before[1]
    qtbot.waitUntil(lambda: "6 trials" in QToolTip.text())
    assert "80.0 ms (80.0 ms – 80.0 ms)" in QToolTip.text().replace("\u202f", " ")
    hover(time, QPoint(3, 3))
    assert [drawing.grab().toImage() for drawing in shown.drawings] == before
    hover(phases, place_of(phases, "scan on random, vertices 40"))
    assert work.grab().toImage() != before[1], "a bar lights its point too"


def test_charts_in_a_narrow_panel_can_be_read(qtbot: QtBot, shown: ExperimentCharts) -> None:
    """They were reduced with the panel, to letters of 8 pixels."""
    shown.resize(580, 1400)
    time = shown.drawings[0]
    qtbot.waitUntil(lambda: time.width() < 580)
    qtbot.waitUntil(lambda: key_of(time, "heap, arity 4").x() < 580)
    assert time.plot.box.width() > 250
    hover(time, place_of(time, "heap, arity 2 on random, vertices 40"))
    qtbot.waitUntil(lambda: "6 trials" in QToolTip.text())


def test_a_variant_has_its_colour_and_names_stand_at_the_ends(shown: ExperimentCharts) -> None:
    """The page had colours of its own, by the place of a line."""
    time = shown.drawings[0]
    scan, two, four = (time._chart.lines[i] for i in range(3))
    assert scan.colour == variant_colours("dijkstra-array")
    assert two.colour == four.colour == variant_colours("dijkstra-heap")
    heights = [key_of(time, label).y() for label in ("scan", "heap, arity 2", "heap, arity 4")]
    assert heights == sorted(heights), "as the lines end"


def test_a_click_on_a_name_hides_the_line_in_every_chart(qtbot: QtBot, shown: ExperimentCharts):
    time, work, phases = shown.drawings
    click(qtbot, time, key_of(time, "scan"))
    for chart in shown.drawn[:2]:
        assert "scan" not in [line.label for line in chart.lines]
        assert "heap, arity 2" in [line.label for line in chart.lines]
    marks = (*time.plot.marks, *work.plot.marks)
    assert not any(one.mark.point.startswith("scan") for one in marks)
    click(qtbot, time, key_of(time, "scan"))
    assert "scan" in [line.label for line in shown.drawn[0].lines]
    click(qtbot, phases, key_of(phases, "solve"))
    assert "solve" not in [line.label for line in shown.drawn[2].lines]


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
    click(qtbot, time, key_of(time, "scan"))
    with qtbot.waitSignal(shown.export_requested) as exported:
        qtbot.mouseClick(time.export_button, Qt.MouseButton.LeftButton)
    (chart,) = exported.args
    for ending in ("png", "svg", "pdf", "csv", "tex"):
        write_chart(chart, tmp_path / f"chart.{ending}")
    with (tmp_path / "chart.csv").open(encoding="utf-8") as file:
        lines = {row["line"] for row in csv.DictReader(file)}
    assert lines == {line.label for line in chart.lines}
    assert "scan" not in lines
    assert ">scan<" not in (tmp_path / "chart.svg").read_text(encoding="utf-8")
    image = QImage(str(tmp_path / "chart.png"))
    assert image.width() == 2.5 * 860
    assert (tmp_path / "chart.pdf").read_bytes().startswith(b"%PDF")


def test_an_unknown_ending_and_a_missing_folder_are_refused(
    charts: tuple[ChartData, ...], tmp_path: Path
):
    with pytest.raises(
        InputError, match=r"chart.bmp: a chart is written as .png, .svg, .pdf, .csv or .tex"
    ):
        write_chart(charts[0], tmp_path / "chart.bmp")
    with pytest.raises(FileNotWritten):
        write_chart(charts[0], tmp_path / "none" / "chart.png")
