"""Streaming PNG writer: a picture of any size needs the memory of one band.

Qt's writer needs the whole QImage and supports neither progress nor cancelling.
"""

from __future__ import annotations

import struct
import zlib
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _RGBA = 2, 6
_FILTER_UP = 2  # each byte minus the one above it: mostly zeros in these pictures
_LEVEL = 6
_PIECE = 1 << 20  # bytes compressed between two cancellation checks
_INCHES_PER_METRE = 1.0 / 0.0254


class Sink(Protocol):
    """Target of a writer: a binary file, or an object that forwards bytes."""

    def write(self, data: bytes, /) -> object: ...


class PngWriter:
    """Writes a PNG row by row.

    Parameters
    ----------
    width, height : int
        Pixels.
    dpi : float
        Stored in the file.
    transparent : bool
        Write 8-bit RGBA, else opaque RGB.
    """

    def __init__(self, file: Sink, width: int, height: int, dpi: float, *, transparent: bool):
        self._file, self._transparent = file, transparent
        self._above = np.zeros(width * (4 if transparent else 3), np.uint8)
        self._deflate = zlib.compressobj(_LEVEL)
        file.write(_SIGNATURE)
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _RGBA if transparent else _RGB, 0, 0, 0))
        per_metre = round(dpi * _INCHES_PER_METRE)
        self._chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1))

    def write(self, pixels: NDArray[np.uint32], progress: Progress = SILENT) -> None:
        """Append rows.

        Parameters
        ----------
        pixels : (rows, width) uint32
            Premultiplied ARGB.

        Raises
        ------
        Cancelled
        """
        rows, self._above = _filtered(pixels, self._above, self._transparent)
        data = memoryview(rows.reshape(-1))
        for start in range(0, len(data), _PIECE):
            progress.checkpoint()
            if packed := self._deflate.compress(data[start : start + _PIECE]):
                self._chunk(b"IDAT", packed)

    def finish(self) -> None:
        """Write the remaining data; call once, after the last row."""
        self._chunk(b"IDAT", self._deflate.flush())
        self._chunk(b"IEND", b"")

    def _chunk(self, kind: bytes, data: bytes) -> None:
        self._file.write(struct.pack(">I", len(data)) + kind + data)
        self._file.write(struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))


@njit(cache=True, nogil=True)
def _filtered(
    pixels: NDArray[np.uint32], above: NDArray[np.uint8], transparent: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The rows filtered for PNG, each preceded by its filter type; and the last row unfiltered."""
    count = 4 if transparent else 3
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
                if transparent and channel < 3 and np.uint32(0) < alpha < np.uint32(255):
                    value = min(np.uint32(255), (value * np.uint32(255) + alpha // np.uint32(2)) // alpha)
                at = count * column + channel
                byte = np.uint8(value)
                result[row, 1 + at] = byte - before[at]
                before[at] = byte
    return result, before
