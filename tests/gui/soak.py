"""Random sequences of what users do, each in a window of its own that is closed at any
moment, and what they leave.

``python -m tests.gui.soak 200 --seed 12`` prints a line for every tenth sequence and
the figures at the end; ``--actions 400 --minutes 60 --say`` makes few long sequences,
and names each action before it is done.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import argparse
import ctypes
import faulthandler
import gc
import json
import logging
import math
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn
from weakref import WeakSet

import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QMimeDatabase, QPoint, QSettings, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox
from shiboken6 import isValid

from gui import app
from gui.dialogs.export import SCHEME, AnimationChoice, ExportOptions
from gui.export.animation import AnimationOptions
from gui.features.all_sources import controller as all_sources
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.model.window_thread import release_ended
from gui.shell.process import WindowThreadCollector
from gui.shell.side_bars import BarSide
from gui.window import MainWindow
from solvers.devices import discover
from solvers.graphs import generators
from solvers.picture.layout import layout_store
from solvers.running.request import MeasurementPlan
from solvers.system.disk_cache import FOLDER_VARIABLE
from solvers.text import plural
from tests.gui.event_loop import in_event_loop, wait_ms
from tests.gui.windows import SAMPLE, TINY, controller_of, sessions

VARIANTS = (
    "dijkstra-heap",
    "bf-serial",
    "bf-vertex",
    "sssp-near-far",
    "sssp-delta-omp",
    "fw-serial",
)
LAYOUTS = ("layout-spring", "layout-circular", "layout-layered", "layout-rings", "layout-file")
COMMANDS: dict[str, tuple[str, ...]] = {
    "lay_out": LAYOUTS,
    "split": ("split-1", "split-2", "split-3", "split-4"),
    "live": ("live", "live", "record-drag", "pin"),
    "race": ("race",),
    "undo": ("undo", "undo", "redo"),
    "bars": ("left-bar", "right-bar", "bars", "mode-explore", "mode-compare", "mode-teach"),
    "present": ("present", "type-larger", "type-normal", "scheme-light", "scheme-dark"),
    "play": (
        "play",
        "step",
        "step-back-10",
        "first",
        "last",
        "faster",
        "fit-5",
        "lesson-next",
        "lesson-back",
        "trace",
    ),
    "picture": (
        "levels",
        "matrix",
        "all-sources-map",
        "tree-5",
        "tree-whole",
        "zoom-frontier",
        "motion",
    ),
    "weigh": ("weights-seconds", "weights-metres", "swap", "roads-clear", "clear-results"),
    "help": (
        "glossary",
        "shortcuts",
        "devices",
        "about",
        "tour",
        "information",
        "experiments",
        "runs",
    ),
}  # steps that trigger one of these commands, where it is enabled
KERNELS = ("sssp-near-far", "bf-vertex", "bf-strided-flag")
KEYS = (
    *"STXLRBHMPNF",
    "Space",
    "Left",
    "Right",
    "Home",
    "End",
    "Escape",
    "Tab",
    "Delete",
    "BracketLeft",
)
SOUGHT = (
    "1",
    "99999999",
    "47.14, 9.52",
    "zoom",
    "fit",
    "circular",
    "grid",
    "heap",
    "delta",
    "~\x01<b>",
    "",
)
FAMILIES: dict[str, dict[str, int]] = {
    "road": {"vertices": 2_000},
    "grid": {},
    "rmat": {"scale": 9},
}  # with their sizes in a short soak
PLAN = MeasurementPlan(warmups=1, trials=5)
LONGEST_PAUSE_MS = 120
_CHANCE_OF_INTERRUPTION = 0.1  # of a drag, by what shows another graph
_CHANCE_OF_LEAVING = 0.7  # a dialog, after each step
_MEMORY_EVERY = 25  # steps
_CHANCE_OF_CLOSING = 0.7  # of a road that is changed; else it is slowed
_MOST_WARM_UP = 60  # sequences, in which most functions are compiled or loaded
_LONG_SOAK = 20
_IDLE_S = 0.2
_MODAL_MS = 400
SETTLE_S = 20.0
_LONGEST_COMPILATION_S = 180.0  # what compiles goes on after its window has been closed


_windows: WeakSet[MainWindow] = WeakSet()  # of the sequences


@dataclass(frozen=True)
class Footprint:
    """What the process holds: threads, closed windows, file descriptors, bytes of host
    memory and of device memory.
    """

    threads: int
    windows: int
    descriptors: int
    host_bytes: int
    device_bytes: int

    @classmethod
    def now(cls) -> Footprint:
        process, windows = psutil.Process(), len(_windows)
        return cls(
            threading.active_count(),
            windows,
            process.num_fds(),
            process.memory_info().rss,
            device_bytes(),
        )

    def growth(self, later: Footprint) -> dict[str, float]:
        """Share by which ``later`` is larger, by field."""
        mine, its = asdict(self), asdict(later)
        return {name: (its[name] - mine[name]) / max(1, mine[name]) for name in mine}


@dataclass
class Report:
    """Outcome of a soak: footprints after the warm-up and at the end, failures, files
    left, longest cancellations.
    """

    sequences: int
    seed: int
    most_actions: int = 7
    files: Sequence[Path] = ()  # opened beside the samples
    deadline: float = math.inf  # of the monotonic clock
    say: Callable[[str], None] | None = None  # takes the name of each step
    memory: list[tuple[int, int]] = field(default_factory=list)  # every so many steps, and their MB
    before: Footprint | None = None
    after: Footprint | None = None
    failures: list[str] = field(default_factory=list)
    files_left: list[str] = field(default_factory=list)
    cancel_ms: dict[str, float] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    done: int = 0  # sequences, those of the warm-up included
    stage: str = "start"  # what is being done, and was when it was stopped

    def tell(self, line: str) -> None:
        if self.say is not None:
            self.say(line)


def device_bytes() -> int:
    """Bytes that the devices of this process say are allocated."""
    return sum(getattr(device, "live_bytes", 0) for device in discover().devices)


class User:
    """Does random things in one window."""

    def __init__(self, window: MainWindow, chance: random.Random, folder: Path, report: Report):
        self._window, self._chance, self._folder, self._report = window, chance, folder, report

    def act(self) -> None:
        steps: list[tuple[str, Callable[[], None]]] = [
            (step.__name__, step)
            for step in (
                self.open,
                self.open,
                self.open_damaged,
                self.generate,
                self.run,
                self.run,
                self.export,
                self.export_animation,
                self.export_tables,
                self.export_page,
                self.use_runs,
                self.cancel,
                self.cancel,
                self.resize,
                self.drag,
                self.drag,
                self.open_in_turn,
                self.add_source,
                self.reach,
                self.reach,
                self.close_roads,
                self.zoom,
                self.choose_vertex,
                self.search,
                self.press_keys,
                self.press_keys,
                self.change_kernel,
                self.change_kernel,
                self.all_sources,
                self.all_sources,
                self.use_session,
            )
        ]
        steps += [(name, partial(self.trigger, *ids)) for name, ids in COMMANDS.items()]
        name, step = self._chance.choice(steps)
        report = self._report
        report.steps[name] = report.steps.get(name, 0) + 1
        report.tell(name)
        step()
        for dialog in self._window.findChildren(QDialog):
            if isinstance(dialog, QMessageBox):
                self._chance.choice(dialog.buttons()).click()
            elif self._chance.random() < _CHANCE_OF_LEAVING:
                dialog.close()
        if (done := sum(report.steps.values())) % _MEMORY_EVERY == 0:
            report.memory.append((done, psutil.Process().memory_info().rss >> 20))
            report.tell(f"{report.memory[-1]}")

    def trigger(self, *ids: str) -> None:
        """Trigger one of these commands; one that is disabled does nothing."""
        self._window.commands[self._chance.choice(ids)].trigger()

    def open(self) -> None:
        self._window.parts.open.open(self._chance.choice((TINY, SAMPLE, *self._report.files)))

    def open_damaged(self) -> None:
        path = self._folder / "damaged.gr"
        whole = TINY.read_bytes()
        cut = self._chance.randrange(len(whole))
        path.write_bytes(whole[:cut] + self._chance.randbytes(9) + whole[cut:])
        self._window.parts.open.open(path)

    def generate(self) -> None:
        family = generators.find(self._chance.choice(tuple(FAMILIES)))
        self._window.parts.open.generate(family, size(family.id, self._report.sequences))

    def run(self) -> None:
        session = self._window.parts.session
        for variant_id in session.choices.ids:
            session.choices.choose(variant_id, False)
        graph = session.graph
        small = graph is not None and graph.n < 500
        for variant_id in self._chance.sample(VARIANTS if small else VARIANTS[:-1], 2):
            session.choices.choose(variant_id)
        self._window.parts.run.start()

    def export(self) -> None:
        options = ExportOptions(self._chance.randrange(2), 1200, 900, 96, SCHEME)
        self._window.parts.export.picture(
            self._folder / self._chance.choice(("picture.png", "picture.svg")), options
        )

    def export_animation(self) -> None:
        length = self._window.parts.playback.length
        if length:
            choice = AnimationChoice(0, 400, 300, SCHEME, AnimationOptions(0, length - 1))
            self._window.parts.export.animation(self._folder / "animation.gif", choice)

    def export_tables(self) -> None:
        if self._window.parts.session.results.all:
            self._window.parts.export.csv(self._folder)

    def use_runs(self) -> None:
        """Reopen, compare, or delete and restore kept runs."""
        window, chance = self._window, self._chance
        kept = window.controller_of("kept_runs")
        ids = [summary.run.run_id for summary in kept.runs.summaries]
        if not ids:
            window.commands["runs"].trigger()
            return
        one, other = chance.choice(ids), chance.choice(ids)
        if (what := chance.randrange(3)) == 0:
            kept.open(one)
        elif what == 1 and (dialog := kept.compare(one, other)) is not None:
            dialog.swap()
            dialog.close()
        elif what == 2:
            kept.delete([one])
            notice = window.notices.notice
            if notice is not None and notice.action_text == "Undo" and notice.action is not None:
                notice.action()

    def export_page(self) -> None:
        results = self._window.parts.session.results.all
        if results:
            some = tuple(
                self._chance.sample(results, min(len(results), self._chance.randrange(1, 4)))
            )
            pages = self._window.controller_of("page")
            pages.write_results(self._folder / "page.html", "Runs", lambda _: some)

    def resize(self) -> None:
        self._window.resize(self._chance.randrange(960, 1600), self._chance.randrange(600, 1000))

    def search(self) -> None:
        """Type into the search, choose what is found or leave it, sometimes while
        another graph is opened.
        """
        card = self._window.parts.help.search()
        card.field.setText(self._chance.choice(SOUGHT))
        if self._chance.random() < _CHANCE_OF_INTERRUPTION:
            self.open_in_turn()
        if isValid(card) and card.isVisible():
            QTest.keyClick(
                card.field,
                self._chance.choice((Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Escape)),
            )

    def press_keys(self) -> None:
        """Keys of commands, wherever the focus is."""
        for key in self._chance.choices(KEYS, k=3):
            QTest.keyClick(QApplication.focusWidget() or self._window, Qt.Key[f"Key_{key}"])

    def change_kernel(self) -> None:
        """Open a kernel in the editor, change it, run, check or delete it."""
        window, chance = self._window, self._chance
        kernels = controller_of(window, "own_kernels")
        if (what := chance.randrange(5)) == 0:
            window.parts.session.results.select(chance.choice(KERNELS))
            window.commands["change-kernel"].trigger()
        elif what == 1 and kernels.editor.text.toPlainText():
            kernels.editor.text.moveCursor(QTextCursor.MoveOperation.Start)
            kernels.editor.text.insertPlainText(
                chance.choice(("/* mine */\n", "/* other */\n", "damaged\n", "\n"))
            )
        else:
            chance.choice(
                (
                    kernels.editor.run_requested,
                    kernels.editor.check_requested,
                    kernels.editor.forget_requested,
                )
            ).emit()

    def all_sources(self) -> None:
        """Compute numbers of all vertices, with flows or without, pause, or show another one."""
        chance, dialog = self._chance, self._window.controller_of("all_sources").ask()
        if dialog is None:
            return
        if (what := chance.randrange(4)) == 0:
            dialog.flows.box.setChecked(chance.random() < 0.5)
            dialog.flows.choice.setCurrentIndex(chance.randrange(2))
            dialog.reach_box.setChecked(chance.random() < 0.5)
        elif what == 1 and dialog.shown_box.count():
            dialog.shown_box.setCurrentIndex(chance.randrange(dialog.shown_box.count()))
        elif what == 2:
            dialog.pause_requested.emit()
        elif dialog.start_button.isEnabled():
            dialog.start_button.click()
        if chance.random() < _CHANCE_OF_LEAVING:
            self._window.bars.close_bar(BarSide.LEFT)

    def all_flows(self) -> None:
        if (dialog := self._window.controller_of("all_sources").ask()) is not None:
            dialog.flows.box.setChecked(True)
            dialog.reach_box.setChecked(True)
            dialog.start_button.click()

    def use_session(self) -> None:
        """Save the session, or open the one saved before."""
        path, session = self._folder / "kept.tautpath", sessions(self._window)
        if self._chance.random() < 0.5 and self._window.parts.session.graph is not None:
            session.save(path)
        elif path.exists():
            session.open(path)

    def open_in_turn(self) -> None:
        """Small and larger graphs, one after the other and at random moments, so that
        indices of one meet the other.
        """
        for _ in range(self._chance.randrange(1, 4)):
            self._chance.choice((self.open, self.generate))()
            wait_ms(self._chance.randrange(0, 4 * LONGEST_PAUSE_MS))
            self.drag()

    def drag(self) -> None:
        """Drag a marker to and fro, and drop it; where no marker is in the picture,
        nothing happens.
        """
        canvas, session = self._window.parts.canvas.canvas, self._window.parts.session
        vertex = self._chance.choice((session.source, session.target))
        content = canvas.content
        if content is None or vertex is None or content.scene.graph is not session.graph:
            return
        x, y = canvas.view.camera.to_screen(content.scene.positions[vertex])
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        at = QPoint(round(x), round(y))
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at)
        for _ in range(self._chance.randrange(1, 12)):
            if not isValid(canvas):  # it showed another graph, side by side
                return
            at = QPoint(
                self._chance.randrange(canvas.width()), self._chance.randrange(canvas.height())
            )
            QTest.mouseMove(canvas, at)
            wait_ms(self._chance.randrange(0, 20))
            if self._chance.random() < _CHANCE_OF_INTERRUPTION:
                self._chance.choice(
                    (self.open, self.generate, partial(self.trigger, "live"), self.close_roads)
                )()
        if isValid(canvas):
            QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at)

    def add_source(self) -> None:
        session = self._window.parts.session
        if session.graph is not None and session.graph.n:
            session.add_source(self._chance.randrange(session.graph.n))

    def reach(self) -> None:
        if self._window.controller_of("isochrone").budget is None:
            self._window.commands["isochrone"].trigger()
        else:
            self._window.controller_of("isochrone").turn(self._chance.uniform(-30, 30))

    def close_roads(self) -> None:
        session = self._window.parts.session
        graph = session.graph
        if graph is None or not graph.m:
            return
        for arc in self._chance.sample(range(graph.m), min(graph.m, self._chance.randrange(1, 4))):
            road = graph.vertex_id(int(graph.tails[arc])), graph.vertex_id(int(graph.indices[arc]))
            if self._chance.random() < _CHANCE_OF_CLOSING:
                session.want_roads(session.roads.close(road))
            else:
                session.want_roads(session.roads.slow(3.0, road))

    def zoom(self) -> None:
        canvas = self._window.parts.canvas
        self._chance.choice(
            (canvas.view.zoom_in, canvas.view.zoom_out, canvas.view.fit, canvas.zoom_to_path)
        )()

    def choose_vertex(self) -> None:
        graph = self._window.parts.session.graph
        if graph is not None and graph.n:
            self._window.parts.session.select_vertex(self._chance.randrange(graph.n))

    def cancel(self) -> None:
        """Cancel everything and time how long each job goes on."""
        jobs = self._window.parts.jobs
        for kind in JobKind:
            if not kind.cancellable and kind is not JobKind.LAYOUT:
                continue
            job = jobs.running(kind)
            if job is None:
                continue
            started = time.perf_counter()
            jobs.cancel(kind)
            while not job.wait(0.002) and time.perf_counter() - started < SETTLE_S:
                pass
            took = (time.perf_counter() - started) * 1e3
            self._report.cancel_ms[job.title] = max(
                self._report.cancel_ms.get(job.title, 0.0), took
            )
            wait_ms(1)


def one_sequence(chance: random.Random, folder: Path, report: Report) -> None:
    """Open a window, do some things, close it."""
    window = MainWindow(_settings(folder))
    _windows.add(window)
    reporter = app.Reporter(window)
    sys.excepthook = lambda *failure: _note(report, failure[1])
    window.resize(1100, 700)
    window.show()
    window.parts.devices.discover()
    user = User(window, chance, folder, report)
    for _ in range(chance.randrange(2, report.most_actions + 1)):
        wait_ms(chance.randrange(0, LONGEST_PAUSE_MS))
        if time.monotonic() > report.deadline:
            break
        in_event_loop(user.act, lambda error: _note(report, error))
    wait_ms(chance.randrange(0, LONGEST_PAUSE_MS))
    if window.notices.notice is not None and window.notices.notice.report:
        report.failures.append(window.notices.notice.report)
        report.tell(report.failures[-1])
    window.close()
    for question in window.findChildren(QMessageBox):  # whether to quit
        question.buttons()[0].click()
    reporter.deleteLater()
    window.deleteLater()


def size(family: str, sequences: int) -> dict[str, int]:
    """Parameters of a generated graph: a soak of few sequences, as in the test suite,
    has small graphs.
    """
    return FAMILIES[family] if sequences < _LONG_SOAK else {}


def warm_up(folder: Path, sequences: int, say: Callable[[str], None]) -> None:
    """Do each thing once and to its end, and say which: functions and kernels are compiled
    at their first use, and stay.
    """
    window = MainWindow(_settings(folder))
    user = User(window, random.Random(0), folder, Report(0, 0))
    # Qt keeps its table of types open from the first file dialog on
    QMimeDatabase().mimeTypeForFile(str(TINY))
    window.show()
    window.parts.devices.discover()
    live = window.commands["live"].trigger
    openings: list[Callable[[], None]] = [
        *(partial(window.parts.open.open, path) for path in (TINY, SAMPLE)),
        *(
            partial(window.parts.open.generate, generators.find(family), size(family, sequences))
            for family in FAMILIES
        ),
    ]
    for number, begin in enumerate(openings, 1):
        say(f"warm-up: graph {number} of {len(openings)}")
        begin()
        _finish(window)
        for variant_id in VARIANTS:
            window.parts.session.choices.choose(
                variant_id, variant_id != "fw-serial" or begin is openings[0]
            )
        window.parts.run.start()
        _finish(window)
        if begin not in openings[:2]:
            continue
        for name in LAYOUTS:
            say(f"warm-up: {name}")
            window.commands[name].trigger()
            _finish(window)
        for step in (
            user.export,
            user.export,
            user.export,
            user.export_animation,
            user.export_tables,
            user.resize,
            live,
            user.drag,
            user.add_source,
            user.close_roads,
            live,
            user.reach,
            user.reach,
            *([user.all_flows] if sequences >= _LONG_SOAK else ()),
        ):
            say(f"warm-up: {getattr(step, '__name__', 'live')}")
            step()
            _finish(window)
    window.close()
    window.deleteLater()


def _settings(folder: Path) -> Settings:
    """Settings of a file in ``folder``, with few trials: by default a variant may be
    measured for ten seconds.
    """
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.plan = PLAN
    return settings


def _finish(window: MainWindow) -> None:
    """Wait until no job has run for a while."""
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < _IDLE_S:
        wait_ms(10)
        if window.parts.jobs.all():
            idle_since = time.monotonic()


def leave_what_waits() -> None:
    """Leave a menu or dialog that a command or a key has opened and that waits for an answer."""
    if (menu := QApplication.activePopupWidget()) is not None:
        menu.close()
    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QDialog) and not isinstance(dialog, QMessageBox):
        dialog.reject()


def _note(report: Report, error: BaseException | None) -> None:
    if error is not None:
        report.failures.append("".join(traceback.format_exception(error)))
        report.tell(report.failures[-1])


def settle(threads: int | None = None) -> None:
    """Delete what is to be deleted, give memory back, and wait for threads that are ending
    and for windows that one collection more frees.
    """
    deadline = time.monotonic() + _LONGEST_COMPILATION_S
    while True:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
        release_ended()
        gc.unfreeze()  # what the collector has set aside, garbage included, up to its bound
        gc.collect()
        gc.freeze()
        is_quiet = threads is None or threading.active_count() <= threads
        if (is_quiet and not _windows) or time.monotonic() > deadline:
            break
        wait_ms(20)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).malloc_trim(0)


def soak(report: Report, say: Callable[[str], None]) -> None:
    """Warm up with everything once and a few sequences, take the footprint, run the
    sequences, and take it again.
    """
    sequences, seed = report.sequences, report.seed
    app.limit_arenas()  # as the program does
    application = app.make_application()
    chance = random.Random(seed)
    threading.excepthook = lambda failure: _note(report, failure.exc_value)
    sys.unraisablehook = lambda failure: _note(report, failure.exc_value)
    logging.basicConfig(level=logging.ERROR)
    discover()
    collector = WindowThreadCollector(application)
    collector.start()
    leaving = QTimer(application, interval=_MODAL_MS)
    leaving.timeout.connect(leave_what_waits)
    leaving.start()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        temporary = folder / "tmp"
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        layout_store.user_folder = lambda: folder / "layouts"
        all_sources.user_folder = lambda kind: folder / kind  # type: ignore[attr-defined]
        os.environ[FOLDER_VARIABLE] = str(folder / "data")
        settle()
        idle_threads = threading.active_count()
        report.stage = "warm-up"
        warm_up(folder, sequences, say)
        for number in range(-min(_MOST_WARM_UP, sequences), sequences + 1):
            if time.monotonic() > report.deadline:
                break
            report.stage = f"sequence {number} of {sequences}"
            if number == 0:
                settle(idle_threads)
                report.before = Footprint.now()
                continue
            say(f"{number:>4} of {sequences} begins")
            one_sequence(chance, folder, report)
            settle(idle_threads)
            report.done += 1
            report.after = Footprint.now()
            say(f"{number:>4} {report.after}, {plural(len(report.failures), 'failure')}")
        report.after = Footprint.now()
        hidden = [path.name for path in folder.rglob(".*")]
        report.files_left = sorted([*hidden, *(path.name for path in temporary.iterdir())])
        tempfile.tempdir = None
    collector.stop()
    application.processEvents()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sequences", type=int)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--actions", type=int, default=7, help="at most so many in a window")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="end after so many, with what was done"
    )
    parser.add_argument(
        "--files", type=Path, nargs="*", default=(), help="graphs to be opened beside the samples"
    )
    parser.add_argument("--say", action="store_true", help="name each action before it is done")
    chosen = parser.parse_args()
    faulthandler.enable()
    report = Report(chosen.sequences, chosen.seed, max(2, chosen.actions), chosen.files)
    report.deadline = time.monotonic() + 60 * chosen.minutes
    say = partial(print, file=sys.stderr, flush=True)
    report.say = say if chosen.say else None
    summarise_when_stopped(report)
    soak(report, say)
    report.stage = "end"
    print(summary(report))
    return 1 if report.failures else 0


def summary(report: Report) -> str:
    """The report as JSON, also of a soak that was stopped."""
    report.say = None
    growth = None
    if report.before is not None and report.after is not None:
        growth = report.before.growth(report.after)
    return json.dumps({**asdict(report), "growth": growth}, indent=1, default=str)


def summarise_when_stopped(report: Report) -> None:
    """Print the summary at Ctrl+C or SIGTERM, and end at once: Qt passes on no exception. A
    second signal ends without a summary.
    """
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda number, _: _stopped(report, number))


def _stopped(report: Report, number: int) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)
    print(summary(report), flush=True)
    os._exit(128 + number)  # windows and jobs are in the midst of their work


if __name__ == "__main__":
    sys.exit(main())
