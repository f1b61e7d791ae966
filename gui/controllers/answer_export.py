"""Export path, distances and isochrones of the shown answer for other programs, in background
jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from gui.canvas.content import PictureOptions
from gui.controllers.export import ExportController
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.running.answers.answer import LIVE, DistancesAnswer, PathAnswer, require_path
from solvers.running.answers.isochrones import (
    has_outlines,
    isochrones_of_answer,
    table_for,
)
from solvers.running.answers.table import AnswerTable, distances_table, path_table


class AnswerExportController(QObject):
    """Handles File > Export path, Export distances and Export isochrone."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        exporting: ExportController,
        options: PictureOptions,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._settings, self._exporting = session, settings, exporting
        self._options = options

    def ask_path(self) -> None:
        """Ask for a file and write the path that is shown."""
        # another may be opened while it is asked
        graph, answer = self._session.graph, _shown_path(self._session, self._options.budget)
        if graph is None or answer is None:
            return
        kinds = [".csv", ".parquet"]
        if graph.coordinates is not None:
            maps = [".geojson", ".gpx"] if graph.coordinates.geographic else [".geojson"]
            kinds = maps + kinds
        self._ask("Export path", "path", kinds, lambda _: answer())

    def ask_distances(self) -> None:
        """Ask for a file and write the distances of all vertices."""
        graph, answer = self._session.graph, _shown_distances(self._session)
        if graph is None or answer is None:
            return
        maps = (".geojson",) if graph.coordinates is not None else ()
        kinds = (".csv", ".parquet", *maps)
        self._ask("Export distances", "distances", kinds, lambda _: distances_table(answer()))

    def ask_isochrone(self) -> None:
        """Ask for a file and write the roads within the budgets that are shown."""
        graph, answer = self._session.graph, _shown_distances(self._session)
        budgets = self._options.budgets
        if graph is None or answer is None:
            return
        if not budgets:
            self._session.inform("Turn the isochrone on first: View, Isochrone, or B.")
            return
        is_placed = graph.coordinates is not None
        outline = is_placed and has_outlines()
        if is_placed and not outline:
            self._session.inform("Outlines need shapely, which is not installed: roads alone.")

        def table(path: Path) -> AnswerTable:
            found = isochrones_of_answer(answer(), budgets)
            return table_for(found, path, outline=None if outline else False)

        maps = (".geojson",) if is_placed else ()
        self._ask("Export isochrone", "isochrone", (*maps, ".csv", ".parquet"), table)

    def _ask(
        self, title: str, what: str, suffixes: Sequence[str], answer: Callable[[Path], AnswerTable]
    ) -> None:
        """Ask for a file, the format chosen last for ``what`` first, and write the answer."""
        last = self._settings.text(f"export/{what}")
        ordered = sorted(suffixes, key=lambda suffix: suffix != last)
        session, selected = self._session, self._session.shown_result
        by = LIVE if session.live.answer is not None or selected is None else selected.variant.id
        path = self._exporting.answer(title, ordered, answer, by, what)
        if path is not None and path.suffix.lower() in suffixes:
            self._settings.keep(f"export/{what}", path.suffix.lower())


def _shown_path(session: Session, budget: float | None) -> Callable[[], AnswerTable] | None:
    """Makes the answer that is shown, with other ways after it, in the job; None without one."""
    live, result = session.live.answer, session.shown_result
    if live is not None and live.path is not None:
        return lambda: _table(PathAnswer.all_of_live(live), budget)
    if result is None:
        return None
    return lambda: _table([require_path(PathAnswer.of_result(result), result)], budget)


def _table(answers: Sequence[PathAnswer], budget: float | None) -> AnswerTable:
    """The rows of answers beside an isochrone with that budget."""
    return path_table([replace(answer, budget=budget) for answer in answers])


def _shown_distances(session: Session) -> Callable[[], DistancesAnswer] | None:
    live, result = session.live.answer, session.shown_result
    if live is not None:
        return partial(DistancesAnswer.of_live, live)
    return None if result is None else partial(DistancesAnswer.of_result, result)
