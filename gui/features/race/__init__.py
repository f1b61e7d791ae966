"""Run > Race: two to four runs side by side by real time, with clocks and bars."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Toggle

if TYPE_CHECKING:
    from gui.features.race.controller import RaceController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row with a check mark."""

    @cache
    def controller() -> RaceController:
        from gui.features.race.controller import RaceController

        made = RaceController(parts, window)
        made.ended.connect(lambda: window.commands["race"].setChecked(False))
        return made

    return Contribution(
        acts={"race": Toggle(lambda on: controller().set_on(on))}, controller=controller
    )
