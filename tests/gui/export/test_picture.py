"""Exported pictures have the size and DPI asked for, show what was asked, and never
spoil an older file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import tracemalloc
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.export import composition, svg
from gui.export.composition import PictureState, image_pixels
from gui.export.encoders import write_png
from gui.export.page import Page, file_name
from gui.export.picture import caption, draw_image, draw_picture, export_picture
from solvers.core.result import Result
from solvers.core.variant import all_variants
from solvers.errors import Cancelled, FileNotWritten, ParameterError
from solvers.picture.colours import DARK, LIGHT
from solvers.picture.layout.stress import layout
from solvers.picture.scene.camera import Bounds
from solvers.system.cancel import CancelToken, Progress
from tests.gui.export.drawn import pixels_of as premultiplied
from tests.gui.export.drawn import rendered
from tests.gui.pictures import content_of, graph_of, is_like, street_grid, trace_of
from tests.quick import first_quick

ROOT = Path(__file__).parents[3]
GRID = street_grid()
PATH = [20 * 60 + column for column in range(10, 50)]


def result() -> Result:
    return Result(
        all_variants()[0],
        {},
        GRID,
        PATH[0],
        PATH[-1],
        distances=np.arange(GRID.n, dtype=np.int32),
        path=np.array(PATH, np.int32),
    )


def pixels_of(path: Path) -> np.ndarray:
    return image_pixels(QImage(str(path)).convertToFormat(QImage.Format.Format_ARGB32))


@pytest.mark.parametrize(
    ("width", "height", "dpi"), [(2000, 1400, 144), (640, 480, 96), (901, 333, 300)]
)
def test_size_and_dpi_are_those_asked_for(tmp_path, width, height, dpi):
    path = draw_picture(
        tmp_path / "grid.png",
        GRID,
        [result()],
        PATH[0],
        PATH[-1],
        width=width,
        height=height,
        dpi=dpi,
    )
    image = QImage(str(path))
    assert (image.width(), image.height()) == (width, height)
    assert round(image.dotsPerMeterX() * 0.0254) == dpi
    assert round(image.dotsPerMeterY() * 0.0254) == dpi


def test_path_source_target_and_tint_are_there(tmp_path):
    pixels = pixels_of(draw_picture(tmp_path / "grid.png", GRID, [result()], PATH[0], PATH[-1]))
    rows, columns = np.nonzero(is_like(pixels, LIGHT.path))
    assert np.ptp(rows) < 30
    assert np.ptp(columns) > 800
    source, target = (
        np.nonzero(is_like(pixels, colour, 6)) for colour in (LIGHT.source, LIGHT.target)
    )
    assert source[1].mean() < columns.min() + 40
    assert target[1].mean() > columns.max() - 40
    bare = pixels_of(draw_picture(tmp_path / "bare.png", GRID, [], None, None))
    assert not is_like(bare, LIGHT.path, 10).any()


def test_a_static_picture_shows_the_end_of_the_run_traced_or_not(tmp_path):
    trace = trace_of(GRID.n, [list(range(k * 60, k * 60 + 60)) for k in range(40)])
    plain = draw_picture(tmp_path / "a.png", GRID, [result()], PATH[0], PATH[-1])
    traced = draw_picture(
        tmp_path / "b.png", GRID, [replace(result(), trace=trace)], PATH[0], PATH[-1]
    )
    assert traced.read_bytes() == plain.read_bytes()  # neither a frontier nor an iteration
    assert not is_like(pixels_of(traced), LIGHT.frontier, 4).any()


def test_text_and_lines_grow_with_the_dpi(tmp_path):
    thickness = []
    for dpi in (96, 192):
        path = draw_picture(
            tmp_path / f"{dpi}.png",
            GRID,
            [result()],
            PATH[0],
            PATH[-1],
            width=10 * dpi,
            height=8 * dpi,
            dpi=dpi,
        )
        orange = is_like(pixels_of(path), LIGHT.path)
        thickness.append(orange[:, orange.shape[1] // 2].sum())
    assert thickness[1] == pytest.approx(2 * thickness[0], abs=1.1)


@pytest.mark.parametrize(
    ("options", "corner"),
    [({}, LIGHT.canvas), ({"dark": True}, DARK.canvas), ({"background": "#FFEEDD"}, "#FFEEDD")],
)
def test_background(tmp_path, options, corner):
    pixels = pixels_of(
        draw_picture(tmp_path / "p.png", GRID, [], 0, 5, width=400, height=300, **options)
    )
    assert is_like(pixels[:4], corner, 0).all()
    assert (pixels >> 24 == 255).all()


def test_transparent_background_lets_the_slide_through(tmp_path):
    pixels = pixels_of(
        draw_picture(
            tmp_path / "p.png", GRID, [], 0, 5, width=400, height=300, background="transparent"
        )
    )
    assert (pixels[:4] >> 24 == 0).all()
    assert (pixels >> 24).max() == 255


def test_a_view_shows_only_its_rectangle(tmp_path):
    bounds = Bounds(-0.5, -0.1, -0.3, 0.1)
    whole = pixels_of(
        draw_picture(tmp_path / "a.png", GRID, [result()], None, None, width=600, height=600)
    )
    part = pixels_of(
        draw_picture(
            tmp_path / "b.png", GRID, [result()], None, None, width=600, height=600, view=bounds
        )
    )
    assert is_like(whole, LIGHT.path).sum() > 0
    assert not np.array_equal(whole, part)
    columns = np.nonzero(is_like(part, LIGHT.path))[1]
    # the path begins a sixth along the grid and leaves the view on its right
    assert columns.min() > 200
    assert columns.max() == 599


def test_a_graph_without_coordinates_is_laid_out(tmp_path):
    graph = graph_of([(0, 1, 4), (1, 2, 1), (2, 0, -7)], None)
    assert layout(graph).shape == (3, 2)
    loop = Result(all_variants()[0], {}, graph, 0, 2, cycle=(0, 1, 2))
    pixels = pixels_of(draw_picture(tmp_path / "p.png", graph, [loop], 0, 2, width=800, height=600))
    assert is_like(pixels, LIGHT.cycle, 10).sum() > 300


def test_a_picture_that_cannot_be_written_leaves_the_older_one(tmp_path):
    older = tmp_path / "p.png"
    older.write_bytes(b"older")
    with pytest.raises(ParameterError):
        draw_picture(older, GRID, [], None, None, width=5)
    with pytest.raises(ParameterError):
        draw_picture(older, GRID, [], None, None, background="reddish")
    with pytest.raises(FileNotWritten):
        draw_picture(tmp_path / "nowhere" / "p.png", GRID, [], None, None, width=100, height=100)
    assert older.read_bytes() == b"older"
    draw_picture(older, GRID, [], None, None, width=100, height=100)
    assert [p.name for p in tmp_path.iterdir()] == ["p.png"]


def test_pictures_are_drawn_with_no_application_and_no_display(tmp_path):
    script = f"""
        from gui.export.picture import draw_picture
        from tests.gui.pictures import street_grid
        draw_picture({str(tmp_path / "a.png")!r}, street_grid(), [], 0, 7, width=320, height=200)
        draw_picture({str(tmp_path / "b.png")!r}, street_grid(), [], 0, 7, width=320, height=200)
    """
    bare = {
        k: v
        for k, v in os.environ.items()
        if k not in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    }
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, env=bare, check=True, timeout=120
    )
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


# -- bands
# --------------------------------------------------------------------------------------


def busy_state() -> PictureState:
    """A path, a frontier with its trail, shades: all that could show a seam."""
    trace = trace_of(GRID.n, [list(range(k * 60, k * 60 + 60)) for k in range(40)])
    answer = np.arange(GRID.n, dtype=np.int32)
    content = content_of(
        GRID,
        trace=trace,
        answer=answer,
        position=20,
        source=PATH[0],
        target=PATH[-1],
        path=np.array(PATH, np.int32),
    )
    return PictureState(content, content.scene.bounds, "a street grid")


@pytest.mark.parametrize(
    ("rows", "background"),
    first_quick(
        [
            (37, None),
            (200, "transparent"),
            (1, None),
            (1, "transparent"),
            (37, "transparent"),
            (200, None),
        ],
        2,
    ),
)
def test_bands_are_the_picture_drawn_at_once(tmp_path, monkeypatch, rows, background):
    page = Page(701, 503, 120, background, margin=True)
    whole = draw_image(busy_state(), page)
    monkeypatch.setattr(composition, "BAND_PIXELS", 701 * rows)
    written = QImage(str(export_picture(tmp_path / "p.png", busy_state(), page)))
    if background is None:
        assert np.array_equal(
            image_pixels(written.convertToFormat(whole.format())), image_pixels(whole)
        )
    else:  # a file keeps colours that are not multiplied by their opacity
        first, second = premultiplied(written), premultiplied(whole)
        assert np.abs(first.view(np.uint8).astype(int) - second.view(np.uint8)).max() <= 1


def test_a_large_picture_takes_the_memory_of_a_band(tmp_path, monkeypatch):
    page = Page(4000, 3000, 300, margin=True)
    export_picture(tmp_path / "p.png", busy_state(), Page(64, 64))  # compiles what it needs
    monkeypatch.setattr(composition, "BAND_PIXELS", 200_000)
    state = busy_state()
    tracemalloc.start()
    export_picture(tmp_path / "p.png", state, page)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4000 * 3000 * 4 / 3


def test_progress_is_told_and_cancel_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(composition, "BAND_PIXELS", 400 * 20)
    token, told = CancelToken(), []

    def note(done: float, total: float) -> None:
        told.append(done / total)
        if done / total > 0.5:
            token.cancel()

    with pytest.raises(Cancelled):
        export_picture(tmp_path / "p.png", busy_state(), Page(400, 300), Progress(token, note))
    assert told == sorted(told)
    assert 0.5 < told[-1] < 1.0
    assert list(tmp_path.iterdir()) == []


# -- vectors
# --------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def tags(path: Path) -> list[str]:
    return [element.tag.removeprefix(SVG) for element in ElementTree.parse(path).iter()]


def test_few_edges_become_vectors(tmp_path):
    path = draw_picture(
        tmp_path / "p.svg", GRID, [result()], PATH[0], PATH[-1], width=960, height=720, dpi=96
    )
    assert "image" not in tags(path)
    lines = " ".join(e.get("d", "") for e in ElementTree.parse(path).iter(f"{SVG}path"))
    assert lines.count("L") > 4_680  # every street of the grid, at least
    root = ElementTree.parse(path).getroot()
    assert root.get("viewBox") == "0 0 960 720"
    assert "grid" in root.findtext(f"{SVG}title")


def test_many_edges_become_an_image_under_vectors(tmp_path, monkeypatch):
    monkeypatch.setattr(composition, "VECTOR_EDGES", 1000)
    path = draw_picture(
        tmp_path / "p.svg", GRID, [result()], PATH[0], PATH[-1], width=960, height=720, dpi=96
    )
    assert tags(path).count("image") == 1
    # the way, words and legend are vectors still
    assert {"path", "text", "linearGradient"} <= set(tags(path))


def test_the_image_of_an_svg_hears_cancel_between_bands(tmp_path, monkeypatch):
    monkeypatch.setattr(composition, "VECTOR_EDGES", 1000)
    monkeypatch.setattr(svg, "_BAND_PIXELS", 960 * 10)
    token = CancelToken()
    progress = Progress(token, lambda done, total: token.cancel() if done > total / 2 else None)
    with pytest.raises(Cancelled):
        export_picture(tmp_path / "p.svg", busy_state(), Page(960, 720, 96), progress)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("most", [1000, 50_000])
def test_an_svg_looks_like_the_png(tmp_path, monkeypatch, most):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    size = {"width": 960, "height": 720, "dpi": 96}
    drawn = rendered(
        draw_picture(tmp_path / "p.svg", GRID, [result()], PATH[0], PATH[-1], **size), 960, 720
    )
    expected = pixels_of(
        draw_picture(tmp_path / "p.png", GRID, [result()], PATH[0], PATH[-1], **size)
    )
    for colour in (LIGHT.path, LIGHT.source, LIGHT.target, LIGHT.canvas):
        mine, theirs = (is_like(pixels, colour, 12).sum() for pixels in (drawn, expected))
        assert mine == pytest.approx(theirs, rel=0.25), colour
    rows, columns = np.nonzero(is_like(drawn, LIGHT.path))
    there = np.nonzero(is_like(expected, LIGHT.path))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == pytest.approx(
        (there[0].min(), there[0].max(), there[1].min(), there[1].max()), abs=2
    )


def test_a_transparent_svg_has_no_background(tmp_path):
    path = draw_picture(
        tmp_path / "p.svg",
        GRID,
        [],
        None,
        None,
        width=960,
        height=720,
        dpi=96,
        background="transparent",
    )
    assert (rendered(path, 960, 720)[:4] >> 24 == 0).all()


def test_the_frontier_is_in_the_vectors_too(tmp_path):
    path = export_picture(tmp_path / "p.svg", busy_state(), Page(960, 720, 96, margin=True))
    above_legend = rendered(path, 960, 720)[:640]
    rows, columns = np.nonzero(is_like(above_legend, LIGHT.frontier))
    assert np.ptp(columns) > 600  # a whole row of the grid
    assert np.ptp(rows) < 30


@pytest.mark.parametrize("name", ["p.jpg", "p", "p.svgz"])
def test_another_ending_is_refused_in_one_line(tmp_path, name):
    with pytest.raises(ParameterError, match=rf"{name}.*must end in \.png or \.svg"):
        draw_picture(tmp_path / name, GRID, [], None, None)
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_svg_leaves_the_older_one(tmp_path):
    older = tmp_path / "p.svg"
    older.write_text("older")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        export_picture(older, busy_state(), Page(400, 300), Progress(token))
    assert older.read_text() == "older"
    assert [p.name for p in tmp_path.iterdir()] == ["p.svg"]


def noise(height: int, width: int, *, opaque: bool) -> np.ndarray:
    """Random premultiplied ARGB."""
    random = np.random.default_rng(7)
    alpha = (
        np.full((height, width), 255)
        if opaque
        else random.choice([0, 3, 128, 255], (height, width))
    )
    channels = (random.integers(0, 256, (3, height, width)) * alpha) // 255
    return ((alpha << 24) | (channels[0] << 16) | (channels[1] << 8) | channels[2]).astype(
        np.uint32
    )


def write(path: Path, pixels: np.ndarray, bands: list[int], *, transparent: bool) -> QImage:
    with path.open("wb") as file:
        size = pixels.shape[::-1]
        write_png(file, size, np.split(pixels, bands), 300, transparent=transparent)
    return QImage(str(path))


@pytest.mark.parametrize("bands", [[], [1], [5, 6, 30]])
def test_opaque_pixels_come_back_as_they_were(tmp_path, bands):
    pixels = noise(41, 33, opaque=True)
    image = write(tmp_path / "p.png", pixels, bands, transparent=False)
    assert not image.hasAlphaChannel()
    assert np.array_equal(premultiplied(image), pixels)
    assert round(image.dotsPerMeterX() * 0.0254) == 300


def test_transparent_pixels_come_back_within_what_premultiplying_loses(tmp_path):
    pixels = noise(40, 64, opaque=False)
    back = premultiplied(write(tmp_path / "p.png", pixels, [13], transparent=True))
    assert np.array_equal(back >> 24, pixels >> 24)
    for shift in (16, 8, 0):
        apart = ((back >> shift) & 0xFF).astype(int) - ((pixels >> shift) & 0xFF).astype(int)
        assert np.abs(apart).max() <= 1


def test_cancel_is_heard_while_a_png_is_written(tmp_path):
    token = CancelToken()
    with (tmp_path / "p.png").open("wb") as file:
        token.cancel()
        with pytest.raises(Cancelled):
            write_png(file, (64, 64), [noise(64, 64, opaque=True)], 96, progress=Progress(token))


@pytest.mark.parametrize(
    ("graph", "parts", "suffix", "expected"),
    [
        ("USA-road-d.NY.gr.gz", ("bf-serial",), ".png", "USA-road-d.NY-bf-serial.png"),
        ("wiki-Vote.txt", ("a-vs-b", "animation"), ".mp4", "wiki-Vote-a-vs-b-animation.mp4"),
        ("grid 20 x 30 / a:b?", ("", "timing"), ".svg", "grid-20-x-30-a-b-timing.svg"),
        ("", (), ".png", "tautpath.png"),
        ("../..", (), ".png", "tautpath.png"),
        ("Straße", (), ".png", "Straße.png"),
    ],
)
def test_a_name_says_what_is_in_the_file(
    graph: str, parts: tuple[str, ...], suffix: str, expected: str
) -> None:
    assert file_name(graph, parts, suffix) == expected


def test_a_name_is_never_too_long_for_a_file_system() -> None:
    assert len(file_name("g" * 400, ("animation",), ".gif")) <= 104


def test_a_caption_says_a_length_in_kilometres_alone() -> None:
    """It said "64.2 km (641 967 dm)", and broke between the two."""
    arcs = [(0, 1, 600_000), (1, 2, 41_967)]
    graph = graph_of(arcs, None, weight_unit="dm", name="roads")
    distances = np.array([0, 600_000, 641_967], np.int32)
    way = np.array([0, 1, 2], np.int32)
    found = Result(all_variants()[0], {}, graph, 0, 2, distances=distances, path=way)
    assert caption(graph, found, with_variant=False) == "roads  ·  0 → 2: 64.2 km"
