"""Panel with the length and vertex ids of the requested path, or the reason there is
none; and how far one reaches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QToolButton, QWidget

from gui.model.session import Session
from gui.style.forms import NO_MARGINS, WrappedLabel, column_of, row_of, scrolling, tool_button
from gui.style.text import tool_tip
from gui.style.widgets import GAP, Heading
from solvers.core.result import Result, Status
from solvers.graphs.graph import Graph
from solvers.graphs.route import itinerary
from solvers.running.answers.answer import PathAnswer, path_of
from solvers.running.answers.unmeasured import UnmeasuredAnswer
from solvers.text import format_distance, plural
from solvers.verification.paths import path_length

SHOWN_IDS = 200
SHOWN_ROADS = 200
LEAST_LINES = 5  # lines below the heading: figures and some ids; the rest scrolls
ARROW = " → "
_ON_CUT_ROADS = ". Measured with roads cut at these points; not kept with other runs."

STEPS = 1000


@dataclass(frozen=True)
class PathText:
    """Content of the panel: "1 → 264346"; "length 49.5 km (49526 m) · 1203 arcs", or
    the reason there is no path.
    """

    heading: str
    facts: str
    # ids or names of the vertices of the path, or of the negative cycle, in order
    ids: tuple[int | str, ...] = ()
    can_zoom: bool = False
    # along the path, with lengths: "A 13, 4.20 km"; none if the graph has no names
    roads: tuple[str, ...] = ()


def answer_text(answer: UnmeasuredAnswer) -> PathText:
    """Text for an answer without a run."""
    graph, found = answer.graph, answer.way
    sources = ", ".join(graph.vertex_label(v) for v in answer.sources)
    if found is None:
        return PathText(
            f"from {sources}{graph.overlay.at_hour}",
            "Not measured. Choose a target to see the path.",
        )
    if found.path is None:
        end = graph.vertex_label(found.target)
        return PathText(
            f"{sources}{ARROW}{end}{graph.overlay.at_hour}",
            f"There is no path to {end}: the target is unreachable. Not measured.",
        )
    several = "from the " if len(answer.sources) > 1 else ""
    return _text_of(found, f" · {several}{answer.finder}, not measured")


def _text_of(answer: PathAnswer, more: str) -> PathText:
    """What is said of a path, with ``more`` behind its figures."""
    graph, path = answer.graph, path_of(answer)
    stretches = () if graph.roads is None else itinerary(graph, answer.arcs)
    facts = f"{answer.words} · {plural(len(answer.arcs), 'arc')}{more}"
    roads = tuple(stretch.text for stretch in stretches)
    return PathText(answer.heading, facts, _ids(graph, path), True, roads)


def waiting_text(graph: Graph, sources: tuple[int, ...], target: int | None) -> PathText:
    """Text for several sources before their answer; the selected result is from one of them."""
    starts = ", ".join(map(graph.vertex_label, sources))
    heading = f"from {starts}" if target is None else f"{starts}{ARROW}{graph.vertex_label(target)}"
    heading += graph.overlay.at_hour
    return PathText(heading, f"There is no answer from the {len(sources)} sources yet.")


def path_text(
    graph: Graph | None, source: int | None, target: int | None, result: Result | None
) -> PathText:
    """Text for the given end points and the selected result."""
    if graph is None:
        return PathText("", "Open a graph. The path appears here after a run.")
    if source is None:
        return PathText(
            "", "Choose a source: type its id in the toolbar, or press S and click a vertex."
        )
    start = graph.vertex_label(source)
    if result is not None and result.cycle:
        return cycle_text(graph, start, result)
    if target is None:
        return PathText(
            f"from {start}{graph.overlay.at_hour}",
            "Choose a target to see the path. A run gives the distances to all vertices.",
        )
    heading = f"{start}{ARROW}{graph.vertex_label(target)}{graph.overlay.at_hour}"
    if result is None:
        return PathText(heading, f"Not solved{graph.overlay.at_hour} yet. Press Run.")
    if result.status is not Status.OK:
        return PathText(heading, result.error or f"{result.variant.full_title} returned no answer.")
    answer = PathAnswer.of_result(result)
    if answer is None or answer.length_text is None:
        return PathText(heading, _why_no_path(graph, start, target, answer, result))
    return _text_of(answer, "" if graph.cut is None else _ON_CUT_ROADS)


def _ids(graph: Graph, vertices: NDArray[np.integer]) -> tuple[int | str, ...]:
    if graph.has_labels:
        return tuple(graph.vertex_text(vertex) for vertex in vertices.tolist())
    return tuple(graph.ids[vertices].tolist())


def _why_no_path(
    graph: Graph, start: str, target: int, answer: PathAnswer | None, result: Result
) -> str:
    end = graph.vertex_label(target)
    if answer is None or math.isinf(answer.length):
        return f"There is no path from {start} to {end}: the target is unreachable."
    wrong = result.verdict is not None and not result.verdict.verified
    reason = "the answer is wrong" if wrong else "no path was found whose arcs add up to it"
    return f"The distance to {end} is given as {answer.text}, but {reason}."


def cycle_text(graph: Graph, start: str, result: Result) -> PathText:
    """What is said of the negative cycle that a result found."""
    ids = _ids(graph, np.array(result.cycle))
    closed = np.array([*result.cycle, result.cycle[0]], np.int32)
    weight = format_distance(path_length(graph, closed), graph.weight_unit)
    facts = (
        f"No shortest paths from {start}: a negative cycle is reachable. "
        f"It has {plural(len(ids), 'vertex', 'vertices')} and total weight {weight}; "
        "each pass shortens the path."
    )
    return PathText("Negative cycle", facts, (*ids, ids[0]), can_zoom=True)


class PathPanel(QWidget):
    """Fixed heading with two buttons, above the figures and the first ids, which scroll
    if needed.
    """

    zoom_requested = Signal()

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self._text = PathText("", "")
        self.heading = Heading(1.15)
        self.heading.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = WrappedLabel()
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = _Ids()
        self.list.setReadOnly(True)
        self.list.setAccessibleName("Vertices of the path")
        copy = "Copy the ids of all vertices on the path, one per line"
        self.copy_button = tool_button("Copy ids", copy, self.copy, icon="copy")
        self.zoom_button = tool_button("Zoom to path", act=self.zoom_requested, icon="fit")
        self._of_ends: list[QToolButton] = []
        self._lay_out()
        for signal in (
            session.graph_changed,
            session.endpoints_changed,
            session.unmeasured.told,
            session.results.changed,
            session.results.selection_changed,
        ):
            signal.connect(self._follow)
        self._follow()

    def copy(self) -> None:
        """Copy all ids to the clipboard, one per line."""
        QGuiApplication.clipboard().setText("\n".join(map(str, self._text.ids)))

    def add_bar(self, bar: QWidget) -> None:
        """A bar at the foot, below those added before; it shows and hides itself."""
        self._bars.addWidget(bar)

    def add_table(self, table: QWidget, button: QToolButton) -> None:
        """A table below the figures, which shows and hides itself, and a button before those of
        the heading, for a question that needs source and target.
        """
        self._tables.addWidget(table)
        self._head.insertWidget(1 + len(self._of_ends), button)
        self._of_ends.append(button)
        self._follow()

    def _lay_out(self) -> None:
        buttons = self.copy_button, self.zoom_button
        self._head = row_of(
            (self.heading, 1), *buttons, margins=(2 * GAP, GAP, GAP, 0), spacing=GAP
        )
        self._tables = column_of(margins=NO_MARGINS, spacing=GAP)
        self._bars = column_of(margins=NO_MARGINS, spacing=0)
        content = QWidget()
        layout = column_of(
            self.facts,
            self._tables,
            (self.list, 1),
            parent=content,
            margins=(2 * GAP, 0, 2 * GAP, GAP),
            spacing=GAP,
        )
        layout.addStretch(0)
        area = scrolling(content)  # wrapped text can be taller than a low window
        area.setMinimumHeight(LEAST_LINES * self.fontMetrics().lineSpacing())
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        column_of(self._head, (area, 1), self._bars, parent=self, margins=NO_MARGINS, spacing=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_buttons()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        """Show the buttons' texts if the heading still fits on its line, else only their icons.

        Those while it is hidden, too: a bar that opens it would be as wide as the texts.
        """
        named = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        all_buttons = *self._of_ends, self.copy_button, self.zoom_button
        buttons = [button for button in all_buttons if not button.isHidden()]
        for button in buttons:
            button.setToolButtonStyle(named)
        heading = self.heading.fontMetrics().horizontalAdvance(self.heading.text())
        wanted = heading + 4 * GAP + sum(button.sizeHint().width() + GAP for button in buttons)
        if wanted > self.width() or not self.isVisible():
            for button in buttons:
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)

    def _follow(self) -> None:
        session = self._session
        for button in self._of_ends:
            button.setVisible(None not in (session.source, session.target))
        answer, is_sought = session.unmeasured.answer, session.unmeasured.is_sought
        if answer is not None and session.graph is not None and answer.is_of(session.graph):
            text = answer_text(answer)
        elif session.graph is not None and len(session.sources) > 1 and is_sought:
            text = waiting_text(session.graph, session.sources, session.target)
        else:
            text = path_text(
                session.graph, session.source, session.target, session.results.selected
            )
        if text == self._text:
            return
        self._text = text
        self.heading.setText(text.heading)
        self.heading.setVisible(bool(text.heading))
        self.facts.setText(text.facts)
        quiet = not text.ids
        self.facts.setForegroundRole(
            QPalette.ColorRole.PlaceholderText if quiet else QPalette.ColorRole.WindowText
        )
        what = "cycle" if text.heading == "Negative cycle" else "path"
        self.list.setAccessibleName(
            f"Roads along the {what}" if text.roads else f"Vertices of the {what}"
        )
        self.zoom_button.setText(f"Zoom to {what}")
        self.zoom_button.setAccessibleName(self.zoom_button.text())
        self.zoom_button.setToolTip(tool_tip(f"Show the whole {what} in the picture (P)"))
        for widget in (self.list, self.copy_button):
            widget.setVisible(bool(text.ids))
        self.zoom_button.setVisible(text.can_zoom)
        self._fit_buttons()
        self.list.setPlainText(_listed(text))


def _listed(text: PathText) -> str:
    """The roads along the path, one a line, or else the ids of its vertices."""
    if text.roads:
        left_out = len(text.roads) - SHOWN_ROADS
        rest = [f"… and {plural(left_out, 'road')} more"] if left_out > 0 else []
        return "\n".join([*text.roads[:SHOWN_ROADS], *rest])
    left_out = len(text.ids) - SHOWN_IDS
    rest_of_ids = (
        f" … and {plural(left_out, 'vertex', 'vertices')} more (Copy ids copies all)"
        if left_out > 0
        else ""
    )
    return ARROW.join(map(str, text.ids[:SHOWN_IDS])) + rest_of_ids


class _Ids(QPlainTextEdit):
    """List of ids that needs two lines and takes all remaining height."""

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 2 * self.fontMetrics().lineSpacing() + 12)
