"""Two to four synchronised runs side by side: the same view of the graph, each with its own iteration."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.canvas.displayed_run import SynchronisedRun, can_synchronise, synchronised_steps
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.level_store import LevelStore
from gui.canvas.race_badge import RaceBadge
from gui.canvas.scene_store import SceneStore
from gui.export.composition import PictureState
from gui.export.picture_export import caption
from gui.export.split_composition import MOST_PANES, PaneState, SplitState, pane_columns
from gui.model.jobs import Jobs
from gui.model.playback import Pace, Playback, run_clock
from gui.model.race import Standing, time_scale
from gui.model.session import Session
from gui.painting.pane_head import NO_RESULT, UNTRACED, fitting_text, progress_texts
from gui.style.common_widgets import ElidedBox, PlainLabel, colour_of, dot_icon
from gui.style.names import short_title
from solvers.contracts.results import Result
from solvers.contracts.trace import ActivityTrace

_SEAM = 1  # pixels between panes
_BOX_LETTERS, _LEAST_BOX_LETTERS = 12, 5
_HEAD_MARGINS = (8, 3, 10, 3)


class Pane(QWidget):
    """One run: a header with variant and iteration, above its picture.

    Signals
    -------
    chosen()
        The user chose another variant for this pane.
    """

    chosen = Signal()

    def __init__(
        self, session: Session, playback: Playback, jobs: Jobs, scenes: SceneStore, levels: LevelStore | None,
        variant_id: str, parent: QWidget | None = None,
    ):  # fmt: skip
        super().__init__(parent)
        self._session, self._playback = session, playback
        self.displayed_run = SynchronisedRun(session, playback, variant_id, self)
        self.canvas = GraphCanvas(
            session, playback, jobs, scenes=scenes, levels=levels, displayed_run=self.displayed_run
        )
        self.badge = RaceBadge()
        self.box = ElidedBox()
        self.box.setAccessibleName("Variant shown here")
        self.box.setToolTip("Which result is played here")
        self.box.setPlaceholderText("No result")
        self.box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.progress = PlainLabel()
        self.progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # Neither may push the docks aside: three panes are narrow, and the progress text grows during a run.
        self.progress.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(_BOX_LETTERS)
        removable = (_BOX_LETTERS - _LEAST_BOX_LETTERS) * self.box.fontMetrics().horizontalAdvance("X")
        self.box.setMinimumWidth(self.box.sizeHint().width() - removable)
        self._head = head = QHBoxLayout()
        head.setContentsMargins(*_HEAD_MARGINS)
        head.addWidget(self.box)
        head.addWidget(self.progress, 1)
        head.addStretch(0)
        head.addWidget(self.badge)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.canvas, 1)
        self.setAutoFillBackground(True)
        self._list()
        self._follow()
        self.box.activated.connect(self._choose)
        self.displayed_run.changed.connect(self._follow)
        playback.state_changed.connect(self._follow)
        session.results_changed.connect(self._list)

    @property
    def result(self) -> Result | None:
        return self.displayed_run.result

    def show_run(self, variant_id: str) -> None:
        """Show the run of another variant."""
        self.displayed_run.show(variant_id)
        self.box.setCurrentIndex(self.box.findData(variant_id))

    def show_standing(self, standing: Standing | None) -> None:
        """Show where the run is in a race in place of its progress; None ends that."""
        if standing is None and self.badge.standing is None:
            return
        self.badge.show_standing(standing)
        self.progress.setVisible(standing is None)
        if standing is not None:
            room = self.width() - self.badge.sizeHint().width() - 4 * self._head.spacing()
            self.box.setMaximumWidth(max(self.box.minimumWidth(), room))
        else:
            self._follow()

    def picture_state(self, leader: ActivityTrace | None) -> PaneState | None:
        """Snapshot of this pane for export; None while it shows no graph."""
        content, trace = self.canvas.content, self.displayed_run.trace
        if content is None:
            return None
        steps = np.empty(0, np.intp)
        if trace is not None and leader is not None:
            steps = synchronised_steps(trace, leader, self._playback.pace)
        picture = PictureState(content, self.canvas.camera.bounds)
        return PaneState(picture, self.displayed_run.variant_id, self.box.currentText(), steps, self.canvas.with_legend)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._list()

    def _list(self) -> None:
        """List every result that can be shown; the displayed one stays selected."""
        results = [result for result in self._session.results if can_synchronise(result)]
        self.box.clear()
        for result in results:
            self.box.addItem(dot_icon(colour_of(result.variant)), result.variant.full_title, result.variant.id)
            self.box.setItemData(self.box.count() - 1, short_title(result.variant), ElidedBox.SHORT_ROLE)
        self.box.setCurrentIndex(self.box.findData(self.displayed_run.variant_id))

    def _choose(self) -> None:
        self.displayed_run.show(self.box.currentData())
        self.chosen.emit()

    def _follow(self) -> None:
        if self.badge.standing is not None:
            return
        trace = self.displayed_run.trace
        texts: tuple[str, ...] = (UNTRACED,) if self.result is not None else NO_RESULT
        if trace is not None:
            elapsed = self.displayed_run.elapsed_ms if self._playback.pace is Pace.TIME else None
            texts = progress_texts(trace, self.displayed_run.position, elapsed, self.displayed_run.waits)
        strong = _bold(self.progress.font())
        self.progress.setFont(_bold(strong, trace is not None and not self.displayed_run.at_end))
        # Measured in bold, also if shown plain, so that the text does not change when the run ends.
        metrics = QFontMetricsF(strong)
        self._divide_head(trace, texts, metrics)
        shown = fitting_text(texts, metrics, self.progress.width())
        self.progress.setText(shown)
        self.progress.setToolTip("" if shown == texts[0] else texts[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()

    def _divide_head(self, trace: ActivityTrace | None, texts: tuple[str, ...], metrics: QFontMetricsF) -> None:
        """Narrow the box, as far as it may be, until the count of the last iteration fits next to it.

        Without a trace, until the last of ``texts`` does.
        """
        last = texts[-1:] * 2 if trace is None else progress_texts(trace, len(trace) - 1, None, False)[-2:]
        count, number = (ceil(metrics.horizontalAdvance(text)) for text in last)
        left, _, right, _ = _HEAD_MARGINS
        room = self.width() - left - right - self._head.spacing() - count
        self.box.setMaximumWidth(max(self.box.minimumWidth(), min(room, self.box.sizeHint().width())))
        self.progress.setMinimumWidth(number)
        self._column.activate()  # so that the label has its new width


def _bold(font: QFont, bold: bool = True) -> QFont:
    result = QFont(font)
    result.setBold(bold)
    return result


class SplitView(QWidget):
    """Panes in a grid; their cameras move together, and the longest run leads the play-back.

    Signals
    -------
    panes_changed()
        The number of panes or the variant of a pane changed.
    armed_changed(object)
    budget_turned(float)
        As of `GraphCanvas`.
    view_changed()
        The cameras moved.
    vertex_moved(int, object, object)
        As of `GraphCanvas`.
    """

    panes_changed = Signal()
    armed_changed = Signal(object)
    budget_turned = Signal(float)
    view_changed = Signal()
    vertex_moved = Signal(int, object, object)

    def __init__(
        self, session: Session, playback: Playback, jobs: Jobs, scenes: SceneStore, levels: LevelStore | None = None,
        parent: QWidget | None = None,
    ):  # fmt: skip
        super().__init__(parent)
        self._session, self._playback, self._jobs = session, playback, jobs
        self._scenes, self._levels = scenes, levels
        self._panes: list[Pane] = []
        self._timed = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_SEAM)
        session.results_changed.connect(self._follow_results)
        playback.state_changed.connect(self._lead)

    @property
    def panes(self) -> tuple[Pane, ...]:
        return tuple(self._panes)

    @property
    def canvases(self) -> tuple[GraphCanvas, ...]:
        return tuple(pane.canvas for pane in self._panes)

    def picture_state(self) -> SplitState | None:
        """Snapshot of all panes for export; None while there is no graph."""
        leader = self._playback.trace if isinstance(self._playback.trace, ActivityTrace) else None
        panes = [state for pane in self._panes if (state := pane.picture_state(leader)) is not None]
        if not panes:
            return None
        playback = self._playback
        length = 0 if leader is None else len(leader)
        return SplitState(tuple(panes), length, playback.position, playback.pace, self._caption())

    def _caption(self) -> str:
        """Graph name, and the path's length if all runs agree on it."""
        graph = self._session.graph
        results = [pane.result for pane in self._panes if pane.result is not None]
        agree = len({result.target_distance for result in results}) == 1
        return "" if graph is None else caption(graph, results[0] if agree else None, with_variant=False)

    def show_panes(self, count: int) -> None:
        """Show ``count`` panes (0 for none): existing ones stay, new ones show results not yet displayed.

        Where there are fewer results than panes, the last ones stay empty until another result arrives.
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
        self.panes_changed.emit()

    def show_variants(self, variant_ids: Sequence[str]) -> None:
        """Show the runs of these variants, a pane each."""
        self.show_panes(len(variant_ids))
        for pane, variant_id in zip(self._panes, variant_ids, strict=True):
            pane.show_run(variant_id)
        self._lead()
        self.panes_changed.emit()

    def set_timed(self, timed: bool) -> None:
        """Measure equal time by the timed runs of the results, or by the watched runs themselves."""
        self._timed = timed
        self._lead()

    @property
    def leader_scale(self) -> float:
        """Factor from the clock of the play-back to the one that equal time is measured by."""
        leader = next((pane for pane in self._panes if pane.displayed_run.trace is self._playback.trace), None)
        return 1.0 if leader is None else self._scale(leader)

    @property
    def elapsed_ms(self) -> float:
        """Time since the start that all runs share."""
        return self._playback.elapsed_ms * self.leader_scale

    def _scale(self, pane: Pane) -> float:
        return time_scale(pane.result) if self._timed and pane.result is not None else 1.0

    def _add_pane(self) -> None:
        pane = Pane(self._session, self._playback, self._jobs, self._scenes, self._levels, self._next_variant())
        pane.canvas.with_legend = not self._panes
        if self._panes:
            pane.canvas.take_settings(self._panes[0].canvas)
        pane.canvas.view_changed.connect(self._link)
        pane.canvas.armed_changed.connect(self._share_armed)
        pane.canvas.vertex_moved.connect(self.vertex_moved)
        pane.canvas.budget_turned.connect(self.budget_turned)
        pane.chosen.connect(self._lead)
        pane.chosen.connect(self.panes_changed)
        self._panes.append(pane)

    def _next_variant(self) -> str:
        """The first result not yet displayed: the selected one, traced ones, then others; "" if none is left."""
        content = {pane.displayed_run.variant_id for pane in self._panes}
        offered = [result for result in self._session.results if can_synchronise(result)]
        offered.sort(key=lambda result: (result.variant.id != self._session.selected_id, result.trace is None))
        fresh = [result.variant.id for result in offered if result.variant.id not in content]
        return next(iter(fresh), "")

    def _follow_results(self) -> None:
        """Show other results in panes without one, if there are any."""
        for pane in self._panes:
            if pane.result is None:
                pane.displayed_run.show(self._next_variant())
        self._lead()
        if self._panes:
            self.panes_changed.emit()

    def _arrange(self) -> None:
        columns = pane_columns(len(self._panes))
        for i, pane in enumerate(self._panes):
            self._grid.addWidget(pane, i // columns, i % columns)
        for column in range(MOST_PANES):
            self._grid.setColumnStretch(column, int(column < min(columns, len(self._panes))))
            self._grid.setRowStretch(column, int(column * columns < len(self._panes)))

    def _link(self) -> None:
        """Give all panes the view of the one whose view has changed."""
        moved = self.sender()
        assert isinstance(moved, GraphCanvas)
        for canvas in self.canvases:
            if canvas is not moved:
                canvas.look_like(moved)
        self.view_changed.emit()

    def _share_armed(self, what: str | None) -> None:
        for canvas in self.canvases:
            canvas.arm(what)
        self.armed_changed.emit(what)

    def _lead(self) -> None:
        """Make the run with the most iterations, or the most time, lead the play-back."""
        traced = [pane for pane in self._panes if pane.displayed_run.trace is not None]
        leader = max(traced, key=self._extent, default=None)
        for pane in traced:
            pane.displayed_run.keep_time(self._scale(pane), 1.0 if leader is None else self._scale(leader))
        self._playback.lead(None if leader is None else leader.displayed_run.trace)

    def _extent(self, pane: Pane) -> float:
        trace = pane.displayed_run.trace
        if trace is None or self._playback.pace is not Pace.TIME:
            return 0.0 if trace is None else trace.iterations
        return float(run_clock(trace)[-1]) * self._scale(pane)
