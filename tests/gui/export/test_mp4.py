"""MP4s through ffmpeg, where there is one; words that help, where there is none."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from gui.export import mp4
from gui.export.mp4 import EncoderUnavailable, Mp4Writer, check_encoder, ffmpeg_program
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Progress


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
    command = [ffmpeg, "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
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


def test_what_ffmpeg_says_is_told(tmp_path, ffmpeg):
    def film() -> None:
        with Mp4Writer(tmp_path / "nowhere" / "f.mp4", 64, 48, 10) as writer:
            writer.add(frame(0))
            writer.finish()

    with pytest.raises(OSError, match=r"ffmpeg failed: .*No such file"):
        film()


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


def test_without_ffmpeg_the_words_say_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(EncoderUnavailable, match=r"pip install 'tautline\[mp4\]'"):
        mp4.ffmpeg_program()


def test_an_ffmpeg_on_the_path_serves(monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/somewhere/{name}")
    assert ffmpeg_program() == "/somewhere/ffmpeg"


def test_an_ffmpeg_without_the_encoder_is_told_before_a_film_is_made(monkeypatch, tmp_path):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho ' V..... mpeg4  MPEG-4 part 2'\n")
    program.chmod(0o755)
    monkeypatch.setattr(mp4, "ffmpeg_program", lambda: str(program))
    with pytest.raises(EncoderUnavailable, match=r"libx264, which .* lacks: install it, or run pip install"):
        check_encoder()
    program.write_text("#!/bin/sh\necho ' V....D libx264  H.264'\n")
    check_encoder()
    monkeypatch.setattr(mp4, "ffmpeg_program", lambda: str(tmp_path / "none"))
    with pytest.raises(EncoderUnavailable, match="did not answer"):
        check_encoder()
