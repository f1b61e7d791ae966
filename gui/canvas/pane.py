"""One of several runs side by side: a header above its picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.canvas.displayed_run import SynchronisedRun, can_synchronise, synchronised_steps
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.level_store import LevelStore
from gui.canvas.pane_header import PaneHeader
from gui.canvas.race_badge import RaceBadge
from gui.canvas.scene_store import SceneStore
from gui.export.composition import PictureState
from gui.export.split_composition import PaneState
from gui.model.jobs import Jobs
from gui.model.playback import Pace, Playback
from gui.model.race import Standing
from gui.model.session import Session
from gui.painting.pane_head import NO_RESULT, UNTRACED, progress_texts
from gui.picture.scene.camera import Bounds
from gui.style.common_widgets import ElidedBox, PlainLabel, colour_of, dot_icon
from gui.style.names import short_title
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace


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
        self.head = PaneHeader()
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.canvas, 1)
        self.setAutoFillBackground(True)
        self._list()
        self._follow()
        self.box.activated.connect(self._choose)
        self.displayed_run.changed.connect(self._follow)
        playback.state_changed.connect(self._follow)
        session.results_changed.connect(self._list)

    @property
    def box(self) -> ElidedBox:
        return self.head.box

    @property
    def progress(self) -> PlainLabel:
        return self.head.progress

    @property
    def badge(self) -> RaceBadge:
        return self.head.badge

    @property
    def result(self) -> Result | None:
        return self.displayed_run.result

    def show_run(self, variant_id: str) -> None:
        """Show the run of another variant."""
        self.displayed_run.show(variant_id)
        self.box.setCurrentIndex(self.box.findData(variant_id))

    def show_standing(self, standing: Standing | None) -> None:
        """Show where the run is in a race in place of its progress; None ends that."""
        self.head.show_standing(standing)
        self._follow()

    def picture_state(self, leader: ActivityTrace | None, bounds: Bounds) -> PaneState | None:
        """Snapshot of ``bounds`` of this pane's picture for export; None while it shows no graph."""
        content, trace = self.canvas.content, self.displayed_run.trace
        if content is None:
            return None
        steps = np.empty(0, np.intp)
        if trace is not None and leader is not None:
            steps = synchronised_steps(trace, leader, self._playback.pace)
        picture = PictureState(content, bounds)
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
            self.box.setItemData(self.box.count() - 1, (short_title(result.variant),), ElidedBox.FORMS_ROLE)
        self.box.setCurrentIndex(self.box.findData(self.displayed_run.variant_id))

    def _choose(self) -> None:
        self.displayed_run.show(self.box.currentData())
        self.chosen.emit()

    def _follow(self) -> None:
        if self.badge.standing is not None:
            return
        trace = self.displayed_run.trace
        texts: tuple[str, ...] = (UNTRACED,) if self.result is not None else NO_RESULT
        final = texts[-1:] * 2
        if trace is not None:
            elapsed = self.displayed_run.elapsed_ms if self._playback.pace is Pace.TIME else None
            texts = progress_texts(trace, self.displayed_run.position, elapsed, self.displayed_run.waits)
            final = progress_texts(trace, len(trace) - 1, elapsed, False)
        self.head.show_progress(texts, final, strong=trace is not None and not self.displayed_run.at_end)
