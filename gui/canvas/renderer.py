"""Worker thread that draws frames for the newest request and drops older ones."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from gui.picture.raster.drawing_device import of_this_machine
from gui.picture.raster.frames import FramePainter

log = logging.getLogger(__name__)


RequestT = TypeVar("RequestT")
RequestT_contra = TypeVar("RequestT_contra", contravariant=True)


class Drawer(Protocol[RequestT_contra]):
    """What draws in the thread: `frames.FramePainter` for graphs, `pixels.MatrixFramePainter` for matrices."""

    def frames(self, request: RequestT_contra, *, newer: Callable[[], bool]) -> Iterator[object]:
        """Pictures of a request, each finer than the one before; ``newer`` says when to stop."""

    def settle(self, request: RequestT_contra) -> None:
        """Prepare, while nothing is wanted, for what is likely to be wanted next."""


def screen_painter() -> FramePainter:
    """What draws graphs on the screen: all cores, and the GPU where there is one."""
    return FramePainter(device=of_this_machine())


class Renderer(QObject, Generic[RequestT]):
    """One worker thread with room for one request; a newer request takes the place of a waiting one.

    A first picture of each request is always finished, so that a picture moves while one pans; only its refinement
    is dropped for a newer request.

    Parameters
    ----------
    make_drawer : callable
        Called once, in the thread.

    Signals
    -------
    rendered(object)
        In the thread that made the renderer.
    failed(Exception)
    """

    rendered = Signal(object)
    failed = Signal(object)

    def __init__(self, make_drawer: Callable[[], Drawer[RequestT]]) -> None:
        super().__init__()
        self._make_drawer = make_drawer
        self._wanted: RequestT | None = None
        self._stopped = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="renderer", daemon=True)
        self._thread.start()

    def request(self, request: RequestT) -> None:
        with self._wake:
            self._wanted = request
            self._wake.notify()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the thread; at most the slice in hand is waited for."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def _newer(self) -> bool:
        return self._stopped or self._wanted is not None

    def _run(self) -> None:
        painter = self._make_drawer()
        while (request := self._next()) is not None:
            try:
                for frame in painter.frames(request, newer=self._newer):
                    if self._stopped:
                        return
                    self.rendered.emit(frame)
                if not self._newer():
                    painter.settle(request)
            except Exception as error:  # a frame that fails must not end the thread; the canvas tells the user
                log.debug("a frame failed", exc_info=True)
                self.failed.emit(error)

    def _next(self) -> RequestT | None:
        with self._wake:
            while self._wanted is None and not self._stopped:
                self._wake.wait()
            request, self._wanted = self._wanted, None
            return None if self._stopped else request
