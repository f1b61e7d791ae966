"""Encoders of pictures and animations: PNG and GIF by Pillow, and MP4 by ffmpeg.

A picture is put together from bands, so that nothing but its pixels is held. An
animation is written frame by frame: Pillow's own writer of several frames holds all of
them. All can be cancelled.

Tautpath ships no encoder of MP4 (H.264). The extra ``mp4`` installs
imageio-ffmpeg (BSD), whose wheel contains an ffmpeg program under the GPL, run as a
separate process; an ffmpeg on the PATH is used otherwise.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

import numpy as np

from solvers.errors import Unavailable
from solvers.system.array_types import UInt32s
from solvers.system.cancel import SILENT, Progress

if TYPE_CHECKING:
    from PIL.Image import Image  # imported late elsewhere: it is slow, and few sessions export

# Frames per second: durations count hundredths of a second, and browsers slow down
# frames of less than two.
MOST_RATE = 50
_COLOURS = 255
_SAME = 255  # palette index of "as in the frame before"
_SAMPLE_SIDE = 320  # pixels; choosing colours from larger samples would delay cancellation
_KEEP = 1  # disposal: the next frame is drawn over this one
_LEVEL = 4  # of a PNG: as small as by 6, and written in three quarters of the time

_QUALITY = 18  # x264's constant rate factor: visually lossless
_END_S = 120.0
_LOOK_S = 0.05  # between two cancellation checks
_ASK_S = 10.0
MP4_COMMAND = "pip install imageio-ffmpeg"
_REMEDY = f"install it, or run {MP4_COMMAND}. GIF export works without it."


class Sink(Protocol):
    """Target of a writer: a binary file, or an object that forwards bytes."""

    def write(self, data: bytes, /) -> object: ...


def write_png(
    file: Sink,
    size: tuple[int, int],
    bands: Iterable[UInt32s],
    dpi: float,
    *,
    transparent: bool = False,
    progress: Progress = SILENT,
) -> None:
    """Write a PNG of (width, height) pixels: 8-bit RGBA if ``transparent``, else opaque RGB.

    ``bands``: (rows, width) pixels of premultiplied ARGB, top to bottom. Raises
    Cancelled.
    """
    from PIL import Image

    whole, top = Image.new("RGBA" if transparent else "RGB", size), 0
    for pixels in bands:
        whole.paste(_image_of(pixels, transparent=transparent), (0, top))
        top += len(pixels)
    watched = cast(BinaryIO, _Watched(file, progress))
    whole.save(watched, "PNG", dpi=(dpi, dpi), compress_level=_LEVEL)


def _image_of(pixels: UInt32s, *, transparent: bool = False) -> Image:
    from PIL import Image

    mode, raw = ("RGBA", "BGRa") if transparent else ("RGB", "BGRX")
    size, data = pixels.shape[::-1], pixels.astype("<u4", copy=False).tobytes()
    return Image.frombuffer(mode, size, data, "raw", raw, 0, 1)


class _Watched:
    """A file that ends a writer of Pillow's when the work is cancelled."""

    def __init__(self, file: Sink, progress: Progress):
        self._file, self._progress = file, progress

    def write(self, data: bytes) -> int:
        self._progress.checkpoint()
        self._file.write(data)
        return len(data)


class GifWriter:
    """Writes a GIF frame by frame, of each what has changed.

    ``rate``: frames per second, at most `MOST_RATE`. ``palette``: an image with at most
    255 colours (`make_palette`).
    """

    def __init__(
        self, file: BinaryIO, width: int, height: int, rate: float, *, loop: bool, palette: Image
    ):
        from PIL import Image
        from PIL.GifImagePlugin import getheader

        self._file, self._rate, self._palette = file, rate, palette
        # an index that no pixel has, so that all of the first frame has changed
        self._before = Image.new("P", (width, height), _SAME)
        self._waiting: tuple[Image.Image, tuple[int, int]] | None = None
        self._from = self._count = 0
        colours = bytes(palette.getpalette() or ())
        # a whole table, since `_SAME` is the last of it; repeated colours are never chosen
        table = colours + colours[:3] * (_COLOURS + 1 - len(colours) // 3)
        blank = Image.new("P", (width, height))
        blank.putpalette(table)
        pieces, _ = getheader(blank, info={"transparency": _SAME, "loop": 0 if loop else None})
        for piece in pieces:
            file.write(piece)

    def add(self, pixels: UInt32s) -> None:
        """Append a frame: (h, w) ARGB, opaque."""
        from PIL import Image, ImageChops

        now = _image_of(pixels).quantize(palette=self._palette, dither=Image.Dither.NONE)
        change = ImageChops.subtract_modulo(now, self._before)
        box = change.getbbox()
        if box is not None or self._waiting is None:
            self._flush(self._count)
            part = now.copy()
            part.paste(_SAME, mask=change.point([255, *(0,) * 255], "1"))
            box = box or (0, 0, 1, 1)
            self._waiting, self._from = (part.crop(box), box[:2]), self._count
            self._before = now
        self._count += 1  # an unchanged frame only extends the one before it

    def finish(self, hold_s: float = 0.0, progress: Progress = SILENT) -> None:
        """Write the last frame, held for ``hold_s`` more seconds, and the trailer."""
        progress.checkpoint()
        self._flush(self._count + hold_s * self._rate)
        self._file.write(b";")

    def _flush(self, upto: float) -> None:
        """Write the pending frame, shown until frame ``upto``; rounded durations add up
        to the rate.
        """
        from PIL.GifImagePlugin import getdata

        if self._waiting is None:
            return
        part, corner = self._waiting
        hundredths = round(100 * upto / self._rate) - round(100 * self._from / self._rate)
        # the descriptors and the compressed pixels of this frame alone
        for piece in getdata(
            part, corner, duration=10 * hundredths, transparency=_SAME, disposal=_KEEP
        ):
            self._file.write(piece)


def make_palette(fixed: Sequence[str], samples: Iterable[UInt32s]) -> Image:
    """An image with the palette of an animation: fixed colours, "#RRGGBB", and the best
    ones for a sample of its frames, (h, w) ARGB; at most 255 together.
    """
    from PIL import Image, ImageColor

    true = [channel for colour in dict.fromkeys(fixed) for channel in ImageColor.getrgb(colour)]
    together = np.concatenate([_thinned(pixels).reshape(-1) for pixels in samples])
    found = _image_of(together[None]).quantize(_COLOURS - len(true) // 3, Image.Quantize.MEDIANCUT)
    palette = Image.new("P", (1, 1))
    palette.putpalette([*true, *(found.getpalette() or ())][: 3 * _COLOURS])
    return palette


def _thinned(pixels: UInt32s) -> UInt32s:
    step = max(1, max(pixels.shape) // _SAMPLE_SIDE)
    return pixels[::step, ::step]


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
