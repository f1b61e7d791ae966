"""Random drags of source and target in live mode, and what the window shows after each rest.

``python -m tests.gui.dragging --minutes 10 --seed 3 --file MAP`` prints every disagreement
of fields, markers, panel and path, with the steps that led to it.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui import app
from gui.model.settings import Settings
from gui.shell.side_bars import EXPLORE
from gui.window import MainWindow
from tests.solvers.features.openstreetmap.town import write_osm

_REST_S = 20.0  # in which everything agrees, or never
_MARGIN = 60  # pixels of the canvas that are not dragged to
_CHANCE_OF_ROAD = 0.5  # a drag ends on a road, else at a junction
_MOST_MOVES = 12
_LONGEST_PAUSE_MS = 60


@dataclass
class DragReport:
    """What was done, and where the window disagreed with itself."""

    steps: list[str] = field(default_factory=list)
    rests: int = 0
    faults: list[str] = field(default_factory=list)


class Dragger:
    """Drags markers of a window in live mode at random."""

    def __init__(self, window: MainWindow, chance: random.Random):
        self._window, self._chance = window, chance
        self.report = DragReport()

    def act(self) -> None:
        """One to four steps without a rest, then a rest."""
        for _ in range(self._chance.randrange(1, 5)):
            step = self._chance.choice(
                (self.drag, self.drag, self.drag, self.drag, self.toggle, self.swap, self.wait)
            )
            self.report.steps.append(step())
        self.report.rests += 1
        if fault := self.disagreement():
            self.report.faults.append(f"{fault} after {self.report.steps[-8:]}")

    def drag(self) -> str:
        """Take a marker along a few points to a junction or a road."""
        canvas = self._window.parts.canvas.canvas
        session = self._window.parts.session
        what = self._chance.choice(("source", "target"))
        vertex = session.source if what == "source" else session.target
        if vertex is None or canvas.content is None:
            return "nothing to drag"
        start = canvas.view.point_of(self._marked(what, vertex))
        if start is None:
            return "nothing to drag"
        at, said = self._goal()
        begin = QPoint(round(start.x()), round(start.y()) - 8)  # the head of the pin
        self._mouse(QEvent.Type.MouseButtonPress, begin)
        moves = self._chance.randrange(2, _MOST_MOVES)
        for k in range(1, moves + 1):
            self._mouse(QEvent.Type.MouseMove, begin + (at - begin) * (k / moves))
            QTest.qWait(self._chance.randrange(_LONGEST_PAUSE_MS // 4))
        self._mouse(QEvent.Type.MouseMove, at)
        if self._chance.random() < 0.5:
            QTest.qWait(self._chance.randrange(_LONGEST_PAUSE_MS))
        self._mouse(QEvent.Type.MouseButtonRelease, at)
        return f"{what} to {said}"

    def _marked(self, what: str, vertex: int) -> int:
        """The vertex at which the picture has a marker."""
        content = self._window.parts.canvas.canvas.content
        assert content is not None
        shown = content.source if what == "source" else content.target
        return vertex if shown is None else shown

    def _goal(self) -> tuple[QPoint, str]:
        canvas, session = self._window.parts.canvas.canvas, self._window.parts.session
        network = session.uncut
        assert network is not None
        for _ in range(200):
            if self._chance.random() < _CHANCE_OF_ROAD:
                at = QPoint(
                    self._chance.randrange(_MARGIN, canvas.width() - _MARGIN),
                    self._chance.randrange(_MARGIN, canvas.height() - _MARGIN),
                )
                if not isinstance(canvas.view.end_at(QPointF(at)), int):
                    return at, f"a road at {at.x()}, {at.y()}"
                continue
            vertex = self._chance.randrange(network.n)
            point = canvas.view.point_of(vertex)
            at = QPoint() if point is None else point.toPoint()
            if canvas.rect().adjusted(20, 20, -20, -20).contains(at):
                return at, f"junction {network.vertex_label(vertex)}"
        return canvas.rect().center(), "the middle"

    def _mouse(self, kind: QEvent.Type, at: QPoint) -> None:
        canvas = self._window.parts.canvas.canvas
        left = Qt.MouseButton.LeftButton
        none = Qt.MouseButton.NoButton
        button = none if kind is QEvent.Type.MouseMove else left
        held = none if kind is QEvent.Type.MouseButtonRelease else left
        place = canvas.mapToGlobal(QPointF(at))
        event = QMouseEvent(kind, QPointF(at), place, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(canvas, event)

    def toggle(self) -> str:
        self._window.commands["alternatives"].trigger()
        return f"alternatives {'on' if self._window.parts.session.unmeasured.wants_ways else 'off'}"

    def swap(self) -> str:
        self._window.commands["swap"].trigger()
        return "swap"

    def wait(self) -> str:
        QTest.qWait(self._chance.randrange(400))
        return "a pause"

    def disagreement(self) -> str:
        """What does not agree once the window rests; "" if all does."""
        until = time.monotonic() + _REST_S
        while (said := self._differs()) and time.monotonic() < until:
            QTest.qWait(10)
        return said

    def _differs(self) -> str:
        p = self._window.parts
        session, answer, content = p.session, p.session.unmeasured.answer, p.canvas.canvas.content
        graph = session.graph
        if p.jobs.all() or answer is None or content is None or graph is None:
            return "it does not rest"
        wanted = [
            end if isinstance(end, int) else end.text
            for end in (session.ends.sources[0], session.ends.target)
            if end is not None
        ]
        fields = [
            one.text() for one in (self._window.endpoints.source, self._window.endpoints.target)
        ]
        texts = [
            str(session.uncut.vertex_id(one)) if isinstance(one, int) else one
            for one in wanted
            if session.uncut is not None
        ]
        if fields != texts:
            return f"fields {fields}, ends {texts}"
        if answer.target is None or session.target is None:
            return ""
        ends = [graph.vertex_label(v) for v in (session.source, session.target) if v is not None]
        found = [answer.graph.vertex_label(v) for v in (answer.sources[0], answer.target)]
        if found != ends:
            return f"the answer is of {found}, the ends are {ends}"
        drawn = [
            content.scene.graph.vertex_label(v)
            for v in (content.source, content.target)
            if v is not None
        ]
        if drawn != ends:
            return f"markers at {drawn}, the ends are {ends}"
        if answer.path is not None:
            heading = self._window.path_panel.heading.text()
            if heading != " → ".join(ends):
                return f"the panel says {heading}, the ends are {ends}"
        return ""


def drag_for(window: MainWindow, seed: int, seconds: float, least: int = 1) -> DragReport:
    """Drag so long, and at least so many rests."""
    dragger, end = Dragger(window, random.Random(seed)), time.monotonic() + seconds
    while time.monotonic() < end or dragger.report.rests < least:
        dragger.act()
    return dragger.report


def begin(window: MainWindow, path: Path) -> None:
    """Open a map in live mode, between two of its junctions."""
    window.parts.open.open(path)
    _until(lambda: window.parts.session.graph is not None and not window.parts.jobs.all())
    window.bars.set_mode(EXPLORE)
    window.bars.open("Path", by_user=True)
    session = window.parts.session
    assert session.graph is not None
    if session.target is None:
        session.set_target(session.graph.n - 1)
    _until(lambda: session.unmeasured.answer is not None and not window.parts.jobs.all())
    for on in (True, False):  # alternatives may have to be compiled first
        window.commands["alternatives"].trigger()
        _until(lambda on=on: _asks_for_ways(window) is on)
    canvas = window.parts.canvas.canvas
    _until(lambda: canvas.frames.current)


def _asks_for_ways(window: MainWindow) -> bool:
    answer = window.controller_of("live").answer
    return answer is not None and answer.query.alternatives > 0


def _until(holds: object, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    assert callable(holds)
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        QTest.qWait(20)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="a map; without one, a small town")
    chosen = parser.parse_args()
    application = app.make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(QSettings(str(Path(folder) / "own.ini"), QSettings.Format.IniFormat))
        window = MainWindow(settings)
        window.resize(1280, 800)
        window.show()
        window.parts.devices.discover()
        _until(lambda: window.parts.devices.known)
        begin(window, chosen.file or write_osm(Path(folder) / "town.osm"))
        report = drag_for(window, chosen.seed, 60 * chosen.minutes)
        window.close()
    del application
    print(f"{len(report.steps)} steps, {report.rests} rests, {len(report.faults)} faults")
    print("\n".join(report.faults))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
