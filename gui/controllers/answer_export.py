"""Export path and distances of the shown answer for other programs, in background jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.canvas.content import PictureOptions
from gui.controllers.export import ExportController
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, require_path

if TYPE_CHECKING:  # imported for the first answer that is exported
    from solvers.running.answers.table import AnswerTable


class AnswerExportController(QObject):
    """Handles File > Export path and Export distances."""

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
        self.ask("Export path", "path", kinds, lambda _: answer())

    def ask_distances(self) -> None:
        """Ask for a file and write the distances of all vertices."""
        graph, answer = self._session.graph, shown_distances(self._session)
        if graph is None or answer is None:
            return
        maps = (".geojson",) if graph.coordinates is not None else ()
        kinds = (".csv", ".parquet", *maps)
        from solvers.running.answers.table import distances_table

        self.ask("Export distances", "distances", kinds, lambda _: distances_table(answer()))

    def ask(
        self, title: str, what: str, suffixes: Sequence[str], answer: Callable[[Path], AnswerTable]
    ) -> None:
        """Ask for a file, the format chosen last for ``what`` first, and write the answer."""
        last = self._settings.text(f"export/{what}")
        ordered = sorted(suffixes, key=lambda suffix: suffix != last)
        found, selected = self._session.unmeasured.answer, self._session.shown_result
        by = "" if selected is None else selected.variant.id
        by = by if found is None else found.distances.found_by
        path = self._exporting.answer(title, ordered, answer, by, what)
        if path is not None and path.suffix.lower() in suffixes:
            self._settings.keep(f"export/{what}", path.suffix.lower())


def _shown_path(session: Session, budget: float | None) -> Callable[[], AnswerTable] | None:
    """Makes the answer that is shown, with other ways after it, in the job; None without one."""
    found, result = session.unmeasured.answer, session.shown_result
    if found is not None and found.path is not None:
        chosen, others = found.ways[found.chosen], list(found.ways)
        others.pop(found.chosen)
        return lambda: _table([chosen, *others], budget)
    if result is None:
        return None
    return lambda: _table([require_path(PathAnswer.of_result(result), result)], budget)


def _table(answers: Sequence[PathAnswer], budget: float | None) -> AnswerTable:
    """The rows of answers beside an isochrone with that budget."""
    from solvers.running.answers.table import path_table

    return path_table([replace(answer, budget=budget) for answer in answers])


def shown_distances(session: Session) -> Callable[[], DistancesAnswer] | None:
    """Makes the distances that are shown, in the job; None without any."""
    found, result = session.unmeasured.answer, session.shown_result
    if found is not None:
        distances = found.distances
        return lambda: distances
    return None if result is None else partial(DistancesAnswer.of_result, result)
