"""Start-up: creates the application and the window, and opens the first graph."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from gui.model.session import Notice
from gui.model.settings import Settings
from gui.shell.gc_timer import WindowThreadCollector
from gui.shell.keys import TypingGuard
from gui.style import theme
from gui.style.icons import icon
from gui.style.tokens import Scheme
from gui.window import MainWindow

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
        Exit status.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    app = make_application()
    settings = Settings()
    if scheme is not None:
        settings.set_scheme(scheme)
    theme.apply(app, settings.scheme)
    window = MainWindow(settings)
    sys.excepthook = Reporter(window)
    collector = WindowThreadCollector(window)
    collector.start()
    window.show()
    QTimer.singleShot(0, window, lambda: begin(window, paths))
    status = app.exec()
    collector.stop()
    sys.excepthook = sys.__excepthook__
    return status


def make_application() -> QApplication:
    """Create the QApplication with name, icon, style and key handling."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Tautline")
    app.setOrganizationName("Tautline")
    app.setWindowIcon(icon("tautline"))
    TypingGuard(app)
    return app


def begin(window: MainWindow, paths: Sequence[Path]) -> None:
    """Search for devices and open the requested files, after the window was first shown."""
    window.canvas.setFocus()
    window.devices.discover()
    if paths:
        window.opening.open_all(paths)
    elif window.settings.first_start:
        window.opening.open_sample()


class Reporter:
    """A `sys.excepthook` that reports an exception in the window and on stderr, and keeps the window open."""

    def __init__(self, window: MainWindow):
        self._window = window

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        log.error("unexpected", exc_info=(kind, error, trace))
        self._window.session.notice(Notice.of(error))
