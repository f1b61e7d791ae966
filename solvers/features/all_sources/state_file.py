"""File of finished sources, to which a run only appends, so that a run that was killed
continues where it ended.

A line of JSON names the graph, the budget and whatever else determines the numbers.
Records follow: a range of sources, a checksum, the four arrays of their summaries and
the counts of a histogram, little-endian. Reading ends at a record that is damaged or
was not written whole; the run computes the rest again and overwrites it.

`FoundParts` holds the results of a run so far, from this process or, before an
interruption, from its state file.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries
from solvers.errors import InputError
from solvers.features.all_sources.engine import RowProofs
from solvers.features.all_sources.reductions import Histogram
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.graphs.weights import WeightType
from solvers.system import machine
from solvers.system.array_types import Bools, Int64s
from solvers.system.files import NotRegularFile, open_regular, read_regular, writing
from solvers.system.former_name import ALL_SOURCES_FORMAT
from solvers.text import quoted
from solvers.units import to_public_unit
from solvers.version import __version__

if TYPE_CHECKING:
    from solvers.features.all_sources.betweenness import FlowRun

log = logging.getLogger(__name__)

FORMAT = "tautpath all-sources 1"
_HEAD = struct.Struct("<4sqqI")  # mark, first source, last + 1, checksum
_MARK = b"rows"
_MOST_HEADER = 4096
_COUNT = np.dtype("<i8")


@dataclass(frozen=True)
class SourceRange:
    """Summaries of the sources ``first`` to ``last - 1``, and counts of their distances
    by bins, if there are any.
    """

    first: int
    last: int
    summaries: RowSummaries
    counts: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))


class StateFile:
    """The finished sources of one run; ``key``, JSON values, is what determines the numbers.

    ``n`` is the number of sources, ``bins`` that of the counts in each record.
    """

    def __init__(
        self,
        path: Path,
        key: Mapping[str, Any],
        n: int,
        kind: WeightType,
        sum_type: np.dtype[Any],
        bins: int = 0,
    ):
        self._path, self._n, self._bins = path, n, bins
        self._shown = quoted(str(path), 200)
        self._header, self._former_header = (
            json.dumps({"format": name, **key}, sort_keys=True).encode() + b"\n"
            for name in (FORMAT, ALL_SOURCES_FORMAT)  # of equal length
        )
        self._types = tuple(
            np.dtype(t).newbyteorder("<") for t in (kind.dtype, sum_type, np.int32, np.int32)
        )

    def open(self) -> tuple[list[SourceRange], str]:
        """The finished sources, and why part of the file is not used; "" if all of it is.

        The file is ready for `append` afterwards. Raises InputError if the file is not
        a state file: it is not overwritten; FileNotWritten.
        """
        with writing(self._path):
            return self._open()

    def append(self, done: SourceRange) -> None:
        """Add finished sources, which then survive a crash of the program or the
        machine; raises FileNotWritten.
        """
        body = (
            b"".join(
                array.astype(kind, copy=False).tobytes()
                for array, kind in zip(done.summaries.arrays, self._types, strict=True)
            )
            + done.counts.astype(_COUNT).tobytes()
        )
        record = (
            _HEAD.pack(_MARK, done.first, done.last, _checksum(done.first, done.last, body)) + body
        )
        with writing(self._path), self._path.open("ab") as file:
            file.write(record)
            file.flush()
            os.fsync(file.fileno())

    def _open(self) -> tuple[list[SourceRange], str]:
        try:
            content = read_regular(self._path, machine.memory().free_bytes)
        except FileNotFoundError:
            content = b""
        except NotRegularFile as error:
            raise InputError(f"{self._shown}: {error.strerror}. Name another.") from None
        if content and not _is_state(content):
            raise InputError(
                f"{self._shown} is not a file of an all-sources run, "
                "so it is not written to. Name another."
            )
        if not content.startswith((self._header, self._former_header)):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(self._header)
            problem = (
                "it is of another graph, budget, direction, version or other sources"
                if content
                else ""
            )
            return [], problem
        done, end = self._records(content)
        if end == len(content):
            return done, ""
        with self._path.open("r+b") as file:
            file.truncate(end)
        return done, "its end is damaged"

    def _records(self, content: bytes) -> tuple[list[SourceRange], int]:
        """Whole records, and where they end."""
        done: list[SourceRange] = []
        at = len(self._header)
        width = sum(kind.itemsize for kind in self._types)
        while len(content) - at >= _HEAD.size:
            mark, first, last, checksum = _HEAD.unpack_from(content, at)
            if mark != _MARK or not 0 <= first < last <= self._n:
                break
            size = (last - first) * width + self._bins * _COUNT.itemsize
            body = content[at + _HEAD.size : at + _HEAD.size + size]
            if len(body) < size or _checksum(first, last, body) != checksum:
                break
            counts = np.frombuffer(body, _COUNT, self._bins, (last - first) * width).astype(
                np.int64
            )
            done.append(SourceRange(first, last, self._summaries(body, last - first), counts))
            at += _HEAD.size + len(body)
        return done, at

    def _summaries(self, body: bytes, count: int) -> RowSummaries:
        arrays, at = [], 0
        for kind in self._types:
            arrays.append(np.frombuffer(body, kind, count, at).astype(kind.newbyteorder("=")))
            at += count * kind.itemsize
        return RowSummaries(*arrays)


def holds_sources(path: Path) -> bool:
    """Whether the file holds finished sources of some run, without reading them; False
    if it cannot be read.
    """
    try:
        with open_regular(path) as file:
            header = file.readline(_MOST_HEADER)
            return header.endswith(b"\n") and path.stat().st_size > len(header)
    except OSError:
        return False


def _is_state(content: bytes) -> bool:
    try:
        header = json.loads(content[:_MOST_HEADER].split(b"\n", 1)[0])
    except ValueError:
        return False
    if not isinstance(header, dict):
        return False
    return header.get("format") in (FORMAT, ALL_SOURCES_FORMAT)


def _checksum(first: int, last: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(struct.pack("<qq", first, last)))


class FoundParts:
    """Collects the parts of a run: its summaries, and which sources are finished."""

    def __init__(self, request: AllSourcesRequest, sum_type: np.dtype[Any]):
        kind = request.searched.distance_type
        self._request, self._kind, self._sum_type = request, kind, sum_type
        self._forget()

    def _forget(self) -> None:
        """Start with no source."""
        request = self._request
        self.summaries = RowSummaries.empty(request.count, self._kind, self._sum_type)
        self.finished = np.zeros(request.count, np.bool_)
        self._counts: Int64s = np.zeros(request.bins.count if request.bins else 0, np.int64)

    @property
    def count(self) -> int:
        """Number of finished sources."""
        return int(self.finished.sum())

    @property
    def histogram(self) -> Histogram | None:
        """Without the distances of sources to themselves, which are 0; None if none was
        asked for.
        """
        if self._request.bins is None:
            return None
        pairs = self._counts.copy()
        pairs[0] -= self.count
        bins = self._request.bins
        return Histogram(
            replace(bins, width=to_public_unit(bins.width, self._request.graph.weight_unit)), pairs
        )

    def put(self, done: SourceRange) -> None:
        """Take over a finished part, which was not finished before."""
        chosen = slice(done.first, done.last)
        self.summaries.put(chosen, done.summaries)
        self.finished[chosen] = True
        self._counts += done.counts

    def resume(
        self,
        engine: str,
        proofs: RowProofs,
        flows: FlowRun | None = None,
        usable: Bools | None = None,
    ) -> tuple[StateFile | None, str]:
        """The state file that the request names, its parts taken over, and why some of
        it is not used.

        Parts with sources that are not in ``usable``, (request.count,) bool, or in the
        flows that were kept, are computed again. Flows are sums: if they contain other
        sources, too, all are computed again.

        Raises InputError, FileNotWritten.
        """
        request = self._request
        if request.state is None:
            return None, ""
        key, bins = state_key(request, engine, self._kind, self._sum_type), len(self._counts)
        if flows is not None:
            resumed = flows.resume(request.state, key)
            usable = resumed if usable is None else usable & resumed
        state = StateFile(request.state, key, request.count, self._kind, self._sum_type, bins)
        kept, problem = state.open()
        log.info(
            "the state file holds %d parts%s",
            len(kept),
            f"; not all of it is used: {problem}" if problem else "",
        )
        for done in kept:
            chosen = slice(done.first, done.last)
            if (usable is None or usable[chosen].all()) and not self.finished[chosen].any():
                self.put(done)
                proofs.earlier += 1
        if flows is not None and (flows.finished & ~self.finished).any():
            flows.forget()
            self._forget()
            proofs.earlier = 0
        return state, problem


def state_key(
    request: AllSourcesRequest, engine: str, kind: WeightType, sum_type: np.dtype[Any]
) -> dict[str, Any]:
    """The key of a state file: what determines the numbers.

    The reductions are computed from the same four arrays, so they are no part of it.
    """
    key = {
        "graph": request.graph.sha256,
        "direction": request.direction.value,
        "budget": request.budget,
        "engine": engine,
        "types": [kind.name, sum_type.name],
        "version": __version__,
    }
    if request.sources_key:
        key["sources"] = request.sources_key
    if request.bins is not None:
        key["bins"] = request.bins.text
    return key
