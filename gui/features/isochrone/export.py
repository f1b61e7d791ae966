"""File > Export isochrone: the roads within the budgets that are shown."""

from __future__ import annotations

from pathlib import Path

from gui.canvas.content import PictureOptions
from gui.controllers.answer_export import AnswerExportController, shown_distances
from gui.model.session import Session
from solvers.features.isochrone.answers import has_outlines, isochrones_of_answer, table_for
from solvers.running.answers.table import AnswerTable


def ask_isochrone(
    session: Session, options: PictureOptions, exporting: AnswerExportController
) -> None:
    """Ask for a file and write the roads within the budgets that are shown."""
    graph, answer = session.graph, shown_distances(session)
    budgets = options.budgets
    if graph is None or answer is None:
        return
    if not budgets:
        session.inform("Turn the isochrone on first: View, Isochrone, or B.")
        return
    is_placed = graph.coordinates is not None
    outline = is_placed and has_outlines()
    if is_placed and not outline:
        session.inform("Outlines need shapely, which is not installed: roads alone.")

    def table(path: Path) -> AnswerTable:
        found = isochrones_of_answer(answer(), budgets)
        return table_for(found, path, outline=None if outline else False)

    maps = (".geojson",) if is_placed else ()
    exporting.ask("Export isochrone", "isochrone", (*maps, ".csv", ".parquet"), table)
