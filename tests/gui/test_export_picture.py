"""Exported pictures have the size and DPI asked for, show what was asked, and never spoil an older file."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.canvas.camera import Bounds
from gui.canvas.layout import layout
from gui.export import draw_picture
from gui.theme import DARK, LIGHT
from solvers import catalog
from solvers.errors import FileNotWritten, ParameterError
from solvers.results import Result
from tests.gui.canvas.graphs import graph_of, is_like, street_grid

pytestmark = pytest.mark.usefixtures("qapp")
ROOT = Path(__file__).parents[2]
GRID = street_grid()
PATH = [20 * 60 + column for column in range(10, 50)]


def result() -> Result:
    return Result(
        catalog.variants()[0], {}, GRID, PATH[0], PATH[-1], distances=np.arange(GRID.n, dtype=np.int32),
        path=np.array(PATH, np.int32),
    )  # fmt: skip


def pixels_of(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_ARGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


@pytest.mark.parametrize(("width", "height", "dpi"), [(2000, 1400, 144), (640, 480, 96), (901, 333, 300)])
def test_size_and_dpi_are_those_asked_for(tmp_path, width, height, dpi):
    path = draw_picture(tmp_path / "grid.png", GRID, [result()], PATH[0], PATH[-1], width=width, height=height, dpi=dpi)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (width, height)
    assert round(image.dotsPerMeterX() * 0.0254) == dpi
    assert round(image.dotsPerMeterY() * 0.0254) == dpi


def test_path_source_target_and_tint_are_there(tmp_path):
    pixels = pixels_of(draw_picture(tmp_path / "grid.png", GRID, [result()], PATH[0], PATH[-1]))
    rows, columns = np.nonzero(is_like(pixels, LIGHT.path))
    assert np.ptp(rows) < 30
    assert np.ptp(columns) > 800
    source, target = (np.nonzero(is_like(pixels, colour, 6)) for colour in (LIGHT.source, LIGHT.target))
    assert source[1].mean() < columns.min() + 40
    assert target[1].mean() > columns.max() - 40
    bare = pixels_of(draw_picture(tmp_path / "bare.png", GRID, [], None, None))
    assert not is_like(bare, LIGHT.path, 10).any()


def test_text_and_lines_grow_with_the_dpi(tmp_path):
    thickness = []
    for dpi in (96, 192):
        path = draw_picture(
            tmp_path / f"{dpi}.png", GRID, [result()], PATH[0], PATH[-1], width=10 * dpi, height=8 * dpi, dpi=dpi
        )
        orange = is_like(pixels_of(path), LIGHT.path)
        thickness.append(orange[:, orange.shape[1] // 2].sum())
    assert thickness[1] == pytest.approx(2 * thickness[0], abs=1.1)


@pytest.mark.parametrize(
    ("options", "corner"),
    [({}, LIGHT.canvas), ({"dark": True}, DARK.canvas), ({"background": "#FFEEDD"}, "#FFEEDD")],
)
def test_background(tmp_path, options, corner):
    pixels = pixels_of(draw_picture(tmp_path / "p.png", GRID, [], 0, 5, width=400, height=300, **options))
    assert is_like(pixels[:4], corner, 0).all()
    assert (pixels >> 24 == 255).all()


def test_transparent_background_lets_the_slide_through(tmp_path):
    pixels = pixels_of(
        draw_picture(tmp_path / "p.png", GRID, [], 0, 5, width=400, height=300, background="transparent")
    )
    assert (pixels[:4] >> 24 == 0).all()
    assert (pixels >> 24).max() == 255


def test_a_view_shows_only_its_rectangle(tmp_path):
    bounds = Bounds(-0.5, -0.1, -0.3, 0.1)
    whole = pixels_of(draw_picture(tmp_path / "a.png", GRID, [result()], None, None, width=600, height=600))
    part = pixels_of(draw_picture(tmp_path / "b.png", GRID, [result()], None, None, width=600, height=600, view=bounds))
    assert is_like(whole, LIGHT.path).sum() > 0
    assert not np.array_equal(whole, part)
    columns = np.nonzero(is_like(part, LIGHT.path))[1]
    assert columns.min() > 200  # the path begins a sixth along the grid and leaves the view on its right
    assert columns.max() == 599


def test_a_graph_without_coordinates_is_laid_out(tmp_path):
    graph = graph_of([(0, 1, 4), (1, 2, 1), (2, 0, -7)], None)
    assert layout(graph).shape == (3, 2)
    loop = Result(catalog.variants()[0], {}, graph, 0, 2, cycle=(0, 1, 2))
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
        from gui.export import draw_picture
        from tests.gui.canvas.graphs import street_grid
        draw_picture({str(tmp_path / "a.png")!r}, street_grid(), [], 0, 7, width=320, height=200)
        draw_picture({str(tmp_path / "b.png")!r}, street_grid(), [], 0, 7, width=320, height=200)
    """
    bare = {k: v for k, v in os.environ.items() if k not in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")}
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, env=bare, check=True, timeout=120)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
