"""Run > Questions: about the iterations of the traced run that is selected."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.lesson.questions import LessonQuestions


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row that opens the dialog."""

    @cache
    def controller() -> LessonQuestions:
        from gui.features.lesson.questions import LessonQuestions

        return LessonQuestions(parts.session, parts.playback, parts.canvas, parts.window)

    return Contribution(acts={"questions": lambda: controller().ask()}, controller=controller)
