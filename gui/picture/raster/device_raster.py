"""Raster on a device: a scene's edges are copied there once, and each view is drawn there. No Qt.

The pixels equal those of `lines` (see ``lines.cu``). Only buffers of the view's size are copied back; they are coloured
on the host, in time proportional to the pixels.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gui.picture.raster import lines
from gui.picture.scene.edge_order import BLOCK
from solvers.devices.device import Device, DeviceSession, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.graphs.weights import INT32
from solvers.system.cancel import SILENT, Observer
from solvers.system.jit import njit

SOURCE = KernelSource.beside(
    __file__, "lines.cu", **distance_defines(INT32), UNITS=lines.UNITS, MOST_DENSITY=lines.MOST_DENSITY,
    MOST_SHORT_DENSITY=lines.MOST_SHORT_DENSITY, BLOCK=BLOCK, OWNING_COVERAGE=str(lines.OWNING_COVERAGE),
    LONGEST=str(lines.LONGEST),
)  # fmt: skip
MOST_BLOCKS = 2**20 // BLOCK  # of edges per launch: lines.cu shows that density cannot overflow then
_THREADS = 256  # per block
_BLOCKS_PER_UNIT = 8  # for long edges and pixels: 2,048 threads fill a multiprocessor

Buffers = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Dots:
    """Vertices to draw as discs; see `lines.draw_vertices`."""

    vertices: NDArray[np.int32]
    points: NDArray[np.float64]  # (k, 2): their positions
    radii: NDArray[np.float64]  # (k,): in pixels
    strength: float


@dataclass(frozen=True, eq=False)
class DrawRequest:
    """One drawing job: blocks of edges and dots in a view.

    Attributes
    ----------
    blocks : (b,) integers
        Numbers of the blocks of `BLOCK` edges.
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
    """A scene's edges on a device, for the lifetime of the session; drawing is serialised between threads.

    Parameters
    ----------
    session : DeviceSession
        Owns the edges' memory.
    segments : (e, 4) float32

    Raises
    ------
    OutOfMemory
        If the edges do not fit on the device.
    KernelBuildError
    """

    def __init__(self, session: DeviceSession, segments: NDArray[np.float32]):
        self.device: Device = session.device
        self._program = self.device.compile(SOURCE)
        self._edges = len(segments)
        self._segments = session.upload(segments)
        self._lock = threading.Lock()

    def draw(self, request: DrawRequest, observer: Observer = SILENT) -> Buffers:
        """(density, claims) of ``request``, drawn into empty buffers.

        Raises
        ------
        OutOfMemory
        Cancelled
            Checked between two launches.
        """
        with self._lock, self.device.session() as session:
            return _Drawing(session, self._program, request).done(self._segments, self._edges, observer)


class _Drawing:
    """One `DrawRequest` in progress, with its own buffers."""

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
            self._launch("clamp_density", all_units, pixels, self._density, long_count)
            session.synchronize()

    def _draw_dots(self, dots: Dots, edges: int) -> None:
        count = len(dots.vertices)
        self._launch(
            "draw_vertices", -(-count // _THREADS), self._session.upload(dots.points),
            self._session.upload(dots.vertices), self._session.upload(dots.radii), np.int64(count),
            np.int64(2 * edges + 1), self._density, self._claims, *self._window, np.float64(dots.strength),
        )  # fmt: skip

    def _launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        self._program.launch(kernel, (max(1, blocks),), (_THREADS,), *arguments)


@njit(cache=True, nogil=True)
def merge(
    density: NDArray[np.int32], claims: NDArray[np.int32], more: NDArray[np.int32], more_claims: NDArray[np.int32]
) -> None:
    """Add one drawing to another; the result is the same as drawing both at once."""
    for row in range(density.shape[0]):
        for column in range(density.shape[1]):
            density[row, column] = min(density[row, column] + more[row, column], lines.MOST_DENSITY)
            claims[row, column] = max(claims[row, column], more_claims[row, column])
