"""The raster on a device: a scene's edges are sent there once, and each view is drawn there. Knows no Qt.

Pixel by pixel what `lines` draws (see ``lines.cu``). Only buffers of the view's size come back; they are coloured here,
which costs time by the pixel and not by the edge.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines
from gui.picture.scene.edge_order import BLOCK
from solvers.devices.base import Device, DeviceSession, KernelSource
from solvers.devices.dialect import distance_defines
from solvers.graphs.weights import INT32
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer

SOURCE = KernelSource.beside(
    __file__, "lines.cu", **distance_defines(INT32), UNITS=lines.UNITS, MOST_INK=lines.MOST_INK,
    MOST_SHORT_INK=lines.MOST_SHORT_INK, BLOCK=BLOCK, OWNING_COVERAGE=str(lines.OWNING_COVERAGE),
    LONGEST=str(lines.LONGEST),
)  # fmt: skip
MOST_BLOCKS = 2**20 // BLOCK  # of edges in a launch: see lines.cu for why ink cannot wrap then
_THREADS = 256  # in a block
_BLOCKS_PER_UNIT = 8  # that share out long edges and pixels: 2,048 threads fill a multiprocessor

Buffers = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Dots:
    """Vertices to draw, and how: see `lines.draw_vertices`."""

    vertices: NDArray[np.int32]
    points: NDArray[np.float64]  # (k, 2): their positions
    radius: float
    ink: float


@dataclass(frozen=True, eq=False)
class DrawRequest:
    """What is drawn in one go.

    Attributes
    ----------
    blocks : (b,) integers
        Runs of `BLOCK` edges, by number.
    columns : int
    rows : (int, int)
        First and last + 1.
    transform : (float, float, float)
        scale, dx, dy.
    width, fade : float
        As in `lines.draw_edges`.
    dots : Dots or None
    """

    blocks: NDArray[np.int64]
    columns: int
    rows: tuple[int, int]
    transform: tuple[float, float, float]
    width: float
    fade: float
    dots: Dots | None = None


class DeviceRaster:
    """A scene's edges on a device, for as long as the session lives; threads that draw take turns.

    Parameters
    ----------
    session : DeviceSession
        Holds the edges.
    segments : (e, 4) float32

    Raises
    ------
    OutOfMemory
        Where the device cannot hold the edges.
    KernelBuildError
    """

    def __init__(self, session: DeviceSession, segments: NDArray[np.float32]):
        self.device: Device = session.device
        self._program = self.device.compile(SOURCE)
        self._edges = len(segments)
        self._segments = session.upload(segments)
        self._lock = threading.Lock()

    def draw(self, request: DrawRequest, observer: Observer = SILENT) -> Buffers:
        """(density, claims) of a stroke on blank ground.

        Raises
        ------
        OutOfMemory
        Cancelled
            Between two launches.
        """
        with self._lock, self.device.session() as session:
            return _Drawing(session, self._program, request).done(self._segments, self._edges, observer)


class _Drawing:
    """One stroke, in buffers of its own."""

    def __init__(self, session: DeviceSession, program: Any, request: DrawRequest):
        self._session, self._program, self._request = session, program, request
        first, last = request.rows
        self._shape = (last - first, request.columns)
        self._density = session.empty(self._shape, np.uint32)
        self._claims = session.empty(self._shape, np.int32)
        session.fill(self._density, 0)
        session.fill(self._claims, lines.UNCLAIMED)
        where = [np.int32(request.columns), np.int32(first), np.int32(last - first)]
        self._window = (*where, *map(np.float64, request.transform))

    def done(self, segments: Any, edges: int, observer: Observer) -> Buffers:
        request, session = self._request, self._session
        if len(request.blocks):
            self._draw_edges(segments, edges, observer)
        if request.dots is not None and len(request.dots.vertices):
            self._draw_dots(request.dots, edges)
        return session.download(self._density).view(np.int32), session.download(self._claims)

    def _draw_edges(self, segments: Any, edges: int, observer: Observer) -> None:
        session, request = self._session, self._request
        pen = np.float64(request.width), np.float64(request.fade)
        long_edges, long_count = session.empty(MOST_BLOCKS * BLOCK, np.int32), session.empty(1, np.int32)
        session.fill(long_count, 0)
        pixels, all_units = np.int64(self._shape[0] * self._shape[1]), _BLOCKS_PER_UNIT * session.device.compute_units
        for start in range(0, len(request.blocks), MOST_BLOCKS):
            observer.checkpoint()
            blocks = session.upload(request.blocks[start : start + MOST_BLOCKS].astype(np.int32))
            self._launch(
                "draw_edges", blocks.shape[0], segments, np.int64(edges), blocks, self._density, self._claims,
                long_edges, long_count, *self._window, *pen,
            )  # fmt: skip
            self._launch(
                "draw_long", all_units, segments, self._density, self._claims, long_edges, long_count, *self._window,
                *pen,
            )  # fmt: skip
            self._launch("settle_ink", all_units, pixels, self._density, long_count)
            session.synchronize()

    def _draw_dots(self, dots: Dots, edges: int) -> None:
        count = len(dots.vertices)
        self._launch(
            "draw_vertices", -(-count // _THREADS), self._session.upload(dots.points),
            self._session.upload(dots.vertices), np.int64(count), np.int64(2 * edges + 1), self._density, self._claims,
            *self._window, np.float64(dots.radius), np.float64(dots.ink),
        )  # fmt: skip

    def _launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        self._program.launch(kernel, (max(1, blocks),), (_THREADS,), *arguments)


@njit(cache=True, nogil=True)
def merge(
    density: NDArray[np.int32], claims: NDArray[np.int32], more: NDArray[np.int32], more_claims: NDArray[np.int32]
) -> None:
    """Add a stroke to what is drawn; what comes out is what both strokes drawn at once would leave."""
    for row in range(density.shape[0]):
        for column in range(density.shape[1]):
            density[row, column] = min(density[row, column] + more[row, column], lines.MOST_INK)
            claims[row, column] = max(claims[row, column], more_claims[row, column])
