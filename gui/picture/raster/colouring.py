"""Colouring of edge buffers: a single image, or one prepared for fast play-back steps. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines, pixel_colours
from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.tone_map import Tones
from gui.picture.scene.vertex_values import Shading
from solvers.system.threads import ThreadTeam

_NOTHING_VISITED = (np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True)
class Colouring:
    """Parameters that determine a frame's colours; compared to decide whether an image can be reused.

    Attributes
    ----------
    shading : Shading or None
        None if all edges are drawn as unvisited.
    tones : Tones
    edges : bool
        Whether unvisited edges are shown.
    drawn : float
        Share of the edges in the buffers, in 0..1; density is scaled by its inverse, so that a partial picture is as
        dark as the complete one.
    """

    shading: Shading | None
    tones: Tones
    edges: bool
    drawn: float

    def arguments(
        self, buffers: EdgeBuffers
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], np.uint32, float, bool]:
        """Arguments of the functions of `pixel_colours` after the buffers and the iteration."""
        tones = self.tones
        gain = tones.steps_per_density(buffers.measures.gain / max(self.drawn, 1e-6)) / lines.UNITS
        return tones.edges, tones.shade_alphas, tones.shades, tones.canvas, gain, self.edges


def coloured(buffers: EdgeBuffers, colouring: Colouring, position: int, team: ThreadTeam) -> NDArray[np.uint32]:
    """(h, w) premultiplied ARGB of iteration ``position``."""
    shading = colouring.shading
    visited = _NOTHING_VISITED if shading is None else (shading.reveal, shading.shade)
    image, ends = np.empty(buffers.density.shape, np.uint32), buffers.view.scene.ends.reshape(-1)

    def colour(first: int, last: int) -> None:
        rows = slice(first, last)
        pixel_colours.colour_pixels(
            image[rows],
            buffers.density[rows],
            buffers.claims[rows],
            ends,
            *visited,
            position,
            *colouring.arguments(buffers),
        )

    team.run(partial(colour, *band) for band in buffers.bands())
    return image


class SteppableImage:
    """Both colours of every pixel and the iteration at which it changes, so that a step only selects between them."""

    def __init__(self, buffers: EdgeBuffers, colouring: Colouring, team: ThreadTeam):
        self.colouring, self._bands, self._team = colouring, buffers.bands(), team
        shape = buffers.density.shape
        shading = colouring.shading
        if shading is None or not len(shading.reveal):
            self._plain = coloured(buffers, colouring, 0, team)
            self._later: tuple[NDArray[np.uint32], NDArray[np.int32]] | None = None
            return
        plain, visited, since = np.empty(shape, np.uint32), np.empty(shape, np.uint32), np.empty(shape, np.int32)
        self._plain, self._later = plain, (visited, since)
        ends = buffers.view.scene.ends.reshape(-1)

        def fill(first: int, last: int) -> None:
            rows = slice(first, last)
            pixel_colours.fill_two_colours(
                plain[rows], visited[rows], since[rows], buffers.density[rows], buffers.claims[rows], ends,
                shading.reveal, shading.shade, *colouring.arguments(buffers),
            )  # fmt: skip

        team.run(partial(fill, *band) for band in self._bands)

    def at(self, position: int) -> NDArray[np.uint32]:
        """(h, w) premultiplied ARGB of iteration ``position``; a new array."""
        if self._later is None:
            return self._plain.copy()
        visited, since = self._later
        image = np.empty(self._plain.shape, np.uint32)

        def step(first: int, last: int) -> None:
            rows = slice(first, last)
            pixel_colours.pick_colours(image[rows], self._plain[rows], visited[rows], since[rows], position)

        self._team.run(partial(step, *band) for band in self._bands)
        return image
