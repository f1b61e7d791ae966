"""Combo box of the weights of a road network: travel time or length; hidden for other graphs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QComboBox, QWidget

from gui.model.session import Session

_WORDS = {"seconds": "Fastest", "metres": "Shortest"}
_TIPS = {
    "seconds": "Paths are those of the least travel time, in seconds",
    "metres": "Paths are those of the least length, in metres",
}


class WeightsBox(QComboBox):
    """Shows what the roads are weighted by, and changes it.

    Parameters
    ----------
    session : Session
    choose : callable
        Called with the name of the weights.
    """

    def __init__(self, session: Session, choose: Callable[[str], None], parent: QWidget | None = None):
        super().__init__(parent)
        self._session = session
        self.setObjectName("weights")
        self.setAccessibleName("Weights of the roads")
        self.activated.connect(lambda index: choose(self.itemData(index)))
        session.graph_changed.connect(self.refresh)
        session.weights_changed.connect(self.refresh)
        self.refresh()

    @property
    def is_useful(self) -> bool:
        """Whether the open graph has several weights."""
        graph = self._session.whole_graph
        return graph is not None and graph.roads is not None and len(graph.roads.weights) > 1

    def refresh(self) -> None:
        """List the weights of the open graph."""
        self.clear()
        graph = self._session.whole_graph
        columns = () if graph is None or graph.roads is None else graph.roads.weights
        for column in columns:
            self.addItem(_WORDS.get(column.name, column.name), column.name)
        units = [column.unit for column in columns]
        current = units.index(graph.weight_unit) if graph is not None and graph.weight_unit in units else -1
        self.setCurrentIndex(current)
        self.setToolTip(_TIPS.get(str(self.currentData()), "Choose what the roads are weighted by"))
