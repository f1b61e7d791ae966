"""Charts: what they show as values, and as SVG, CSV and LaTeX."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET

import pytest

from solvers.core.result import Disturbance, DisturbanceKind
from solvers.features.experiments.chart_files import (
    ChartView,
    can_be_log,
    exported,
    pgfplots_of,
    viewed,
    write_charts,
)
from solvers.features.experiments.charts import ChartMaker, slope_of
from solvers.features.experiments.spec_file import find_experiment
from solvers.picture.charts.files import chart_svg
from solvers.picture.charts.page import page_svg
from solvers.picture.charts.table import ChartMark
from tests.solvers.features.experiments.measured import by_label, measured, points
from tests.solvers.features.experiments.samples import sample

TIMES = {
    "scan": [4.0] * 6,
    "heap, arity 2": [2.0] * 6,
    "heap, arity 4": [1.0, 1.0, 1.0, 1.1, 1.1, 9.0],
}
PHASES_TOO = 'title = "Graphs"\n[[chart]]\nkind = "phases"'
LOAD = (Disturbance(DisturbanceKind.LOAD, "Other programs kept a core busy."),)


def made(tmp_path, chart='kind = "time"', times=TIMES, *changes, **attributes):
    experiment = sample(tmp_path, ('kind = "time"', chart), *changes)
    return ChartMaker(experiment, by_label(experiment, times, **attributes)).all()


def test_time_by_size_has_a_line_for_each_combination_and_hollow_published_values(tmp_path):
    (chart,) = made(tmp_path, 'kind = "time"\nphase = "solve"')
    assert [line.label for line in chart.lines] == [
        "scan",
        "heap, arity 2",
        "heap, arity 4",
        "scan, ",
    ]
    scan, *_, published = chart.lines
    assert [(mark.x, mark.y) for mark in scan.marks] == [(20, 80), (40, 160)]
    assert published.is_published
    assert [(mark.x, mark.y) for mark in published.marks] == [(40, 500)]
    assert published.colour == scan.colour
    two, four = chart.lines[1:3]
    assert two.colour == four.colour != scan.colour
    assert two.shape != four.shape
    assert "Some machine" in published.marks[0].words


LARGE = (
    ("vertices = [20, 40]", "vertices = [512, 4096]"),
    ("{ vertices = 40, time = 0.5 }", '{ graph = "random, vertices 4096", time = 0.5 }'),
)


def test_graphs_are_named_with_grouped_digits_and_published_values_by_what_is_typed(tmp_path):
    chart, phases = made(tmp_path, f'kind = "time"\nx = "graph"\n{PHASES_TOO}', TIMES, *LARGE)
    assert chart.x.categories == ("random, vertices 512", "random, vertices 4\u202f096")
    assert [(mark.x, mark.y) for mark in chart.lines[-1].marks] == [(1, 500)]
    assert phases.title == "Time by size: random, vertices 4\u202f096"
    (*_, table) = write_charts((chart, phases), tmp_path / "out", "own")
    assert [path.name for path in table.parent.iterdir() if "4096" in path.name], "not 4-096"
    assert "random, vertices 4096" in table.read_text(encoding="utf-8"), "programs read it"


@pytest.mark.parametrize(("figure", "series"), [(3, "OpenMP loop"), (4, "OpenMP tiles")])
def test_a_legend_keeps_what_tells_its_lines_apart(figure, series):
    """Both graphs of one variant were "OpenMP tiles, random, sparsity 90 %…"."""
    experiment = find_experiment(f"wang-2024-fig-{figure}")
    found = [measured(point, [float(point.graph.vertices)] * 6) for point in points(experiment)]
    charts = ChartMaker(experiment, found).all()
    for chart in charts:
        assert chart.names()[:2] == ["vertices 512", "vertices 1\u202f024"]
        assert "vertices 512" in chart_svg(chart)
        assert chart.lines[0].label == f"{series}, random, sparsity 90 %, vertices 512", (
            "tables have it whole"
        )


def test_speed_up_refers_to_the_baseline_on_the_same_graph(tmp_path):
    (chart,) = made(tmp_path, 'kind = "speed-up"\nphase = "solve"')
    values = {
        line.label: [mark.y for mark in line.marks] for line in chart.lines if not line.is_ideal
    }
    assert values["heap, arity 2"] == pytest.approx([2.0, 2.0])
    assert values["scan"] == pytest.approx([1.0, 1.0])
    assert all(mark.low <= mark.y <= mark.high for line in chart.lines for mark in line.marks)


def test_speed_up_refers_to_the_baseline_with_the_same_parameters(tmp_path):
    (chart,) = made(tmp_path, 'kind = "speed-up"\nphase = "solve"\nbaseline = "heap"')
    values = {
        line.label: [mark.y for mark in line.marks] for line in chart.lines if not line.is_ideal
    }
    assert values["heap, arity 2"] == values["heap, arity 4"] == pytest.approx([1.0, 1.0])
    assert values["scan"] == pytest.approx([0.5, 0.5]), "it has none of these: the first"


def test_scaling_has_an_ideal_line_and_efficiency_is_relative_to_one_unit(tmp_path):
    threads = (
        'variant = "dijkstra-array"',
        'variant = "sssp-delta-omp"\nparameters = { threads = [1, 2, 4] }',
    )
    times = {
        "scan, threads 1": [8.0] * 6,
        "scan, threads 2": [5.0] * 6,
        "scan, threads 4": [4.0] * 6,
    }
    phase = 'x = "threads"\nseries = "scan"\nphase = "solve"'
    (scaling,) = made(tmp_path, f'kind = "scaling"\n{phase}', times, threads)
    ideal = next(line for line in scaling.lines if line.is_ideal)
    assert [mark.y for mark in ideal.marks] == pytest.approx([160, 80, 40])
    (efficiency,) = made(tmp_path, f'kind = "efficiency"\n{phase}', times, threads)
    assert [mark.y for mark in efficiency.lines[0].marks] == pytest.approx([1.0, 0.8, 0.5])


def test_phases_are_stacked_for_the_largest_graph(tmp_path):
    (chart,) = made(tmp_path, 'kind = "phases"')
    assert chart.is_stacked
    assert chart.x.categories == ("scan", "heap, arity 2", "heap, arity 4")
    heights = {line.label: [mark.y for mark in line.marks] for line in chart.lines}
    assert heights["solve"][:2] == [160, 80]
    assert heights["copy to device"] == [1, 1, 1]


def test_phases_are_of_a_smaller_graph_if_more_was_measured_there(tmp_path):
    experiment = sample(tmp_path, ('kind = "time"', 'kind = "phases"'))
    found = by_label(experiment, TIMES)
    (chart,) = ChartMaker(
        experiment, [one for one in found if one.graph.vertices < 40 or one.label == "scan"]
    ).all()
    assert chart.title == "Time by size: random, vertices 20"
    assert len(chart.x.categories) == 3


def test_work_and_rate_count_relaxations_and_the_rate_has_the_limit_of_the_memory(tmp_path):
    (work,) = made(tmp_path, 'kind = "work"')
    assert [mark.y for mark in work.lines[0].marks] == pytest.approx([100 / 60, 100 / 120])
    experiment = sample(tmp_path, ('kind = "time"', 'kind = "rate"'))
    (rate,) = ChartMaker(experiment, by_label(experiment, TIMES), bandwidth=16e9).all()
    assert [mark.y for mark in rate.lines[0].marks] == pytest.approx(
        [100 / 80e-3 / 1e9, 100 / 160e-3 / 1e9]
    )
    assert all(mark.low <= mark.y <= mark.high for line in rate.lines for mark in line.marks)
    uneven = rate.lines[2].marks[0]
    assert uneven.low < uneven.high, "a long time is a low rate"
    assert rate.lines[-1].is_ideal
    assert rate.lines[-1].marks[0].y == pytest.approx(2.0)


def test_nothing_measured_is_no_chart(tmp_path):
    assert made(tmp_path, 'kind = "work"', {}) == ()


def test_a_disturbed_point_is_marked(tmp_path):
    (chart,) = made(tmp_path, 'kind = "time"', TIMES, disturbances=LOAD)
    assert all(mark.is_disturbed for mark in chart.lines[0].marks)
    assert page_svg(chart).count("kept a core busy") == sum(
        len(line.marks) for line in chart.lines[:3]
    )


NOISE = ((10, 1.0), (20, 1.2), (40, 0.9), (80, 1.1), (160, 1.0))


def test_the_slope_of_a_cube_is_three():
    slope = slope_of([ChartMark(n, n**3 / 7, 0, 0) for n in (10, 20, 40, 80, 160)])
    assert slope.value == pytest.approx(3)
    noisy = slope_of([ChartMark(n, n**2 * f, 0, 0) for n, f in NOISE])
    assert noisy.low < 2 < noisy.high
    assert noisy.high - noisy.low < 2
    assert slope_of([ChartMark(n, n, n, n) for n in (1, 2, 4, 8)]) is None, "says nothing yet"


def test_an_exported_chart_is_without_hidden_lines(tmp_path):
    (chart,) = made(tmp_path, 'kind = "speed-up"\nx = "graph"')
    reference = next(i for i, line in enumerate(chart.lines) if line.is_ideal)
    for hidden in (0, reference):
        view = ChartView().toggled(chart, hidden)
        assert len(exported(chart, view).lines) == len(chart.lines) - 1
        assert view.toggled(chart, hidden) == ChartView()
    everything = ChartView(frozenset(range(len(chart.lines))))
    ET.fromstring(chart_svg(exported(chart, everything)))


def test_axes_are_drawn_as_a_reader_chooses(tmp_path):
    (chart,) = made(tmp_path)
    assert can_be_log(chart) == (True, True)
    linear = viewed(chart, ChartView(x_log=False, y_log=False))
    assert (linear.x.is_log, linear.y.is_log) == (False, False)
    assert chart_svg(linear) != chart_svg(chart)
    assert "ymode=log" not in pgfplots_of(linear)


def test_charts_are_written_as_pictures_csv_and_latex(tmp_path):
    charts = made(tmp_path)
    written = write_charts(charts, tmp_path / "out", "own", pgfplots=True)
    assert [path.name for path in written] == [
        "own-1-time-by-size.svg",
        "own-1-time-by-size.png",
        "own-1-time-by-size.pdf",
        "own-1-time-by-size.tex",
        "own-charts.csv",
    ]
    with written[-1].open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(line.marks) for line in charts[0].lines)
    assert {row["kind"] for row in rows} == {"measured", "published"}
    latex = written[3].read_text(encoding="utf-8")
    assert latex.count(r"\addplot") == len(charts[0].lines)
    assert latex.count("{") == latex.count("}")
