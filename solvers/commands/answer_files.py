"""``solve``: the options that write the path and the distances of the answer, and the writing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from solvers.commands.console import Console
from solvers.contracts.catalog import Answers
from solvers.contracts.results import Result
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.host.files import replace_atomically, save_array
from solvers.host.observer import CancelToken
from solvers.running.answers.answer import DistancesAnswer, PathAnswer
from solvers.running.answers.write import (
    DISTANCES_KINDS,
    PATH_KINDS,
    require_places,
    require_writable_kind,
    write_distances,
    write_path,
)
from solvers.running.runner import Choice

_MATRIX = ".npy"


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--distances",
        metavar="FILE.npy|.csv|.parquet|.geojson",
        help="write the first variant's distances: .npy float64, inf if unreachable; the others one row a vertex, with "
        "its id, place, distance and predecessor",
    )
    parser.add_argument(
        "--path",
        metavar="FILE.geojson|.gpx|.csv|.parquet",
        help="write the path to the target along the curves of its roads",
    )


def require_kinds(arguments: argparse.Namespace, choices: Sequence[Choice]) -> None:
    """Check names and question, before the graph is read.

    Raises
    ------
    ParameterError, PackageMissing
        If a file of that name cannot be written here.
    InputError
        If the question has no path, or no distances.
    """
    if arguments.path:
        require_writable_kind(Path(arguments.path), PATH_KINDS)
        if arguments.source is None or arguments.target is None:
            raise InputError("--path writes the path from a source to a target: give --source ID and --target ID.")
    if arguments.distances and not _is_matrix(arguments.distances):
        require_writable_kind(Path(arguments.distances), DISTANCES_KINDS)
        if all(choice.variant.answers is Answers.TARGET for choice in choices):
            raise InputError("--distances needs a variant that computes the distances of all vertices.")
        if arguments.source is None:
            raise InputError(
                "--distances writes a table of the distances from one source: give --source ID, or a name that ends in "
                f"{_MATRIX} for the matrix of all pairs."
            )


def require_coordinates(arguments: argparse.Namespace, graph: Graph) -> None:
    """Check that the graph has the coordinates that the files need, before anything is solved.

    Raises
    ------
    UnsuitableGraph
    """
    for name in (arguments.path, arguments.distances):
        if name:
            require_places(graph, Path(name))


def write_answers(
    results: Sequence[Result], arguments: argparse.Namespace, console: Console, token: CancelToken
) -> tuple[Path, ...]:
    """Write the files that were asked for, and say of each that has no answer why; returns those written.

    Raises
    ------
    FileNotWritten, Cancelled
    """
    written = []
    if arguments.distances:
        path = Path(arguments.distances)
        if (result := _first_with_distances(results)) is None:
            reason = "no variant that computes all distances was solved and verified"
            console.error_line(f"{path} is not written: {reason}.")
        else:
            _write_distances(result, path, arguments, console, token)
            written.append(path)
    if arguments.path:
        path = Path(arguments.path)
        try:
            found = PathAnswer.of_result(_first_with_path(results))
        except InputError as error:
            console.error_line(f"{path} is not written. {error}")
        else:
            observer = console.observer(token, f"writing {path.name}")
            written.append(write_path(found, path, observer, plain=arguments.csv_plain))
    console.clear_progress()
    return tuple(written)


def _write_distances(
    result: Result, path: Path, arguments: argparse.Namespace, console: Console, token: CancelToken
) -> None:
    if _is_matrix(path.name):
        assert result.distances is not None  # `_first_with_distances` looked
        with replace_atomically(path) as temporary:
            save_array(temporary, to_float(result.distances))
    else:
        observer = console.observer(token, f"writing {path.name}")
        write_distances(DistancesAnswer.of_result(result), path, observer, plain=arguments.csv_plain)


def _first_with_distances(results: Sequence[Result]) -> Result | None:
    """The first that was solved and verified, and computes all distances."""
    usable = (r for r in results if r.ok and r.variant.answers is not Answers.TARGET and r.distances is not None)
    return next(usable, None)


def _first_with_path(results: Sequence[Result]) -> Result:
    """The first with a path; without one the first that was solved and verified, or else the first."""
    by_use = sorted(results, key=lambda result: (result.path is None, not result.ok))
    return by_use[0]


def _is_matrix(name: str) -> bool:
    """Whether the array alone is written; so it is under any name that tells no other format, as ever."""
    return Path(name).suffix.lower() not in DISTANCES_KINDS
