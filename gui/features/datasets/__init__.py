"""File > Datasets: published graphs are downloaded and opened."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.datasets.controller import DatasetsController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A way to a graph."""

    @cache
    def controller() -> DatasetsController:
        from gui.features.datasets.controller import DatasetsController

        return DatasetsController(parts.session, parts.jobs, parts.open, parts.window)

    return Contribution(
        acts={"datasets": lambda: controller().show()},
        openers=("datasets",),
        controller=controller,
    )
