"""The device that pictures are drawn on where that pays: found, and given the edges, by threads of its own. No Qt.

A picture never waits for it: until the edges are there, while a run is timed on the device, and after any failure the
processor draws, pixel by pixel the same.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from functools import cache

from gui.picture.raster.device_raster import Buffers, DeviceRaster, DrawRequest
from gui.picture.raster.slice_budget import SliceBudget
from gui.picture.scene.scene import DrawableGraph
from solvers.devices.base import Device, DeviceSession
from solvers.devices.timed import is_timed_on
from solvers.errors import Cancelled, DeviceUnavailable, OutOfMemory
from solvers.host.observer import SILENT, Observer

log = logging.getLogger(__name__)

LEAST_PIXELS = 5e5  # of lines in view: one core draws them in some 5 ms, about what the buffers' way back takes
MOST_SHARE = 0.25  # of the device's free memory that the edges may take: the rest is for those who solve
_LOOK_S = 0.2  # between two looks at whether the device is free


class DrawingDevice:
    """Draws strokes of any scene, or says that it cannot now.

    Edges are sent when a scene is first asked for, and stay until the scene is let go.

    Parameters
    ----------
    find : callable
        Gives the device; called for each scene in a thread of its own (drivers take their time). May raise
        `DeviceUnavailable`.
    least_pixels : float
        Line pixels in view from which it is used.

    Attributes
    ----------
    budget : SliceBudget
        What was learnt of its speed.
    """

    def __init__(self, find: Callable[[], Device], least_pixels: float = LEAST_PIXELS):
        self.budget = SliceBudget()
        self._find, self._least_pixels = find, least_pixels
        self._lock = threading.Lock()
        self._holders: weakref.WeakKeyDictionary[DrawableGraph, _Holder] = weakref.WeakKeyDictionary()
        self._broken = False

    def serves(self, scene: DrawableGraph, pixels: float) -> bool:
        """Whether so many line pixels of a scene are to be drawn here now; where it only is not ready, it gets so."""
        return pixels >= self._least_pixels and self._ready_for(scene) is not None

    def draw(self, scene: DrawableGraph, request: DrawRequest, observer: Observer = SILENT) -> Buffers | None:
        """(density, claims) of a stroke on blank ground; None where the processor has to draw it.

        Raises
        ------
        Cancelled
        """
        held = self._ready_for(scene)
        if held is None:
            return None
        try:
            return held.draw(request, observer)
        except Cancelled:
            raise
        except OutOfMemory as error:  # for now: others may give memory back
            log.info("the picture is drawn by the processor: %s", error)
        except Exception:  # a driver's own errors: the picture must not depend on them
            log.warning("drawing on %s failed; the processor draws from now on", held.device.name, exc_info=True)
            self._broken = True
        return None

    def wait(self, scene: DrawableGraph, timeout_s: float = 60.0) -> bool:
        """Wait until the edges are there; False where they will not be."""
        holder = self._holder_of(scene)
        return holder.ready.wait(timeout_s) and holder.raster is not None

    def _ready_for(self, scene: DrawableGraph) -> DeviceRaster | None:
        held = None if self._broken else self._holder_of(scene).raster
        return None if held is None or is_timed_on(held.device.key) else held

    def _holder_of(self, scene: DrawableGraph) -> _Holder:
        with self._lock:
            if scene not in self._holders:
                self._holders[scene] = _Holder(scene, self._find)
            return self._holders[scene]


class _Holder:
    """Keeps the edges of one scene on the device, in a thread that ends when the scene is let go."""

    def __init__(self, scene: DrawableGraph, find: Callable[[], Device]):
        self.ready = threading.Event()
        self.raster: DeviceRaster | None = None
        self._gone = threading.Event()
        weakref.finalize(scene, self._gone.set).atexit = False
        threading.Thread(target=self._hold, args=(weakref.ref(scene), find), name="edges", daemon=True).start()

    def _hold(self, scene: Callable[[], DrawableGraph | None], find: Callable[[], Device]) -> None:
        try:
            device = find()
            while is_timed_on(device.key) and not self._gone.wait(_LOOK_S):
                pass
            with device.session() as session:
                self.raster = _raster_of(scene(), session)
                self.ready.set()
                if self.raster is not None:
                    self._gone.wait()
        except DeviceUnavailable as error:
            log.debug("no device draws: %s", error)
        except Exception as error:
            log.warning("the picture is drawn by the processor: %s", error)
        finally:
            self.raster = None
            self.ready.set()


def _raster_of(scene: DrawableGraph | None, session: DeviceSession) -> DeviceRaster | None:
    if scene is None:
        return None
    free = session.device.free_bytes()
    if scene.segments.nbytes > MOST_SHARE * free:
        raise OutOfMemory("The picture", scene.segments.nbytes, int(MOST_SHARE * free), session.device.name)
    return DeviceRaster(session, scene.segments)


@cache
def of_this_machine() -> DrawingDevice:
    """The one that all canvases share: the first CUDA device, where there is one.

    Not an OpenCL device: most are the processor itself, which is no faster that way.
    """
    return DrawingDevice(_first_cuda_device)


def _first_cuda_device() -> Device:
    """Asked of CUDA alone: looking for OpenCL drivers is left to `solvers.devices.discover`."""
    try:
        from solvers.devices import cuda

        devices = cuda.find_devices()
    except (ImportError, OSError, RuntimeError) as error:  # CuPy's own errors are RuntimeErrors
        raise DeviceUnavailable(f"No CUDA device: {error}.") from None
    if not devices:
        raise DeviceUnavailable("No CUDA device on this machine.")
    return devices[0]
