"""PNGs written in bands are read back by Qt as what was put in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gui.export.png import PngWriter
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Progress


def noise(height: int, width: int, *, opaque: bool) -> np.ndarray:
    """Random premultiplied ARGB."""
    random = np.random.default_rng(7)
    alpha = np.full((height, width), 255) if opaque else random.choice([0, 3, 128, 255], (height, width))
    channels = (random.integers(0, 256, (3, height, width)) * alpha) // 255
    return ((alpha << 24) | (channels[0] << 16) | (channels[1] << 8) | channels[2]).astype(np.uint32)


def write(path: Path, pixels: np.ndarray, bands: list[int], *, transparent: bool) -> QImage:
    with path.open("wb") as file:
        writer = PngWriter(file, pixels.shape[1], pixels.shape[0], 300, transparent=transparent)
        for band in np.split(pixels, bands):
            writer.write(band)
        writer.finish()
    return QImage(str(path))


def read(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


@pytest.mark.parametrize("bands", [[], [1], [5, 6, 30]])
def test_opaque_pixels_come_back_as_they_were(tmp_path, bands):
    pixels = noise(41, 33, opaque=True)
    image = write(tmp_path / "p.png", pixels, bands, transparent=False)
    assert not image.hasAlphaChannel()
    assert np.array_equal(read(image), pixels)
    assert round(image.dotsPerMeterX() * 0.0254) == 300


def test_transparent_pixels_come_back_within_what_premultiplying_loses(tmp_path):
    pixels = noise(40, 64, opaque=False)
    back = read(write(tmp_path / "p.png", pixels, [13], transparent=True))
    assert np.array_equal(back >> 24, pixels >> 24)
    for shift in (16, 8, 0):
        apart = ((back >> shift) & 0xFF).astype(int) - ((pixels >> shift) & 0xFF).astype(int)
        assert np.abs(apart).max() <= 1


def test_cancel_is_heard_within_a_band(tmp_path):
    token = CancelToken()
    with (tmp_path / "p.png").open("wb") as file:
        writer = PngWriter(file, 64, 64, 96, transparent=False)
        token.cancel()
        with pytest.raises(Cancelled):
            writer.write(noise(64, 64, opaque=True), Progress(token))
