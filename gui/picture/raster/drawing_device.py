"""Device used for drawing large scenes; found and supplied with edges in background threads. No Qt.

Pictures never wait for it. The processor draws the same pixels until the edges are copied, while a run is timed on the
device, and after any failure.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from functools import cache

from gui.model.quiet import Quiet
from gui.picture.raster.device_raster import Buffers, DeviceRaster, DrawRequest
from gui.picture.raster.slice_budget import SliceBudget
from gui.picture.scene.scene import DrawableGraph
from solvers.devices.device import Device, DeviceSession, is_timed_on
from solvers.errors import Cancelled, DeviceUnavailable, OutOfMemory
from solvers.system.cancel import SILENT, Observer

log = logging.getLogger(__name__)

LEAST_PIXELS = 5e5  # of lines in view; below it, copying the buffers back takes as long as drawing on the processor
MOST_SHARE = 0.25  # of the device's free memory for the edges; the rest is left for solving
_LOOK_S = 0.2  # between two checks whether the device is free


class DrawingDevice:
    """Draws requests for any scene, or reports that it cannot at the moment.

    A scene's edges are copied at its first request, and freed when the scene is garbage collected.

    Parameters
    ----------
    find : callable
        Returns the device; called for each scene in a separate thread, since drivers can be slow. May raise
        `DeviceUnavailable`.
    least_pixels : float
        Least number of line pixels in view for which it is used.
    quiet : Quiet, optional
        While it measures, no device is searched for and no edges are copied; nothing waits without it.

    Attributes
    ----------
    budget : SliceBudget
        Slice size, adapted to the device's speed.
    """

    def __init__(self, find: Callable[[], Device], least_pixels: float = LEAST_PIXELS, quiet: Quiet | None = None):
        self.budget = SliceBudget()
        self._find, self._least_pixels, self._quiet = find, least_pixels, quiet or Quiet()
        self._lock = threading.Lock()
        self._holders: weakref.WeakKeyDictionary[DrawableGraph, _Holder] = weakref.WeakKeyDictionary()
        self._broken = False

    def serves(self, scene: DrawableGraph, pixels: float) -> bool:
        """True if so many line pixels of a scene should be drawn here; starts preparing the scene if needed."""
        return pixels >= self._least_pixels and self._ready_for(scene) is not None

    def draw(self, scene: DrawableGraph, request: DrawRequest, observer: Observer = SILENT) -> Buffers | None:
        """(density, claims) of ``request``; None if the processor has to draw it.

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
        except OutOfMemory as error:  # temporary: memory may be freed later
            log.info("the picture is drawn by the processor: %s", error)
        except Exception:  # drivers raise errors of their own; the picture must not depend on them
            log.warning("drawing on %s failed; the processor draws from now on", held.device.name, exc_info=True)
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
    """Keeps one scene's edges on the device, in a thread that ends when the scene is garbage collected."""

    def __init__(self, scene: DrawableGraph, find: Callable[[], Device], quiet: Quiet):
        self.ready = threading.Event()
        self.raster: DeviceRaster | None = None
        self._quiet = quiet
        self._gone = threading.Event()
        weakref.finalize(scene, self._gone.set).atexit = False
        threading.Thread(target=self._hold, args=(weakref.ref(scene), find), name="edges", daemon=True).start()

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
def of_this_machine(quiet: Quiet) -> DrawingDevice:
    """The drawing device shared by all canvases of a window: the first CUDA device, if any.

    OpenCL devices are not used: most are the processor itself.
    """
    return DrawingDevice(_first_cuda_device, quiet=quiet)


def _first_cuda_device() -> Device:
    """The first CUDA device; does not search for OpenCL drivers, which is slow."""
    try:
        from solvers.devices import cuda

        devices = cuda.find_devices()
    except (ImportError, OSError, RuntimeError) as error:  # CuPy's own errors are RuntimeErrors
        raise DeviceUnavailable(f"No CUDA device: {error}.") from None
    if not devices:
        raise DeviceUnavailable("No CUDA device on this machine.")
    return devices[0]
