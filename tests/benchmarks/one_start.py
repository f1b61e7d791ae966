"""One start of the window, measured for `tests.benchmarks.stalls`, which runs this as a
program of its own.
"""

from __future__ import annotations

import json
import os
import time

from main import load_window


def main() -> None:
    """Open the window as ``main.py`` does, and print what was measured as JSON."""
    os.environ["TAUTPATH_NO_COMPILING_AHEAD"] = "1"  # which would be measured, too
    app = load_window()
    # after `load_window`, which imports what needs no Qt before Qt
    from PySide6.QtCore import QTimer

    from tests.benchmarks.stalls import BEAT_MS, FIRST_SECONDS, SPAWNED, Heartbeat, ThreadTimes

    application = app.make_application()
    heart = Heartbeat(where=True)
    figures: dict[str, float] = {}

    def look() -> None:
        windows = (
            w
            for w in application.topLevelWidgets()
            if isinstance(w, app.MainWindow) and w.isVisible()
        )
        window = next(windows, None)
        handle = None if window is None else window.windowHandle()
        if handle is None or not handle.isExposed():
            QTimer.singleShot(BEAT_MS, look)
            return
        figures["live_s"] = time.time() - float(os.environ[SPAWNED])
        figures["own_s"], figures["queued_s"] = ThreadTimes().read()
        heart.take()
        heart.places.clear()
        QTimer.singleShot(int(1000 * FIRST_SECONDS), finish)

    def finish() -> None:
        gaps = [(round(g.wall, 2), round(g.own, 2), round(g.queued, 2)) for g in heart.take()]
        print(
            json.dumps({**figures, "gaps": gaps, "places": heart.places.most_common(12)}),
            flush=True,
        )
        os._exit(0)

    QTimer.singleShot(0, look)
    app.run()


if __name__ == "__main__":
    main()
