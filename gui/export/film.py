"""Export of a play-back as GIF or MP4, one frame per selected iteration. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gui.export.composition import Composition, Subject, image_pixels
from gui.export.encoders.gif import MOST_RATE, GifWriter, make_palette
from gui.export.encoders.mp4 import Mp4Writer
from gui.export.page import Page
from gui.export.picture_export import ensure_application
from gui.picture.scene.ramps import Ramp, sampled_colours
from gui.style.tokens import Tokens
from solvers.errors import ParameterError
from solvers.system.cancel import SILENT, Observer
from solvers.system.files import replace_atomically
from solvers.text import format_count

LARGEST_SIDE = 4096  # pixels
HOLD_S = 1.5  # extra duration of the last frame
_SAMPLES = 5  # frames from which a GIF's colours are chosen


@dataclass(frozen=True)
class FilmOptions:
    """Range of iterations and speed of a film.

    Attributes
    ----------
    first, last : int
        Recorded iterations, both included.
    every : int
        Step between frames, each of which shows the iterations since the one before; the last is always included.
    rate : float
        Frames per second, up to 50.
    loop : bool
        Whether a GIF loops; an MP4 leaves that to the player.
    """

    first: int
    last: int
    every: int = 1
    rate: float = 25.0
    loop: bool = True

    def positions(self, length: int) -> list[int]:
        """The recorded iterations used as frames, in order.

        Raises
        ------
        ParameterError
            If the run has no such iterations, or step or rate are out of range.
        """
        if not 0 <= self.first <= self.last < length:
            raise ParameterError(
                "film", "iterations", f"{self.first + 1} to {self.last + 1}", f"it has 1 to {format_count(length)}"
            )
        if self.every < 1:
            raise ParameterError("film", "every", self.every, "it takes 1 or more")
        if not 0.1 <= self.rate <= MOST_RATE:
            raise ParameterError("film", "rate", self.rate, f"it takes 0.1 to {MOST_RATE} frames per second")
        found = list(range(self.first, self.last + 1, self.every))
        return found if found[-1] == self.last else [*found, self.last]


class _Writer(Protocol):
    def add(self, pixels: NDArray[np.uint32]) -> None: ...

    def finish(self, hold_s: float = 0.0, observer: Observer = SILENT) -> None: ...


@dataclass(frozen=True, eq=False)
class _FrameSource:
    """A composition and the iterations to draw of it."""

    composition: Composition
    positions: list[int]
    options: FilmOptions

    def frame(self, position: int, observer: Observer) -> NDArray[np.uint32]:
        self.composition.move(position, self.options.every)
        return image_pixels(self.composition.band(0, self.composition.page.height, observer))

    def samples(self, observer: Observer) -> Iterator[NDArray[np.uint32]]:
        """A few evenly spaced frames, including the first and the last."""
        for at in np.unique(np.linspace(0, len(self.positions) - 1, _SAMPLES).round().astype(int)):
            observer.checkpoint()
            yield self.frame(self.positions[at], observer)


def export_film(
    path: Path | str, subject: Subject, page: Page, options: FilmOptions, observer: Observer = SILENT
) -> Path:
    """Write the play-back of ``subject``; may be called from any thread.

    Parameters
    ----------
    path : Path or str
        Ends in .gif or .mp4; an existing file is replaced atomically.
    subject : Subject
        Must have a trace.
    page : Page
        Size and colours of every frame; must be opaque. An MP4's sides are rounded down to even numbers.
    options : FilmOptions
    observer : Observer
        Receives progress; cancelling leaves no file.

    Raises
    ------
    ParameterError
        For another suffix, a transparent background, or iterations out of range.
    EncoderUnavailable
        For an MP4 without ffmpeg.
    FileNotWritten, Cancelled
    """
    target = Path(path)
    positions = options.positions(subject.length)
    if page.transparent:
        raise ParameterError("film", "background", page.background, "a film must be opaque")
    if max(page.width, page.height) > LARGEST_SIDE:
        raise ParameterError(
            "film", "size", f"{page.width} x {page.height}", f"each side is at most {format_count(LARGEST_SIDE)} pixels"
        )
    try:
        page, open_writer = _WRITERS[target.suffix.lower()](page)
    except KeyError:
        raise ParameterError("film", "path", target.name, "its name must end in .gif or .mp4") from None
    ensure_application()
    source = _FrameSource(subject.compose(page), positions, options)
    with replace_atomically(target) as beside, open_writer(beside, source, observer) as writer:
        for done, position in enumerate(positions):
            observer.checkpoint(done, len(positions))
            writer.add(source.frame(position, observer))
        writer.finish(HOLD_S, observer)
    return target


_Opener = Callable[[Path, _FrameSource, Observer], AbstractContextManager[_Writer]]


def _as_gif(page: Page) -> tuple[Page, _Opener]:
    return page, _gif_writer


def _as_mp4(page: Page) -> tuple[Page, _Opener]:
    return page.resized(page.width & ~1, page.height & ~1), _mp4_writer


_WRITERS = {".gif": _as_gif, ".mp4": _as_mp4}


@contextmanager
def _gif_writer(path: Path, source: _FrameSource, observer: Observer) -> Iterator[GifWriter]:
    page, options = source.composition.page, source.options
    palette = make_palette([*_true_colours(page.tokens), *source.composition.colours], source.samples(observer))
    with path.open("wb") as file:
        yield GifWriter(file, page.width, page.height, options.rate, loop=options.loop, palette=palette)


def _mp4_writer(path: Path, source: _FrameSource, observer: Observer) -> Mp4Writer:
    page = source.composition.page
    return Mp4Writer(path, page.width, page.height, source.options.rate)


def _true_colours(tokens: Tokens) -> list[str]:
    """Significant colours that cover too few pixels to be chosen by frequency, and a sample of the shades."""
    shades = sampled_colours(Ramp.DISTANCES, tokens.dark)
    return [
        tokens.canvas, tokens.frontier, tokens.trail, tokens.path, tokens.halo, tokens.source, tokens.target,
        tokens.cycle, tokens.text, tokens.muted, tokens.edge, tokens.edge_dense, tokens.road, tokens.road_dense,
        tokens.grid, *shades,
    ]  # fmt: skip
