"""Ink turned to colour: whole, or laid out so that a step of the play-back only chooses between two colours. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.canvas import raster
from gui.canvas.activity import Activity
from gui.canvas.ink import Ink
from gui.canvas.tone import Tones
from solvers.host.threads import Crew

_NOTHING_VISITED = (np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True)
class Coating:
    """How ink is coloured; two that are equal colour alike.

    Attributes
    ----------
    activity : Activity or None
        None where visited ground is not shown.
    tones : Tones
    edges : bool
        Whether what is not visited is shown.
    drawn : float
        Share of the edges that the ink holds; less of it counts for more, so that a first picture has the last one's
        tone.
    """

    activity: Activity | None
    tones: Tones
    edges: bool
    drawn: float

    def arguments(self, ink: Ink) -> tuple[object, ...]:
        """What the raster's kernels take after the buffers, but for the iteration."""
        tones = self.tones
        gain = tones.steps_per_ink(ink.measures.gain / max(self.drawn, 1e-6)) / raster.UNITS
        return tones.edges, tones.tint_alphas, tones.tints, tones.canvas, gain, self.edges


def coloured(ink: Ink, coating: Coating, position: int, crew: Crew) -> NDArray[np.uint32]:
    """(h, w) premultiplied ARGB of iteration ``position``."""
    activity = coating.activity
    visited = _NOTHING_VISITED if activity is None else (activity.reveal, activity.shade)
    image, ends = np.empty(ink.density.shape, np.uint32), ink.view.scene.ends.reshape(-1)

    def colour(first: int, last: int) -> None:
        rows = slice(first, last)
        raster.colour_pixels(
            image[rows], ink.density[rows], ink.claims[rows], ends, *visited, position, *coating.arguments(ink)
        )

    crew.run(partial(colour, *band) for band in ink.bands())
    return image


class Ground:
    """Both colours of every pixel and the iteration that changes it; O(pixels) to lay, a read of each to step."""

    def __init__(self, ink: Ink, coating: Coating, crew: Crew):
        self.coating, self._bands, self._crew = coating, ink.bands(), crew
        shape = ink.density.shape
        activity = coating.activity
        if activity is None or not len(activity.reveal):
            self._plain = coloured(ink, coating, 0, crew)
            self._visited = self._since = None
            return
        self._plain, self._visited = np.empty(shape, np.uint32), np.empty(shape, np.uint32)
        self._since = np.empty(shape, np.int32)
        ends = ink.view.scene.ends.reshape(-1)

        def lay(first: int, last: int) -> None:
            rows = slice(first, last)
            raster.lay_ground(
                self._plain[rows], self._visited[rows], self._since[rows], ink.density[rows], ink.claims[rows],
                ends, activity.reveal, activity.shade, *coating.arguments(ink),
            )  # fmt: skip

        crew.run(partial(lay, *band) for band in self._bands)

    def at(self, position: int) -> NDArray[np.uint32]:
        """(h, w) premultiplied ARGB of iteration ``position``; the caller's to change."""
        if self._visited is None or self._since is None:
            return self._plain.copy()
        image = np.empty(self._plain.shape, np.uint32)

        def step(first: int, last: int) -> None:
            rows = slice(first, last)
            raster.step_ground(image[rows], self._plain[rows], self._visited[rows], self._since[rows], position)

        self._crew.run(partial(step, *band) for band in self._bands)
        return image
