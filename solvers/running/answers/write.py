"""Writing of paths and distances in the format that the name of the file tells."""

from __future__ import annotations

from pathlib import Path

from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer
from solvers.host.parquet import require_parquet
from solvers.running.answers.answer import DistancesAnswer, PathAnswer, no_places
from solvers.running.answers.geojson import write_distances_geojson, write_path_geojson
from solvers.running.answers.gpx import require_degrees, write_path_gpx
from solvers.running.answers.tables import write_distances_table, write_path_table

PATH_KINDS = (".geojson", ".gpx", ".csv", ".parquet")
DISTANCES_KINDS = (".csv", ".parquet", ".geojson")


def write_path(answer: PathAnswer, path: Path | str, observer: Observer = SILENT, *, plain: bool = False) -> Path:
    """Write a path as GeoJSON, GPX, CSV or Parquet, by the ending of the name.

    Raises
    ------
    ParameterError
        For another ending.
    UnsuitableGraph
        If the format needs coordinates that the graph does not have.
    PackageMissing, FileNotWritten, Cancelled
    """
    path = Path(path)
    _require_kind(path, PATH_KINDS)
    if path.suffix.lower() == ".geojson":
        return write_path_geojson(answer, path, observer)
    if path.suffix.lower() == ".gpx":
        return write_path_gpx(answer, path, observer)
    return write_path_table(answer, path, observer, plain=plain)


def write_distances(
    answer: DistancesAnswer, path: Path | str, observer: Observer = SILENT, *, plain: bool = False
) -> Path:
    """Write the distances of all vertices as CSV, Parquet or GeoJSON, by the ending of the name.

    Raises
    ------
    As `write_path`.
    """
    path = Path(path)
    _require_kind(path, DISTANCES_KINDS)
    if path.suffix.lower() == ".geojson":
        return write_distances_geojson(answer, path, observer)
    return write_distances_table(answer, path, observer, plain=plain)


def require_writable_kind(path: Path, kinds: tuple[str, ...]) -> None:
    """Check, before a long computation, that a file of that name can be written here.

    Raises
    ------
    ParameterError, PackageMissing
    """
    _require_kind(path, kinds)
    require_parquet(path.name)


def require_places(graph: Graph, path: Path) -> None:
    """Check, before a long computation, that the graph has the coordinates that a file of that name needs.

    Raises
    ------
    UnsuitableGraph
    """
    if path.suffix.lower() == ".gpx":
        require_degrees(graph)
    elif path.suffix.lower() == ".geojson" and graph.coordinates is None:
        raise no_places(graph, "GeoJSON")


def _require_kind(path: Path, kinds: tuple[str, ...]) -> None:
    """Check that the name of a file ends in one of ``kinds``.

    Raises
    ------
    ParameterError
        Names them.
    """
    if path.suffix.lower() not in kinds:
        raise ParameterError("Export", "file name", path.name, f"it must end in {' or '.join(kinds)}")
