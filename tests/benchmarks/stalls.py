"""How long the window's thread is away: ``python -m tests.benchmarks.stalls GRAPH
[GRAPH ...] [--variants ID,ID...] [--starts N] [--rounds N] [--where]``

A timer of the window's thread beats every few milliseconds; a gap between two beats is
how long an event of the user would have waited. A gap has three parts, told apart by
the kernel's counters of the thread (`ThreadTimes`): its own work; waiting for a
processor, which a loaded machine causes; and the rest, in which it slept, or waited for
the interpreter's lock or for a disk. The table has a line for each phase: gaps by the
clock, and the thread's own work in them, as histograms with the worst of each.

Starts are programs of their own (`tests.benchmarks.one_start`): the time from the start
of the process until the window is shown and answers, and the gaps of the first seconds,
in which devices are found and the sample is opened and drawn. One start goes before
those that count. ``--where`` names what the thread was doing in gaps of more than 50
ms.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest

EDITED = "cch-batch-device"  # whose kernel is the longest
VARIANTS = ("bf-serial", "dijkstra-heap", "sssp-delta-omp", "bf-edge-flags", "sssp-near-far")
EDGES_MS = (10, 20, 50, 100, 200)  # of the histogram's classes
STALL_MS = 50.0
BEAT_MS = 3
FIRST_SECONDS = 6.0  # after the window answers, in which a start is watched
_MOVES, _PLAY_S, _TEXTS = 8, 4.0, 5
_SAMPLE_S = 0.005
SPAWNED = "TAUTPATHSPAWNED"  # seconds of the epoch, given to a start
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Gap:
    """Time between two beats, in ms: by the clock, the thread's own work, and its
    waiting for a processor.
    """

    wall: float
    own: float
    queued: float


class ThreadTimes:
    """Seconds that the thread that made this object has worked, and has waited for a processor.

    Linux counts both in ``schedstat``; elsewhere the second is 0.
    """

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        with suppress(OSError):
            self._file = Path("/proc/thread-self/schedstat").resolve().open("rb", buffering=0)

    def read(self) -> tuple[float, float]:
        if self._file is None:
            return time.thread_time(), 0.0
        self._file.seek(0)
        worked, queued, *_ = self._file.read(64).split()
        return int(worked) / 1e9, int(queued) / 1e9


class Heartbeat(QObject):
    """Records the gaps between the beats of a timer in the thread that made it.

    Parameters
    ----------
    where : bool
        Note what the thread does in long gaps (`Sampler`).
    """

    def __init__(self, *, where: bool = False):
        super().__init__()
        self._times = ThreadTimes()
        self.gaps: list[Gap] = []
        self.places: Counter[str] = Counter()
        self.last = time.perf_counter()
        self._before = self._times.read()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        if where:
            Sampler(self, threading.get_ident()).start()

    def take(self) -> list[Gap]:
        """The gaps since the last call."""
        gaps, self.gaps = self.gaps, []
        return gaps

    def begin(self) -> None:
        """Begin with a new gap, without what the benchmark itself did since the last beat."""
        self.gaps.clear()
        self.places.clear()
        self.last, self._before = time.perf_counter(), self._times.read()

    def _beat(self) -> None:
        now, times = time.perf_counter(), self._times.read()
        own, queued = (1000 * (b - a) for a, b in zip(self._before, times, strict=True))
        self.gaps.append(Gap(1000 * (now - self.last), own, queued))
        self.last, self._before = now, times


class Sampler(threading.Thread):
    """Looks at the window's thread while a beat is overdue, and counts the lines of
    Tautpath that it is in.
    """

    def __init__(self, heart: Heartbeat, thread: int):
        super().__init__(daemon=True)
        self._heart, self._thread = heart, thread

    def run(self) -> None:
        while True:
            time.sleep(_SAMPLE_S)
            if time.perf_counter() - self._heart.last > STALL_MS / 1000:
                self._heart.places[self._place()] += 1

    def _place(self) -> str:
        frame, lines = sys._current_frames().get(self._thread), []
        while frame is not None:
            name = Path(frame.f_code.co_filename)
            if name.is_relative_to(_ROOT) and "benchmarks" not in name.parts:
                lines.append(f"{name.relative_to(_ROOT)}:{frame.f_lineno} {frame.f_code.co_name}")
            frame = frame.f_back
        return " < ".join(lines[:5]) or "(outside of Tautpath: painting, events)"


# -- the table
# --------------------------------------------------------------------------------------


def head() -> str:
    classes = [f"<{EDGES_MS[0]}", *(f"<{edge}" for edge in EDGES_MS[1:]), f">{EDGES_MS[-1]}"]
    side = "".join(f"{name:>6}" for name in classes) + f"{'most':>9}"
    return f"{'phase':<34}{'clock, ms:':>10}{side}   {'own work, ms:':>13}{side}"


def line(phase: str, gaps: Sequence[Gap]) -> str:
    wall, own = [gap.wall for gap in gaps], [gap.own for gap in gaps]
    return f"{phase[:33]:<34}{'':>10}{_side(wall)}   {'':>13}{_side(own)}"


def histogram(times: Iterable[float]) -> list[int]:
    """Numbers of times in the classes between `EDGES_MS`."""
    counts = [0] * (len(EDGES_MS) + 1)
    for ms in times:
        counts[sum(ms >= edge for edge in EDGES_MS)] += 1
    return counts


def stalls(gaps: Iterable[Gap]) -> Iterator[str]:
    """The gaps of more than 50 ms in words, the longest first."""
    for gap in sorted((gap for gap in gaps if gap.wall > STALL_MS), key=lambda gap: -gap.wall):
        rest = max(0.0, gap.wall - gap.own - gap.queued)
        yield (
            f"{gap.wall:.0f} ms: {gap.own:.0f} own, {gap.queued:.0f} waiting for a processor, "
            f"{rest:.0f} other waits"
        )


def _side(times: Sequence[float]) -> str:
    return "".join(f"{count:>6}" for count in histogram(times)) + f"{max(times, default=0.0):>9.1f}"


def report(phase: str, gaps: Sequence[Gap]) -> None:
    print(line(phase, gaps), flush=True)
    for words in stalls(gaps):
        print(f"{'':<6}{words}", flush=True)


# -- starts
# --------------------------------------------------------------------------------------


def measure_starts(count: int) -> None:
    """Start the program ``count`` times, after one that does not count."""
    runs = [_start() for _ in range(count + 1)][1:]
    for words, values in (
        ("until the window answers", [run.live_s for run in runs]),
        ("without waits for a processor", [run.live_s - run.queued_s for run in runs]),
        ("its thread's own work until then", [run.own_s for run in runs]),
    ):
        spread = f"{min(values):.2f} to {max(values):.2f}, n = {len(values)}"
        print(f"{words}: {statistics.median(values):.2f} s ({spread})", flush=True)
    print(head())
    report("first seconds of a start", [gap for run in runs for gap in run.gaps])
    for run in runs:
        for place, samples in run.places:
            print(f"{'':<6}{samples:>4} × {place}")


@dataclass(frozen=True)
class Start:
    """Seconds until the window answered, those that its thread worked and waited for a
    processor, and what followed.
    """

    live_s: float
    own_s: float
    queued_s: float
    gaps: list[Gap]
    places: list[tuple[str, int]]


def _start() -> Start:
    with tempfile.TemporaryDirectory() as folder:
        surroundings = {
            **os.environ,
            "XDG_CONFIG_HOME": folder,
            "TAUTPATH_DATA": folder,
            SPAWNED: str(time.time()),
        }
        command = [sys.executable, "-m", "tests.benchmarks.one_start"]
        done = subprocess.run(
            command, env=surroundings, cwd=_ROOT, check=True, capture_output=True, text=True
        )
    found = json.loads(done.stdout.splitlines()[-1])
    return Start(
        found["live_s"],
        found["own_s"],
        found["queued_s"],
        [Gap(*gap) for gap in found["gaps"]],
        found["places"],
    )


# -- an open graph
# --------------------------------------------------------------------------------------


def measure_graph(path: Path, variants: Sequence[str], rounds: int, *, where: bool) -> None:
    """Gaps while a graph is opened, variants run, results are selected and played, and
    a kernel is edited.
    """
    from gui.model.jobs import JobKind
    from tests.benchmarks.window import is_idle, open_graph, opened_window, wait_until

    with opened_window("auto") as window:
        heart = Heartbeat(where=where)
        session = window.parts.session

        def end(phase: str) -> None:
            report(f"{path.name.split('.')[0][:16]}: {phase}", heart.take())
            for place, samples in heart.places.most_common(12) if where else ():
                print(f"{'':<6}{samples:>4} × {place}")
            heart.begin()

        heart.begin()
        open_graph(window, path)
        end("opening")
        for variant_id in session.choices.ids:
            session.choices.choose(variant_id, False)
        for variant_id in variants:
            session.choices.choose(variant_id)
        wait_until(lambda: is_idle(window))
        end("ticking variants")
        for number in range(rounds):
            window.commands["run"].trigger()
            wait_until(lambda: window.parts.jobs.running(JobKind.SOLVE) is None)
            wait_until(lambda: is_idle(window))
            end(f"results arriving, run {number + 1}")
        for result in session.results.all:
            session.results.select(result.variant.id)
            wait_until(lambda: is_idle(window))
        end("selecting results")
        window.parts.playback.to_start()
        window.parts.playback.play()
        until = time.monotonic() + _PLAY_S
        wait_until(lambda: time.monotonic() > until)
        window.parts.playback.pause()
        end("play-back")
        graph = session.graph
        assert graph is not None
        for move in range(_MOVES):
            session.set_target((move + 1) * graph.n // (_MOVES + 2))
            wait_until(lambda: is_idle(window))
        end("moving the target")
        kernels = window.controller_of("own_kernels")
        session.results.select(EDITED)
        kernels.change()
        wait_until(lambda: is_idle(window))
        end("opening a kernel")
        for number in range(_TEXTS):
            for key in f" /* {number} */":
                QTest.keyClicks(kernels.editor.text, key)
                wait_until(lambda: True)
            wait_until(lambda: "Compil" in kernels.editor.state.text() and is_idle(window))
        end("typing and compiling a kernel")
        kernels.editor.forget_requested.emit()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how long the window's thread is away.")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", type=Path)
    parser.add_argument("--variants", default=",".join(VARIANTS), help="ids, separated by commas")
    parser.add_argument("--starts", type=int, default=3, help="0 for none")
    parser.add_argument("--rounds", type=int, default=2, help="runs of all variants")
    parser.add_argument(
        "--where", action="store_true", help="name what the thread does in long gaps"
    )
    chosen = parser.parse_args()
    from tests.benchmarks.graphs import machine_line

    print(machine_line(), flush=True)
    if chosen.starts:
        measure_starts(chosen.starts)
    if chosen.graphs:
        print(head(), flush=True)
    for path in chosen.graphs:
        measure_graph(path, tuple(chosen.variants.split(",")), chosen.rounds, where=chosen.where)


if __name__ == "__main__":
    main()
