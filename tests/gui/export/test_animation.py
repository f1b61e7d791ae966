"""Animations of the play-back: the frames that were asked for, read back from GIF and
MP4 as they were written.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gui.export import encoders
from gui.export.animation import HOLD_S, AnimationOptions, export_animation
from gui.export.composition import MatrixState, PictureState, image_pixels, whole_image
from gui.export.encoders import (
    EncoderUnavailable,
    GifWriter,
    Mp4Writer,
    check_encoder,
    ffmpeg_program,
    make_palette,
)
from gui.export.page import Page
from solvers.core.recorder import MatrixRecorder
from solvers.errors import Cancelled, FileNotWritten, ParameterError
from solvers.features.closed_roads.marks import road_marks
from solvers.features.lesson.lesson import StepProgress, steps_of
from solvers.picture.colours import LIGHT
from solvers.picture.matrix import MatrixContent
from solvers.picture.scene.activity import Activity, Legend
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.values import VertexValues
from solvers.system.cancel import CancelToken, Progress
from tests.gui.pictures import content_of, is_like, street_grid, textbook, trace_of, watched

GRID = street_grid()
ROWS = 40
PAGE = Page(480, 360, 96, margin=True)
ABOVE_LEGEND = 300  # rows


def state() -> PictureState:
    """A frontier that is row k of the street grid in iteration k (row 0 lies lowest)."""
    trace = trace_of(GRID.n, [list(range(k * 60, k * 60 + 60)) for k in range(ROWS)])
    content = content_of(
        GRID, trace=trace, answer=np.arange(GRID.n, dtype=np.int32), position=ROWS - 1
    )
    return PictureState(content, content.scene.bounds, "grid")


def frames_of(path: Path) -> tuple[list[np.ndarray], list[int]]:
    """Opaque ARGB of every frame of a GIF, and how long each is shown, in ms."""
    frames, durations = [], []
    with Image.open(path) as image:
        for k in range(image.n_frames):
            image.seek(k)
            durations.append(image.info["duration"])
            rgb = np.asarray(image.convert("RGB")).astype(np.uint32)
            frames.append(0xFF000000 | (rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2])
    return frames, durations


def frontier_height(frame: np.ndarray) -> float:
    """Mean row of the pixels in the frontier's colour, or NaN."""
    rows, _ = np.nonzero(is_like(frame[:ABOVE_LEGEND], LIGHT.frontier, 2))
    return float(rows.mean()) if len(rows) else float("nan")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (AnimationOptions(0, 9), list(range(10))),
        (AnimationOptions(3, 9, every=3), [3, 6, 9]),
        (AnimationOptions(0, 9, every=4), [0, 4, 8, 9]),
        (AnimationOptions(5, 5), [5]),
    ],
)
def test_the_last_iteration_is_always_a_frame(options, expected):
    assert options.positions(10) == expected


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        (AnimationOptions(0, 10), "iterations"),
        (AnimationOptions(4, 3), "iterations"),
        (AnimationOptions(0, 9, every=0), "every"),
        (AnimationOptions(0, 9, rate=60), "rate"),
    ],
)
def test_what_the_run_does_not_have_is_refused(options, parameter):
    with pytest.raises(ParameterError, match=parameter):
        options.positions(10)


def test_every_frame_shows_its_iteration(tmp_path):
    path = export_animation(
        tmp_path / "f.gif", state(), PAGE, AnimationOptions(0, ROWS - 1, every=3, rate=10)
    )
    frames, durations = frames_of(path)
    assert len(frames) == 14
    assert {frame.shape for frame in frames} == {(360, 480)}
    assert sum(durations) == 1000 * (14 / 10 + HOLD_S)
    heights = [frontier_height(frame) for frame in frames]
    assert np.isfinite(heights).all()
    assert (np.diff(heights) < 0).all()  # it climbs from the lowest row to the highest
    assert np.ptp(heights) == pytest.approx(np.diff(heights)[:-1].mean() * -13, rel=0.05)


def test_the_palette_has_the_colours_of_the_legend(tmp_path):
    """Few pixels of a picture of levels belong to the first ones."""
    shade = np.full(GRID.n, 255, np.uint8)
    shade[700] = 0
    legend = Legend("level", 0, 9, "", ramp=Ramp.LEVELS, ends=("top", "leaves"))
    values = VertexValues(shade, np.zeros(GRID.n, np.int32), legend)
    content = content_of(GRID, trace=trace_of(GRID.n, [[0], [1]]), values=values)
    path = export_animation(
        tmp_path / "f.gif",
        PictureState(content, content.scene.bounds),
        PAGE,
        AnimationOptions(0, 1),
    )
    with Image.open(path) as animation:
        colours = np.array(animation.getpalette()).reshape(-1, 3)
    for wanted in ramp_colours(Ramp.LEVELS, False)[::17].round():
        assert np.abs(colours - wanted).max(axis=1).min() <= 1


def test_first_and_last_frame_are_those_of_the_range(tmp_path):
    one = [
        frames_of(export_animation(tmp_path / f"{k}.gif", state(), PAGE, AnimationOptions(k, k)))[
            0
        ][0]
        for k in (10, 11)
    ]
    both, _ = frames_of(
        export_animation(tmp_path / "f.gif", state(), PAGE, AnimationOptions(10, 11))
    )
    assert [frontier_height(f) for f in both] == pytest.approx(
        [frontier_height(f) for f in one], abs=0.5
    )


def test_a_frame_shows_the_iterations_since_the_one_before(tmp_path):
    (one,), _ = frames_of(
        export_animation(tmp_path / "1.gif", state(), PAGE, AnimationOptions(20, 20))
    )
    (five,), _ = frames_of(
        export_animation(tmp_path / "5.gif", state(), PAGE, AnimationOptions(20, 20, every=5))
    )
    rows_of_one, rows_of_five = (
        np.ptp(np.nonzero(is_like(frame[:ABOVE_LEGEND], LIGHT.frontier, 12))[0])
        for frame in (one, five)
    )
    assert rows_of_five > rows_of_one + 3 * 5


def test_the_path_appears_with_the_end(tmp_path):
    """A run does not know it before."""
    path = np.arange(20 * 60, 20 * 60 + 50, dtype=np.int32)
    whole = state()
    raced = replace(whole, content=replace(whole.content, path=path))
    frames, _ = frames_of(
        export_animation(tmp_path / "f.gif", raced, PAGE, AnimationOptions(ROWS - 3, ROWS - 1))
    )
    assert [is_like(frame, LIGHT.path, 4).sum() > 200 for frame in frames] == [False, False, True]


def test_a_picture_has_the_lessons_step_and_a_film_has_whole_iterations():
    whole = replace(watched(textbook(), "bf-serial"), position=0)
    steps = steps_of(whole.explanation)
    begun = replace(whole.explanation, progress=StepProgress(steps, steps[:1]))
    state = PictureState(replace(whole, begun=begun), whole.scene.bounds)
    page, pictures = state.compose(PAGE), []
    for _ in range(2):
        pictures.append(image_pixels(page.band(0, PAGE.height)))
        page.move(0)
    assert state.at(0).content.explanation.progress is None
    improved = [is_like(picture, LIGHT.good, 8).sum() for picture in pictures]
    assert improved[0] + 100 < improved[1], "one arc in the legend, three in the film"


ROW = np.arange(20 * 60, 20 * 60 + 50, dtype=np.int32)
HIGHLIGHTS = {
    "path": {"path": ROW},
    "path before": {"path_before": ROW},
    "closed roads": {
        "road_marks": road_marks(ROW[:2][None], np.array([np.inf]), np.array([False]))
    },
    "isochrone": {
        "activity": Activity(
            GRID.n,
            np.arange(GRID.n, dtype=np.int32),
            trace_of(GRID.n, [[k] for k in range(ROWS)]),
            budget=600.0,
        )
    },
    "cycle": {"cycle": (0, 1, 61, 60)},
    "markers": {"source": 0, "target": 900, "more_sources": (500,)},
}


@pytest.mark.parametrize("name", HIGHLIGHTS)
def test_every_highlight_is_in_every_frame(name):
    content = replace(state().content, **HIGHLIGHTS[name])
    film = PictureState(content, content.scene.bounds).compose(PAGE)
    for position in (ROWS - 1,) if name == "path" else (3, 20):
        film.move(position)
        shown = replace(content, position=position)
        frame = image_pixels(film.band(0, PAGE.height))
        assert np.array_equal(
            frame, image_pixels(whole_image(PictureState(shown, shown.scene.bounds).compose(PAGE)))
        )
        plain = PictureState(
            replace(state().content, position=position), content.scene.bounds
        ).compose(PAGE)
        assert not np.array_equal(frame, image_pixels(whole_image(plain)))


def test_a_palette_has_the_colours_of_lessons_and_closed_roads(tmp_path):
    path = export_animation(tmp_path / "f.gif", state(), PAGE, AnimationOptions(0, 1))
    with Image.open(path) as animation:
        colours = np.array(animation.getpalette()).reshape(-1, 3)
    for token in (LIGHT.good, LIGHT.bad, LIGHT.warning, LIGHT.selection):
        wanted = [int(token[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(colours - wanted).max(axis=1).min() <= 1


def test_an_animation_of_the_matrix_shows_the_tiles(tmp_path):
    recorder = MatrixRecorder(8)
    for step in range(2):
        recorder.matrix_step(step, 1, [[4 * step, 4 * step + 4] * 2], np.full((8, 8), 5.0), 0.1)
        recorder.matrix_step(
            step, 2, [[4 * step, 4 * step + 4, 4 - 4 * step, 8 - 4 * step]], None, 0.1
        )
    graph = street_grid(4, 2)
    content = MatrixContent(graph, None, recorder.finish())
    path = export_animation(
        tmp_path / "m.gif",
        MatrixState(content, Bounds(0, 0, 8, 8), "m"),
        PAGE,
        AnimationOptions(0, 2, every=2),
    )
    first, last = (np.argwhere(is_like(f, "#D2600A", 30)).mean(axis=0) for f in frames_of(path)[0])
    assert (last > first + 40).all()  # the pivot tile went down the diagonal


def test_cancel_leaves_no_file(tmp_path):
    token, told = CancelToken(), []

    def note(done: float, total: float) -> None:
        told.append(done / total)
        if done / total > 0.4:
            token.cancel()

    with pytest.raises(Cancelled):
        export_animation(
            tmp_path / "f.gif", state(), PAGE, AnimationOptions(0, ROWS - 1), Progress(token, note)
        )
    assert told[-1] < 0.6
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "page", "words"),
    [
        ("f.avi", PAGE, r"f\.avi.*must end in \.gif or \.mp4"),
        ("f.gif", Page(480, 360, background="transparent"), "an animation must be opaque"),
        ("f.gif", Page(5000, 360), "4\u202f096"),
    ],
)
def test_what_no_animation_can_be_is_refused(tmp_path, name, page, words):
    with pytest.raises(ParameterError, match=words):
        export_animation(tmp_path / name, state(), page, AnimationOptions(0, 3))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotWritten, match="nowhere"):
        export_animation(tmp_path / "nowhere" / "f.gif", state(), PAGE, AnimationOptions(0, 3))


WHITE, RED, BLUE = 0xFFFFFFFF, 0xFFD55E00, 0xFF0072B2
COLOURS = [[255, 255, 255], [0xD5, 0x5E, 0x00], [0x00, 0x72, 0xB2]]


def moving_square(at: int) -> np.ndarray:
    pixels = np.full((20, 30), WHITE, np.uint32)
    pixels[5:9, at : at + 4] = RED
    pixels[0, 0] = BLUE
    return pixels


def write(
    path: Path,
    frames: list[np.ndarray],
    *,
    rate: float = 25.0,
    loop: bool = True,
    hold: float = 0.0,
) -> Path:
    with path.open("wb") as file:
        height, width = frames[0].shape
        palette = Image.new("P", (1, 1))
        palette.putpalette(np.array(COLOURS, np.uint8).tobytes())
        writer = GifWriter(file, width, height, rate, loop=loop, palette=palette)
        for pixels in frames:
            writer.add(pixels)
        writer.finish(hold)
    return path


def test_frames_come_back_pixel_for_pixel(tmp_path):
    frames = [moving_square(at) for at in (0, 3, 11, 26)]
    found, _ = frames_of(write(tmp_path / "f.gif", frames))
    assert len(found) == 4
    for expected, frame in zip(frames, found, strict=True):
        assert np.array_equal(frame, expected)


def test_a_frame_like_the_one_before_prolongs_it(tmp_path):
    frames = [moving_square(at) for at in (0, 0, 0, 5)]
    found, durations = frames_of(write(tmp_path / "f.gif", frames, rate=10, hold=1.0))
    assert durations == [300, 1100]
    assert np.array_equal(found[1], frames[3])


def test_odd_rates_add_up(tmp_path):
    _, durations = frames_of(
        write(tmp_path / "f.gif", [moving_square(at) for at in range(24)], rate=24)
    )
    assert sum(durations) == 1000
    assert set(durations) == {40, 50}


@pytest.mark.parametrize("loop", [True, False])
def test_it_loops_only_where_asked(tmp_path, loop):
    with Image.open(
        write(tmp_path / "f.gif", [moving_square(0), moving_square(1)], loop=loop)
    ) as image:
        assert ("loop" in image.info) is loop


def test_a_palette_keeps_the_colours_that_must_be_true():
    random = np.random.default_rng(3)
    sample = (0xFF000000 | random.integers(0, 1 << 24, (80, 80))).astype(np.uint32)
    palette = np.array(
        make_palette(["#0072B2", "#D55E00", "#0072B2"], [sample]).getpalette()
    ).reshape(-1, 3)
    assert palette[:2].tolist() == [[0x00, 0x72, 0xB2], [0xD5, 0x5E, 0x00]]
    assert 100 < len(palette) <= 255


@pytest.fixture
def ffmpeg() -> str:
    try:
        return ffmpeg_program()
    except EncoderUnavailable as error:
        pytest.skip(str(error))


def frame(grey: int) -> np.ndarray:
    return np.full((48, 64), 0xFF000000 | grey * 0x010101, np.uint32)


def decoded(ffmpeg: str, path: Path) -> np.ndarray:
    """(frames, 48, 64) grey values."""
    command = [
        ffmpeg,
        "-loglevel",
        "error",
        "-i",
        str(path),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "gray",
        "-",
    ]
    data = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    return np.frombuffer(data, np.uint8).reshape(-1, 48, 64)


def test_frames_come_back_in_order(tmp_path, ffmpeg):
    with Mp4Writer(tmp_path / "f.mp4", 64, 48, 10) as writer:
        for grey in (20, 120, 220):
            writer.add(frame(grey))
        writer.finish(0.5)
    found = decoded(ffmpeg, tmp_path / "f.mp4").mean(axis=(1, 2))
    assert len(found) == 3 + 5
    assert np.abs(found - [20, 120, 220, 220, 220, 220, 220, 220]).max() < 6


def test_an_mp4_of_odd_size_is_cut_to_an_even_one(tmp_path, ffmpeg):
    path = export_animation(
        tmp_path / "f.mp4", state(), Page(321, 241, margin=True), AnimationOptions(0, 4, rate=10)
    )
    data = path.read_bytes()
    assert data[4:8] == b"ftyp"
    tkhd = data.index(b"tkhd")  # ends in width and height, 16.16 fixed point
    assert int.from_bytes(data[tkhd + 80 : tkhd + 82]) == 320
    assert int.from_bytes(data[tkhd + 84 : tkhd + 86]) == 240


def test_what_ffmpeg_says_is_told(tmp_path, ffmpeg):
    def animation() -> None:
        with Mp4Writer(tmp_path / "nowhere" / "f.mp4", 64, 48, 10) as writer:
            writer.add(frame(0))
            writer.finish()

    with pytest.raises(OSError, match=r"ffmpeg failed: .*No such file"):
        animation()


@pytest.mark.skipif(sys.platform == "win32", reason="nothing there stops a program for a while")
def test_cancel_is_heard_while_the_file_is_ended(tmp_path, ffmpeg):
    token = CancelToken()
    with Mp4Writer(tmp_path / "f.mp4", 64, 48, 10) as writer:
        writer.add(frame(0))
        process = writer._process
        process.send_signal(signal.SIGSTOP)  # it would not end by itself
        threading.Timer(0.3, token.cancel).start()
        with pytest.raises(Cancelled):
            writer.finish(0.0, Progress(token))
    assert process.poll() is not None


def test_leaving_early_ends_the_program(tmp_path, ffmpeg):
    with Mp4Writer(tmp_path / "f.mp4", 64, 48, 10) as writer:
        writer.add(frame(0))
        process = writer._process
    assert process.poll() is not None


def test_without_ffmpeg_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(EncoderUnavailable, match=r"pip install imageio-ffmpeg"):
        export_animation(tmp_path / "f.mp4", state(), PAGE, AnimationOptions(0, 3))
    assert list(tmp_path.iterdir()) == []


def test_an_ffmpeg_on_the_path_serves(monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/somewhere/{name}")
    assert ffmpeg_program() == "/somewhere/ffmpeg"


def test_an_ffmpeg_without_the_encoder_is_told_before_an_animation_is_made(monkeypatch, tmp_path):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho ' V..... mpeg4  MPEG-4 part 2'\n")
    program.chmod(0o755)
    monkeypatch.setattr(encoders, "ffmpeg_program", lambda: str(program))
    with pytest.raises(
        EncoderUnavailable, match=r"libx264, which .* lacks: install it, or run pip install"
    ):
        check_encoder()
    program.write_text("#!/bin/sh\necho ' V....D libx264  H.264'\n")
    check_encoder()
    monkeypatch.setattr(encoders, "ffmpeg_program", lambda: str(tmp_path / "none"))
    with pytest.raises(EncoderUnavailable, match="did not answer"):
        check_encoder()
