"""Start-up: creates the application and the window, and opens the first graph."""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from gui.charts.place import load_charts
from gui.model.settings import Settings
from gui.shell.gc_timer import WindowThreadCollector
from gui.shell.keys import TypingGuard
from gui.shell.quit_signals import QuitSignals
from gui.style import theme, type_size
from gui.style.icons import icon
from gui.style.tokens import Scheme
from gui.window import MainWindow
from solvers.host.scratch import sweep_temporary_folder

_M_ARENA_MAX = -8  # from glibc's malloc.h
_ARENAS = 1
_CHARTS_AFTER_MS = 400  # after the first graph, which a thread that imports would delay
_COMPILE_AFTER_MS = 1500  # when the window and its devices are there

log = logging.getLogger("tautline")


def run(paths: Sequence[Path] = (), *, scheme: Scheme | None = None) -> int:
    """Open the window and run until it is closed.

    Parameters
    ----------
    paths : sequence of Path
        A graph file, optionally with a coordinates file. If empty, the sample is opened at the first start, and the
        start page with recent files after that.
    scheme : Scheme, optional
        Overrides the remembered scheme.

    Returns
    -------
    int
        Exit status: 0, or 128 plus the number of the signal that closed the window.
    """
    sweep_temporary_folder()
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    app = make_application()
    settings = Settings()
    if scheme is not None:
        settings.set_scheme(scheme)
    theme.apply(app, settings.scheme)
    type_size.apply(app, settings.type_percent)
    window = MainWindow(settings)
    reporter = Reporter(window)
    reporter.install()
    collector = WindowThreadCollector(window)
    collector.start()
    window.jobs.measuring_changed.connect(collector.hold)
    signals = QuitSignals(window)
    signals.install()
    window.show()
    QTimer.singleShot(0, window, lambda: begin(window, paths))
    QTimer.singleShot(_CHARTS_AFTER_MS, window, lambda: prepare_charts(window))
    QTimer.singleShot(_COMPILE_AFTER_MS, window, window.compiling.begin)
    status = app.exec()
    collector.stop()
    signals.remove()
    reporter.remove()
    return signals.status or status


def make_application() -> QApplication:
    """Create the QApplication with name, icon, style and key handling."""
    limit_arenas()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Tautline")
    app.setOrganizationName("Tautline")
    app.setDesktopFileName("tautline")  # of resources/desktop: Wayland takes the window's icon from it
    app.setWindowIcon(icon("tautline"))
    TypingGuard(app)
    return app


def limit_arenas() -> None:
    """Have glibc use few memory arenas.

    Each job has a thread of its own; in as many arenas as glibc allows, what jobs freed stays scattered and is not
    given back. Does nothing where the C library is another.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    except (OSError, TypeError, AttributeError):
        log.debug("the C library has no mallopt", exc_info=True)


def begin(window: MainWindow, paths: Sequence[Path]) -> None:
    """Search for devices and open the requested files, after the window was first shown."""
    window.canvas.setFocus()
    window.devices.discover()
    window.run_list.load()
    if paths:
        window.open_paths(paths)
    elif window.settings.first_start:
        window.first_start.begin()


def prepare_charts(window: MainWindow) -> None:
    """Import what charts need in a job, then make them, so that the first results do not wait for it."""
    window.jobs.start(
        "charts", "Preparing charts", lambda _: load_charts(), on_success=lambda _: window.charts.make(),
        on_failure=window.session.notice_error, background=True,
    )  # fmt: skip


class Reporter(QObject):
    """Reports unexpected exceptions in the window and on stderr, and keeps the window open.

    `install` makes it Python's hook for exceptions in slots, event handlers and threads, `remove` undoes that.

    Signals
    -------
    caught(BaseException)
        An exception, perhaps in another thread; received in the window's.
    """

    caught = Signal(object)

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self.caught.connect(window.session.notice_error)

    def install(self) -> None:
        sys.excepthook = self
        threading.excepthook = self.thread_failed

    def remove(self) -> None:
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        log.error("unexpected", exc_info=(kind, error, trace))
        self.caught.emit(error)

    def thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        """A `threading.excepthook`."""
        error = failure.exc_value
        if error is None or issubclass(failure.exc_type, SystemExit):
            return
        log.error("unexpected in a thread", exc_info=(failure.exc_type, error, failure.exc_traceback))
        self.caught.emit(error)
