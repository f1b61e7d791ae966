"""Run > Experiments: the table of points, with their expected or measured time."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTreeWidgetItem, QVBoxLayout, QWidget

from gui.style.plain_text import tool_tip, visible
from gui.style.tables import make_tree
from gui.style.theme import tokens
from solvers.experiments.forecast import GridForecast, PointForecast
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.probe import has_guesses, is_worth_probing
from solvers.running.estimate import EstimateBasis, rounded_duration
from solvers.text import format_duration, plural

MOST_LISTED = 1000
"""Rows of more points would keep the window waiting; the others are counted."""

_GRAPH, _VARIANT, _STATE = range(3)


@dataclass(frozen=True)
class ForecastView:
    """What a dialog shows of a forecast; made in a job, as forecasts may have a million points.

    Attributes
    ----------
    points : tuple of PointForecast
        The first of them.
    others : int
        Number of the others.
    words : str
        One line on all of them.
    is_runnable : bool
    has_guesses : bool
    will_probe : bool
        Whether the start replaces guesses by single trials.
    """

    points: tuple[PointForecast, ...]
    others: int
    words: str
    is_runnable: bool
    has_guesses: bool
    will_probe: bool

    @classmethod
    def of(cls, look: GridForecast, *, is_probed: bool = False) -> ForecastView:
        """The view; what is still a guess after a probe stays one."""
        shown = look.points[:MOST_LISTED]
        return cls(
            shown, len(look.points) - len(shown), look.words, bool(look.runnable),
            not is_probed and has_guesses(look), not is_probed and is_worth_probing(look),
        )  # fmt: skip


class ExperimentPoints(QWidget):
    """The points of an experiment as rows."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.tree = make_tree(("Graph", "Variant", "Time"), "Points")
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(14)
        self.tree.header().setStretchLastSection(True)
        self.tree.setColumnWidth(_GRAPH, 230)
        self.tree.setColumnWidth(_VARIANT, 190)
        self._items: dict[int, QTreeWidgetItem] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tree)

    def clear(self) -> None:
        self.tree.clear()
        self._items.clear()

    def show_forecast(self, view: ForecastView) -> None:
        """List the points with their expected time, or why they are left out."""
        self.clear()
        for one in view.points:
            words = one.reason or f"about {rounded_duration(one.seconds)}"
            if one.basis is EstimateBasis.MODEL and not one.reason:
                words += ", guessed"
            item = QTreeWidgetItem([visible(one.point.graph.title), visible(one.point.title), visible(words)])
            item.setToolTip(_STATE, tool_tip(words if one.reason else f"{words}: {one.basis.words}"))
            _mute(item, bool(one.reason))
            self._items[id(one.point)] = item
        items = list(self._items.values())
        if view.others:
            items.append(QTreeWidgetItem([f"and {plural(view.others, 'other point')}"]))
        self.tree.addTopLevelItems(items)

    def show_outcome(self, outcome: Measurement | Omission) -> None:
        """Show what came of one point."""
        item = self._items.get(id(outcome.point))
        if item is None:
            return
        words = outcome.reason if isinstance(outcome, Omission) else _measured_words(outcome)
        item.setText(_STATE, visible(words))
        item.setToolTip(_STATE, tool_tip(words))
        _mute(item, isinstance(outcome, Omission))
        self.tree.scrollToItem(item)


def _mute(item: QTreeWidgetItem, on: bool) -> None:
    item.setForeground(_STATE, QColor(tokens().muted if on else tokens().text))


def _measured_words(found: Measurement) -> str:
    median = found.median()
    if median is None:
        return found.kept.error or "no trial ended well"
    words = f"{format_duration(median)}, {plural(len(found.kept.times()), 'trial')}"
    if not found.is_timed:
        words += ", the answer is wrong"
    if found.machine.host:
        words += f", on {found.machine.host}"
    return words + (", from the store" if found.is_earlier else "")
