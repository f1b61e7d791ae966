"""Rows of distances as a chunked Zarr array, which workers write side by side and
nobody holds whole.

The group holds ``distances`` (source, target), ``source`` and ``target`` with the ids
of the graph's file, and ``finished`` (source). Dimensions are named as xarray expects
it, so that xarray or zarr alone opens it. Format 2 of Zarr is read by all of its
versions.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solvers.errors import FileNotWritten, InputError
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.clusters import zarr_for
from solvers.system.array_types import AnyArray, Bools, Int64s
from solvers.system.files import reason_of, writing
from solvers.units import public_unit, to_public_unit
from solvers.version import __version__

_BLOCK_BYTES = 1 << 24  # of a chunk of the array
_MOST_COLUMNS = 1 << 20
_MOST_ROWS = 256
_DIMENSIONS = "_ARRAY_DIMENSIONS"  # how xarray finds the names of dimensions
_REMEDY = "Finished rows are kept: free some space and run again with the same files"


@dataclass(frozen=True, eq=False)
class RowArray:
    """Where the rows of a run are written."""

    path: str  # folder of the group, which all workers see
    # of graph, direction, targets and version; workers compare it with that of the
    # group at the path
    run_hash: str
    # rows of a chunk of the array; chunks of sources have whole ones, so no two workers
    # write the same
    block: int
    columns: int
    targets: Int64s | None  # (columns,) vertices whose distances are kept; None for all

    def block_writer(self, first: int, last: int) -> BlockWriter:
        """In a worker: opens the array, to write the rows ``first`` to ``last - 1``;
        raises `FileNotWritten`.
        """
        return BlockWriter(RowWriter(self), self, first, last - first)


class RowWriter:
    """Writes blocks of rows into an existing array."""

    def __init__(self, rows: RowArray):
        self._path = rows.path
        zarr = zarr_for(f"Writing {Path(rows.path).name}")
        try:
            group = zarr.open_group(rows.path, mode="r+")
            known = group.attrs.get("run")
        except (OSError, ValueError) as error:  # zarr's own errors are of both kinds
            raise FileNotWritten(
                rows.path, f"a worker does not find it ({error}). All hosts have to see it"
            ) from error
        if known != rows.run_hash:
            raise FileNotWritten(
                rows.path,
                "a worker finds another array there. All hosts have to see the same folder",
            )
        self._distances = group["distances"]
        self.dtype = np.dtype(self._distances.dtype)

    def write(self, first: int, block: AnyArray) -> None:
        """Write rows ``first`` to ``first + len(block) - 1``; raises `FileNotWritten`."""
        try:
            self._distances[first : first + len(block)] = block
        except OSError as error:
            raise FileNotWritten(self._path, f"{reason_of(error)}. {_REMEDY}") from error


class BlockWriter:
    """Collects ``count`` rows that come in order, and writes them as whole chunks of the array.

    ``first`` is the first row, where a chunk of the array begins.
    """

    def __init__(self, writer: RowWriter, rows: RowArray, first: int, count: int):
        self._writer, self._rows, self._first, self._count = writer, rows, first, count
        self._block: AnyArray = np.empty((min(rows.block, count), rows.columns), writer.dtype)

    def take(self, chosen: slice, whole: AnyArray) -> None:
        """Take the rows ``chosen``, counted from the first, with all their distances;
        raises `FileNotWritten`.
        """
        targets, size = self._rows.targets, self._rows.block
        kept = whole if targets is None else whole[:, targets]
        begin = chosen.start
        while begin < chosen.stop:
            low = begin // size * size
            end = min(chosen.stop, low + size)
            self._block[begin - low : end - low] = kept[begin - chosen.start : end - chosen.start]
            if end in (low + size, self._count):
                self._writer.write(self._first + low, self._block[: end - low])
            begin = end


class RowStore:
    """The client's side of the array: makes it, and marks which rows are finished.

    Raises PackageMissing, FileNotWritten; InputError if something else is at the path.
    """

    def __init__(self, path: Path, request: AllSourcesRequest, targets: Int64s | None):
        zarr = zarr_for(f"Writing {path.name}")
        graph, direction = request.graph, request.direction.value
        columns = graph.n if targets is None else len(targets)
        kind = request.searched.distance_type
        width = max(1, min(columns, _MOST_COLUMNS))
        block = int(min(_MOST_ROWS, max(1, _BLOCK_BYTES // (width * kind.dtype.itemsize))))
        digest = hashlib.sha256(f"{graph.sha256} {direction} {__version__} {block}".encode())
        digest.update(request.sources_key.encode())
        if targets is not None:
            digest.update(np.ascontiguousarray(targets, "<i8").data)
        self._path = path
        self.rows = RowArray(os.path.abspath(path), digest.hexdigest(), block, columns, targets)
        with writing(path):
            group = (
                self._reopen(zarr) if path.exists() else self._make(zarr, request, (block, width))
            )
        self._finished = group["finished"]

    def finished(self) -> Bools:
        """(rows,) whether each is in the array."""
        return np.asarray(self._finished[:], np.bool_)

    def mark(self, first: int, last: int) -> None:
        """Note that rows ``first`` to ``last - 1`` are written; raises `FileNotWritten`."""
        try:
            self._finished[first:last] = 1
        except OSError as error:
            raise FileNotWritten(self._path, f"{reason_of(error)}. {_REMEDY}") from error

    def _reopen(self, zarr: Any) -> Any:
        try:
            group = zarr.open_group(str(self._path), mode="r+")
            known = group.attrs.get("run")
        except (ValueError, OSError, KeyError):
            known = None
        if known != self.rows.run_hash:
            raise InputError(
                f"{self._path} holds something other than rows of this run. Name another folder."
            )
        return group

    def _make(self, zarr: Any, request: AllSourcesRequest, chunks: tuple[int, int]) -> Any:
        graph, rows, kind = request.graph, self.rows, request.searched.distance_type
        sources = graph.ids[request.vertices(0, request.count)]
        group = zarr.create_group(str(self._path), zarr_format=2)
        group.attrs.update(
            {
                "run": rows.run_hash,
                "title": f"Shortest-path distances of {graph.name}",
                "graph_sha256": graph.sha256,
                "direction": request.direction.value,
                "source": f"Tautpath {__version__}",
            }
        )
        ids = graph.ids if rows.targets is None else graph.ids[rows.targets]
        self._variable(
            group, "source", sources, ("source",), {"long_name": "id of the vertex in its file"}
        )
        self._variable(
            group, "target", ids, ("target",), {"long_name": "id of the vertex in its file"}
        )
        unfinished = np.zeros(len(sources), np.uint8)
        self._variable(group, "finished", unfinished, ("source",), {"long_name": "row is complete"})
        about: dict[str, Any] = {
            "long_name": "length of the shortest path",
            "units": public_unit(graph.weight_unit) or "1",
        }
        if (scale := to_public_unit(1, graph.weight_unit)) != 1:
            about["scale_factor"] = scale  # xarray multiplies by it
        group.create_array(
            "distances",
            shape=(len(sources), rows.columns),
            chunks=chunks,
            dtype=kind.dtype,
            fill_value=kind.infinity,
            attributes={
                _DIMENSIONS: ["source", "target"],
                "unreachable": str(kind.infinity),
                **about,
            },
        )
        zarr.consolidate_metadata(str(self._path), zarr_format=2)
        return group

    @staticmethod
    def _variable(
        group: Any, name: str, values: AnyArray, dims: tuple[str, ...], about: dict[str, Any]
    ) -> None:
        variable = group.create_array(
            name,
            shape=values.shape,
            chunks=(max(1, min(len(values), _MOST_COLUMNS)),),
            dtype=values.dtype,
            # xarray would take equal values for missing ones, and convert all to floats
            fill_value=None,
            attributes={_DIMENSIONS: list(dims), **about},
        )
        variable[:] = values
