"""Drawing of large scenes on a device: the device is found, supplied with edges, and
draws each view. No Qt.

A scene's edges are copied to the device once, in background threads. Pictures never
wait for it: the processor draws the same pixels until the edges are copied, while a run
is timed on the device, and after any failure. The pixels equal those of `lines` (see
``lines.cu``). Only buffers of the view's size are copied back; they are coloured on the
host, in time proportional to the pixels. Frames are drawn in slices, whose size is
adapted to the measured drawing speed.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvers.devices.device import Device, DeviceSession, KernelSource, is_timed_on
from solvers.devices.kernel import distance_defines
from solvers.errors import Cancelled, DeviceUnavailable, OutOfMemory
from solvers.graphs.weights import INT32
from solvers.picture.raster import lines
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.lit_roads import EVEN, NO_LEVELS, RoadPen
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Float32s, Float64s, Int32s, Int64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.quiet import Quiet

SOURCE = KernelSource.beside(
    __file__,
    "lines.cu",
    **distance_defines(INT32),
    UNITS=lines.UNITS,
    MOST_DENSITY=lines.MOST_DENSITY,
    MOST_SHORT_DENSITY=lines.MOST_SHORT_DENSITY,
    BLOCK=BLOCK,
    OWNING_COVERAGE=str(lines.OWNING_COVERAGE),
    LONGEST=str(lines.LONGEST),
)
# of edges per launch: lines.cu shows that density cannot overflow then
MOST_BLOCKS = 2**20 // BLOCK
_THREADS = 256  # per block
_BLOCKS_PER_UNIT = 8  # for long edges and pixels: 2,048 threads fill a multiprocessor

Buffers = tuple[Int32s, Int32s]

log = logging.getLogger(__name__)

# of lines in view; below it, copying the buffers back takes as long as drawing on the
# processor
LEAST_PIXELS = 5e5
MOST_SHARE = 0.25  # of the device's free memory for the edges; the rest is left for solving
_LOOK_S = 0.2  # between two checks whether the device is free

FIRST_SLICE_PIXELS = 8e6  # line pixels of a slice before any was timed
SLICE_S = 0.04  # target time of a slice, short enough for smooth panning
_SLICE_RANGE = (1.5e6, 2.5e8)  # line pixels
_LEAST_TIMED = 5e5  # line pixels of a slice below which its time is ignored as unreliable


@dataclass(frozen=True, eq=False)
class Dots:
    """Vertices to draw as discs; see `lines.draw_vertices`."""

    vertices: Int32s
    points: Float64s  # (k, 2): their positions
    radii: Float64s  # (k,): in pixels
    strength: float


@dataclass(frozen=True, eq=False)
class DrawRequest:
    """One drawing job: blocks of edges and dots in a view."""

    blocks: Int64s  # (b,): numbers of the blocks of `BLOCK` edges
    columns: int
    rows: tuple[int, int]  # first and last + 1
    transform: tuple[float, float, float]  # scale, dx, dy
    width: float  # width, fade: as in `lines.draw_edges`
    fade: float
    dots: Dots | None = None
    levels: UInt8s = field(default_factory=lambda: NO_LEVELS)  # of edges, for ``pen``
    pen: RoadPen = EVEN


class DeviceRaster:
    """A scene's (e, 4) edges on a device, for the lifetime of the session; drawing is
    serialised between threads.

    Raises OutOfMemory if the edges do not fit on the device; KernelBuildError.
    """

    def __init__(self, session: DeviceSession, segments: Float32s):
        self.device: Device = session.device
        self._program = self.device.compile(SOURCE)
        self._edges = len(segments)
        self._session, self._segments = session, session.upload(segments)
        # of the last request, here and on the device
        self._levels: tuple[UInt8s, Any] | None = None
        self._lock = threading.Lock()

    def draw(self, request: DrawRequest, progress: Progress = SILENT) -> Buffers:
        """(density, claims) of ``request``, drawn into empty buffers; raises OutOfMemory."""
        with self._lock, self.device.session() as session:
            if self._levels is None or self._levels[0] is not request.levels:
                self._levels = request.levels, self._session.upload(request.levels)
            return _Drawing(session, self._program, request, self._levels[1]).done(
                self._segments, self._edges, progress
            )


class _Drawing:
    """One `DrawRequest` in progress, with its own buffers."""

    def __init__(self, session: DeviceSession, program: Any, request: DrawRequest, levels: Any):
        self._session = session
        self._program = program
        self._request = request
        self._levels = levels
        first, last = request.rows
        self._shape = (last - first, request.columns)
        self._density = session.empty(self._shape, np.uint32)
        self._claims = session.empty(self._shape, np.int32)
        session.fill(self._density, 0)
        session.fill(self._claims, lines.UNCLAIMED)
        transform = map(np.float64, request.transform)
        self._window = (request.columns, first, last - first, *transform)

    def done(self, segments: Any, edges: int, progress: Progress) -> Buffers:
        request, session = self._request, self._session
        if len(request.blocks):
            self._draw_edges(segments, edges, progress)
        if request.dots is not None and len(request.dots.vertices):
            self._draw_dots(request.dots, edges)
        return session.download(self._density).view(np.int32), session.download(self._claims)

    def _draw_edges(self, segments: Any, edges: int, progress: Progress) -> None:
        session, request = self._session, self._request
        by_level = request.pen.widths, request.pen.strengths
        pen = (
            np.float64(request.width),
            np.float64(request.fade),
            self._levels,
            *map(session.upload, by_level),
            len(by_level[0]),
        )
        long_edges = session.empty(MOST_BLOCKS * BLOCK, np.int32)
        long_count = session.empty(1, np.int32)
        session.fill(long_count, 0)
        pixels = self._shape[0] * self._shape[1]
        all_units = _BLOCKS_PER_UNIT * session.device.compute_units
        for start in range(0, len(request.blocks), MOST_BLOCKS):
            progress.checkpoint()
            blocks = session.upload(request.blocks[start : start + MOST_BLOCKS].astype(np.int32))
            self._launch(
                "draw_edges",
                blocks.shape[0],
                segments,
                edges,
                blocks,
                self._density,
                self._claims,
                long_edges,
                long_count,
                *self._window,
                *pen,
            )
            self._launch(
                "draw_long",
                all_units,
                segments,
                self._density,
                self._claims,
                long_edges,
                long_count,
                *self._window,
                *pen,
            )
            self._launch("clamp_density", all_units, pixels, self._density, long_count)
            session.synchronize()

    def _draw_dots(self, dots: Dots, edges: int) -> None:
        count = len(dots.vertices)
        self._launch(
            "draw_vertices",
            -(-count // _THREADS),
            self._session.upload(dots.points),
            self._session.upload(dots.vertices),
            self._session.upload(dots.radii),
            count,
            2 * edges + 1,
            self._density,
            self._claims,
            *self._window,
            np.float64(dots.strength),
        )

    def _launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        self._program.launch(kernel, (max(1, blocks),), (_THREADS,), *arguments)


@njit
def merge(density: Int32s, claims: Int32s, more: Int32s, more_claims: Int32s) -> None:
    """Add one drawing to another; the result is the same as drawing both at once."""
    for row in range(density.shape[0]):
        for column in range(density.shape[1]):
            density[row, column] = min(density[row, column] + more[row, column], lines.MOST_DENSITY)
            claims[row, column] = max(claims[row, column], more_claims[row, column])


class DrawingDevice:
    """Draws requests for any scene, or reports that it cannot at the moment.

    A scene's edges are copied at its first request, and freed when the scene is garbage
    collected. ``find`` is called for each scene in a thread of its own, since drivers
    can be slow, and may raise `DeviceUnavailable`. The device is used from
    ``least_pixels`` line pixels in view. While ``quiet`` measures, no device is
    searched for and no edges are copied. The size of slices, ``budget``, is adapted to
    the device's speed.
    """

    def __init__(
        self,
        find: Callable[[], Device],
        least_pixels: float = LEAST_PIXELS,
        quiet: Quiet | None = None,
    ):
        self.budget = SliceBudget()
        self._find, self._least_pixels, self._quiet = find, least_pixels, quiet or Quiet()
        self._lock = threading.Lock()
        self._holders: weakref.WeakKeyDictionary[DrawableGraph, _Holder] = (
            weakref.WeakKeyDictionary()
        )
        self._broken = False

    def serves(self, scene: DrawableGraph, pixels: float) -> bool:
        """True if so many line pixels of a scene should be drawn here; starts preparing
        the scene if needed.
        """
        return pixels >= self._least_pixels and self._ready_for(scene) is not None

    def draw(
        self, scene: DrawableGraph, request: DrawRequest, progress: Progress = SILENT
    ) -> Buffers | None:
        """(density, claims) of ``request``; None if the processor has to draw it."""
        held = self._ready_for(scene)
        if held is None:
            return None
        try:
            return held.draw(request, progress)
        except Cancelled:
            raise
        except OutOfMemory as error:  # temporary: memory may be freed later
            log.info("the picture is drawn by the processor: %s", error)
        except Exception:  # drivers raise errors of their own; the picture must not depend on them
            log.warning("drawing on %s failed; the processor draws from now on", held.device.name)
            log.info("drawing on %s", held.device.name, exc_info=True)
            self._broken = True
        return None

    def wait(self, scene: DrawableGraph, timeout_s: float = 60.0) -> bool:
        """Wait until the edges are copied; False if they will not be."""
        holder = self._holder_of(scene)
        return holder.ready.wait(timeout_s) and holder.raster is not None

    def _ready_for(self, scene: DrawableGraph) -> DeviceRaster | None:
        held = None if self._broken else self._holder_of(scene).raster
        return None if held is None or is_timed_on(held.device.key) else held

    def _holder_of(self, scene: DrawableGraph) -> _Holder:
        with self._lock:
            if scene not in self._holders:
                self._holders[scene] = _Holder(scene, self._find, self._quiet)
            return self._holders[scene]


class _Holder:
    """Keeps one scene's edges on the device, in a thread that ends when the scene is
    garbage collected.
    """

    def __init__(self, scene: DrawableGraph, find: Callable[[], Device], quiet: Quiet):
        self.ready = threading.Event()
        self.raster: DeviceRaster | None = None
        self._quiet = quiet
        self._gone = threading.Event()
        weakref.finalize(scene, self._gone.set).atexit = False
        threading.Thread(
            target=self._hold, args=(weakref.ref(scene), find), name="edges", daemon=True
        ).start()

    def _hold(self, scene: Callable[[], DrawableGraph | None], find: Callable[[], Device]) -> None:
        try:
            with self._quiet.working():
                device = find()
            while is_timed_on(device.key) and not self._gone.wait(_LOOK_S):
                pass
            with device.session() as session:
                with self._quiet.working():
                    self.raster = _raster_of(scene(), session)
                self.ready.set()
                if self.raster is not None:
                    self._gone.wait()
        except DeviceUnavailable as error:
            log.debug("no device draws: %s", error)
        except Exception:
            log.warning("the picture is drawn by the processor, since no device can be prepared")
            log.info("preparing a device to draw", exc_info=True)
        finally:
            self.raster = None
            self.ready.set()


def _raster_of(scene: DrawableGraph | None, session: DeviceSession) -> DeviceRaster | None:
    if scene is None:
        return None
    free = session.device.free_bytes()
    if scene.segments.nbytes > MOST_SHARE * free:
        raise OutOfMemory(
            "The picture", scene.segments.nbytes, int(MOST_SHARE * free), session.device.name
        )
    return DeviceRaster(session, scene.segments)


def first_cuda_device() -> Device:
    """The first CUDA device; does not search for OpenCL drivers, which is slow, and
    most of which are the processor.
    """
    try:
        from solvers.devices import cuda

        devices = cuda.find_devices()
    except (ImportError, OSError, RuntimeError) as error:  # CuPy's own errors are RuntimeErrors
        raise DeviceUnavailable(f"No CUDA device: {error}.") from None
    if not devices:
        raise DeviceUnavailable("No CUDA device on this machine.")
    return devices[0]


class SliceBudget:
    """Number of line pixels per slice, as a moving average over the speed of earlier slices."""

    def __init__(self) -> None:
        self.pixels = FIRST_SLICE_PIXELS

    def learn(self, pixels: float, seconds: float) -> None:
        """Record that ``pixels`` line pixels were drawn in ``seconds``."""
        if pixels >= _LEAST_TIMED:
            low, high = _SLICE_RANGE
            self.pixels = min(
                high, max(low, 0.5 * self.pixels + 0.5 * pixels * SLICE_S / max(seconds, 1e-6))
            )
