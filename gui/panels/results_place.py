"""The one place of results: who won, the table and, below it, the charts; before the first run, a picture of them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.charts.place import ChartPlace
from gui.model.display_choices import DisplayChoices
from gui.model.session import Session
from gui.panels.hero import HeroLine
from gui.panels.results import ResultsPanel
from gui.panels.stored_run_bar import StoredRunBar
from gui.shell.tab_order import stops_within, tab_through

_SHARES = (11, 9)  # of table and charts, at first


class ResultsPlace(QWidget):
    """Headline over table and charts, which the user can divide.

    Parameters
    ----------
    session, choices
    table : ResultsPanel
    charts : ChartPlace
        Hidden while they have nothing to show.
    """

    def __init__(self, session: Session, choices: DisplayChoices, table: ResultsPanel, charts: ChartPlace):
        super().__init__()
        self._session, self._charts = session, charts
        self.hero = HeroLine(session, choices)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        for part, share in zip((table, charts), _SHARES, strict=True):
            self.splitter.addWidget(part)
            self.splitter.setStretchFactor(self.splitter.indexOf(part), share)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(StoredRunBar(session))
        column.addWidget(self.hero)
        column.addWidget(self.splitter, 1)
        session.results_changed.connect(self._follow)
        charts.arranged.connect(self._follow)
        charts.made.connect(lambda: tab_through(*stops_within(table), *stops_within(charts)))
        self.setMinimumWidth(charts.minimumSizeHint().width())  # also while they are hidden: their coming moves nothing
        self._follow()

    def _follow(self) -> None:
        self._charts.setVisible(bool(self._session.results) or self._charts.has_histogram)
