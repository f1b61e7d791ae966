"""The play-back as a film: every kept iteration drawn as a picture is, written frame after frame. No widgets."""

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
from gui.picture.raster.tone_map import cividis
from gui.style.tokens import Tokens
from solvers.errors import ParameterError
from solvers.host.files import replace_atomically
from solvers.host.observer import SILENT, Observer

LARGEST_SIDE = 4096  # pixels
HOLD_S = 1.5  # the last frame stays, so that the end can be read
_SAMPLES = 5  # frames from which a GIF's colours are chosen


@dataclass(frozen=True)
class FilmOptions:
    """Which iterations, and how fast.

    Attributes
    ----------
    first, last : int
        Kept iterations, both shown.
    every : int
        Show every so many of them; the last one in any case.
    rate : float
        Frames a second, up to 50.
    loop : bool
        A GIF begins again at its end. (An MP4 leaves that to the player.)
    """

    first: int
    last: int
    every: int = 1
    rate: float = 25.0
    loop: bool = True

    def positions(self, length: int) -> list[int]:
        """The kept iterations that are frames, in order.

        Raises
        ------
        ParameterError
            Where the run has no such iterations, or nobody could watch it so fast.
        """
        if not 0 <= self.first <= self.last < length:
            raise ParameterError(
                "film", "iterations", f"{self.first + 1} to {self.last + 1}", f"it has 1 to {length:,}"
            )
        if self.every < 1:
            raise ParameterError("film", "every", self.every, "it takes 1 or more")
        if not 0.1 <= self.rate <= MOST_RATE:
            raise ParameterError("film", "rate", self.rate, f"it takes 0.1 to {MOST_RATE} frames a second")
        found = list(range(self.first, self.last + 1, self.every))
        return found if found[-1] == self.last else [*found, self.last]


class _Writer(Protocol):
    def add(self, pixels: NDArray[np.uint32]) -> None: ...

    def finish(self, hold_s: float = 0.0, observer: Observer = SILENT) -> None: ...


@dataclass(frozen=True, eq=False)
class _Reel:
    """What is to be written: a composition and where it moves."""

    composition: Composition
    positions: list[int]
    options: FilmOptions

    def frame(self, position: int, observer: Observer) -> NDArray[np.uint32]:
        self.composition.move(position)
        return image_pixels(self.composition.band(0, self.composition.page.height, observer))

    def samples(self, observer: Observer) -> Iterator[NDArray[np.uint32]]:
        """A few frames, evenly spread, both ends among them."""
        for at in np.unique(np.linspace(0, len(self.positions) - 1, _SAMPLES).round().astype(int)):
            observer.checkpoint()
            yield self.frame(self.positions[at], observer)


def export_film(
    path: Path | str, subject: Subject, page: Page, options: FilmOptions, observer: Observer = SILENT
) -> Path:
    """Write the play-back of what is shown; may be called in any thread.

    Parameters
    ----------
    path : Path or str
        Ends in .gif or .mp4; an older file is replaced in one step.
    subject : Subject
        With a trace.
    sheet : Sheet
        Size and colours of every frame. A film is opaque; an MP4's sides are cut to even numbers.
    options : FilmOptions
    observer : Observer
        Told how far it is; stops it, and then no file is left.

    Raises
    ------
    ParameterError
        For another ending, a transparent ground, or iterations that are not there.
    EncoderUnavailable
        For an MP4 where there is no ffmpeg.
    FileNotWritten, Cancelled
    """
    target = Path(path)
    positions = options.positions(subject.length)
    if page.clear:
        raise ParameterError("film", "background", page.background, "a film is opaque")
    if max(page.width, page.height) > LARGEST_SIDE:
        raise ParameterError("film", "size", f"{page.width} x {page.height}", f"a side has {LARGEST_SIDE:,} at most")
    try:
        page, open_writer = _WRITERS[target.suffix.lower()](page)
    except KeyError:
        raise ParameterError("film", "path", target.name, "its name must end in .gif or .mp4") from None
    ensure_application()
    reel = _Reel(subject.compose(page), positions, options)
    with replace_atomically(target) as beside, open_writer(beside, reel, observer) as writer:
        for done, position in enumerate(positions):
            observer.checkpoint(done, len(positions))
            writer.add(reel.frame(position, observer))
        writer.finish(HOLD_S, observer)
    return target


_Opener = Callable[[Path, _Reel, Observer], AbstractContextManager[_Writer]]


def _as_gif(page: Page) -> tuple[Page, _Opener]:
    return page, _gif_writer


def _as_mp4(page: Page) -> tuple[Page, _Opener]:
    return page.resized(page.width & ~1, page.height & ~1), _mp4_writer


_WRITERS = {".gif": _as_gif, ".mp4": _as_mp4}


@contextmanager
def _gif_writer(path: Path, reel: _Reel, observer: Observer) -> Iterator[GifWriter]:
    page, options = reel.composition.page, reel.options
    palette = make_palette([*_true_colours(page.tokens), *reel.composition.colours], reel.samples(observer))
    with path.open("wb") as file:
        yield GifWriter(file, page.width, page.height, options.rate, loop=options.loop, palette=palette)


def _mp4_writer(path: Path, reel: _Reel, observer: Observer) -> Mp4Writer:
    page = reel.composition.page
    return Mp4Writer(path, page.width, page.height, reel.options.rate)


def _true_colours(tokens: Tokens) -> list[str]:
    """Those with a meaning that are too few on a frame to be picked by counting; of the tints, a legend's worth."""
    tints = ["#{:02X}{:02X}{:02X}".format(*shade) for shade in cividis(tokens.dark)[::17].round().astype(int)]
    return [
        tokens.canvas, tokens.frontier, tokens.trail, tokens.path, tokens.halo, tokens.source, tokens.target,
        tokens.cycle, tokens.text, tokens.muted, tokens.edge, tokens.edge_dense, tokens.grid, *tints,
    ]  # fmt: skip
