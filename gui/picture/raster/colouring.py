"""Colouring of edge buffers: a single image, or one prepared for fast play-back steps. No Qt.

While a source is dragged, every picture has other shades on the same pixels. Which vertex a pixel belongs to and how
dense its lines are depend on the view alone: both are found once, so that new shades are coloured without looking at
edges again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines, pixel_colours
from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.lines import owner_of
from gui.picture.raster.pixel_colours import STEPS, Tones, blend
from gui.picture.scene.values import Shading
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

_NOTHING_VISITED = (np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True)
class Colouring:
    """Parameters that determine a frame's colours; compared to decide whether an image can be reused.

    Attributes
    ----------
    shading : Shading or None
        None if all edges are drawn as unvisited.
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


_NONE = -1


class OwnedPixels:
    """The pixels of complete buffers.

    Parameters
    ----------
    colouring : Colouring
        Any of these buffers with all edges: density is scaled in the same way for all.
    """

    def __init__(self, buffers: EdgeBuffers, colouring: Colouring, team: ThreadTeam):
        shape = buffers.density.shape
        self.buffers, self._team, self._bands = buffers, team, buffers.bands()
        self._owners, self._steps = np.empty(shape, np.int32), np.empty(shape, np.uint16)
        ends, steps_per_unit = buffers.view.scene.ends.reshape(-1), colouring.arguments(buffers)[4]

        def find(first: int, last: int) -> None:
            rows = slice(first, last)
            _find(
                self._owners[rows], self._steps[rows], buffers.density[rows], buffers.claims[rows], ends, STEPS - 1,
                steps_per_unit,
            )  # fmt: skip

        team.run(partial(find, *band) for band in self._bands)

    def coloured(self, colouring: Colouring, position: int) -> NDArray[np.uint32]:
        """(h, w) premultiplied ARGB, the same as of `colouring.coloured`; the colouring must have shades."""
        assert colouring.shading is not None
        image = np.empty(self._owners.shape, np.uint32)
        tones, shading = colouring.tones, colouring.shading

        def colour(first: int, last: int) -> None:
            rows = slice(first, last)
            _colour(
                image[rows], self._owners[rows], self._steps[rows], shading.reveal, shading.shade, position,
                tones.edges, tones.shade_alphas, tones.shades, tones.canvas, colouring.edges,
            )  # fmt: skip

        self._team.run(partial(colour, *band) for band in self._bands)
        return image


@njit(cache=True, nogil=True, error_model="numpy")
def _find(
    owners: NDArray[np.int32],
    steps: NDArray[np.uint16],
    density: NDArray[np.int32],
    claims: NDArray[np.int32],
    ends: NDArray[np.int32],
    last: int,
    steps_per_unit: float,
) -> None:
    """Find owner and step of the tone curve of every pixel, as `colour_pixels` does; `_NONE` where nothing is."""
    rows, columns = density.shape
    for row in range(rows):
        for column in range(columns):
            amount = density[row, column]
            owners[row, column], steps[row, column] = _NONE, 0
            if amount > 0:
                owners[row, column] = owner_of(claims[row, column], ends)
                steps[row, column] = min(last, int(np.sqrt(amount * steps_per_unit)))


@njit(cache=True, nogil=True, error_model="numpy")
def _colour(
    image: NDArray[np.uint32],
    owners: NDArray[np.int32],
    steps: NDArray[np.uint16],
    reveal: NDArray[np.int32],
    shade: NDArray[np.uint8],
    upto: int,
    edge_colours: NDArray[np.uint32],
    shade_alphas: NDArray[np.uint32],
    shades: NDArray[np.uint32],
    canvas: np.uint32,
    show_edges: bool,
) -> None:
    """As `colour_pixels`."""
    rows, columns = owners.shape
    for row in range(rows):
        for column in range(columns):
            v = owners[row, column]
            if v < 0:
                image[row, column] = canvas
            elif reveal[v] <= upto:
                image[row, column] = blend(canvas, shades[shade[v]], shade_alphas[steps[row, column]])
            elif show_edges:
                image[row, column] = edge_colours[steps[row, column]]
            else:
                image[row, column] = canvas
