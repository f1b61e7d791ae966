"""Run > Show the data race: a racy variant is run many times, and wrong results are counted."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.data_race.controller import DataRaceController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row, which the cards of racy variants have as a button."""

    @cache
    def controller() -> DataRaceController:
        from gui.features.data_race.controller import DataRaceController

        return DataRaceController(parts.session, parts.jobs, parts.window)

    return Contribution(
        acts={"data-race": lambda: controller().show()},
        on_cards={"data-race": attrgetter("racy")},
        controller=controller,
    )
