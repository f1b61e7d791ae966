"""Charts as files: size, colours, names that are whole, and what a page may hold."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solvers.errors import ParameterError
from solvers.picture.charts.drawing import ChartPage
from solvers.picture.charts.files import chart_svg, write_chart_file
from solvers.picture.charts.page import page_style, page_svg
from solvers.picture.charts.table import (
    Axis,
    ChartData,
    ChartMark,
    Curve,
    HistogramBars,
    Line,
    spread,
)
from solvers.picture.palette import Colour
from solvers.picture.variant_colours import variant_colours

BLUE = Colour("#0072B2", "#56B4E9")
SIZES = (10, 20, 40, 80)


def line(name: str, factor: float = 1.0, colour: Colour = BLUE, **looks: object) -> Line:
    marks = tuple(
        ChartMark(n, factor * n, 0.9 * factor * n, 1.2 * factor * n, f"{name} at {n}", point=f"{n}")
        for n in SIZES
    )
    return Line(name, colour, 0, marks, **looks)


def times(*lines: Line) -> ChartData:
    return ChartData(
        "Time by size", Axis("vertices", is_log=True), Axis("time, ms", is_log=True), lines
    )


def rows(count: int) -> ChartData:
    """Trials of variants, as in the timing chart."""
    lines = tuple(
        Line(f"variant {i}", BLUE, 0, (ChartMark(i, 2.0, 1.5, 2.5, samples=(1.0, 2.0, 3.0)),))
        for i in range(count)
    )
    names = tuple(f"variant {i}" for i in range(count))
    axis = Axis("Total time, ms", span=(0.0, 4.0))
    return ChartData(
        "Timing",
        Axis("", categories=names),
        axis,
        lines,
        is_horizontal=True,
        figures=("2.00",) * count,
    )


def texts_of(svg: str) -> list[tuple[str, float, float]]:
    """Words of an SVG with their places, in the order in which they are drawn."""
    found = []
    for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        moved = re.findall(r"translate\((\S+) (\S+)\)", node.get("transform", ""))
        x, y = moved[0] if moved else (node.get("x"), node.get("y"))
        found.append(("".join(node.itertext()).strip(), float(x), float(y)))
    return found


def pixels(chart: ChartData, page: ChartPage, tmp_path: Path) -> np.ndarray:
    write_chart_file(chart, tmp_path / "chart.png", page, ".png")
    with Image.open(tmp_path / "chart.png") as image:
        assert image.size == (page.width, page.height)
        assert round(image.info["dpi"][0]) == page.dpi
        return np.asarray(image.convert("RGBA"))


def count_of(picture: np.ndarray, colour: str) -> int:
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return int((picture[..., :3] == wanted).all(axis=-1).sum())


def test_a_png_has_the_size_and_the_colours_of_its_paper(tmp_path):
    width, height, dpi = 401, 333, 150
    chart = times(line("heap"))
    for dark, paper in ((False, "#FFFFFF"), (True, "#15181C")):
        picture = pixels(chart, ChartPage(width, height, dpi, paper, dark), tmp_path)
        assert count_of(picture, BLUE.on(dark)) > 20
        assert count_of(picture, BLUE.on(not dark)) == 0
        assert count_of(picture[:1], paper) == width
    clear = pixels(chart, ChartPage(width, height, dpi, None), tmp_path)
    assert clear[0, 0, 3] == 0


def test_pdf_and_svg_hold_words_and_are_the_same_each_time(tmp_path):
    for suffix, words in ((".pdf", b"%PDF"), (".svg", b">heap<")):
        contents = []
        for name in ("a", "b"):
            write_chart_file(times(line("heap")), tmp_path / f"{name}{suffix}", ChartPage(), suffix)
            contents.append((tmp_path / f"{name}{suffix}").read_bytes())
        assert contents[0] == contents[1]
        assert words in contents[0]
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert (root.get("width"), root.get("height")) == ("860px", "420px")
    with pytest.raises(ParameterError, match=r"it takes \.png, \.svg or \.pdf"):
        write_chart_file(times(line("heap")), tmp_path / "a.bmp", ChartPage(), ".bmp")
    with pytest.raises(ParameterError, match="it takes 64 to"):
        ChartPage(3, 360)


def test_eleven_lines_are_told_apart_by_names_at_their_ends(tmp_path):
    """Eleven entries of a legend had ten colours, in another order than the lines."""
    chart = times(*(line(f"variant {i}", 1.0 + 0.03 * i) for i in range(11)))
    places = {words: y for words, _, y in texts_of(chart_svg(chart)) if words.startswith("variant")}
    assert list(places) == [f"variant {i}" for i in range(11)]
    heights = [places[f"variant {i}"] for i in range(11)]
    assert heights == sorted(heights, reverse=True), "the slowest line ends on top"
    assert min(a - b for a, b in pairwise(heights)) > 9, "none lies over another"


def test_names_spread_as_little_as_keeps_them_apart():
    assert spread([0.0, 10.0, 5.0], 1.0) == [0.0, 10.0, 5.0]
    found = spread([1.0, 1.0, 1.0, 9.0], 2.0)
    assert found == [-1.0, 1.0, 3.0, 9.0]


@pytest.mark.parametrize(
    "names",
    [
        ("USA-road-d.NY", "generated roads, vertices 16000", "soc-LiveJournal1"),
        tuple(f"random directed graph with arc probability 0.0{i}, seed {i}" for i in range(9)),
    ],
    ids=["in lines", "turned"],
)
def test_names_below_an_axis_and_in_the_legend_are_whole(names):
    marks = tuple(ChartMark(i, 1, 1, 1) for i in range(len(names)))
    label = "Bellman-Ford strided + flag, block size 128, sources 32, on the graphics processor"
    lines = (Line(label, BLUE, 0, marks), Line("heap", BLUE, 1, marks))
    svg = chart_svg(ChartData("A", Axis("graph", categories=names), Axis("ms"), lines))
    words = re.sub(r"\s+", " ", " ".join(text for text, _, _ in texts_of(svg)))
    assert all(name in words for name in names)
    assert label in words
    assert "…" not in svg


def test_marks_over_names_stand_side_by_side(tmp_path):
    marks = (ChartMark(0, 1, 1, 1), ChartMark(1, 1, 1, 1))
    reds = [Colour(c, c) for c in ("#AA0000", "#00AA00", "#0000AA")]
    lines = tuple(Line(f"line {i}", reds[i], 0, marks) for i in range(3))
    chart = ChartData("A", Axis("graph", categories=("one", "two")), Axis("ms"), lines)
    picture = pixels(chart, ChartPage(600, 400), tmp_path)[:, :400]
    columns = []
    for colour in reds:
        wanted = [int(colour.light[i : i + 2], 16) for i in (1, 3, 5)]
        columns.append(np.nonzero((picture[..., :3] == wanted).all(axis=-1))[1])
    assert columns[0].min() < columns[1].min() < columns[2].min() < columns[0].max()


@pytest.mark.parametrize("count", [1, 40])
def test_rows_have_their_names_and_figures_whole_and_do_not_overlap(count):
    texts = texts_of(chart_svg(rows(count), ChartPage(640, 480)))
    names = [(words, y) for words, _, y in texts if words.startswith("variant")]
    assert [words for words, _ in names] == [f"variant {i}" for i in range(count)]
    assert sum(words == "2.00" for words, _, _ in texts) == count
    heights = [y for _, y in names]
    assert heights == sorted(heights), "from top to bottom"
    assert all(b - a > 6 for a, b in pairwise(heights))
    assert all(0 < y < 480 for y in heights)
    words = [words for words, _, _ in texts]
    assert {"median", "95 % interval", "range", "trial, 3 each"} <= set(words)


def test_a_long_run_is_its_median_over_a_band(tmp_path):
    values = np.array(([10.0] * 9 + [900.0]) * 300)
    curve = Curve("run", BLUE, values, 1)
    assert curve.has_band
    _, low, middle, high = curve.columns()
    assert (low.min(), high.max(), set(middle.tolist())) == (10.0, 900.0, {10.0})
    chart = ChartData("Frontier", Axis("iteration"), Axis("", is_log=True), curves=(curve,))
    svg = chart_svg(chart)
    assert "least, median and most" in svg
    assert not Curve("short", BLUE, values[:300], 1).has_band


def test_bars_of_a_histogram_have_their_colours(tmp_path):
    shades = [Colour("#112233", "#112233"), Colour("#445566", "#445566")]
    bars = HistogramBars(np.array([0.0, 1.0, 2.0]), np.array([3.0, 9.0]), shades)
    chart = ChartData("Distances", Axis("m"), Axis(""), bars=bars)
    picture = pixels(chart, ChartPage(400, 300), tmp_path)
    low, high = (count_of(picture, shade.light) for shade in shades)
    assert high == pytest.approx(3 * low, rel=0.05)


def test_a_page_has_titles_points_and_the_colours_of_both_schemes():
    marks = (
        ChartMark(1, 1.0, 0.5, 2.0, 'a <b> & "c"', point="p"),
        ChartMark(2, 3.0, 3.0, 3.0, "d"),
    )
    colour = variant_colours("bf-vertex")
    chart = ChartData(
        "A & B", Axis("n"), Axis("ms"), (Line("<script>alert(1)</script>", colour, 0, marks),)
    )
    svg = page_svg(chart)
    root = ET.fromstring(svg)
    assert "<script>" not in svg
    assert 'id="c840243094-' in svg, "the same in each process"
    assert "style=" not in svg, "the page's policy forbids it"
    assert 'a <b> & "c"' in [node.text for node in root.iter() if node.tag.endswith("title")]
    assert {node.get("data-point") for node in root.iter()} >= {"p"}
    assert {node.get("data-key") for node in root.iter()} >= {"0"}
    assert {node.get("data-line") for node in root.iter()} >= {"0"}
    sheet = page_style((chart,))
    used = set(re.findall(r"var\((--[\w-]+)\)", svg))
    assert used
    assert all(sheet.count(f"{name}:") == 2 for name in used), "light and dark"
    assert colour.light.lower() not in svg.lower()


def test_measured_marks_lie_on_published_ones(tmp_path):
    mark = (ChartMark(1, 1, 1, 1),)
    svg = chart_svg(
        ChartData(
            "a",
            Axis("x"),
            Axis("y"),
            (Line("here", BLUE, 0, mark), Line("paper", BLUE, 0, mark, is_published=True)),
        )
    )
    assert svg.index('id="mark-1"') < svg.index('id="mark-0"')
