"""The lesson in the window: its panel, its mode, and what begins it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.contributions import WindowActs
from gui.features.lesson.panel import LessonPanel
from gui.features.lesson.start import LessonStart
from gui.parts import WindowComponents
from gui.shell.side_bars import COMPARE, Mode
from solvers.picture.scene.figure import SMALL_GRAPH

if TYPE_CHECKING:
    from gui.features.lesson.questions import LessonQuestions


class LessonController(QObject):
    """Has picture, panel and mode follow each other."""

    def __init__(self, parts: WindowComponents, window: WindowActs):
        super().__init__(parts.window)
        self._parts, self._window = parts, window
        self.panel = panel = LessonPanel(parts.session, parts.playback)
        self.start = LessonStart(
            parts.session, parts.playback, parts.jobs, parts.run_jobs, parts.open, parts.window
        )
        self.mode = Mode(
            "Teach",
            "Follow a run step by step",
            right="Lesson",
            tells_end=False,  # it goes on with its steps, and is small enough to be covered
            begin=self.start.offer,
        )
        area, split = parts.canvas, parts.canvas.split_view
        panel.wanted.connect(self._show)
        panel.matrix_wanted.connect(lambda: area.show_matrix(True))
        panel.begin_requested.connect(self.start.begin)
        panel.step_shown.connect(area.options.set_begun)
        split.followed_changed.connect(lambda: panel.follow_run(area.followed_run))
        parts.open.steps_opened.connect(lambda: window.bars.set_mode(self.mode))
        parts.session.graph_changed.connect(self._leave_large_graph)
        parts.session.window.later(self._follow_window)

    def _follow_window(self) -> None:
        """Once its widgets are there."""
        self._window.bars.concealed_changed.connect(lambda _: self.panel.set_presented(False))
        self._window.start_page.sample_chosen.connect(self.start.await_sample)

    @cached_property
    def questions(self) -> LessonQuestions:
        from gui.features.lesson.questions import LessonQuestions

        parts = self._parts
        return LessonQuestions(parts.session, parts.playback, parts.canvas, parts.window)

    def _show(self) -> None:
        """Show the steps: in their panel, or in the picture where there are no bars."""
        if self._window.bars.concealed:
            self.panel.set_presented(True)
        else:
            self._window.bars.open("Lesson")

    def _leave_large_graph(self) -> None:
        """A graph that is too large to be followed step by step is not opened in this mode."""
        graph, bars = self._parts.session.graph, self._window.bars
        if graph is not None and graph.n > SMALL_GRAPH and bars.mode is self.mode:
            bars.set_mode(COMPARE)
