"""The lesson of Floyd-Warshall in the window: matrix and graph side by side, pixels of
what a step marks, and questions answered from what is shown.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from gui.canvas.matrix_view import MatrixView
from gui.model.samples import sample
from gui.window import MainWindow
from solvers.core.pseudocode import Step
from solvers.features.lesson.pairs_lesson import PairsLesson
from solvers.features.lesson.questions import QuestionKind
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.picture.colours import LIGHT
from tests import graphs
from tests.gui.canvas.test_matrix_view import pixels_of
from tests.gui.pictures import is_like
from tests.gui.windows import controller_of
from tests.solvers.features.lesson.test_pairs_lesson import number, watched
from tests.solvers.features.page.reading import after_the_phase


def show(
    qtbot: QtBot, window: MainWindow, graph: Graph, variant_id: str, **parameters: object
) -> MatrixView:
    """A watched run in the lesson, at its first phase."""
    p = window.parts
    p.session.open_graph(graph)
    p.session.set_endpoints(0, graph.n - 1)
    qtbot.waitUntil(lambda: p.canvas.scenes.scene is not None, timeout=30_000)
    result = watched(graph, variant_id, **parameters)
    p.session.results.add([result])
    p.session.results.select(variant_id)
    p.playback.to_start()
    window.bars.set_mode(controller_of(window, "lesson").mode)
    view = p.canvas.matrix_view
    qtbot.waitUntil(lambda: view.frames.current, timeout=30_000)
    return view


def tiny() -> Graph:
    return read_graph(sample("tiny").path).graph


def cell(view: MatrixView, row: int, column: int) -> QRectF:
    square = view._place
    assert view.content is not None
    side = square.width() / view.content.graph.n
    return QRectF(square.left() + column * side, square.top() + row * side, side, side)


def outline_has(view: MatrixView, row: int, column: int, colour: str) -> bool:
    """Whether the four sides of a cell are drawn in a colour."""
    pixels, box = pixels_of(view), cell(view, row, column).toRect()
    middle = box.center()
    places = [
        (middle.y(), box.left()),
        (middle.y(), box.right()),
        (box.top(), middle.x()),
        (box.bottom(), middle.x()),
    ]
    return all(is_like(pixels[y - 2 : y + 4, x - 2 : x + 4], colour).any() for y, x in places)


def test_a_step_is_marked_in_matrix_graph_and_code(qtbot: QtBot, window: MainWindow) -> None:
    """The lesson declined Floyd-Warshall."""
    view = show(qtbot, window, tiny(), "fw-serial")
    panel, playback = controller_of(window, "lesson").panel, window.parts.playback
    playback.step(4)
    assert panel.code.lines[panel.code.marked].text() == "if D[i, k] + D[k, j] < D[i, j]:"
    for _ in range(4):
        panel.next()
    assert panel.step is not None
    assert panel.step.text == "D[1, 3] = min(9, 5 + 2) = 7"
    assert panel.step.step is Step.IMPROVE
    assert panel.code.lines[panel.code.marked].text() == "D[i, j] ← D[i, k] + D[k, j]"
    assert panel.table.horizontalHeaderItem(1).text() == "From 1"
    assert [panel.table.item(2, column).text() for column in range(5)] == [
        "3",
        "7",
        "9",
        "5",
        "earlier pivot",
    ]
    canvas = window.parts.canvas
    assert canvas.matrix_shown
    assert canvas.graph_canvas.isVisible()
    qtbot.waitUntil(lambda: view.frames.current)
    assert outline_has(view, 0, 2, LIGHT.text)
    assert outline_has(view, 0, 4, LIGHT.frontier)
    assert outline_has(view, 4, 2, LIGHT.frontier)
    assert not outline_has(view, 6, 2, LIGHT.frontier)
    chip = cell(view, 0, 2).toRect()
    inside = pixels_of(view)[chip.top() : chip.bottom(), chip.left() : chip.right()]
    assert is_like(inside, LIGHT.good).sum() > 20, "the distance that fell"
    content = canvas.graph_canvas.content
    assert content is not None
    assert isinstance(content.explanation, PairsLesson)
    assert content.explanation.step_path == (0, 1, 4, 2)
    drawn = pixels_of(canvas.graph_canvas)
    assert is_like(drawn, LIGHT.frontier).sum() > 400, "the disc of the pivot"
    panel.next()
    assert content.explanation is not canvas.graph_canvas.content.explanation
    assert not outline_has(view, 0, 2, LIGHT.text)


def test_steps_go_on_to_the_next_phase_and_back(qtbot: QtBot, window: MainWindow) -> None:
    show(qtbot, window, tiny(), "fw-omp-tiled", tile=4)
    panel, playback = controller_of(window, "lesson").panel, window.parts.playback
    marked = {}
    for _ in range(500):
        lines = panel.code.lines
        assert panel.step is not None
        marked.setdefault(panel.step.step, lines[panel.code.marked].text())
        before = playback.position
        panel.next()
        if playback.position == before == 5:
            break
    assert marked[Step.PIVOT_TILE].startswith("phase 1")
    assert marked[Step.PIVOT_CROSS].startswith("phase 2")
    assert marked[Step.OTHER_TILES].startswith("phase 3")
    panel.list.setCurrentRow(0)
    panel.previous()
    assert (playback.position, panel.list.currentRow()) == (4, len(panel.steps) - 1)


def shown_matrix(view: MatrixView) -> np.ndarray:
    """The numbers that a pointer over each cell is shown."""
    assert view.content is not None
    n = view.content.graph.n
    words = [dict(view.cell_rows(i, j)) for i in range(n) for j in range(n)]
    texts = [row.get("so far", row.get("distance", "")) for row in words]
    return np.array([number(text.replace("unreachable", "∞")) for text in texts]).reshape(n, n)


@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-tiled"])
def test_questions_are_answered_from_what_is_shown(
    qtbot: QtBot, window: MainWindow, variant_id: str
) -> None:
    graph = graphs.at_random(10, 22, 7)
    graph = Graph.from_arcs(
        10, graph.tails, graph.indices, graph.weights, ids=np.arange(1, 11), name="ten"
    )
    tile = {} if variant_id == "fw-serial" else {"tile": 4}
    view = show(qtbot, window, graph, variant_id, **tile)
    window.commands["questions"].trigger()
    dialog = controller_of(window, "lesson").questions.dialog
    assert dialog is not None
    kinds = set()
    for at, question in enumerate(dialog.questions):
        dialog.go(at)
        kinds.add(question.kind)
        before = shown_matrix(view)
        after = after_the_phase(before, question.words, 4)
        if question.kind is QuestionKind.CELLS:
            for row, column in zip(*np.nonzero(after < before), strict=True):
                place = cell(view, row, column).center().toPoint()
                qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(place))
        else:
            row, column = (
                int(name) - 1 for name in re.findall(r"D\[(\d+), (\d+)\]", question.words)[0]
            )
            dialog.answer.setText(f"{after[row, column]:g}")
            dialog.answer.textEdited.emit(dialog.answer.text())
        dialog.check()
        assert "Right" in dialog.verdict.text(), (question, dialog.answer.text())
    assert kinds == {QuestionKind.CELLS, QuestionKind.CELL}
    assert (window.parts.session.source, window.parts.session.target) == (0, 9), "no click moved it"
