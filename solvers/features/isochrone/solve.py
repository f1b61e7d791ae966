"""``solve --isochrone``: the roads within budgets of the source."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from solvers.commands.console import Console
from solvers.commands.solve_output import NO_DISTANCES, first_with_distances
from solvers.commands.solve_step import SolveFindings, SolveOptions, SolveStep
from solvers.core.result import Result
from solvers.errors import InputError, ParameterError
from solvers.features.isochrone.answers import isochrones_of_answer
from solvers.graphs.graph import Graph
from solvers.running.answers.answer import DistancesAnswer
from solvers.running.answers.table import MAP_KINDS
from solvers.running.answers.write import require_places, require_writable_kind
from solvers.running.request import Choice, RunRequest
from solvers.system.cancel import CancelToken
from solvers.system.optional_packages import optional_package
from solvers.units import to_internal_units


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--isochrone",
        metavar="FILE.geojson|.csv|.parquet",
        help=(
            "write the roads within each --budget of the source, cut where it ends, by the first "
            "variant's distances; GeoJSON has their outlines, too, by shapely"
        ),
    )
    parser.add_argument(
        "--budget",
        metavar="BUDGET[,BUDGET...]",
        help="how far an isochrone goes, such as 2km or 5min,10min,15min",
    )


def _step(arguments: argparse.Namespace, _: Sequence[Choice]) -> SolveStep:
    if (arguments.isochrone is None) != (arguments.budget is None):
        raise InputError("--isochrone and --budget go together: give a file, and how far it goes.")
    path = None if arguments.isochrone is None else Path(arguments.isochrone)
    if path is not None:
        require_writable_kind(path, MAP_KINDS)
        if arguments.source is None:
            raise InputError("--isochrone writes roads around a source: give --source ID.")
        if path.suffix.lower() == ".geojson":
            optional_package("shapely", f"Writing the outlines in {path.name}", "frames")

    def before(request: RunRequest, _: CancelToken) -> None:
        """Check that there are coordinates, and weights that budgets can be of."""
        if path is not None:
            _budgets_of(arguments, request.graph)
            require_places(request.graph, path)

    def find(
        _: RunRequest, results: Sequence[Result], console: Console, token: CancelToken
    ) -> SolveFindings:
        if path is not None:
            if (result := first_with_distances(results)) is None:
                console.error_line(f"{path} is not written: {NO_DISTANCES}.")
            else:
                answer = DistancesAnswer.of_result(result)
                reached = isochrones_of_answer(answer, _budgets_of(arguments, result.graph))
                token.check()
                console.wrote(reached.save(path, plain=arguments.csv_plain))
        return SolveFindings()

    return SolveStep(find, (arguments.isochrone,), before=before)


OPTIONS = SolveOptions(_add, _step)


def _budgets_of(arguments: argparse.Namespace, graph: Graph) -> list[float]:
    """In the unit of the weights; raises ParameterError."""
    try:
        return to_internal_units(arguments.budget, graph.weight_unit)
    except ValueError as error:
        raise ParameterError("solve", "budget", arguments.budget, str(error)) from None
