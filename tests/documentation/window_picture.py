"""The picture of the window in README and documentation: ``python -m
tests.documentation.window_picture``.

Run it on a quiet machine: the times in the picture are measured.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

from PySide6.QtCore import QEventLoop, QSettings, QTimer

from gui.app import make_application
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.style import theme
from gui.window import MainWindow
from solvers.picture.colours import Scheme
from solvers.system.files import RESOURCES

PICTURE = RESOURCES / "pictures" / "window.png"
SIZE = (1440, 900)
VARIANTS = ("bf-edge-flags", "sssp-delta-omp", "dijkstra-heap")
SHARE = 0.36  # of the run, at which the play-back stands
PATIENCE_S = 300.0


def main() -> None:
    """Solve the sample, play the first variant's run for a while, and take the picture."""
    app = make_application()
    with TemporaryDirectory() as folder:
        settings = Settings(
            QSettings(str(Path(folder) / "tautpath.ini"), QSettings.Format.IniFormat)
        )
        theme.apply(app, Scheme.DARK)
        window = MainWindow(settings)
        window.resize(*SIZE)
        window.show()
        parts = window.parts
        parts.devices.discover()
        until(lambda: parts.devices.known)
        parts.open.open_sample()
        until(lambda: parts.session.graph is not None and not parts.jobs.all())
        parts.session.choices.choose_only(set(VARIANTS))
        for panel in ("Variants", "Results"):
            window.bars.open(panel, by_user=True)
        parts.run.start()
        until(
            lambda: (
                parts.jobs.running(JobKind.SOLVE) is None
                and len(parts.session.results.all) == len(VARIANTS)
            )
        )
        parts.session.results.select(VARIANTS[0])
        until(lambda: parts.playback.length > 0 and not parts.jobs.all())
        parts.playback.pause()
        parts.playback.seek(round(SHARE * parts.playback.length))
        until(lambda: parts.canvas.canvas.frames.current)
        wait(1.0)
        window.notices.dismiss()
        window.grab().save(str(PICTURE))
        parts.shut_down(PATIENCE_S)


def until(reached: Callable[[], bool]) -> None:
    """Handle events until ``reached()``."""
    end = time.monotonic() + PATIENCE_S
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError
        wait(0.05)


def wait(seconds: float) -> None:
    """Handle events for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


if __name__ == "__main__":
    main()
