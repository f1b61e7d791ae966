"""Owner and tone of every drawn pixel of a view, so that new shades are coloured without looking at edges again. No Qt.

While a source is dragged, every picture has other shades on the same pixels. Which vertex a pixel belongs to and how
dense its lines are depend on the view alone: both are found once.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster.colouring import Colouring
from gui.picture.raster.edge_buffers import EdgeBuffers
from gui.picture.raster.lines import owner_of
from gui.picture.raster.pixel_colours import blend
from gui.picture.raster.tone_map import STEPS
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam

_NONE = -1


class OwnedPixels:
    """The pixels of complete buffers.

    Parameters
    ----------
    buffers : EdgeBuffers
    colouring : Colouring
        Any of these buffers with all edges: density is scaled in the same way for all.
    team : ThreadTeam
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
