"""The middle of the window: the graph canvas or the matrix view, of an explained matrix both,
with zoom buttons.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QStackedWidget, QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.levels import LevelStore
from gui.canvas.matrix_view import MatrixView
from gui.canvas.pointer import Tool
from gui.canvas.scene_store import SceneStore
from gui.canvas.split import SplitView
from gui.canvas.split_page import SplitPage
from gui.canvas.view import CanvasView, GraphView
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.shown_run import AnswerOrRun, DisplayedRun
from gui.style.forms import NO_MARGINS, column_of, row_of, tool_button
from gui.style.text import scaled_px
from gui.style.widgets import Card
from solvers.core.result import Result
from solvers.picture.overlay.cards import NARROW
from solvers.picture.scene.camera import Margins
from solvers.picture.scene.content import Layer
from solvers.system.array_types import Float64s

if TYPE_CHECKING:  # imported when a picture is exported
    from gui.export.composition import MatrixState, PictureState
    from gui.export.split_composition import SplitState

_MARGIN = 12
_LEAST_BESIDE = 300  # pixels of the graph, and of the matrix beside it
_HEADER_STEP = 24  # pixels between points of a header that cards keep clear of
_BADGE_STEPS = 11  # of these, along a badge


class CanvasArea(QWidget):
    """Graph canvases and matrix view, of which one is visible; both of an explained matrix."""

    matrix_requested = Signal(bool)  # whether the matrix should be shown for all-pairs results
    split_changed = Signal()  # the runs shown side by side changed
    headline_changed = Signal()
    view_changed = Signal()  # the part of the graph that is shown changed

    def __init__(self, session: Session, playback: Playback, jobs: Jobs):
        super().__init__()
        self._session = session
        self.scenes = SceneStore(session, jobs, self)
        self.levels = LevelStore(session, jobs, self.scenes, self)
        self.options = PictureOptions(self)
        self.graph_canvas = GraphCanvas(
            session,
            playback,
            jobs,
            scenes=self.scenes,
            levels=self.levels,
            options=self.options,
            displayed_run=AnswerOrRun(session, playback, self),
        )
        self.matrix_view = MatrixView(session, playback, quiet=jobs.quiet, options=self.options)
        self.split_view = SplitView(session, playback, jobs, self.scenes, self.levels, self.options)
        self._wants_matrix = self._beside = False
        self._covered = Margins()
        self._legend_is_elsewhere = False
        self.headline = ""  # what is said of all runs that are shown, in place of one's figures
        self._stack = QStackedWidget()
        self._stack.addWidget(self.graph_canvas)
        # its margin keeps the matrix free of what lies over the bottom
        self._matrix_page = QWidget()
        self._around_matrix = column_of(
            self.matrix_view, parent=self._matrix_page, margins=NO_MARGINS
        )
        self.split_page = SplitPage(self.split_view)
        self.split_page.resized.connect(self._place_buttons)
        self._stack.addWidget(self.split_page)
        self._row = row_of(
            (self._stack, 1), (self._matrix_page, 1), parent=self, margins=NO_MARGINS, spacing=0
        )
        self._matrix_page.hide()
        self._buttons = ZoomButtons(self)
        self._buttons.zoomed_in.connect(lambda: self.view.zoom_in())
        self._buttons.zoomed_out.connect(lambda: self.view.zoom_out())
        self._buttons.fitted.connect(lambda: self.view.fit())
        self.setFocusProxy(self.graph_canvas)
        self.graph_canvas.view.changed.connect(self.view_changed)
        self.split_view.view_changed.connect(self.view_changed)
        self.split_view.panes_changed.connect(self._place_legend)
        self.split_view.panes_changed.connect(self.split_changed)
        self.matrix_view.path_requested.connect(self._show_path)
        session.results.selection_changed.connect(self._choose_view)
        session.graph_changed.connect(self._choose_view)
        playback.trace_changed.connect(self._choose_view)
        self.options.layers_changed.connect(self._choose_view)
        self.options.layers_changed.connect(
            lambda: self.levels.want(Layer.LEVELS in self.options.shown)
        )
        for signal in (session.graph_changed, self.levels.refused):
            signal.connect(partial(self.options.set_layer, Layer.LEVELS, False))

    def add_tool(self, make: Callable[[GraphView], Tool]) -> None:
        """Have another tool on all canvases, which comes before those that are there."""
        self.options.tools.append(make)
        for canvas in (self.graph_canvas, *self.split_view.canvases):
            canvas.add_tool(make)

    def show_matrix(self, wanted: bool) -> None:
        """Show the matrix if the selected result has one, else the graph."""
        if wanted != self._wants_matrix:
            self._wants_matrix = wanted
            self.matrix_requested.emit(wanted)
        self._choose_view()

    @property
    def matrix_shown(self) -> bool:
        return not self._matrix_page.isHidden()

    def _choose_view(self) -> None:
        panes, matrix = self.split_view.panes, self._wants_matrix and self.matrix_view.has_matrix
        self._stack.setCurrentWidget(self.split_page if panes else self.graph_canvas)
        self._beside = matrix and not panes and self._fits_beside
        self._matrix_page.setVisible(matrix)
        self._stack.setVisible(self._beside or not matrix)
        self._share_room()

    @property
    def _fits_beside(self) -> bool:
        """Whether an explained matrix has room beside the graph."""
        content = self.matrix_view.content
        is_explained = content is not None and content.explanation is not None
        return is_explained and self.picture_size.width() >= 2 * _LEAST_BESIDE

    def _share_room(self) -> None:
        """Divide what is seen between graph and matrix, and keep both free of what covers it."""
        left, top, right, bottom = map(int, self._covered)
        if self._beside:
            half = self.picture_size.width() // 2
            self._row.setStretch(0, left + half)
            self._row.setStretch(1, half + right)
        inner = 0 if self._beside else right
        self.graph_canvas.view.set_covered(Margins(left, top, inner, bottom))
        inner = 0 if self._beside else left
        self._around_matrix.setContentsMargins(inner, top, right, bottom)
        self._place_buttons()

    def split(self, count: int) -> None:
        """Show ``count`` synchronised runs side by side; 1 shows only the selected run."""
        holder = self.window().focusWidget()
        holds_focus = holder is not None and self.isAncestorOf(holder)
        self.split_view.show_panes(count if count > 1 else 0)
        self.setFocusProxy(self.canvas)
        self._choose_view()
        if holds_focus:  # a pane that had it may be gone
            self.setFocus()

    @property
    def split_count(self) -> int:
        """Number of canvases side by side."""
        return max(1, len(self.split_view.panes))

    def split_results(self) -> tuple[Result, ...]:
        """The distinct results shown side by side; empty if only one canvas is shown."""
        found = {pane.displayed_run.variant_id: pane.result for pane in self.split_view.panes}
        return tuple(result for result in found.values() if result is not None)

    @property
    def followed_run(self) -> DisplayedRun | None:
        """The run of the pane that is followed; None if only one canvas is shown."""
        pane = self.split_view.followed_pane
        return None if pane is None else pane.displayed_run

    @property
    def canvases(self) -> tuple[GraphCanvas, ...]:
        return self.split_view.canvases or (self.graph_canvas,)

    @property
    def canvas(self) -> GraphCanvas:
        """The canvas that commands act on; the canvases next to it follow."""
        return self.canvases[0]

    @property
    def view(self) -> CanvasView:
        """The view of what is shown: of the graph or of the matrix."""
        return self.matrix_view.view if self.matrix_shown else self.canvas.view

    def _show_path(self) -> None:
        """Show the graph, which has the pair's path, if it is not beside the matrix."""
        if self._beside:
            return
        self.show_matrix(False)
        self.zoom_to_path()

    def zoom_to_path(self) -> None:
        """Zoom to the path of the displayed result; does nothing if it has none."""
        content = self.canvas.content
        if content is not None and content.path is not None:
            self.canvas.view.zoom_to(content.path)

    def zoom_to_frontier(self) -> None:
        """Zoom to the vertices that are active in the displayed iterations; does
        nothing if there are none.
        """
        content = [canvas.content for canvas in self.canvases if canvas.content is not None]
        active = [some.frontier for some in content]
        if active:
            self.canvas.view.zoom_to(np.concatenate(active))

    def arm(self, what: str | None) -> None:
        """Make the selected vertex, or the next one clicked, the "source" or the
        "target"; None cancels that.
        """
        if what is not None and self._session.selected_vertex is not None:
            self.canvas.select.choose(what)
        else:
            self.options.arm(what)

    def picture_state(self) -> PictureState | MatrixState | SplitState | None:
        """Snapshot of the current picture for `export_picture`; None without a graph."""
        from gui.export.composition import MatrixState, PictureState
        from gui.export.picture import caption, unmeasured_caption

        if self.matrix_shown and (matrix := self.matrix_view.content) is not None:
            words = caption(matrix.graph, self._session.results.selected)
            return MatrixState(matrix, self.matrix_view.view.camera.bounds, words)
        if self.split_view.panes:
            return self.split_view.picture_state()
        content = self.canvas.content
        if content is None:
            return None
        graph, answer = content.scene.graph, self._session.unmeasured.answer
        if answer is None:
            words = caption(graph, self.canvas.result)
        else:
            words = unmeasured_caption(graph.name, answer)
        return PictureState(content, self.canvas.view.clear_camera.bounds, words)

    def set_covered(self, margins: Margins) -> None:
        """Keep margins free of what should be seen, because side bars and the play bar
        lie over them.
        """
        self._covered = margins
        self.split_page.set_covered(margins)
        self._choose_view()

    def points_to_see(self) -> Float64s:
        """Where paths, end points, legends, the badge of an unmeasured answer and headers of panes
        are in this widget, shape (k, 2).
        """
        seen = []
        if self._session.unmeasured.follows:
            left = self._covered.left + _MARGIN
            seen.append(
                np.array(
                    [(left + step * _HEADER_STEP, 2 * _MARGIN) for step in range(_BADGE_STEPS)]
                )
            )
        for canvas in self.canvases:
            corner = canvas.mapTo(self, QPoint(0, 0))
            for points in (canvas.view.points_to_see, canvas.points_painted_over):
                seen.append(points + (corner.x(), corner.y()))  # noqa: RUF005
            if canvas is not self.graph_canvas:
                xs = np.arange(corner.x(), corner.x() + canvas.width(), _HEADER_STEP)
                seen.append(np.stack((xs, np.full(len(xs), corner.y() - _HEADER_STEP)), axis=1))
        return np.concatenate(seen)

    @property
    def picture_size(self) -> QSize:
        """Size of what is seen of the picture, in logical pixels: that of copies and
        exports of the view.
        """
        left, top, right, bottom = map(int, self._covered)
        return QSize(max(1, self.width() - left - right), max(1, self.height() - top - bottom))

    def set_headline(self, words: str) -> None:
        self.headline = words
        self.headline_changed.emit()

    def show_legend_elsewhere(self, elsewhere: bool) -> None:
        """Leave legend, scale bar and zoom buttons to others, so that nothing lies over
        the graph.
        """
        self._legend_is_elsewhere = elsewhere
        self._place_legend()

    def _place_legend(self) -> None:
        self.split_page.show_foot(not self._legend_is_elsewhere)
        self.graph_canvas.legend_is_elsewhere = self._legend_is_elsewhere
        for canvas in self.split_view.canvases:
            canvas.legend_is_elsewhere = True
        for canvas in self.canvases:
            canvas.view.refit()
        self._place_buttons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose_view()

    def _place_buttons(self) -> None:
        """Place the zoom buttons in the lower right corner; below runs side by side, in
        the row of the legend.
        """
        left, _, right, bottom = map(int, self._covered)
        right, bottom = self.width() - right - _MARGIN, self.height() - bottom - _MARGIN
        side_by_side = self._stack.currentWidget() is self.split_page and not self.matrix_shown
        self._buttons.setVisible(
            not self._legend_is_elsewhere and (self.split_page.has_buttons or not side_by_side)
        )
        if side_by_side:
            self._buttons.place_in_row(right, self.split_page.buttons_row)
        else:
            narrow = right - left < scaled_px(NARROW) and not self.matrix_shown
            # a column would lie over the matrix
            self._buttons.place(right, bottom, in_row=not narrow)
            self.graph_canvas.view.set_buttons(self._room_of_buttons())

    def _room_of_buttons(self) -> QSize:
        """What the zoom buttons take of the corner of the canvas; nothing in a presentation."""
        if self._legend_is_elsewhere or self._beside:
            return QSize()
        return self._buttons.size() + QSize(_MARGIN, _MARGIN)


_LEAST_SIZE = QSize(30, 28)


class ZoomButtons(Card):
    """Buttons in a row, or in a column where the legend needs the width."""

    zoomed_in = Signal()
    zoomed_out = Signal()
    fitted = Signal()

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._row = row_of(parent=self, margins=(4, 4, 4, 4), spacing=2)
        for text, tip, pressed in (
            ("+", "Zoom in", self.zoomed_in),
            ("−", "Zoom out", self.zoomed_out),
            ("Fit", "Show the whole graph or matrix (F)", self.fitted),
        ):
            button = tool_button(text, tip, pressed, name=tip)
            button.setMinimumSize(_LEAST_SIZE)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._row.addWidget(button)

    def place(self, right: int, bottom: int, *, in_row: bool) -> None:
        """Put the lower right corner there."""
        self._arrange(
            QBoxLayout.Direction.LeftToRight if in_row else QBoxLayout.Direction.TopToBottom
        )
        self._move(right, bottom)

    def place_in_row(self, right: int, row: QRect) -> None:
        """Put the right edge there, in the middle of a row."""
        self._arrange(QBoxLayout.Direction.LeftToRight)
        self._move(right, row.center().y() + self.sizeHint().height() // 2 + 1)

    def _arrange(self, direction: QBoxLayout.Direction) -> None:
        if self._row.direction() is not direction:
            self._row.setDirection(direction)

    def _move(self, right: int, bottom: int) -> None:
        size = self.sizeHint()
        self.setGeometry(right - size.width(), bottom - size.height(), size.width(), size.height())
        self.raise_()
