"""Run > Exercises: kernels to be mended are opened in the editor and checked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.exercises.controller import ExercisesController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row that shows the course."""

    @cache
    def controller() -> ExercisesController:
        from gui.features.exercises.controller import ExercisesController

        kernels = window.controller_of("own_kernels")
        return ExercisesController(parts.session, parts.jobs, kernels, parts.window)

    return Contribution(acts={"exercises": lambda: controller().show()}, controller=controller)
