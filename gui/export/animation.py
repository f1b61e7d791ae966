"""Export of animations as GIF or MP4: a play-back, or what a feature makes of the picture.
No widgets.

A play-back has one frame per selected iteration. Features may compute every frame anew, in
the export's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from gui.export.composition import Composition, Subject, image_pixels
from gui.export.encoders import MOST_RATE, GifWriter, Mp4Writer, make_palette
from gui.export.page import Page
from gui.export.picture import ensure_application
from solvers.errors import ParameterError
from solvers.picture.colours import Tokens
from solvers.picture.scene.ramps import Ramp, sampled_colours
from solvers.system.array_types import UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.text import format_count

LARGEST_SIDE = 4096  # pixels
HOLD_S = 1.5  # extra duration of the last frame
_COLOUR_SAMPLES = 5  # frames from which a GIF's colours are chosen


@dataclass(frozen=True)
class AnimationOptions:
    """Range of recorded iterations, both ends included, and speed of an animation."""

    first: int
    last: int
    # step between frames, each of which shows the iterations since the one before; the
    # last is always included
    every: int = 1
    rate: float = 25.0  # frames per second, at most `MOST_RATE`
    loop: bool = True  # whether a GIF loops; an MP4 leaves that to the player

    def positions(self, length: int) -> list[int]:
        """The recorded iterations used as frames, in order.

        Raises ParameterError if the run has no such iterations, or step or rate are out
        of range.
        """
        if not 0 <= self.first <= self.last < length:
            raise ParameterError(
                "animation",
                "iterations",
                f"{self.first + 1} to {self.last + 1}",
                f"it has 1 to {format_count(length)}",
            )
        if self.every < 1:
            raise ParameterError("animation", "every", self.every, "it takes 1 or more")
        if not 0.1 <= self.rate <= MOST_RATE:
            raise ParameterError(
                "animation", "rate", self.rate, f"it takes 0.1 to {MOST_RATE} frames per second"
            )
        found = list(range(self.first, self.last + 1, self.every))
        return found if found[-1] == self.last else [*found, self.last]


class _Writer(Protocol):
    def add(self, pixels: UInt32s) -> None: ...

    def finish(self, hold_s: float = 0.0, progress: Progress = SILENT) -> None: ...


@dataclass(frozen=True, eq=False)
class _FrameSource:
    """A composition and the iterations to draw of it."""

    composition: Composition
    positions: list[int]
    options: AnimationOptions

    def frame(self, position: int, progress: Progress) -> UInt32s:
        self.composition.move(position, self.options.every)
        return image_pixels(self.composition.band(0, self.composition.page.height, progress))

    def samples(self, progress: Progress) -> Iterator[UInt32s]:
        """A few evenly spaced frames, including the first and the last."""
        for at in np.unique(
            np.linspace(0, len(self.positions) - 1, _COLOUR_SAMPLES).round().astype(int)
        ):
            progress.checkpoint()
            yield self.frame(self.positions[at], progress)


_Opener = Callable[[Path, _FrameSource, Progress], AbstractContextManager[_Writer]]


def export_animation(
    path: Path | str,
    subject: Subject,
    page: Page,
    options: AnimationOptions,
    progress: Progress = SILENT,
) -> Path:
    """Write the play-back of ``subject``; may be called from any thread.

    Raises ParameterError for another suffix, a transparent background, or iterations
    out of range; EncoderUnavailable for an MP4 without ffmpeg; FileNotWritten,
    Cancelled.

    An existing file is replaced atomically; cancelling leaves none. The page is of
    every frame; an MP4's sides are rounded down to even numbers.
    """
    target = Path(path)
    positions = options.positions(subject.length)
    if page.transparent:
        raise ParameterError(
            "animation", "background", page.background, "an animation must be opaque"
        )
    if max(page.width, page.height) > LARGEST_SIDE:
        raise ParameterError(
            "animation",
            "size",
            f"{page.width} x {page.height}",
            f"each side is at most {format_count(LARGEST_SIDE)} pixels",
        )
    try:
        page, open_writer = _WRITERS[target.suffix.lower()](page)
    except KeyError:
        raise ParameterError(
            "animation", "path", target.name, "its name must end in .gif or .mp4"
        ) from None
    ensure_application()
    source = _FrameSource(subject.compose(page), positions, options)
    with replace_atomically(target) as beside, open_writer(beside, source, progress) as writer:
        for done, position in enumerate(positions):
            progress.checkpoint(done, len(positions))
            writer.add(source.frame(position, progress))
        writer.finish(HOLD_S, progress)
    return target


def _as_gif(page: Page) -> tuple[Page, _Opener]:
    return page, _gif_writer


def _as_mp4(page: Page) -> tuple[Page, _Opener]:
    return page.resized(page.width & ~1, page.height & ~1), _mp4_writer


_WRITERS = {".gif": _as_gif, ".mp4": _as_mp4}


@contextmanager
def _gif_writer(path: Path, source: _FrameSource, progress: Progress) -> Iterator[GifWriter]:
    page, options = source.composition.page, source.options
    palette = make_palette(
        [*_true_colours(page.tokens), *source.composition.colours], source.samples(progress)
    )
    with path.open("wb") as file:
        yield GifWriter(
            file, page.width, page.height, options.rate, loop=options.loop, palette=palette
        )


def _mp4_writer(path: Path, source: _FrameSource, progress: Progress) -> Mp4Writer:
    page = source.composition.page
    return Mp4Writer(path, page.width, page.height, source.options.rate)


def _true_colours(tokens: Tokens) -> list[str]:
    """Significant colours that cover too few pixels to be chosen by frequency, and a
    sample of the shades.
    """
    shades = sampled_colours(Ramp.DISTANCES, tokens.dark)
    return [
        tokens.canvas,
        tokens.frontier,
        tokens.trail,
        tokens.path,
        tokens.halo,
        tokens.source,
        tokens.target,
        tokens.cycle,
        tokens.text,
        tokens.muted,
        tokens.edge,
        tokens.edge_dense,
        tokens.road,
        tokens.road_dense,
        tokens.grid,
        tokens.good,
        tokens.warning,
        tokens.bad,
        tokens.closed,
        tokens.selection,
        tokens.panel,
        tokens.border,
        *shades,
    ]
