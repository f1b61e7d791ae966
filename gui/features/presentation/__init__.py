"""View > Presentation: the canvas edge to edge, with a caption and a thin scrubber."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Toggle

if TYPE_CHECKING:
    from gui.features.presentation.controller import PresentationController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row with a check mark."""

    @cache
    def controller() -> PresentationController:
        from gui.features.presentation.controller import PresentationController

        return PresentationController(parts, window)

    return Contribution(
        acts={"present": Toggle(lambda on: controller().set_on(on))}, controller=controller
    )
