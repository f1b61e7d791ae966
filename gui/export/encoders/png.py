"""PNG written band by band: a picture of any size in the memory of one band.

Qt's writer takes a whole QImage; 20,000 x 14,000 pixels would be 1.1 GB of it, and neither progress nor Cancel.
"""

from __future__ import annotations

import struct
import zlib
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _RGBA = 2, 6
_FILTER_UP = 2  # each byte less the one above it: in a picture of lines and grounds mostly zeros
_LEVEL = 6
_PIECE = 1 << 20  # bytes that are compressed between two looks at whether to cancel
_INCHES_PER_METRE = 1.0 / 0.0254


class Sink(Protocol):
    """What is written to: a binary file, or what passes bytes on."""

    def write(self, data: bytes, /) -> object: ...


class PngWriter:
    """Writes a PNG's rows as they come.

    Parameters
    ----------
    file : Sink
    width, height : int
        Pixels.
    dpi : float
        Written into the file.
    clear : bool
        Keep the transparency of the pixels (8-bit RGBA); without, opaque RGB.
    """

    def __init__(self, file: Sink, width: int, height: int, dpi: float, *, clear: bool):
        self._file, self._clear = file, clear
        self._above = np.zeros(width * (4 if clear else 3), np.uint8)
        self._deflate = zlib.compressobj(_LEVEL)
        file.write(_SIGNATURE)
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _RGBA if clear else _RGB, 0, 0, 0))
        per_metre = round(dpi * _INCHES_PER_METRE)
        self._chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1))

    def write(self, pixels: NDArray[np.uint32], observer: Observer = SILENT) -> None:
        """Append rows.

        Parameters
        ----------
        pixels : (rows, width) uint32
            Premultiplied ARGB.
        observer : Observer

        Raises
        ------
        Cancelled
        """
        rows, self._above = _filtered(pixels, self._above, self._clear)
        data = memoryview(rows.reshape(-1))
        for start in range(0, len(data), _PIECE):
            observer.checkpoint()
            if packed := self._deflate.compress(data[start : start + _PIECE]):
                self._chunk(b"IDAT", packed)

    def finish(self) -> None:
        """Write what is left; call it once, after the last row."""
        self._chunk(b"IDAT", self._deflate.flush())
        self._chunk(b"IEND", b"")

    def _chunk(self, kind: bytes, data: bytes) -> None:
        self._file.write(struct.pack(">I", len(data)) + kind + data)
        self._file.write(struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))


@njit(cache=True, nogil=True)
def _filtered(
    pixels: NDArray[np.uint32], above: NDArray[np.uint8], clear: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The rows as PNG has them: each led by its filter, each byte less the one above. And the last row, plain."""
    count = 4 if clear else 3
    rows, columns = pixels.shape
    result = np.empty((rows, 1 + count * columns), np.uint8)
    before = above.copy()
    for row in range(rows):
        result[row, 0] = _FILTER_UP
        for column in range(columns):
            pixel = pixels[row, column]
            alpha = pixel >> np.uint32(24)
            for channel in range(count):
                value = (pixel >> np.uint32(16 - 8 * channel)) & np.uint32(0xFF) if channel < 3 else alpha
                if clear and channel < 3 and np.uint32(0) < alpha < np.uint32(255):
                    value = min(np.uint32(255), (value * np.uint32(255) + alpha // np.uint32(2)) // alpha)
                at = count * column + channel
                byte = np.uint8(value)
                result[row, 1 + at] = byte - before[at]
                before[at] = byte
    return result, before
