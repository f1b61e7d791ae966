"""Experiments of the papers in the window: their list, and the page of the current one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, LatePanel, Panel

if TYPE_CHECKING:
    from gui.features.experiments.controller import ExperimentsController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """Two panels and the row that shows them."""

    @cache
    def controller() -> ExperimentsController:
        from gui.features.experiments.controller import ExperimentsController

        return ExperimentsController(
            parts.session,
            parts.jobs,
            lambda: window.controller_of("clusters"),
            lambda: window.controller_of("kept_runs").runs.load(),
            parts.window,
        )

    def listing() -> QWidget:
        found = controller().page.listing
        found.opened.connect(lambda: window.bars.open("Experiment", by_user=True))
        return found

    def show() -> None:
        """Show the page of the current experiment, and the list, which has the keyboard."""
        for title in ("Experiment", "Experiments"):
            window.bars.open(title, by_user=True)
        controller().page.listing.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    listed = Panel("Experiments", "experiment", LatePanel(listing), width=300)
    page = Panel("Experiment", "plan", LatePanel(lambda: controller().page), width=580)
    return Contribution(
        acts={"experiments": show},
        panels=(
            PlacedPanel(BarSide.LEFT, "Kernel", listed),
            PlacedPanel(BarSide.RIGHT, "Lesson", page),
        ),
        controller=controller,
    )
