"""Reader of DIMACS coordinate files (.co): ``v id x y``, in millionths of a degree or
in plane coordinates.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.csr import first_not_less, slices
from solvers.graphs.graph import Coordinates
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, TextSource
from solvers.graphs.readers.parsed import COMMENTS, GREATEST_COORDINATE, Sample, read_sample
from solvers.graphs.readers.table import Layout, Table, find_row
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.jit import njit
from solvers.text import plural, printable

PLANE = "c coordinates: plane"
DEGREES = "c coordinates: millionths of a degree"

_VERTEX = Layout(
    ids=("vertex",),
    values=("x", "y"),
    tag=b"v",
    headers=b"p",
    comments=COMMENTS,
    limit=GREATEST_COORDINATE,
)
_EXPECTED = "Expected lines: v vertex x y."
_MILLIONTH = 1e6
# rows placed between two checks for cancellation; those out of order are sought by
# bisection
_PLACED = 2**15
_MAX_ROUNDS = 16  # of placing vertices without coordinates from their neighbours
_SUFFIXES = (".co", ".co.gz")


def find_coordinates_file(path: Path) -> Path | None:
    """The .co file of a graph file: ``X.co`` or ``X.co.gz`` for ``X.gr`` or
    ``X.gr.gz``; None if there is none.
    """
    name = path.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    candidates = (path.parent / f"{stem}{suffix}" for suffix in _SUFFIXES)
    return next((other for other in candidates if other != path and os.path.isfile(other)), None)


def read_coordinates(
    file: InputFile, ids: Int64s, exact: bool, progress: ReadingProgress
) -> tuple[Coordinates, list[str]]:
    """Read a .co file for the vertices ``ids``.

    Raises FileFormatError if the file cannot be read or belongs to another graph.

    Parameters
    ----------
    ids : (n,) int64, ascending
    exact : bool
        True if all vertices of the graph are known, so that other ids are an error.

    Returns
    -------
    Coordinates, list of str
        NaN for vertices that the file does not list; warnings.
    """
    with TextSource(file, progress, counted=False) as source:
        sample = read_sample(source)
    _refuse_other_files(file, sample)
    with TextSource(file, progress) as source:
        rows = Table(source).rows(_VERTEX)
    if not len(rows):
        raise file.error("the file contains no coordinates", _EXPECTED)
    xy = np.empty((len(ids), 2))
    for begin, end in slices(len(ids)):
        xy[begin:end] = np.nan
        progress.check()
    extra = repeated = 0
    first_unknown = -1
    for begin, end in slices(len(rows), _PLACED):
        unknown, first, again = _place(ids, rows.ids, rows.values, begin, end, xy)
        first_unknown = first if first_unknown < 0 else first_unknown
        extra, repeated = extra + unknown, repeated + again
        progress.check()
    if extra and (exact or extra == len(rows)):
        raise _unknown_vertex(file, int(rows.ids[first_unknown, 0]), first_unknown, ids, progress)
    warnings = []
    name = printable(file.path.name)
    if extra:
        warnings.append(
            f"{name} also has {plural(extra, 'vertex', 'vertices')} that no arc has; ignored."
        )
    if repeated:
        vertices = plural(repeated, "vertex", "vertices")
        warnings.append(f"{name} lists {vertices} more than once; the last line is used.")
    geographic = _is_geographic(sample, rows.values)
    if geographic:
        xy /= _MILLIONTH
    return Coordinates(xy, geographic), warnings


@njit
def _place(
    ids: Int64s, named: AnyArray, values: AnyArray, begin: int, end: int, xy: Float64s
) -> tuple[int, int, int]:
    """Store the coordinates of rows ``begin`` to ``end`` at their vertices.

    Returns the number of rows whose vertex is not among ``ids``, the first such row (-1
    for none), and the number of repetitions.
    """
    unknown = again = 0
    first = -1
    index = -1
    for row in range(begin, end):
        vertex = named[row, 0]
        index += 1
        # no search in files that list vertices in order
        if index >= len(ids) or ids[index] != vertex:
            index = first_not_less(ids, 0, len(ids), vertex)
        if index == len(ids) or ids[index] != vertex:
            first = row if unknown == 0 else first
            unknown += 1
            continue
        again += not np.isnan(xy[index, 0])
        xy[index, 0] = values[row, 0]
        xy[index, 1] = values[row, 1]
    return unknown, first, again


def _refuse_other_files(file: InputFile, sample: Sample) -> None:
    if sample.rows and sample.rows[0][0] not in ("p", "v"):
        reason, line = "this is not a DIMACS coordinates file", sample.first_line + 1
        raise file.error(reason, _EXPECTED, line=line, text=sample.line)


def _is_geographic(sample: Sample, values: AnyArray) -> bool:
    """Whether coordinates are degrees: by the file's comment, else by the range and
    size of integer values.
    """
    if PLANE in sample.comments or DEGREES in sample.comments:
        return DEGREES in sample.comments
    if values.dtype.kind != "i" or len(values) == 0:
        return False
    furthest = np.abs(values).max(axis=0)
    return bool(
        furthest[0] <= 180 * _MILLIONTH
        and furthest[1] <= 90 * _MILLIONTH
        and furthest.max() >= _MILLIONTH
    )


def _unknown_vertex(
    file: InputFile, vertex: int, row: int, ids: Int64s, progress: ReadingProgress
) -> FileFormatError:
    """The error for a vertex that is not in the graph; reads the file again to find its
    line number.
    """
    with TextSource(file, progress, counted=False) as source:
        line, text = find_row(source, row, COMMENTS + _VERTEX.headers)
    hint = (
        f"The graph's vertices are {ids[0]} to {ids[-1]}: does this file belong to another graph?"
    )
    return file.error(f"vertex {vertex} is not in the graph", line=line, text=text, hint=hint)


@njit
def _place_at_neighbours(indptr: Int64s, indices: Int32s, missing: Int64s, xy: Float64s) -> None:
    """Place vertices without coordinates at the mean of their neighbours that have coordinates."""
    for vertex in missing:
        if not np.isnan(xy[vertex, 0]):
            continue
        x = y = 0.0
        count = 0
        for arc in range(indptr[vertex], indptr[vertex + 1]):
            if not np.isnan(xy[indices[arc], 0]):
                x += xy[indices[arc], 0]
                y += xy[indices[arc], 1]
                count += 1
        if count:
            xy[vertex, 0], xy[vertex, 1] = x / count, y / count


def place_missing(
    coordinates: Coordinates,
    indptr: Int64s,
    indices: Int32s,
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Coordinates, int]:
    """Give vertices without coordinates the mean of their neighbours, or of all
    vertices; also returns their number.
    """
    missing = np.flatnonzero(np.isnan(coordinates.xy[:, 0]))
    if len(missing) == 0:
        return coordinates, 0
    xy = coordinates.xy.copy()
    middle = np.nanmean(xy, axis=0)
    for _ in range(_MAX_ROUNDS):
        for begin, end in slices(len(missing)):
            _place_at_neighbours(indptr, indices, missing[begin:end], xy)
            checkpoint()
    lost = np.isnan(xy[:, 0])
    xy[lost] = middle
    return Coordinates(xy, coordinates.geographic), len(missing)
