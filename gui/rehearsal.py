"""The window without a display, doing what users do first, so that all it calls is
compiled; nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QSettings, QTimer

from gui.app import make_application
from gui.controllers.first_start import QUICK
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.style import theme
from gui.window import MainWindow
from solvers.system.files import temporary_folder

_PATIENCE_S = 1800.0  # for one stage that compiles, on a busy machine
_POLL_MS = 10
_SIZE = (1280, 800)
_LARGE, _SMALL = 2_600, 300  # vertices of two parts, which are laid out in different ways


def rehearse(report: Callable[[int, int, str], None]) -> None:
    """Open the sample, draw it, run and play the first variants, and open an edge list,
    which is laid out.
    """
    with temporary_folder("window") as folder:
        _Rehearsal(folder, report).run()


class _Rehearsal:
    """The stages, in the order of a first minute."""

    def __init__(self, folder: Path, report: Callable[[int, int, str], None]):
        self._folder, self._report = folder, report
        app = make_application()
        settings = Settings(QSettings(str(folder / "tautpath.ini"), QSettings.Format.IniFormat))
        theme.apply(app, settings.scheme)
        self._window = MainWindow(settings)
        self._window.resize(*_SIZE)

    def run(self) -> None:
        stages = (
            ("opening", self._open_sample),
            ("drawing", self._draw),
            ("running", self._run),
            ("playing", self._play),
            ("opening an edge list", self._open_list),
            ("layout", self._draw),
        )
        for done, (text, act) in enumerate(stages):
            self._report(done, len(stages), text)
            act()
        self._window.parts.jobs.shut_down()

    def _open_sample(self) -> None:
        window = self._window
        window.show()
        window.parts.devices.discover()
        _until(lambda: window.parts.devices.known)
        window.parts.open.open_sample()
        _until(lambda: window.parts.session.graph is not None)

    def _draw(self) -> None:
        window = self._window
        _until(lambda: not window.parts.jobs.all() and window.parts.canvas.canvas.frames.current)

    def _run(self) -> None:
        window = self._window
        window.parts.run.start(plan=QUICK)
        _until(
            lambda: (
                bool(window.parts.session.results.all)
                and window.parts.jobs.running(JobKind.SOLVE) is None
            )
        )

    def _play(self) -> None:
        window = self._window
        self._draw()
        for _ in range(3):
            window.parts.playback.step(1)
            _until(lambda: window.parts.canvas.canvas.frames.current)

    def _open_list(self) -> None:
        window, path = self._window, self._folder / "edges.txt"
        arcs = [(i, (step * i + 1) % _LARGE) for i in range(_LARGE) for step in (1, 7, 31)]
        arcs += [(_LARGE + i, _LARGE + i + 1) for i in range(_SMALL)]
        path.write_text("# edges\n" + "".join(f"{tail}\t{head}\n" for tail, head in arcs), "utf-8")
        before = window.parts.session.graph
        window.parts.open.open(path)
        _until(lambda: window.parts.session.graph is not before)


def _until(reached: Callable[[], bool]) -> None:
    """Handle events until ``reached()``; ends the rehearsal with a TimeoutError if that
    takes too long.
    """
    end = time.monotonic() + _PATIENCE_S
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError(f"a stage took longer than {_PATIENCE_S:.0f} s")
        loop = QEventLoop()
        QTimer.singleShot(_POLL_MS, loop.quit)
        loop.exec()
