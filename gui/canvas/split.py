"""Two to four synchronised runs side by side: the same view of the graph, each with its
own iteration.

The division of panes into rows needs no widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.levels import LevelStore
from gui.canvas.scene_store import SceneStore
from gui.canvas.view import CanvasView
from gui.model.jobs import Jobs
from gui.model.playback import Pace, Playback, run_clock
from gui.model.session import Session
from gui.model.shown_run import can_synchronise
from gui.style.text import scaled_px
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.figure import SMALL_GRAPH

if TYPE_CHECKING:  # imported when runs are shown side by side, or a picture is exported
    from gui.canvas.pane import Pane
    from gui.export.split_composition import SplitState

_SEAM = 1  # pixels between panes
_LEAST_PANE = 150  # width, in pixels
_MOST_ASPECT = 4.0  # of a picture whose panes are divided for it
_EXPORT_MARGIN = 0.06  # of the graph's longer side, around a whole graph in an exported pane
_LESSON_MARGIN = 0.28  # likewise of a small graph: its legend and its labels lie there


class SplitView(QWidget):
    """Panes in a grid; their cameras move together, and the longest run leads the play-back."""

    panes_changed = Signal()  # the number of panes or the variant of a pane changed
    # a header of a pane has, or no longer has, too little room in one row (`PaneHeader.crowded`)
    crowded_changed = Signal()
    view_changed = Signal()  # the cameras moved
    followed_changed = Signal()  # another pane, or none, is followed

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        scenes: SceneStore,
        levels: LevelStore,
        options: PictureOptions,
    ):
        super().__init__()
        self._session, self._playback, self._jobs = session, playback, jobs
        self._scenes, self._levels, self.options = scenes, levels, options
        self._panes: list[Pane] = []
        # The pane whose run is followed: that of the selected result, if it is
        # shown; None without panes.
        self.followed_pane: Pane | None = None
        self._clock: Callable[[Result], float] | None = None
        self._columns = 1
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_SEAM)
        session.results.changed.connect(self._follow_results)
        session.results.selection_changed.connect(self._settle_followed)
        playback.state_changed.connect(self._lead)

    @property
    def panes(self) -> tuple[Pane, ...]:
        return tuple(self._panes)

    @property
    def canvases(self) -> tuple[GraphCanvas, ...]:
        return tuple(pane.canvas for pane in self._panes)

    def picture_state(self) -> SplitState | None:
        """Snapshot of all panes for export; None while there is no graph."""
        from gui.export.split_composition import SplitState

        leader = self._playback.trace if isinstance(self._playback.trace, ActivityTrace) else None
        if not self._panes:
            return None
        bounds = _exported_part(self._panes[0].canvas)
        panes = [
            state
            for pane in self._panes
            if (state := pane.picture_state(leader, bounds)) is not None
        ]
        if not panes:
            return None
        playback = self._playback
        length = 0 if leader is None else len(leader)
        return SplitState(tuple(panes), length, playback.position, playback.pace, self._caption())

    def _caption(self) -> str:
        """Graph name, and the path's length if all runs agree on it."""
        graph = self._session.graph
        if graph is None:
            return ""
        from gui.export.picture import caption

        results = [pane.result for pane in self._panes if pane.result is not None]
        agree = len({result.target_distance for result in results}) == 1
        return caption(graph, results[0] if agree else None, with_variant=False)

    def show_panes(self, count: int) -> None:
        """Show ``count`` panes (0 for none): existing ones stay, new ones show results
        not yet displayed.

        Where there are fewer results than panes, the last ones stay empty until another
        result arrives.
        """
        while len(self._panes) > count:
            pane = self._panes.pop()
            self._grid.removeWidget(pane)
            pane.hide()
            pane.deleteLater()
        while len(self._panes) < count:
            self._add_pane()
        self._arrange()
        self._lead()
        self._settle_followed()
        self.panes_changed.emit()

    def show_variants(self, variant_ids: Sequence[str]) -> None:
        self.show_panes(len(variant_ids))
        for pane, variant_id in zip(self._panes, variant_ids, strict=True):
            pane.show_run(variant_id)
        self._lead()
        self._settle_followed()
        self.panes_changed.emit()

    def set_clock(self, scale: Callable[[Result], float] | None) -> None:
        """Measure equal time by another clock than that of the watched runs; ``scale``
        has the factor to it.
        """
        self._clock = scale
        self._lead()

    @property
    def leader_scale(self) -> float:
        """Factor from the clock of the play-back to the one that equal time is measured by."""
        leader = next(
            (pane for pane in self._panes if pane.displayed_run.trace is self._playback.trace), None
        )
        return 1.0 if leader is None else self._scale(leader)

    @property
    def elapsed_ms(self) -> float:
        """Time since the start that all runs share."""
        return self._playback.elapsed_ms * self.leader_scale

    def _scale(self, pane: Pane) -> float:
        if self._clock is None or pane.result is None:
            return 1.0
        return self._clock(pane.result)

    def _add_pane(self) -> None:
        from gui.canvas.pane import Pane

        pane = Pane(
            self._session,
            self._playback,
            self._jobs,
            self._scenes,
            self._levels,
            self.options,
            self._next_variant(),
            with_legend=not self._panes,
        )
        pane.canvas.view.changed.connect(self._link)
        pane.head.crowded_changed.connect(self.crowded_changed)
        pane.chosen.connect(self._lead)
        pane.chosen.connect(self.panes_changed)
        pane.chosen.connect(partial(self._choose, pane))
        pane.pressed.connect(partial(self._choose, pane))
        self._panes.append(pane)

    def _choose(self, pane: Pane) -> None:
        """Have what follows the selected result follow a pane's run."""
        if not self._follows_one or pane.result is None:
            return
        self.followed_pane = pane
        self._mark()
        self._session.results.select(pane.displayed_run.variant_id)

    @property
    def _follows_one(self) -> bool:
        graph = self._session.graph
        return len(self._panes) > 1 and graph is not None and graph.n <= SMALL_GRAPH

    def _settle_followed(self) -> None:
        """Follow the pane of the selected result, if there is one."""
        selected = self._session.results.selected_id
        showing = [pane for pane in self._panes if pane.displayed_run.variant_id == selected]
        before = self.followed_pane if self.followed_pane in self._panes else None
        if showing and before not in showing:
            before = showing[0]
        self.followed_pane = before or next(iter(self._panes), None)
        self._mark()

    def _mark(self) -> None:
        for pane in self._panes:
            pane.show_followed(self._follows_one and pane is self.followed_pane)
        self.followed_changed.emit()

    def _next_variant(self) -> str:
        """The first result not yet displayed: the selected one, traced ones, then
        others; "" if none is left.
        """
        content = {pane.displayed_run.variant_id for pane in self._panes}
        offered = [result for result in self._session.results.all if can_synchronise(result)]
        offered.sort(
            key=lambda result: (
                result.variant.id != self._session.results.selected_id,
                result.trace is None,
            )
        )
        fresh = [result.variant.id for result in offered if result.variant.id not in content]
        return next(iter(fresh), "")

    def _follow_results(self) -> None:
        """Show other results in panes without one, if there are any."""
        for pane in self._panes:
            if pane.result is None:
                pane.displayed_run.show(self._next_variant())
        self._lead()
        self._settle_followed()
        if self._panes:
            self.panes_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._best_columns() != self._columns:
            self._arrange()

    def picture_height(self, height: int, head_rows: int) -> int:
        """Height in pixels of a pane's picture, below a header of so many rows, if all
        panes had ``height``.
        """
        if not self._panes:
            return height
        rows = -(-len(self._panes) // self._best_columns(height))
        return height // rows - self._panes[0].head.height_in(head_rows)

    def _best_columns(self, height: int | None = None) -> int:
        content = self._panes[0].canvas.content if self._panes else None
        bounds = None if content is None else content.scene.bounds
        across, down = (
            (1.0, 1.0) if bounds is None else (bounds.x1 - bounds.x0, bounds.y1 - bounds.y0)
        )
        aspect = (
            min(_MOST_ASPECT, max(1 / _MOST_ASPECT, across / down)) if across > 0 < down else 1.0
        )
        head = self._panes[0].head.sizeHint().height() if self._panes else 0
        height = self.height() if height is None else height
        return best_columns(
            len(self._panes), self.width(), height, aspect, head, scaled_px(_LEAST_PANE)
        )

    def _arrange(self) -> None:
        """Divide the room among the panes."""
        from gui.export.split_composition import MOST_PANES

        columns = self._columns = self._best_columns()
        for pane, place in zip(self._panes, cells(len(self._panes), columns), strict=True):
            row, column, span = place
            self._grid.addWidget(pane, row, column, 1, span)
        for i in range(MOST_PANES):
            self._grid.setColumnStretch(i, int(i < columns))
            self._grid.setRowStretch(i, int(i * columns < len(self._panes)))

    def _link(self) -> None:
        """Give all panes the view of the one whose view has changed."""
        moved = self.sender()
        assert isinstance(moved, CanvasView)
        for canvas in self.canvases:
            if canvas.view is not moved:
                canvas.view.look_like(moved)
        self.view_changed.emit()

    def _lead(self) -> None:
        """Make the run with the most iterations, or the most time, lead the play-back."""
        traced = [pane for pane in self._panes if pane.displayed_run.trace is not None]
        leader = max(traced, key=self._extent, default=None)
        for pane in traced:
            pane.displayed_run.keep_time(
                self._scale(pane), 1.0 if leader is None else self._scale(leader)
            )
        self._playback.lead(None if leader is None else leader.displayed_run.trace)

    def _extent(self, pane: Pane) -> float:
        trace = pane.displayed_run.trace
        if trace is None or self._playback.pace is not Pace.TIME:
            return 0.0 if trace is None else trace.iterations
        return float(run_clock(trace)[-1]) * self._scale(pane)


def _exported_part(canvas: GraphCanvas) -> Bounds:
    """The part in view; the graph with a margin if all of it is, since exported panes
    have other proportions.
    """
    view = canvas.view.camera.bounds
    if canvas.content is None:
        return view
    graph = canvas.content.scene.bounds
    whole = (
        view.x0 <= graph.x0 and view.y0 <= graph.y0 and graph.x1 <= view.x1 and graph.y1 <= view.y1
    )
    small = canvas.content.scene.graph.n <= SMALL_GRAPH
    room = (_LESSON_MARGIN if small else _EXPORT_MARGIN) * graph.size
    return (
        Bounds(graph.x0 - room, graph.y0 - room, graph.x1 + room, graph.y1 + room)
        if whole
        else view
    )


def best_columns(
    count: int, width: float, height: float, aspect: float, head: float, least: float = 0.0
) -> int:
    """Panes in a row so that their pictures are largest; on equal terms as in exports.

    ``width`` and ``height`` are those of all panes together in pixels, ``aspect`` is
    width by height of the picture, and ``head`` the height of a pane's header. Panes
    narrower than ``least``, whose headers cannot be read, are a last resort.
    """
    if count <= 1:
        return 1
    from gui.export.split_composition import pane_columns

    usual = pane_columns(count)
    legible = [columns for columns in range(1, count + 1) if width / columns >= least] or [1]
    choices = sorted(legible, key=lambda columns: columns != usual)
    return max(choices, key=lambda columns: _side(columns, count, width, height, aspect, head))


def _side(
    columns: int, count: int, width: float, height: float, aspect: float, head: float
) -> float:
    return min(width / columns / aspect, height / ceil(count / columns) - head)


def cells(count: int, columns: int) -> list[tuple[int, int, int]]:
    """Row, column and number of columns of each pane; the last one takes what is left
    of its row.
    """
    places = [(*divmod(i, columns), 1) for i in range(count)]
    if places:
        row, column, _ = places[-1]
        places[-1] = (row, column, columns - column)
    return places
