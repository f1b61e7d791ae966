"""DIMACS coordinates (.co): ``v id x y``, found beside the graph, in millionths of a degree or on a plane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graph import Coordinates
from solvers.readers.formats import COMMENTS, Sample, take_sample
from solvers.readers.source import Progress, TextSource
from solvers.readers.table import Layout, Rows, Table
from solvers.text import plural

PLANE = "c coordinates: plane"
DEGREES = "c coordinates: millionths of a degree"

_VERTEX = Layout(ids=("vertex",), values=("x", "y"), tag=b"v", headers=b"p", comments=COMMENTS)
_EXPECTED = "Expected lines: v vertex x y."
_MILLIONTH = 1e6
_SUFFIXES = (".co", ".co.gz")


def coordinates_beside(path: Path) -> Path | None:
    """The .co file that belongs to a graph file by its name: ``X.gr`` or ``X.gr.gz`` has ``X.co`` or ``X.co.gz``."""
    name = path.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    beside = (path.with_name(stem + suffix) for suffix in _SUFFIXES)
    return next((other for other in beside if other != path and other.is_file()), None)


def read_coordinates(
    path: Path, ids: NDArray[np.int64], exact: bool, progress: Progress
) -> tuple[Coordinates, list[str]]:
    """Read a .co file for the vertices ``ids``.

    Parameters
    ----------
    path : Path
    ids : (n,) int64, ascending
    exact : bool
        The graph's vertices are all known, so that no other id may occur.
    progress : Progress

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
    named = rows.ids[:, 0]
    place = np.minimum(np.searchsorted(ids, named), len(ids) - 1)
    known = ids[place] == named
    if not known.all() and (exact or not known.any()):
        raise _stranger(path, rows, int(np.argmin(known)), ids)
    xy = np.full((len(ids), 2), np.nan)
    xy[place[known]] = rows.values[known]
    warnings = []
    if extra := int(np.count_nonzero(~known)):
        warnings.append(f"{path.name} also has {plural(extra, 'vertex', 'vertices')} that no arc names; ignored.")
    if repeated := int(np.count_nonzero(known)) - int(np.count_nonzero(~np.isnan(xy[:, 0]))):
        warnings.append(
            f"{path.name} lists {plural(repeated, 'vertex', 'vertices')} more than once; the last line counts."
        )
    geographic = _is_geographic(sample, rows.values)
    return Coordinates(xy / _MILLIONTH if geographic else xy, geographic), warnings


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
    """Place vertices without coordinates at the mean of their neighbours, outwards from those that have some."""
    for _ in range(16):
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
    coordinates: Coordinates, indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[Coordinates, int]:
    """Give every vertex a place: among its neighbours, or in the middle. Also returns how many had none."""
    missing = np.flatnonzero(np.isnan(coordinates.xy[:, 0]))
    if len(missing) == 0:
        return coordinates, 0
    xy = coordinates.xy.copy()
    middle = np.nanmean(xy, axis=0)
    _spread(indptr, indices, missing, xy)
    lost = np.isnan(xy[:, 0])
    xy[lost] = middle
    return Coordinates(xy, coordinates.geographic), len(missing)
