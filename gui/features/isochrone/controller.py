"""Handles the isochrone: what lies within a budget of the source is lit, the rest recedes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.canvas.area import CanvasArea
from gui.features.isochrone.bar import ReachBar
from gui.model.session import Session
from gui.model.session_sections import Amount, OpeningSession, SectionFields, SessionSection
from gui.shell.side_bars import reveal
from solvers.graphs.weights import to_float
from solvers.picture.overlay.cards import isochrone_words
from solvers.picture.overlay.legend import distance_text
from solvers.picture.scene.activity import same_row
from solvers.picture.scene.content import Layer
from solvers.system.array_types import AnyArray

_WITHOUT_LIVE = "Run a variant that gives them, or switch Live on"
_FIRST_SHARE = 0.25  # of the farthest vertex's distance
_NOTCH = 0.01  # of it, for one notch of the wheel
# a budget is a round number: so many steps, or up to ten times as many, reach the
# farthest vertex
_DIGITS = 1000.0


class IsochroneFields(SectionFields, frozen=True):
    budget: Amount | None = None  # the greatest, in the unit of the distances
    bounds: tuple[Amount, ...] = ()  # smaller ones

    @property
    def budgets(self) -> tuple[float, ...]:
        """Ascending; none without an isochrone."""
        if self.budget is None:
            return ()
        return (*sorted({each for each in self.bounds if each < self.budget}), self.budget)


class IsochroneController(QObject):
    """Turns the isochrone on and off, and changes its budgets by text, slider and wheel."""

    shown = Signal(bool)  # the isochrone was turned on or off

    def __init__(self, session: Session, canvas: CanvasArea, bar: ReachBar, parent: QObject):
        super().__init__(parent)
        self._session, self._canvas, self.bar = session, canvas, bar
        self._known: tuple[AnyArray, float] | None = None
        canvas.options.budget_turned.connect(self.turn)
        canvas.options.budget_changed.connect(self._follow)
        bar.share_moved.connect(lambda share: self.set_budget(share * self.farthest))
        bar.budgets_typed.connect(self._take_typed)
        bar.closed.connect(lambda: self.show(False))
        session.graph_changed.connect(self._end)
        session.weights_changed.connect(self._end)  # the budget is in the former unit
        session.results.selection_changed.connect(self._show_bar)
        session.unmeasured.changed.connect(self._show_first_share)
        canvas.graph_canvas.frames.framed.connect(self._show_size)

    @property
    def budget(self) -> float | None:
        """The greatest, in the unit of the distances; None if the isochrone is off."""
        return self._canvas.options.budget

    @property
    def budgets(self) -> tuple[float, ...]:
        """Ascending; none if the isochrone is off."""
        return self._canvas.options.budgets

    @property
    def section(self) -> SessionSection[IsochroneFields]:
        """What a session keeps of the isochrone."""

        def restore(kept: IsochroneFields, _: OpeningSession) -> None:
            self.restore(kept.budgets)

        return SessionSection(
            IsochroneFields, lambda: IsochroneFields(self.budget, self.budgets[:-1]), restore
        )

    @property
    def farthest(self) -> float:
        """Distance of the farthest vertex that is reached in the shown field; 0 without one."""
        content = self._canvas.canvas.content
        answer = None if content is None else content.activity.answer
        if answer is None:
            return 0.0
        if self._known is None or not same_row(self._known[0], answer):
            distances = to_float(answer)
            self._known = (
                answer,
                float(np.max(distances, initial=0.0, where=np.isfinite(distances))),
            )
        return self._known[1]

    def show(self, on: bool) -> None:
        """Turn the isochrone on, with a quarter of the farthest distance as budget, or off."""
        if on == (self.budget is not None):
            return
        if on and not self.farthest > 0.0:
            live = (
                "Live is still preparing them; press B again"
                if self._session.unmeasured.follows
                else _WITHOUT_LIVE
            )
            self._session.inform(f"The isochrone needs distances from the source. {live}.")
            self.shown.emit(False)
            return
        if on:
            # whose colours are not those of distances
            for layer in (Layer.LEVELS, Layer.DIFFERENCE):
                self._canvas.options.set_layer(layer, False)
        self._apply(_FIRST_SHARE * self.farthest if on else None)
        if on:
            reveal(self.bar)

    def _end(self) -> None:
        """Turn the isochrone off, and forget how far the farthest vertex was."""
        self._known = None
        self.show(False)

    def set_budget(self, budget: float) -> None:
        """Light what lies within ``budget``, rounded and limited to the farthest
        distance, if that is known; smaller ones keep their share of it.
        """
        if self.farthest > 0.0:
            self._apply(min(max(0.0, budget), self.farthest))

    def _take_typed(self, budgets: Sequence[float]) -> None:
        """Light what lies within exactly these budgets, or all that is reached."""
        within = [budget for budget in budgets if budget < self.farthest]
        if len(within) < len(budgets):
            unit = "" if self._session.graph is None else self._session.graph.weight_unit
            far = distance_text(self.farthest, unit)
            self._session.inform(f"All that is reached lies within {far}: that is the budget now.")
            within.append(self.farthest)
        self.restore(within)

    def restore(self, budgets: Sequence[float]) -> None:
        """Set ascending budgets exactly, whether or not distances are known yet; none turn
        the isochrone off.
        """
        self._set(budgets)

    def turn(self, steps: float) -> None:
        """Change the budget by notches of the wheel; the first turns the isochrone on."""
        if self.budget is None:
            self.show(True)
        else:
            self.set_budget(self.budget + steps * _NOTCH * self.farthest)

    def _apply(self, budget: float | None) -> None:
        if budget is None:
            self._set(())
            return
        before = self.budget or budget
        bounds = [_rounded(each * budget / before, self.farthest) for each in self.budgets[:-1]]
        greatest = _rounded(budget, self.farthest)
        self._set((*sorted({each for each in bounds if 0.0 < each < greatest}), greatest))

    def _set(self, budgets: Sequence[float]) -> None:
        self._canvas.options.set_budget(budgets[-1] if budgets else None, tuple(budgets[:-1]))

    def _follow(self) -> None:
        self._show_bar()
        self.shown.emit(self.budget is not None)

    def _show_first_share(self) -> None:
        """Show what share of the farthest distance the budget is, if that was not known before."""
        if self._known is None and self.budget is not None:
            self._show_bar()

    def _show_size(self) -> None:
        """Say how large the isochrones of the newest picture are, for which a narrow
        picture has no room.
        """
        frame, graph = self._canvas.graph_canvas.frames.newest, self._session.graph
        if frame is None or not frame.isochrones or graph is None:
            return
        words = [isochrone_words(each, graph.weight_unit) for each in frame.isochrones]
        sizes = [f"{within}: {size}" for within, size in words]
        self.bar.extent.setText(words[0][1] if len(words) == 1 else "\n".join(sizes))

    def _show_bar(self) -> None:
        graph, budgets = self._session.graph, self.budgets
        self.bar.setVisible(len(budgets) > 0)
        if graph is not None and budgets:
            self.bar.show_budgets(budgets, self.farthest, graph.weight_unit)


def _rounded(budget: float, farthest: float) -> float:
    """``budget`` in round steps, but for the farthest distance itself, which is exact."""
    if budget >= farthest or not farthest > 0.0:
        return farthest
    return round(budget, -math.floor(math.log10(farthest / _DIGITS)))
