"""File > Export web page: runs that play in any browser, with questions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.page.controller import PageController


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A row that asks for a page."""

    @cache
    def controller() -> PageController:
        from gui.features.page.controller import PageController

        return PageController(parts.session, parts.canvas, parts.export, parts.window)

    parts.kept_runs.pages = controller
    return Contribution(acts={"export-page": lambda: controller().ask()}, controller=controller)
