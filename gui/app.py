"""Start-up: creates the application and the window, and opens the first graph."""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType, TracebackType
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken

from gui.model.notice import Notice, Severity
from gui.model.settings import Settings
from gui.shell.keys import TypingGuard
from gui.shell.process import QuitSignals, WindowThreadCollector
from gui.style import theme
from gui.style.icons import icon
from gui.style.text import apply_type_size, use_typeface
from gui.window import MainWindow
from solvers.picture.colours import Scheme
from solvers.system.diagnostics import LogFile, logging_to, open_log_file
from solvers.system.files import sweep_temporary_folder
from solvers.system.former_name import take_over
from solvers.system.long_waits import NOTICE, hush
from solvers.version import __version__

_M_ARENA_MAX = -8  # from glibc's malloc.h
_ARENAS = 1
_BEGIN_AT_LATEST_MS = 1000  # where the window is not painted, as when it starts minimised
_CHARTS_AFTER_MS = 400  # after the first graph
_COMPILE_AFTER_MS = 1500  # when the window and its devices are there

_GUARDED = "_is_guarded_override"
_HOOK = "__init_subclass__"  # which Python calls for each new class below one

log = logging.getLogger("tautpath")


def run(paths: Sequence[Path] = (), *, scheme: Scheme | None = None) -> int:
    """Open the window and run until it is closed.

    ``paths``: a graph file, optionally with a coordinates file. If empty, the sample is
    opened at the first start, and the start page with recent files after that.
    ``scheme``: overrides the remembered scheme. Returns exit status: 0, or 128 plus the
    number of the signal that closed the window.
    """
    hush()  # the window tells of compiling itself
    shown = logging.StreamHandler()
    shown.setLevel(logging.WARNING)
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", handlers=[shown])
    log_file = open_log_file()
    if isinstance(log_file, LogFile):  # opened once more, since a full one is renamed
        faulthandler.enable(os.open(log_file.baseFilename, os.O_WRONLY | os.O_APPEND))
    with logging_to(log_file, logging.INFO):
        return _run(paths, scheme)


def _run(paths: Sequence[Path], scheme: Scheme | None) -> int:
    log.info(
        "Tautpath %s, Python %s, %s", __version__, platform.python_version(), platform.platform()
    )
    app = make_application()
    settings = Settings()
    if scheme is not None:
        settings.scheme = scheme
    theme.apply(app, settings.scheme)
    apply_type_size(app, settings.type_percent)
    window = MainWindow(settings)
    reporter = Reporter(window)
    reporter.install()
    collector = WindowThreadCollector(window)
    collector.start()
    window.parts.jobs.measuring_changed.connect(collector.hold)
    signals = QuitSignals(window)
    signals.install()
    AfterFirstPaint(window, lambda: begin(window, paths))
    window.show()
    # its first frame is laid out as those that follow
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    QTimer.singleShot(_CHARTS_AFTER_MS, window, lambda: prepare_charts(window))
    QTimer.singleShot(_COMPILE_AFTER_MS, window, window.parts.compile_ahead.begin)
    with NOTICE.said_by(to_canvas(window)):
        status = app.exec()
    collector.stop()
    signals.remove()
    reporter.remove()
    return signals.status or status


def to_canvas(window: MainWindow) -> Callable[[str], None]:
    """Tells of compiling on the canvas, from any thread, while there is no picture."""
    canvas, post = window.parts.canvas.graph_canvas, window.parts.session.window.post
    return lambda _: post(canvas.tell_of_compiling)


def make_application() -> QApplication:
    """Create the QApplication with name, icon, style and key handling."""
    limit_arenas()
    guard_overrides()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Tautpath")
    app.setOrganizationName("Tautpath")
    use_typeface(app)
    # of resources/desktop: Wayland takes the window's icon from it
    app.setDesktopFileName("tautpath")
    app.setWindowIcon(icon("tautpath"))
    TypingGuard(app)
    return app


def limit_arenas() -> None:
    """Have glibc use few memory arenas.

    Each job has a thread of its own; in as many arenas as glibc allows, what jobs freed
    stays scattered and is not given back. Does nothing where the C library is another.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    except (OSError, TypeError, AttributeError):
        log.debug("the C library has no mallopt", exc_info=True)


def guard_overrides() -> None:
    """Have errors in Python overrides of Qt's virtual functions reported, in all
    classes, also those made later.

    Under Python 3.11 an error that C code raises, such as numpy's IndexError, is an
    instance of its class only once Python code has caught it. PySide names the override
    in the text of the error's instance, without looking whether there is one, where
    Python code is waiting for Qt: in a ``paintEvent`` that Qt calls for an ``event``
    that called its base class. That ended the process without a traceback. So overrides
    catch their errors, and raise them again.
    """
    # all errors are instances; done
    if sys.version_info >= (3, 12) or _HOOK in vars(Shiboken.Object):
        return
    classes = [Shiboken.Object]
    while classes:
        subclasses = classes.pop().__subclasses__()
        classes += subclasses
        for made in subclasses:
            _guard_class(made)
    setattr(Shiboken.Object, _HOOK, classmethod(lambda made, **_: _guard_class(made)))


def _guard_class(made: type) -> None:
    """Guard what a class, or a class of Python that it inherits from, overrides."""
    of_qt = [base for base in made.__mro__ if base.__module__.startswith(("PySide6.", "Shiboken"))]
    for base in made.__mro__[:-1]:
        for name, function in [] if base in of_qt else list(vars(base).items()):
            overrides = isinstance(function, FunctionType) and any(
                name in vars(parent) for parent in of_qt
            )
            if overrides and not hasattr(function, _GUARDED):
                setattr(base, name, _guarded(function))


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except BaseException:
            # only to be raised again: Python makes it an instance before it enters this
            # block
            raise

    setattr(call, _GUARDED, True)
    return call


class AfterFirstPaint(QObject):
    """Calls a function when a window was first painted, which threads that it starts
    would delay.
    """

    def __init__(self, window: QWidget, act: Callable[[], object]):
        super().__init__(window)
        self._timer = QTimer(self, singleShot=True, interval=_BEGIN_AT_LATEST_MS)
        self._timer.timeout.connect(act)
        self._timer.start()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            self._timer.start(0)
        return super().eventFilter(watched, event)


def begin(window: MainWindow, paths: Sequence[Path]) -> None:
    """Search for devices, have features begin, and open the requested files, after
    the window was first shown: in turns, between which it answers.
    """
    window.parts.canvas.setFocus()
    later = window.parts.session.window.later
    later(window.parts.devices.discover)
    for feature in window.features.values():
        later(partial(feature.begin, bool(paths)))
    later(partial(_tell_of_former_name, window))
    later(sweep_temporary_folder)
    if paths:
        later(partial(window.open_paths, paths))


def _tell_of_former_name(window: MainWindow) -> None:
    if told := take_over():
        window.parts.session.notice(Notice(Severity.INFO, told))


def prepare_charts(window: MainWindow) -> None:
    """Import what plots need in steps between events, so that the first results do not wait
    for it; in this thread, where alone classes of Qt are made.
    """

    def steps() -> Iterator[None]:
        from gui.charts import pyqtgraph_steps

        while pyqtgraph_steps.step():
            yield
        import_module("gui.charts.plot")

    _one_by_one(window, steps())


def _one_by_one(window: MainWindow, steps: Iterator[object]) -> None:
    """Take each step in a turn of its own, in which other calls have theirs."""
    later = window.parts.session.window.later

    def take() -> None:
        for _ in steps:
            later(take)
            return

    later(take)


class Reporter(QObject):
    """Reports unexpected exceptions in the window and on stderr, and keeps the window open.

    `install` makes it Python's hook for exceptions in slots, event handlers and
    threads, `remove` undoes that.
    """

    # BaseException: an exception, perhaps in another thread; received in the window's
    caught = Signal(object)

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self.caught.connect(window.parts.session.notice_error)

    def install(self) -> None:
        sys.excepthook = self
        threading.excepthook = self.thread_failed

    def remove(self) -> None:
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
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
        log.error(
            "unexpected in a thread", exc_info=(failure.exc_type, error, failure.exc_traceback)
        )
        self.caught.emit(error)
