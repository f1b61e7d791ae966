"""File > Export differences by changed roads."""

from __future__ import annotations

from gui.controllers.export import ExportController
from gui.features.closed_roads.controller import RoadComparisonController
from solvers.features.closed_roads.differences import write_differences


def ask_differences(comparisons: RoadComparisonController, export: ExportController) -> None:
    """Ask for a file and write a row for each vertex, before and after the changes; nothing
    if roads are as in the file.
    """
    path = export.ask_file("Export differences", ".csv", "CSV table (*.csv)", "differences")
    comparison = comparisons.newest
    if path is None or comparison is None:
        return
    title, differences = f"Writing {path.name}", comparison.differences
    export.write(
        title,
        lambda context: write_differences(differences, path, context.progress_for(title)),
        export.done,
    )
