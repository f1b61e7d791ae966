"""The first minute of a new installation, with empty caches: as it was, and after
``main.py compile --first-minute``.

``python -m tests.benchmarks.first_minute [--graph FILE] [--rounds N]``
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_S = 300.0
_CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "CUPY_CACHE_DIR", "TAUTPATH_DATA")


def main() -> None:
    """Measure in fresh processes with fresh caches; print medians of all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", default="", help="a file to open instead of the sample")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure(arguments.graph)), flush=True)
        os._exit(0)
    rounds = [
        (_round(arguments.graph, ahead=False), _round(arguments.graph, ahead=True))
        for _ in range(arguments.rounds)
    ]
    print(f"{'':24} {'before':>16} {'after':>16}   (wall s, processor s; median of {len(rounds)})")
    for phase in rounds[0][1]:
        cells = []
        for side in (0, 1):
            times = [one[side][phase] for one in rounds if phase in one[side]]
            cells.append(
                f"{median(t[0] for t in times):7.2f} {median(t[1] for t in times):7.2f}"
                if times
                else "-"
            )
        print(f"{phase:24} {cells[0]:>16} {cells[1]:>16}")


def _round(graph: str, *, ahead: bool) -> dict[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {name: str(Path(folder) / name) for name in _CACHES}
        environment |= {"QT_QPA_PLATFORM": "offscreen", "TAUTPATH_NO_COMPILING_AHEAD": "1"}
        figures = {}
        if ahead:
            before, children = time.perf_counter(), _processor_of_children()
            subprocess.run(
                [sys.executable, "main.py", "compile", "--first-minute"],
                cwd=ROOT,
                env=environment,
                check=True,
            )
            figures["compiling ahead"] = (
                time.perf_counter() - before,
                _processor_of_children() - children,
            )
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.first_minute",
            "--here",
            "--graph",
            graph,
        ]
        output = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout
        return {**figures, **json.loads(output.splitlines()[-1])}


def measure(graph: str) -> dict[str, tuple[float, float]]:
    """Open the window, a graph, and run the variants that are ticked; wall and
    processor seconds of each phase.
    """
    from main import load_window

    start = time.perf_counter()
    app = load_window()
    from PySide6.QtCore import QSettings

    application = app.make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = app.Settings(QSettings(f"{folder}/tautpath.ini", QSettings.Format.IniFormat))
        app.theme.apply(application, settings.scheme)
        window = app.MainWindow(settings)
        window.resize(1600, 1000)
        window.show()
        window.parts.devices.discover()
        _until(lambda: window.parts.devices.known and not window.parts.jobs.all())
        figures = {"window and devices": (time.perf_counter() - start, time.process_time())}
        wall, processor = time.perf_counter(), time.process_time()

        def passed() -> tuple[float, float]:
            return time.perf_counter() - wall, time.process_time() - processor

        if graph:
            window.parts.open.open(Path(graph))
        else:
            window.parts.open.open_sample()
        _until(lambda: window.parts.session.graph is not None)
        figures["graph read"] = passed()
        _until(lambda: window.parts.canvas.canvas.frames.current)
        figures["graph drawn"] = passed()
        if window.parts.session.source is None:
            window.parts.session.set_endpoints(0, window.parts.session.graph.n - 1)
        wall, processor = time.perf_counter(), time.process_time()
        window.parts.run.start()
        _until(lambda: bool(window.parts.session.results.all))
        first = next(iter(window.parts.session.results.all))
        first = (
            window.parts.session.results.all[first]
            if isinstance(window.parts.session.results.all, dict)
            else first
        )
        figures["first cold warm-up"] = (first.cold_ms / 1e3, float("nan"))
        figures["first result"] = passed()
        _until(lambda: not window.parts.jobs.all())
        figures["all results and traces"] = passed()
    return figures


def _until(reached: Callable[[], bool]) -> None:
    from tests.gui.event_loop import wait_ms

    end = time.monotonic() + _PATIENCE_S
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError("the window took too long")
        wait_ms(5)


def _processor_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
