"""Runs side by side are exported whole: every pane, its head and the seams, at the size
asked for, in every format.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QImage, QPainter

from gui.export import composition
from gui.export.animation import AnimationOptions, export_animation
from gui.export.composition import GraphComposition, PictureState
from gui.export.encoders import EncoderUnavailable, ffmpeg_program
from gui.export.page import Page
from gui.export.picture import draw_image, export_picture
from gui.export.split_composition import Cell, PaneState, SplitComposition, SplitState, cells_of
from gui.model.playback import Pace
from gui.model.shown_run import synchronised_steps
from solvers.errors import Cancelled, ParameterError
from solvers.picture.colours import DARK, LIGHT
from solvers.picture.scene.camera import Bounds
from solvers.picture.variant_colours import variant_colour
from solvers.system.cancel import CancelToken, Progress
from tests.gui.export.drawn import pixels_of, rendered
from tests.gui.pictures import content_of, is_like, street_grid, trace_of

GRID = street_grid()
RUNS = (
    ("bf-serial", "serial", 40),
    ("dijkstra-heap", "heap", 20),
    ("bf-python", "plain Python", 10),
    ("auto", "automatic", 5),
)
PAGE = Page(901, 643, 96)


def rows_of(count: int) -> list[list[int]]:
    """Frontiers that climb the street grid, row by row."""
    return [list(range(k * 60, k * 60 + 60)) for k in range(count)]


def state(count: int, position: int, pace: Pace = Pace.ITERATIONS, **content: object) -> SplitState:
    """So many runs, of 40, 20, 10 and 5 iterations; the first leads."""
    traces = [trace_of(GRID.n, rows_of(length)) for _, _, length in RUNS[:count]]
    panes = []
    for (variant_id, title, _), trace in zip(RUNS, traces, strict=False):
        steps = synchronised_steps(trace, traces[0], pace)
        seen = content_of(GRID, trace=trace, position=int(steps[position]), **content)
        picture = PictureState(seen, seen.scene.bounds)
        panes.append(PaneState(picture, variant_id, title, steps, with_legend=not panes))
    return SplitState(tuple(panes), len(traces[0]), position, pace, "grid")


def canvas_of(pixels: np.ndarray, cell: Cell) -> np.ndarray:
    return pixels[cell.canvas_top : cell.bottom, cell.left : cell.left + cell.width]


def head_of(pixels: np.ndarray, cell: Cell) -> np.ndarray:
    return pixels[cell.top : cell.canvas_top, cell.left : cell.left + cell.width]


def heights(
    pixels: np.ndarray, cells: tuple[Cell, ...], colour: str = LIGHT.frontier
) -> list[float]:
    """Mean row of the frontier in every pane, from the top of its canvas."""
    return [
        float(np.nonzero(is_like(canvas_of(pixels, cell), colour, 6))[0].mean()) for cell in cells
    ]


# -- places
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize(
    "page", [PAGE, Page(2000, 1400, 300), Page(640, 480, 1200), Page(90, 70, 96)]
)
def test_panes_share_out_every_pixel(count, page):
    taken = np.zeros((page.height, page.width), int)
    cells = cells_of(count, page, captioned=False)
    for cell in cells:
        taken[cell.top : cell.bottom, cell.left : cell.left + cell.width] += 1
    assert taken.max() == 1
    seam = max(1, round(page.ratio))
    assert (taken == 0).sum() == {2: seam * page.height, 3: 2 * seam * page.height}.get(
        count, seam * (page.height + page.width) - seam * seam
    )
    for side in ("width", "height"):
        sizes = [getattr(cell, side) for cell in cells]
        assert max(sizes) - min(sizes) <= 1
    assert all(cell.height >= 3 * cell.head for cell in cells)


def test_what_is_too_small_for_its_panes_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ParameterError, match=r"30 × 30.*too small for 4 panes"):
        export_picture(tmp_path / "p.png", state(4, 0), Page(30, 30))
    assert list(tmp_path.iterdir()) == []


# -- pictures
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "width", "height", "dpi"),
    [(2, 1200, 900, 96), (3, 901, 643, 150), (4, 333, 777, 300)],
)
def test_size_and_dpi_are_those_asked_for(tmp_path, count, width, height, dpi):
    image = QImage(
        str(export_picture(tmp_path / "p.png", state(count, 30), Page(width, height, dpi)))
    )
    assert (image.width(), image.height()) == (width, height)
    assert round(image.dotsPerMeterX() * 0.0254) == dpi


def test_a_picture_20_000_pixels_wide_is_written_tile_by_tile(tmp_path, monkeypatch):
    monkeypatch.setattr(composition, "BAND_PIXELS", 20_000 * 50)
    page = Page(20_000, 240)
    with Image.open(export_picture(tmp_path / "p.png", state(4, 30), page)) as image:
        assert image.size == (20_000, 240)
        pixels = np.asarray(image.convert("RGB")).astype(np.uint32)
    found = heights(
        (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2],
        cells_of(4, page, captioned=True, with_legend=True),
    )
    assert np.isfinite(found).all()  # every pane has its frontier


@pytest.mark.parametrize(
    ("background", "rows"),
    [(None, 200), ("#FFFFFF", 37), ("transparent", 37)],
)
def test_tiles_are_the_picture_drawn_at_once(tmp_path, monkeypatch, background, rows):
    page = Page(501, 403, 96, background, margin=True)
    whole = pixels_of(draw_image(state(4, 12), page))
    monkeypatch.setattr(composition, "BAND_PIXELS", page.width * rows)
    written = pixels_of(QImage(str(export_picture(tmp_path / "p.png", state(4, 12), page))))
    if background != "transparent":
        assert np.array_equal(written, whole)
    else:  # a file keeps colours that are not multiplied by their opacity
        assert np.abs(written.view(np.uint8).astype(int) - whole.view(np.uint8)).max() <= 1


@pytest.mark.parametrize("margin", [False, True])
def test_every_pane_is_the_picture_of_its_own_run(margin):
    page = replace(PAGE, margin=margin)
    split = state(4, 12)
    pixels = pixels_of(draw_image(split, page))
    cells = cells_of(4, page, captioned=True, with_legend=True)
    for cell, pane in zip(cells, split.panes, strict=True):
        alone = GraphComposition(
            pane.picture,
            page.resized(cell.width, cell.height),
            captioned=False,
            with_legend=False,
            legend_room=False,
        )
        assert np.array_equal(canvas_of(pixels, cell), pixels_of(alone.band(0, cell.height)))
    found = heights(pixels, cells)
    assert found[0] == pytest.approx(found[1], abs=1)  # both in iteration 13
    assert found[1] < found[2] - 5 < found[3] - 15  # the others wait at the ends of theirs


@pytest.mark.parametrize("dark", [False, True])
def test_heads_name_variant_and_iteration_and_seams_part_the_panes(dark):
    page, scheme = replace(PAGE, dark=dark), DARK if dark else LIGHT
    first, later = (pixels_of(draw_image(state(4, position), page)) for position in (2, 12))
    cells = cells_of(4, page, captioned=True, with_legend=True)
    for cell, (variant_id, _, _) in zip(cells, RUNS, strict=True):
        head = head_of(first, cell)
        assert is_like(head[:2], scheme.window, 0).all()
        rows, columns = np.nonzero(is_like(head, variant_colour(variant_id, dark), 3))
        assert len(rows) > 40  # the dot
        assert columns.max() < 30
        assert is_like(head[:, 30:], scheme.text, 60).sum() > 50  # the words
        changed = np.nonzero(head != head_of(later, cell))[1]
        assert changed.min() > cell.width / 2  # the iteration stands on the right
    assert is_like(
        first[: cells[-1].bottom, cells[0].left + cells[0].width], scheme.border, 0
    ).all()
    assert is_like(first[cells[0].bottom], scheme.border, 0).all()
    assert is_like(first[cells[-1].bottom + 2 :], scheme.text, 60).sum() > 20  # the caption


def test_the_words_of_the_heads_are_those_of_the_moment():
    def words(split: SplitState) -> list[str]:
        return [head.progress[0] for head in split.heads]

    assert words(state(3, 12)) == [
        "iteration 13 of 40",
        "iteration 13 of 20",
        "iteration 10 of 10, done",
    ]
    assert words(state(3, 39)) == ["iteration 40 of 40", "iteration 20 of 20", "iteration 10 of 10"]
    assert words(state(3, 12).at(39)) == words(state(3, 39))
    assert [head.bold for head in state(3, 12).heads] == [True, True, False]
    assert words(state(2, 9, Pace.TIME)) == [
        "iteration 10 of 40  ·  1.00 ms",
        "iteration 10 of 20  ·  1.00 ms",
    ]


def test_a_run_without_a_trace_says_so_and_stays_as_it_is():
    split = state(2, 12)
    untraced = replace(
        split.panes[1],
        picture=PictureState(content_of(GRID), split.panes[1].picture.view),
        steps=np.empty(0),
    )
    mixed = replace(split, panes=(split.panes[0], untraced))
    assert mixed.heads[1].progress == ("not traced",)
    cells = cells_of(2, PAGE, captioned=True, with_legend=True)
    before, after = (pixels_of(draw_image(some, PAGE)) for some in (mixed, mixed.at(30)))
    assert np.array_equal(canvas_of(before, cells[1]), canvas_of(after, cells[1]))
    assert not np.array_equal(canvas_of(before, cells[0]), canvas_of(after, cells[0]))


def test_all_of_it_shows_the_whole_graph_in_every_pane():
    split = state(4, 12)
    near = Bounds(0.0, 0.0, 0.1, 0.1)
    close = replace(
        split, panes=tuple(replace(p, picture=replace(p.picture, view=near)) for p in split.panes)
    )
    page = replace(PAGE, margin=True)
    pixels = [pixels_of(draw_image(some, page)) for some in (split.whole(), close.whole(), close)]
    assert np.array_equal(pixels[0], pixels[1])
    assert not np.array_equal(pixels[1], pixels[2])


# -- vectors
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1000, 50_000])
def test_the_svg_shows_what_the_png_shows(tmp_path, monkeypatch, most):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    split = state(4, 12, source=0, target=2399)
    path = export_picture(tmp_path / "p.svg", split, PAGE)
    drawn, expected = rendered(path, PAGE.width, PAGE.height), pixels_of(draw_image(split, PAGE))
    cells = cells_of(4, PAGE, captioned=True, with_legend=True)
    assert heights(drawn, cells) == pytest.approx(heights(expected, cells), abs=1)
    for cell in cells:
        for colour in (LIGHT.source, LIGHT.target, LIGHT.frontier):
            mine, theirs = (
                is_like(canvas_of(p, cell), colour, 12).sum() for p in (drawn, expected)
            )
            assert mine == pytest.approx(theirs, rel=0.25), colour
        mine, theirs = (is_like(head_of(p, cell), LIGHT.text, 60).sum() for p in (drawn, expected))
        assert mine == pytest.approx(theirs, rel=0.3)
    text = path.read_text()
    assert text.count("<image") == (1 if most == 1000 else 0)
    assert 'viewBox="0 0 901 643"' in text


def test_the_edges_of_all_panes_count(tmp_path, monkeypatch):
    edges = 60 * 39 + 59 * 40
    monkeypatch.setattr(composition, "VECTOR_EDGES", 2 * edges + 1)
    counts = []
    for count in (2, 3):
        path = export_picture(tmp_path / f"{count}.svg", state(count, 12), PAGE)
        counts.append(path.read_text().count("<image"))
    assert counts == [0, 1]


@pytest.mark.parametrize("most", [1, 50_000])
def test_nothing_of_a_pane_lies_in_another(tmp_path, monkeypatch, most):
    """The source is out of view, just where the pane beside it, or below, begins."""
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    split = state(4, 12, source=30 + 20 * 60)
    x, y = split.panes[0].picture.content.scene.positions[30 + 20 * 60]
    cells = cells_of(4, PAGE, captioned=True, with_legend=True)
    right, below = (
        Bounds(x - 0.3, y - 0.05, x - 0.001, y + 0.05),
        Bounds(x - 0.05, y - 0.2, x + 0.05, y - 0.001),
    )
    for view, expected in ((right, "right"), (below, "below")):
        near = replace(split.panes[0].picture, view=view)
        bare = replace(
            split.panes[1].picture, content=replace(split.panes[1].picture.content, source=None)
        )
        others = [replace(pane, picture=bare) for pane in split.panes[1:]]
        some = replace(split, panes=(replace(split.panes[0], picture=near), *others))
        drawn = rendered(export_picture(tmp_path / "p.svg", some, PAGE), PAGE.width, PAGE.height)
        own = is_like(canvas_of(drawn, cells[0]), LIGHT.source, 12).sum()
        assert own > 5, expected  # a part of the triangle looks in
        assert is_like(drawn, LIGHT.source, 12).sum() == own, expected


def test_names_in_the_file_are_given_once(tmp_path):
    answer = np.arange(GRID.n, dtype=np.int32)
    split = state(4, 12, answer=answer)
    split = replace(split, panes=tuple(replace(pane, with_legend=True) for pane in split.panes))
    path = export_picture(tmp_path / "p.svg", split, PAGE)
    names = [e.get("id") for e in ElementTree.parse(path).iter() if e.get("id")]
    assert len(names) == len(set(names))
    used = set(re.findall(r"""(?:url\(|href=")#([^)"]*)[)"]""", path.read_text()))
    assert used == set(names)
    assert {re.sub(r"\d+$", "", name) for name in names} == {"part", "clip", "part4-gradient"}, (
        "one legend for all"
    )


def test_in_narrow_panes_titles_and_legend_are_whole():
    """On a column of paper, titles were "BF ed..." and the legend was cut off at the seam."""
    page = Page(1063, 700, 300)
    split = state(3, 12, answer=np.arange(GRID.n, dtype=np.int32))
    titled = (
        replace(pane, variant_id="bf-edge-flags", title="Bellman-Ford edge + flags")
        for pane in split.panes
    )
    split = replace(split, panes=tuple(titled))
    written: list[str] = []

    class Listener(QPainter):
        def drawText(self, *arguments: object) -> None:
            written.append(str(arguments[-1]))
            super().drawText(*arguments)

    image = QImage(page.width, page.height, QImage.Format.Format_ARGB32)
    painter = Listener(image)
    SplitComposition(split, page)._paint_frame(painter)
    painter.end()
    assert written.count("BF edge + flags") == 3
    assert not [words for words in written if "…" in words]
    cells = cells_of(3, page, captioned=True, with_legend=True, head_rows=2)
    low, high = cells[0].bottom, cells[0].bottom + (page.height - cells[0].bottom) // 2
    pixels = pixels_of(draw_image(split, page))
    coloured = np.nonzero(~is_like(pixels[low + 4 : high], LIGHT.window, 30))[1]
    assert coloured.min() > 0
    assert coloured.max() < page.width - 10, "the row of the legend ends before the page does"


# -- animations
# --------------------------------------------------------------------------------------


def test_an_animation_moves_every_pane_in_step(tmp_path):
    path = export_animation(
        tmp_path / "f.gif", state(4, 39), PAGE, AnimationOptions(0, 39, every=3, rate=10)
    )
    cells = cells_of(4, PAGE, captioned=True, with_legend=True)
    found = []
    with Image.open(path) as image:
        assert image.size == (PAGE.width, PAGE.height)
        assert image.n_frames == 14
        for k in range(image.n_frames):
            image.seek(k)
            rgb = np.asarray(image.convert("RGB")).astype(np.uint32)
            pixels = (rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2]
            found.append(heights(pixels, cells))
            if k == 5:  # no dot has lost its colour to the palette
                for cell, (variant_id, _, _) in zip(cells, RUNS, strict=True):
                    assert (
                        is_like(head_of(pixels, cell), variant_colour(variant_id, False), 2).sum()
                        > 30
                    )
    for pane, (_, _, length) in enumerate(RUNS):
        rows = [heights_now[pane] for heights_now in found]
        moving = [at for at in range(len(rows)) if 3 * at <= length - 1]
        assert all(rows[b] < rows[a] - 2 for a, b in pairwise(moving))
        waiting = rows[len(moving) + 1 :]
        assert np.ptp(waiting) < 1 if waiting else length == 40


def test_an_mp4_has_all_panes(tmp_path):
    try:
        ffmpeg_program()
    except EncoderUnavailable as error:
        pytest.skip(str(error))
    path = export_animation(tmp_path / "f.mp4", state(4, 39), PAGE, AnimationOptions(0, 5, rate=10))
    data = path.read_bytes()
    tkhd = data.index(b"tkhd")  # ends in width and height, 16.16 fixed point
    assert int.from_bytes(data[tkhd + 80 : tkhd + 82]) == 900
    assert int.from_bytes(data[tkhd + 84 : tkhd + 86]) == 642


class Patience:
    """A hook that cancels at its ``last``-th call."""

    def __init__(self, last: int):
        self.left = last

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled("The export")


@pytest.mark.parametrize(
    ("name", "most"), [("p.png", 1), ("p.svg", 1), ("p.svg", 50_000), ("f.gif", 1)]
)
def test_cancel_is_heard_everywhere_and_leaves_nothing(tmp_path, monkeypatch, name, most):
    monkeypatch.setattr(composition, "VECTOR_EDGES", most)
    page, split = Page(300, 200), state(4, 39)

    def export(patience: Patience) -> None:
        progress = Progress(CancelToken(patience))
        if name.endswith(".gif"):
            export_animation(tmp_path / name, split, page, AnimationOptions(0, 3), progress)
        else:
            export_picture(tmp_path / name, split, page, progress)

    checkpoints = Patience(10**9)
    export(checkpoints)
    count = 10**9 - checkpoints.left
    assert count > 8  # at least once for every pane, and between
    for path in tmp_path.iterdir():
        path.unlink()
    for last in sorted(
        {*range(min(count, 12)), *np.linspace(0, count - 1, 12).astype(int).tolist()}
    ):
        with pytest.raises(Cancelled):
            export(Patience(last))
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pace", list(Pace))
def test_steps_are_those_of_the_locked_run(pace):
    leader, other = trace_of(GRID.n, rows_of(40)), trace_of(GRID.n, rows_of(10))
    steps = synchronised_steps(other, leader, pace)
    assert len(steps) == 40
    expected = [k * 9 // 39 if pace is Pace.PROGRESS else min(k, 9) for k in range(40)]
    assert steps.tolist() == expected
