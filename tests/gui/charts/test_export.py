"""Charts as files: exactly the asked size, in the variant's colour, whole or not at all."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from gui.charts.chart import Chart
from gui.charts.export import export_chart
from gui.charts.iteration_chart import FrontierChart
from gui.charts.timing import PhasesChart, TimingChart
from gui.export.page import PRESETS, Preset
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import PHASE, SOLVE, UNIT
from gui.style.text import short_title
from gui.style.theme import variant_colour
from solvers.core.variant import all_variants
from solvers.errors import FileNotWritten, ParameterError
from tests.gui.panels.sample import activity_trace, make_result, opened_session


@pytest.fixture
def session() -> Session:
    session = opened_session()
    session.results.add([make_result(session, "bf-serial", (59.0, 61.0))])
    session.results.add(
        [make_result(session, "bf-vertex", (8.0, 9.0), trace=activity_trace((1, 5, 9, 3)))]
    )
    return session


@pytest.fixture(params=["timing", "phases", "frontier"])
def chart(request: pytest.FixtureRequest, qtbot: QtBot, session: Session) -> Chart:
    """Never shown: a chart can be exported without having been looked at."""
    kinds = {
        "timing": TimingChart,
        "phases": PhasesChart,
        "frontier": lambda s: FrontierChart(s, Playback()),
    }
    chart: Chart = kinds[request.param](session)
    qtbot.addWidget(chart)
    return chart


@pytest.fixture
def timing(qtbot: QtBot, session: Session) -> TimingChart:
    chart = TimingChart(session)
    qtbot.addWidget(chart)
    return chart


def pixels_of(image: QImage, colour: str) -> int:
    wanted = QColor(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
    )


def rows_of(image: QImage, colour: str) -> int:
    wanted = QColor(colour).rgb()
    return sum(
        any(image.pixel(x, y) == wanted for x in range(image.width()))
        for y in range(image.height())
    )


@pytest.mark.parametrize(("width", "height", "dpi"), [(640, 360, 96), (401, 333, 150)])
def test_a_png_has_exactly_the_asked_size(
    chart: Chart, tmp_path: Path, width: int, height: int, dpi: int
) -> None:
    path = tmp_path / "chart.png"
    export_chart(chart, path, width, height, dpi)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (width, height)
    assert round(image.dotsPerMeterX() / 39.3701) == dpi
    assert (
        image.pixelColor(0, 0).name() == image.pixelColor(width - 1, height - 1).name() == "#ffffff"
    )


def test_the_variants_colour_is_in_it_for_light_and_for_dark_paper(
    timing: TimingChart, tmp_path: Path
) -> None:
    for background, dark in (("#FFFFFF", False), ("#15181C", True)):
        path = tmp_path / "chart.png"
        export_chart(timing, path, 640, 360, background=background)
        image = QImage(str(path))
        for variant_id in ("bf-serial", "bf-vertex"):
            assert pixels_of(image, variant_colour(variant_id, dark)) > 20
            assert pixels_of(image, variant_colour(variant_id, not dark)) == 0


def test_more_dots_an_inch_make_marks_larger_in_pixels(timing: TimingChart, tmp_path: Path) -> None:
    heights = []
    for dpi, width, height in ((96, 600, 300), (192, 1200, 600)):
        path = tmp_path / f"{dpi}.png"
        export_chart(timing, path, width, height, dpi)
        heights.append(rows_of(QImage(str(path)), variant_colour("bf-vertex", False)))
    assert heights[1] == pytest.approx(2 * heights[0], abs=3), (
        "twice as tall, antialiased rims aside"
    )


def test_a_transparent_picture_has_no_paper(timing: TimingChart, tmp_path: Path) -> None:
    export_chart(timing, tmp_path / "chart.png", 640, 360, background=None)
    assert QImage(str(tmp_path / "chart.png")).pixelColor(1, 1).alpha() == 0


def test_an_svg_is_valid_and_holds_text_and_colour(chart: Chart, tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    export_chart(chart, path, 640, 360)
    root = ET.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert root.attrib["viewBox"] == "0 0 640 360"
    words = " ".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    assert words.count(chart.export_title) == 1
    assert "vertex" in words
    assert "<image" not in path.read_text(encoding="utf-8"), "vectors, not a screenshot"
    assert QSvgRenderer(str(path)).isValid()
    if isinstance(chart, TimingChart):
        assert (
            variant_colour("bf-vertex", False).lower() in path.read_text(encoding="utf-8").lower()
        )


def texts_of(path: Path) -> list[tuple[str, float, float]]:
    """Each text of an SVG by Qt, with its left end and its baseline in the picture's
    coordinates.
    """
    found = []
    for group in ET.parse(path).getroot().iter("{http://www.w3.org/2000/svg}g"):
        numbers = re.findall(r"-?[\d.e-]+", group.get("transform", ""))
        for node in group.findall("{http://www.w3.org/2000/svg}text"):
            a, _, _, d, e, f = (
                map(float, numbers) if len(numbers) == 6 else (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
            )
            x, y = float(node.get("x", 0)), float(node.get("y", 0))
            found.append(("".join(node.itertext()).strip(), a * x + e, d * y + f))
    return found


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
@pytest.mark.parametrize("kind", [TimingChart, PhasesChart])
def test_no_preset_cuts_off_text_or_rows(
    qtbot: QtBot, tmp_path: Path, preset: Preset, kind: type[TimingChart | PhasesChart]
) -> None:
    session = opened_session()
    for place, variant in enumerate(all_variants()):
        session.results.add([make_result(session, variant.id, (1.0 + place,))])
    chart = kind(session)
    qtbot.addWidget(chart)
    path = tmp_path / "chart.svg"
    export_chart(chart, path, preset.width, preset.height, preset.dpi)
    scale = 96 / preset.dpi
    texts = texts_of(path)
    shown = [text for text, _, _ in texts]
    names = [{variant.full_title, short_title(variant)} for variant in all_variants()]
    assert all(any(name in shown for name in both) for both in names), (
        "every row, and no name elided"
    )
    assert not any("…" in text for text in shown)
    for text, x, y in texts:
        assert -1 <= x < preset.width * scale, text
        assert 0 < y <= preset.height * scale, text
    baselines = sorted(y for text, _, y in texts if any(text in both for both in names))
    assert min(b - a for a, b in pairwise(baselines)) > 1.5, "rows do not overlap"


def test_the_picture_shows_what_the_screen_shows(timing: TimingChart, tmp_path: Path) -> None:
    timing.choices.choose(UNIT, "µs")
    timing.choices.choose(PHASE, SOLVE)
    path = tmp_path / "chart.svg"
    export_chart(timing, path, 640, 360)
    shown = [text for text, _, _ in texts_of(path)]
    assert "Solve time, µs" in shown
    assert "60\u202f000" in shown


def test_the_window_is_not_touched_by_an_export(timing: TimingChart, tmp_path: Path) -> None:
    before = timing.figure
    export_chart(timing, tmp_path / "chart.png", 640, 360)
    assert timing.figure is before


@pytest.mark.parametrize(
    ("name", "width"), [("chart.gif", 640), ("chart", 640), ("chart.png", 3), ("chart.png", 10**6)]
)
def test_what_cannot_be_done_is_refused_and_leaves_no_file(
    timing: TimingChart, tmp_path: Path, name: str, width: int
) -> None:
    with pytest.raises(ParameterError):
        export_chart(timing, tmp_path / name, width, 360)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_chart_cannot_be_exported(qtbot: QtBot, tmp_path: Path) -> None:
    chart = TimingChart(opened_session())
    qtbot.addWidget(chart)
    with pytest.raises(ParameterError, match="it is empty"):
        export_chart(chart, tmp_path / "chart.png", 640, 360)


def test_a_failed_write_keeps_the_older_file(timing: TimingChart, tmp_path: Path) -> None:
    for suffix in ("png", "svg"):
        with pytest.raises(FileNotWritten):
            export_chart(timing, tmp_path / "no such folder" / f"chart.{suffix}", 640, 360)


def test_an_export_says_what_it_shows_and_marks_no_selection(
    timing: TimingChart, tmp_path: Path
) -> None:
    """On a slide the title was "Timing", and a row was bold and striped for no visible reason."""
    for selected in ("bf-serial", "bf-vertex"):
        timing.session.results.select(selected)
        path = tmp_path / f"{selected}.svg"
        export_chart(timing, path, 640, 360)
        shown = [text for text, _, _ in texts_of(path)]
        assert "Total time, ms" in shown
        assert "Timing" not in shown
    assert (tmp_path / "bf-serial.svg").read_bytes() == (tmp_path / "bf-vertex.svg").read_bytes()
