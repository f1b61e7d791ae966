"""DIMACS coordinates (.co): ``v id x y``, found beside the graph, in millionths of a degree or on a plane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graphs.graph import Coordinates
from solvers.graphs.readers.formats import COMMENTS, Sample, take_sample
from solvers.graphs.readers.source import ReadingProgress, TextSource
from solvers.graphs.readers.table import Layout, Rows, Table
from solvers.graphs.rows import slices
from solvers.host.jit import njit
from solvers.text import plural

PLANE = "c coordinates: plane"
DEGREES = "c coordinates: millionths of a degree"

_VERTEX = Layout(ids=("vertex",), values=("x", "y"), tag=b"v", headers=b"p", comments=COMMENTS)
_EXPECTED = "Expected lines: v vertex x y."
_MILLIONTH = 1e6
_SPREADINGS = 16
_SUFFIXES = (".co", ".co.gz")


def coordinates_beside(path: Path) -> Path | None:
    """The .co file that belongs to a graph file by its name: ``X.gr`` or ``X.gr.gz`` has ``X.co`` or ``X.co.gz``."""
    name = path.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    beside = (path.with_name(stem + suffix) for suffix in _SUFFIXES)
    return next((other for other in beside if other != path and other.is_file()), None)


def read_coordinates(
    path: Path, ids: NDArray[np.int64], exact: bool, progress: ReadingProgress
) -> tuple[Coordinates, list[str]]:
    """Read a .co file for the vertices ``ids``.

    Parameters
    ----------
    path : Path
    ids : (n,) int64, ascending
    exact : bool
        The graph's vertices are all known, so that no other id may occur.
    progress : ReadingProgress

    Returns
    -------
    Coordinates
        NaN where the file has none.
    list of str
        Warnings.

    Raises
    ------
    FileFormatError
    """
    with TextSource(path) as source:
        sample = take_sample(source)
    _refuse_other_files(path, sample)
    with TextSource(path, progress) as source:
        rows = Table(source).rows(_VERTEX)
    if not len(rows):
        raise FileFormatError(path, "there are no coordinates in it", hint=_EXPECTED)
    xy = np.empty((len(ids), 2))
    for begin, end in slices(len(ids)):
        xy[begin:end] = np.nan
        progress.check()
    extra = repeated = 0
    stranger = -1
    for begin, end in slices(len(rows)):
        unknown, first, again = _place(ids, rows.ids, rows.values, begin, end, xy)
        stranger = first if stranger < 0 else stranger
        extra, repeated = extra + unknown, repeated + again
        progress.check()
    if extra and (exact or extra == len(rows)):
        raise _stranger(path, rows, stranger, ids)
    warnings = []
    if extra:
        warnings.append(f"{path.name} also has {plural(extra, 'vertex', 'vertices')} that no arc names; ignored.")
    if repeated:
        again_words = plural(repeated, "vertex", "vertices")
        warnings.append(f"{path.name} lists {again_words} more than once; the last line counts.")
    geographic = _is_geographic(sample, rows.values)
    if geographic:
        xy /= _MILLIONTH
    return Coordinates(xy, geographic), warnings


@njit(cache=True, nogil=True)
def _place(
    ids: NDArray[np.int64],
    named: NDArray[Any],
    values: NDArray[Any],
    begin: int,
    end: int,
    xy: NDArray[np.float64],
) -> tuple[int, int, int]:
    """Put rows ``begin`` to ``end`` where their vertices are.

    Returns
    -------
    unknown, first, again : int
        Rows whose vertex is not among ``ids``, the first of them (-1 for none), and vertices placed before.
    """
    unknown = again = 0
    first = -1
    place = -1
    for row in range(begin, end):
        vertex = named[row, 0]
        place += 1
        if place >= len(ids) or ids[place] != vertex:  # most files list vertices in order: then no search
            place = np.searchsorted(ids, vertex)
        if place == len(ids) or ids[place] != vertex:
            first = row if unknown == 0 else first
            unknown += 1
            continue
        again += not np.isnan(xy[place, 0])
        xy[place, 0] = values[row, 0]
        xy[place, 1] = values[row, 1]
    return unknown, first, again


def _refuse_other_files(path: Path, sample: Sample) -> None:
    if sample.rows and sample.rows[0][0] not in ("p", "v"):
        reason, line = "this is not a DIMACS coordinates file", sample.first_line + 1
        raise FileFormatError(path, reason, line=line, text=sample.line, hint=_EXPECTED)


def _is_geographic(sample: Sample, values: NDArray[Any]) -> bool:
    """What the file's own comment says; else whether the numbers can only be millionths of a degree."""
    if PLANE in sample.comments or DEGREES in sample.comments:
        return DEGREES in sample.comments
    if values.dtype.kind != "i" or len(values) == 0:
        return False
    furthest = np.abs(values).max(axis=0)
    return bool(furthest[0] <= 180 * _MILLIONTH and furthest[1] <= 90 * _MILLIONTH and furthest.max() >= _MILLIONTH)


def _stranger(path: Path, rows: Rows, row: int, ids: NDArray[np.int64]) -> FileFormatError:
    """The error for a vertex that the graph does not have; finds its line again, as the parser keeps none."""
    seen, number = -1, 0
    with TextSource(path) as source:
        for block in source.blocks():
            for line in block.splitlines():
                number += 1
                seen += line.lstrip().startswith(b"v")
                if seen == row:
                    return FileFormatError(
                        path, f"vertex {rows.ids[row, 0]} is not in the graph", line=number,
                        text=line.decode("utf-8", "replace").strip(),
                        hint=f"The graph's vertices are {ids[0]} to {ids[-1]}: does this file belong to another graph?",
                    )  # fmt: skip
    return FileFormatError(path, f"vertex {rows.ids[row, 0]} is not in the graph")


@njit(cache=True, nogil=True)
def _spread(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], missing: NDArray[np.int64], xy: NDArray[np.float64]
) -> None:
    """Place those vertices without coordinates that have neighbours with some, at their mean."""
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
            xy[vertex] = (x / count, y / count)


def place_missing(
    coordinates: Coordinates,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Coordinates, int]:
    """Give every vertex a place: among its neighbours, or in the middle. Also returns how many had none."""
    missing = np.flatnonzero(np.isnan(coordinates.xy[:, 0]))
    if len(missing) == 0:
        return coordinates, 0
    xy = coordinates.xy.copy()
    middle = np.nanmean(xy, axis=0)
    for _ in range(_SPREADINGS):  # outwards from those that have some
        for begin, end in slices(len(missing)):
            _spread(indptr, indices, missing[begin:end], xy)
            checkpoint()
    lost = np.isnan(xy[:, 0])
    xy[lost] = middle
    return Coordinates(xy, coordinates.geographic), len(missing)
