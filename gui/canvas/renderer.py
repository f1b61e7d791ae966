"""Worker thread that draws frames for the newest request and drops older ones; and the
newest frame of a widget.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance

from gui.model.window_thread import WindowThread, keep_while_running
from solvers.errors import Cancelled
from solvers.picture.matrix_pixels import MatrixFrame, MatrixRequest
from solvers.picture.raster.frames import Frame, Request
from solvers.system.quiet import Quiet

log = logging.getLogger(__name__)


RequestT = TypeVar("RequestT")
RequestT_contra = TypeVar("RequestT_contra", contravariant=True)


class Drawer(Protocol[RequestT_contra]):
    """Draws frames in the thread: `frames.FramePainter` for graphs,
    `pixels.MatrixFramePainter` for matrices.
    """

    def frames(self, request: RequestT_contra, *, newer: Callable[[], bool]) -> Iterator[object]:
        """Frames of a request, each finer than the previous one; stops when ``newer()`` is true.

        Raises Cancelled if it ended for a measurement: the request, or a newer one, is
        drawn afterwards.
        """

    def settle(self, request: RequestT_contra) -> None:
        """Prepare, while idle, data that the next request is likely to need."""


class Renderer(QObject, Generic[RequestT]):
    """One worker thread with one pending request; a newer request replaces it.

    The first frame of each request is always finished, so that the picture moves while
    the user pans; only its refinement is dropped for a newer request. While a run
    measures, nothing is drawn: the newest request waits. ``make_drawer`` is called
    once, in the thread.
    """

    rendered = Signal(object)  # in the window's thread, ahead of what waits there for a turn
    failed = Signal(object)

    def __init__(
        self,
        make_drawer: Callable[[], Drawer[RequestT]],
        window: WindowThread,
        quiet: Quiet | None = None,
    ) -> None:
        super().__init__()
        self._make_drawer, self._window, self._quiet = make_drawer, window, quiet or Quiet()
        self._wanted: RequestT | None = None
        self._stopped = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="renderer", daemon=True)
        self._thread.start()

    def request(self, request: RequestT) -> None:
        with self._changed:
            self._wanted = request
            self._changed.notify()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the thread, after the current slice at the latest; nothing is emitted
        from then on.
        """
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._quiet.wake()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout_s)
        keep_while_running(self._thread, self)

    def _tell(self, signal: SignalInstance, value: object) -> None:
        if not self._stopped:
            signal.emit(value)

    def _newer(self) -> bool:
        return self._stopped or self._wanted is not None or self._quiet.is_measuring

    def _run(self) -> None:
        try:
            painter = self._make_drawer()
        except Exception as error:
            # without a painter there are no frames, but a window that says so
            log.info("no painter", exc_info=True)
            self._window.post(partial(self._tell, self.failed, error), at_once=True)
            return
        while self._wait_for_request():
            with self._quiet.working(lambda: self._stopped):
                request = self._take()
                if request is not None:
                    self._draw(painter, request)

    def _draw(self, painter: Drawer[RequestT], request: RequestT) -> None:
        try:
            for frame in painter.frames(request, newer=self._newer):
                if self._stopped:
                    return
                self._window.post(partial(self._tell, self.rendered, frame), at_once=True)
            if self._quiet.is_measuring:
                self._put_back(request)  # refined after the measurement
            elif not self._newer():
                painter.settle(request)
        except Cancelled:  # for a measurement, which may itself have been cancelled since
            self._put_back(request)
        except Exception as error:
            # a frame that fails must not end the thread; the canvas shows it to the
            # user
            log.debug("a frame failed", exc_info=True)
            self._window.post(partial(self._tell, self.failed, error), at_once=True)

    def _wait_for_request(self) -> bool:
        """Wait for a request; False if the thread is to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._wanted is not None or self._stopped)
            return not self._stopped

    def _take(self) -> RequestT | None:
        with self._changed:
            request, self._wanted = self._wanted, None
            return None if self._stopped else request

    def _put_back(self, request: RequestT) -> None:
        with self._changed:
            self._wanted = self._wanted if self._wanted is not None else request


PictureRequestT = TypeVar("PictureRequestT", Request, MatrixRequest)
FrameT = TypeVar("FrameT", Frame, MatrixFrame)


class FrameStream(QObject, Generic[PictureRequestT, FrameT]):
    """The newest frame of what a widget shows, drawn by a renderer whose thread ends
    with ``parent``.

    ``newest`` may lag behind the last request; ``answered`` is the request that it
    answers.
    """

    framed = Signal()  # there is a newer frame

    def __init__(
        self,
        make_drawer: Callable[[], Drawer[PictureRequestT]],
        window: WindowThread,
        quiet: Quiet | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.newest: FrameT | None = None
        self.answered: PictureRequestT | None = None
        self._requested: dict[int, PictureRequestT] = {}  # by id, those that may still be answered
        self._id = 0  # of the newest request
        self._last_outdated = 0  # requests up to this one were for another graph
        self.renderer: Renderer[PictureRequestT] = Renderer(make_drawer, window, quiet)
        renderer = self.renderer
        renderer.rendered.connect(self._take)
        # not self: the connection must not keep these alive
        self.destroyed.connect(lambda: renderer.stop())

    @property
    def current(self) -> bool:
        """Whether the newest frame answers the newest request."""
        return self.newest is not None and self.newest.request_id == self._id

    def request(self, request: PictureRequestT | None) -> None:
        """Have a frame drawn; None says only that the newest is out of date, as that of
        a hidden widget is.
        """
        self._id += 1
        if request is not None:
            self._requested[self._id] = numbered = replace(request, id=self._id)
            self.renderer.request(numbered)

    def drop(self) -> None:
        """Discard the newest frame and those still being drawn: they show another graph."""
        self.newest = self.answered = None
        self._requested.clear()
        self._last_outdated = self._id

    def _take(self, frame: FrameT) -> None:
        answered = self._requested.get(frame.request_id)
        self._requested = {
            key: each for key, each in self._requested.items() if key >= frame.request_id
        }
        if frame.request_id > self._last_outdated:
            self.newest, self.answered = frame, answered
            self.framed.emit()
