"""Streaming GIF writer: stores only changed pixels, in a palette that keeps the scheme's colours exactly.

Pillow's own writer collects all frames in memory; here each frame is freed once it is written. Pillow compresses the
pixels (LZW) and chooses the palette entries that the fixed colours leave free.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

MOST_RATE = (
    50  # frames per second: durations count hundredths of a second, and browsers slow down frames of less than two
)
_COLOURS = 255
_SAME = 255  # palette index of "as in the frame before"
_CELL_BITS = 6  # of each channel, in the cache of nearest colours
_SAMPLE_SIDE = 320  # pixels; choosing colours from larger samples would delay cancellation
_KEEP = 1 << 2  # disposal: the next frame is drawn over this one
_TRANSPARENT = 1
_TABLE_BYTES = 3 * 256
_BEFORE_DATA = 13 + _TABLE_BYTES + 10  # bytes of header, colour table and image descriptor in a GIF of one frame


class GifWriter:
    """Writes a GIF frame by frame.

    Parameters
    ----------
    width, height : int
        Pixels.
    rate : float
        Frames a second, at most 50.
    loop : bool
        Repeat the animation endlessly.
    palette : (k, 3) uint8
        At most 255 colours (`make_palette`).
    """

    def __init__(self, file: BinaryIO, width: int, height: int, rate: float, *, loop: bool, palette: NDArray[np.uint8]):
        self._file, self._rate, self._palette = file, rate, palette
        self._nearest = np.full(1 << (3 * _CELL_BITS), -1, np.int16)
        self._before = np.full((height, width), _SAME, np.uint8)
        self._waiting: tuple[NDArray[np.uint8], int, int] | None = None
        self._from = self._count = 0
        table = palette.tobytes().ljust(_TABLE_BYTES, b"\0")
        file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + table)
        if loop:
            file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", 0) + b"\x00")

    def add(self, pixels: NDArray[np.uint32]) -> None:
        """Append a frame: (h, w) ARGB, opaque."""
        part, top, left = _changed(pixels, self._before, self._palette, self._nearest)
        if part.size or self._waiting is None:  # an unchanged frame only extends the previous one
            self._flush(self._count)
            self._waiting = (part if part.size else np.full((1, 1), _SAME, np.uint8), top, left)
            self._from = self._count
        self._count += 1

    def finish(self, hold_s: float = 0.0, progress: Progress = SILENT) -> None:
        """Write the last frame, held for ``hold_s`` more seconds, and the trailer."""
        progress.checkpoint()
        self._flush(self._count + hold_s * self._rate)
        self._file.write(b";")

    def _flush(self, upto: float) -> None:
        """Write the pending frame, shown until frame ``upto``; rounded durations add up to the rate."""
        if self._waiting is None:
            return
        part, top, left = self._waiting
        hundredths = round(100 * upto / self._rate) - round(100 * self._from / self._rate)
        self._file.write(b"\x21\xf9\x04" + struct.pack("<BHBB", _KEEP | _TRANSPARENT, hundredths, _SAME, 0))
        height, width = part.shape
        self._file.write(b"," + struct.pack("<HHHHB", left, top, width, height, 0))
        self._file.write(_packed(part))


def _packed(indices: NDArray[np.uint8]) -> memoryview:
    """The pixels in GIF's encoding, without the image descriptor; taken from a GIF of this one frame."""
    from PIL import Image  # imported here: it is slow, and few sessions make an animation

    image = Image.fromarray(indices)
    image.putpalette(bytes(_TABLE_BYTES))  # full length, so that the offset of the data is known
    whole = io.BytesIO()
    image.save(whole, "GIF", optimize=False, interlace=False)
    return whole.getbuffer()[_BEFORE_DATA:-1]


def make_palette(fixed: Sequence[str], samples: Iterable[NDArray[np.uint32]]) -> NDArray[np.uint8]:
    """The palette of an animation: fixed colours, and the best ones for a sample of its frames.

    Parameters
    ----------
    fixed : sequence of "#RRGGBB"
    samples : (h, w) uint32 ARGB each

    Returns
    -------
    (k, 3) uint8, k <= 255
    """
    from PIL import Image

    true = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in dict.fromkeys(fixed)], np.uint8)
    pieces = [_thinned(pixels) for pixels in samples]
    together = np.concatenate([np.stack([p >> 16, p >> 8, p], axis=-1).astype(np.uint8).reshape(-1, 3) for p in pieces])
    picture = Image.fromarray(together[None], "RGB").quantize(_COLOURS - len(true), Image.Quantize.MEDIANCUT)
    found = np.array(picture.getpalette(), np.uint8).reshape(-1, 3)
    return np.concatenate((true, found))[:_COLOURS]


def _thinned(pixels: NDArray[np.uint32]) -> NDArray[np.uint32]:
    step = max(1, max(pixels.shape) // _SAMPLE_SIDE)
    return pixels[::step, ::step]


@njit(cache=True, nogil=True)
def _changed(
    pixels: NDArray[np.uint32], before: NDArray[np.uint8], palette: NDArray[np.uint8], nearest: NDArray[np.int16]
) -> tuple[NDArray[np.uint8], int, int]:
    """Palette indices of the smallest rectangle with all changes, and its top left corner; updates ``before``."""
    rows, columns = pixels.shape
    drop = 8 - _CELL_BITS
    part = np.full((rows, columns), _SAME, np.uint8)
    top, bottom, left, right = rows, -1, columns, -1
    for row in range(rows):
        for column in range(columns):
            pixel = pixels[row, column]
            red, green, blue = (pixel >> 16) & 255, (pixel >> 8) & 255, pixel & 255
            cell = ((red >> drop) << (2 * _CELL_BITS)) | ((green >> drop) << _CELL_BITS) | (blue >> drop)
            index = nearest[cell]
            if index < 0:
                index = _nearest_colour(palette, red, green, blue)
                nearest[cell] = index
            if before[row, column] != index:
                before[row, column] = part[row, column] = index
                top, bottom = min(top, row), max(bottom, row)
                left, right = min(left, column), max(right, column)
    if bottom < 0:
        return np.empty((0, 0), np.uint8), 0, 0
    return part[top : bottom + 1, left : right + 1].copy(), top, left


@njit(cache=True, nogil=True)
def _nearest_colour(palette: NDArray[np.uint8], red: int, green: int, blue: int) -> int:
    best, least = 0, 1 << 30
    for k in range(palette.shape[0]):
        r, g, b = palette[k, 0] - np.int64(red), palette[k, 1] - np.int64(green), palette[k, 2] - np.int64(blue)
        away = 3 * r * r + 4 * g * g + 2 * b * b  # weighted by the eye's sensitivity
        if away < least:
            best, least = k, away
    return best
