"""File > Export web page: runs that play in any browser, with questions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.controllers.export import ResultsExport
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.page.controller import PageController


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A row that asks for a page."""

    @cache
    def controller() -> PageController:
        from gui.features.page.controller import PageController

        return PageController(parts.session, parts.canvas, parts.export, parts.window)

    parts.export.of_results.append(
        ResultsExport("Export web page…", lambda *results: controller().ask_of(*results))
    )
    return Contribution(acts={"export-page": lambda: controller().ask()}, controller=controller)
