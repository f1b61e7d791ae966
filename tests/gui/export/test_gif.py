"""GIFs written frame by frame are read back by Pillow as what was put in, at the times that were asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gui.export.gif import GifWriter, make_palette

WHITE, RED, BLUE = 0xFFFFFFFF, 0xFFD55E00, 0xFF0072B2
PALETTE = np.array([[255, 255, 255], [0xD5, 0x5E, 0x00], [0x00, 0x72, 0xB2]], np.uint8)


def moving_square(at: int) -> np.ndarray:
    pixels = np.full((20, 30), WHITE, np.uint32)
    pixels[5:9, at : at + 4] = RED
    pixels[0, 0] = BLUE
    return pixels


def write(path: Path, frames: list[np.ndarray], *, rate: float = 25.0, loop: bool = True, hold: float = 0.0) -> Path:
    with path.open("wb") as file:
        height, width = frames[0].shape
        writer = GifWriter(file, width, height, rate, loop=loop, palette=PALETTE)
        for pixels in frames:
            writer.add(pixels)
        writer.finish(hold)
    return path


def read(path: Path) -> tuple[list[np.ndarray], list[int]]:
    """Frames as opaque ARGB, and how long each is shown, in ms."""
    frames, durations = [], []
    with Image.open(path) as image:
        for k in range(image.n_frames):
            image.seek(k)
            durations.append(image.info["duration"])
            rgb = np.asarray(image.convert("RGB")).astype(np.uint32)
            frames.append(0xFF000000 | (rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2])
    return frames, durations


def test_frames_come_back_pixel_for_pixel(tmp_path):
    frames = [moving_square(at) for at in (0, 3, 11, 26)]
    found, _ = read(write(tmp_path / "f.gif", frames))
    assert len(found) == 4
    for expected, frame in zip(frames, found, strict=True):
        assert np.array_equal(frame, expected)


def test_a_frame_like_the_one_before_prolongs_it(tmp_path):
    frames = [moving_square(at) for at in (0, 0, 0, 5)]
    found, durations = read(write(tmp_path / "f.gif", frames, rate=10, hold=1.0))
    assert durations == [300, 1100]
    assert np.array_equal(found[1], frames[3])


def test_odd_rates_add_up(tmp_path):
    _, durations = read(write(tmp_path / "f.gif", [moving_square(at) for at in range(24)], rate=24))
    assert sum(durations) == 1000
    assert set(durations) == {40, 50}


@pytest.mark.parametrize("loop", [True, False])
def test_it_loops_only_where_asked(tmp_path, loop):
    with Image.open(write(tmp_path / "f.gif", [moving_square(0), moving_square(1)], loop=loop)) as image:
        assert ("loop" in image.info) is loop


def test_a_palette_keeps_the_colours_that_must_be_true():
    random = np.random.default_rng(3)
    sample = (0xFF000000 | random.integers(0, 1 << 24, (80, 80))).astype(np.uint32)
    palette = make_palette(["#0072B2", "#D55E00", "#0072B2"], [sample])
    assert palette[:2].tolist() == [[0x00, 0x72, 0xB2], [0xD5, 0x5E, 0x00]]
    assert 100 < len(palette) <= 255
