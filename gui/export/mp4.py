"""MP4 (H.264) writer that pipes frames to ffmpeg.

Tautline ships no encoder. The extra ``tautline[mp4]`` installs imageio-ffmpeg (BSD), whose wheel contains an ffmpeg
program under the GPL, run as a separate process; an ffmpeg on the PATH is used otherwise.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import Unavailable
from solvers.system.cancel import SILENT, Progress

_QUALITY = 18  # x264's constant rate factor: visually lossless
_END_S = 120.0
_LOOK_S = 0.05  # between two cancellation checks
_ASK_S = 10.0
_REMEDY = "install it, or run pip install 'tautline[mp4]'. GIF export works without it."


class EncoderUnavailable(Unavailable):
    """There is no ffmpeg on this machine."""


def ffmpeg_program() -> str:
    """Path of an ffmpeg.

    Raises
    ------
    EncoderUnavailable
    """
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:  # RuntimeError: the package has no ffmpeg for this platform
        if (found := shutil.which("ffmpeg")) is not None:
            return found
        raise EncoderUnavailable(f"MP4 export needs ffmpeg: {_REMEDY}") from error


def check_encoder() -> None:
    """Ask the ffmpeg found whether it can write H.264, which some distributions leave out; takes some 0.1 s.

    Raises
    ------
    EncoderUnavailable
    """
    program = ffmpeg_program()
    try:
        asked = subprocess.run(
            [program, "-hide_banner", "-encoders"], capture_output=True, text=True, timeout=_ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EncoderUnavailable(f"MP4 export needs ffmpeg, but {program} did not answer: {_REMEDY}") from error
    if "libx264" not in asked.stdout:
        raise EncoderUnavailable(f"MP4 export needs the encoder libx264, which {program} lacks: {_REMEDY}")


class Mp4Writer:
    """Writes an MP4 frame by frame; as a context manager it always ends the ffmpeg process.

    Parameters
    ----------
    width, height : int
        Even numbers, since H.264 subsamples colours by two.
    rate : float
        Frames per second.

    Raises
    ------
    EncoderUnavailable
    """

    def __init__(self, path: Path, width: int, height: int, rate: float):
        self._rate = rate
        self._last: bytes = b""
        command = [
            ffmpeg_program(), "-loglevel", "error", "-y",
            "-f", "rawvideo", "-pix_fmt", "bgra", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-",
            "-an", "-c:v", "libx264", "-crf", str(_QUALITY), "-pix_fmt", "yuv420p",
            "-movflags", "+faststart", str(path),
        ]  # fmt: skip
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

    def add(self, pixels: NDArray[np.uint32]) -> None:
        """Append a frame: (h, w) ARGB, opaque.

        Raises
        ------
        OSError
            If ffmpeg failed, with its last message.
        """
        self._last = np.ascontiguousarray(pixels, dtype="<u4").tobytes()
        self._feed()

    def finish(self, hold_s: float = 0.0, progress: Progress = SILENT) -> None:
        """Hold the last frame for ``hold_s`` seconds, then wait for ffmpeg to finish the file.

        Raises
        ------
        OSError, Cancelled
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
