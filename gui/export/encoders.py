"""Streaming encoders of pictures and animations: PNG, GIF, and MP4 by ffmpeg.

A PNG of any size needs the memory of one band, and a GIF that of one frame; both can be
cancelled. Qt's and Pillow's writers of PNG need the whole picture, and Pillow's of GIF
all frames. So pieces are written here: Pillow orders the bytes of a band and encodes
each frame of a GIF, which has only changed pixels, in a palette that keeps the scheme's
colours exactly; Pillow also chooses the palette entries that these colours leave free.

Tautpath ships no encoder of MP4 (H.264). The extra ``mp4`` installs
imageio-ffmpeg (BSD), whose wheel contains an ffmpeg program under the GPL, run as a
separate process; an ffmpeg on the PATH is used otherwise.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from solvers.errors import Unavailable
from solvers.system.array_types import Int16s, UInt8s, UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _RGBA = 2, 6
_FILTER_UP = 2  # each byte minus the one above it: mostly zeros in these pictures
_LEVEL = 6
_PIECE = 1 << 20  # bytes compressed between two cancellation checks
_INCHES_PER_METRE = 1.0 / 0.0254

# Frames per second: durations count hundredths of a second, and browsers slow down
# frames of less than two.
MOST_RATE = 50
_COLOURS = 255
_SAME = 255  # palette index of "as in the frame before"
_CELL_BITS = 6  # of each channel, in the cache of nearest colours
_SAMPLE_SIDE = 320  # pixels; choosing colours from larger samples would delay cancellation
_KEEP = 1  # disposal: the next frame is drawn over this one
_TABLE_BYTES = 3 * 256

_QUALITY = 18  # x264's constant rate factor: visually lossless
_END_S = 120.0
_LOOK_S = 0.05  # between two cancellation checks
_ASK_S = 10.0
MP4_COMMAND = "pip install imageio-ffmpeg"
_REMEDY = f"install it, or run {MP4_COMMAND}. GIF export works without it."


class Sink(Protocol):
    """Target of a writer: a binary file, or an object that forwards bytes."""

    def write(self, data: bytes, /) -> object: ...


class PngWriter:
    """Writes a PNG row by row: 8-bit RGBA if ``transparent``, else opaque RGB."""

    def __init__(self, file: Sink, width: int, height: int, dpi: float, *, transparent: bool):
        self._file, self._transparent = file, transparent
        self._above = np.zeros(width * (4 if transparent else 3), np.uint8)
        self._deflate = zlib.compressobj(_LEVEL)
        file.write(_SIGNATURE)
        self._chunk(
            b"IHDR",
            struct.pack(">IIBBBBB", width, height, 8, _RGBA if transparent else _RGB, 0, 0, 0),
        )
        per_metre = round(dpi * _INCHES_PER_METRE)
        self._chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1))

    def write(self, pixels: UInt32s, progress: Progress = SILENT) -> None:
        """Append (rows, width) pixels of premultiplied ARGB; raises Cancelled."""
        from PIL import Image  # imported here: it is slow, and few sessions export

        mode, raw = ("RGBA", "BGRa") if self._transparent else ("RGB", "BGRX")
        size, bytes_of_them = pixels.shape[::-1], pixels.astype("<u4", copy=False).tobytes()
        image = Image.frombuffer(mode, size, bytes_of_them, "raw", raw, 0, 1)
        rows = np.asarray(image).reshape(len(pixels), -1)
        filtered: UInt8s = np.empty((len(rows), 1 + rows.shape[1]), np.uint8)
        filtered[:, 0] = _FILTER_UP
        np.subtract(rows[:1], self._above, out=filtered[:1, 1:])
        np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
        self._above = rows[-1]
        data = memoryview(filtered.tobytes())
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


class GifWriter:
    """Writes a GIF frame by frame.

    ``rate``: frames per second, at most `MOST_RATE`. ``palette``, (k, 3) uint8: at most
    255 colours (`make_palette`).
    """

    def __init__(
        self, file: BinaryIO, width: int, height: int, rate: float, *, loop: bool, palette: UInt8s
    ):
        self._file, self._rate, self._palette = file, rate, palette
        self._nearest = np.full(1 << (3 * _CELL_BITS), -1, np.int16)
        self._before = np.full((height, width), _SAME, np.uint8)
        self._waiting: tuple[UInt8s, int, int] | None = None
        self._from = self._count = 0
        table = palette.tobytes().ljust(_TABLE_BYTES, b"\0")
        file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + table)
        if loop:
            file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", 0) + b"\x00")

    def add(self, pixels: UInt32s) -> None:
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
        """Write the pending frame, shown until frame ``upto``; rounded durations add up
        to the rate.
        """
        from PIL import Image
        from PIL.GifImagePlugin import getdata

        if self._waiting is None:
            return
        part, top, left = self._waiting
        hundredths = round(100 * upto / self._rate) - round(100 * self._from / self._rate)
        # the descriptors and the compressed pixels of this frame alone
        for piece in getdata(
            Image.fromarray(part),
            (left, top),
            duration=10 * hundredths,
            transparency=_SAME,
            disposal=_KEEP,
        ):
            self._file.write(piece)


def make_palette(fixed: Sequence[str], samples: Iterable[UInt32s]) -> UInt8s:
    """The palette of an animation: fixed colours, and the best ones for a sample of its frames.

    Colours are "#RRGGBB", frames (h, w) ARGB, and palettes (k, 3), k <= 255.
    """
    from PIL import Image

    true = np.array(
        [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in dict.fromkeys(fixed)], np.uint8
    )
    pieces = [_thinned(pixels) for pixels in samples]
    together = np.concatenate(
        [np.stack([p >> 16, p >> 8, p], axis=-1).astype(np.uint8).reshape(-1, 3) for p in pieces]
    )
    picture = Image.fromarray(together[None], "RGB").quantize(
        _COLOURS - len(true), Image.Quantize.MEDIANCUT
    )
    found = np.array(picture.getpalette(), np.uint8).reshape(-1, 3)
    return np.concatenate((true, found))[:_COLOURS]


def _thinned(pixels: UInt32s) -> UInt32s:
    step = max(1, max(pixels.shape) // _SAMPLE_SIDE)
    return pixels[::step, ::step]


@njit
def _changed(
    pixels: UInt32s, before: UInt8s, palette: UInt8s, nearest: Int16s
) -> tuple[UInt8s, int, int]:
    """Palette indices of the smallest rectangle with all changes, and its top left
    corner; updates ``before``.
    """
    rows, columns = pixels.shape
    drop = 8 - _CELL_BITS
    part = np.full((rows, columns), _SAME, np.uint8)
    top, bottom, left, right = rows, -1, columns, -1
    for row in range(rows):
        for column in range(columns):
            pixel = pixels[row, column]
            red, green, blue = (pixel >> 16) & 255, (pixel >> 8) & 255, pixel & 255
            cell = (
                ((red >> drop) << (2 * _CELL_BITS))
                | ((green >> drop) << _CELL_BITS)
                | (blue >> drop)
            )
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


@njit
def _nearest_colour(palette: UInt8s, red: int, green: int, blue: int) -> int:
    best, least = 0, 1 << 30
    for k in range(palette.shape[0]):
        r, g, b = (
            palette[k, 0] - np.int64(red),
            palette[k, 1] - np.int64(green),
            palette[k, 2] - np.int64(blue),
        )
        away = 3 * r * r + 4 * g * g + 2 * b * b  # weighted by the eye's sensitivity
        if away < least:
            best, least = k, away
    return best


class EncoderUnavailable(Unavailable):
    """There is no ffmpeg on this machine."""


def ffmpeg_program() -> str:
    """Path of an ffmpeg; raises EncoderUnavailable."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        # RuntimeError: the package has no ffmpeg for this platform
        if (found := shutil.which("ffmpeg")) is not None:
            return found
        raise EncoderUnavailable(f"MP4 export needs ffmpeg: {_REMEDY}") from error


def check_encoder() -> None:
    """Ask the ffmpeg found whether it can write H.264, which some distributions leave
    out; takes some 0.1 s.

    Raises EncoderUnavailable.
    """
    program = ffmpeg_program()
    try:
        asked = subprocess.run(
            [program, "-hide_banner", "-encoders"],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EncoderUnavailable(
            f"MP4 export needs ffmpeg, but {program} did not answer: {_REMEDY}"
        ) from error
    if "libx264" not in asked.stdout:
        raise EncoderUnavailable(
            f"MP4 export needs the encoder libx264, which {program} lacks: {_REMEDY}"
        )


class Mp4Writer:
    """Writes an MP4 frame by frame; as a context manager it always ends the ffmpeg
    process. Raises EncoderUnavailable.

    ``width`` and ``height``: even numbers, since H.264 subsamples colours by two.
    ``rate``: frames per second.
    """

    def __init__(self, path: Path, width: int, height: int, rate: float):
        self._rate = rate
        self._last: bytes = b""
        command = [
            ffmpeg_program(),
            "-loglevel",
            "error",
            "-y",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "bgra",
            "-s",
            f"{width}x{height}",
            "-r",
            f"{rate:g}",
            "-i",
            "-",
            "-an",
            "-c:v",
            "libx264",
            "-crf",
            str(_QUALITY),
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
            str(path),
        ]
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the context ends)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._messages
        )

    def __enter__(self) -> Mp4Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # unwritten data is of no interest
            self._process.stdin.close()
        self._messages.close()

    def add(self, pixels: UInt32s) -> None:
        """Append a frame: (h, w) ARGB, opaque. Raises OSError if ffmpeg failed, with
        its last message.
        """
        self._last = np.ascontiguousarray(pixels, dtype="<u4").tobytes()
        self._feed()

    def finish(self, hold_s: float = 0.0, progress: Progress = SILENT) -> None:
        """Hold the last frame for ``hold_s`` seconds, then wait for ffmpeg to finish the file.

        Raises OSError, Cancelled.
        """
        for _ in range(round(hold_s * self._rate)):
            progress.checkpoint()
            self._feed()
        assert self._process.stdin is not None
        self._process.stdin.close()
        end = time.monotonic() + _END_S
        while self._process.poll() is None and time.monotonic() < end:
            progress.checkpoint()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LOOK_S)
        if self._process.poll() != 0:
            raise self._failure()

    def _feed(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(self._last)
        except BrokenPipeError as error:
            self._process.wait(_END_S)
            raise self._failure() from error

    def _failure(self) -> OSError:
        self._messages.seek(0)
        words = self._messages.read().decode(errors="replace").strip().splitlines()
        return OSError(f"ffmpeg failed: {words[-1] if words else 'no message'}")
