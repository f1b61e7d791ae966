"""Numbering of a file's vertex ids as 0 .. n - 1. The header's counts are used only if
the arcs agree with them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.csr import slices
from solvers.graphs.readers.formats import Parsed
from solvers.system.array_types import AnyArray, Bools, Int32s, Int64s
from solvers.system.jit import njit
from solvers.text import format_count, plural

_LARGEST_N = np.iinfo(np.int32).max
_RANGE = 2**18  # ids merged at a time
_SORTED = 2**17  # ids sorted between two checks for cancellation
_SOUGHT = 2**14  # arcs whose ends are sought, by bisection in millions of ids, between two checks
_SAMPLED = 2**8  # every such id is a sample from which the ranges are determined


@njit
def _mark(ends: AnyArray, begin: int, end: int, seen: Bools) -> None:
    for arc in range(begin, end):
        seen[ends[arc, 0]] = True
        seen[ends[arc, 1]] = True


@njit
def _renumber(
    ends: AnyArray, begin: int, end: int, lookup: Int32s, tails: Int32s, heads: Int32s
) -> None:
    for arc in range(begin, end):
        tails[arc] = lookup[ends[arc, 0]]
        heads[arc] = lookup[ends[arc, 1]]


def vertex_ids(path: Path, parsed: Parsed, checkpoint: Callable[[], None]) -> Int64s:
    """The graph's vertex ids, ascending, (n,).

    They are the vertices that the file lists; or those that the header counts, if its
    arc count is right; or those that occur in arcs. Raises `FileFormatError` if one is
    listed twice, or there are none, or too many.
    """
    ends = parsed.arcs.ids
    if parsed.vertices is not None:
        listed = parsed.vertices.ids[:, 0]
        ids = _sorted_distinct(listed, checkpoint)
        if len(ids) < len(listed):
            ordered = np.sort(listed)
            twice = ordered[1:][ordered[1:] == ordered[:-1]]
            raise FileFormatError(path, f"vertex {twice[0]} is listed twice")
    else:
        first = _first_id(parsed)
        checkpoint()
        ids = (
            _ids_seen(ends, checkpoint)
            if first is None
            else _counted(first, parsed.header_vertices or 0)
        )
        checkpoint()
    if len(ids) == 0:
        raise FileFormatError(path, "the graph has no vertices")
    if len(ids) > _LARGEST_N:
        raise FileFormatError(
            path, f"{format_count(len(ids))} vertices are too many for 32-bit indices"
        )
    return ids


def _counted(first: int, n: int) -> Int64s:
    return np.arange(first, first + n, dtype=np.int64)


def _first_id(parsed: Parsed) -> int | None:
    """The first id of the header's n vertices; None if the header is inconsistent with the arcs."""
    n, ends = parsed.header_vertices, parsed.arcs.ids
    if n is None or parsed.header_arcs != len(ends) or n > 100 * ends.size + 1_000_000:
        return None  # the last condition: a vertex count far beyond the arcs is taken for an error
    low, high = (parsed.first_ids[0], n) if parsed.first_ids else (0, 0)
    if len(ends):
        low, high = int(ends.min()), int(ends.max())
    return next((first for first in parsed.first_ids if first <= low and high < first + n), None)


def _ids_seen(ends: AnyArray, checkpoint: Callable[[], None]) -> Int64s:
    if len(ends) == 0:
        return np.empty(0, dtype=np.int64)
    highest = int(ends.max())
    if _is_dense(highest, ends.size):
        seen = np.zeros(highest + 1, dtype=np.bool_)
        for begin, end in slices(len(ends)):
            _mark(ends, begin, end, seen)
            checkpoint()
        return np.flatnonzero(seen).astype(np.int64)
    return _sorted_distinct(ends, checkpoint)


def _sorted_distinct(numbers: AnyArray, checkpoint: Callable[[], None]) -> Int64s:
    """The distinct numbers, ascending; sorted in pieces, because a single sort could
    not be cancelled.
    """
    parts = [np.empty(0, dtype=numbers.dtype)]
    for begin, end in slices(len(numbers), _SORTED):
        parts.append(distinct(numbers[begin:end]))
        checkpoint()
    return _merged(parts, checkpoint).astype(np.int64)


def _merged(parts: list[AnyArray], checkpoint: Callable[[], None]) -> AnyArray:
    """Merge ascending parts into one ascending array of distinct numbers, by ranges of
    some milliseconds each.

    The ranges are determined from samples of all parts, so that they have about equal
    size.
    """
    samples = np.sort(np.concatenate([part[::_SAMPLED] for part in parts]))
    bounds = samples[_RANGE // _SAMPLED :: _RANGE // _SAMPLED]
    cuts = [np.concatenate(([0], np.searchsorted(part, bounds), [len(part)])) for part in parts]
    ranges = []
    for k in range(len(bounds) + 1):
        pieces = [part[cut[k] : cut[k + 1]] for part, cut in zip(parts, cuts, strict=True)]
        ranges.append(distinct(np.concatenate(pieces)))
        checkpoint()
    return np.concatenate(ranges)


def distinct(numbers: AnyArray) -> AnyArray:
    """The distinct numbers, ascending. Not ``np.unique``, which since NumPy 2.3 uses
    hashing and is far slower here.
    """
    ordered = np.sort(numbers, axis=None)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def _is_dense(highest: int, count: int) -> bool:
    """Whether a lookup table over all ids up to ``highest`` is small enough compared
    with ``count`` ids.
    """
    return highest <= 8 * count + 1_000_000


def number_arcs(
    path: Path, parsed: Parsed, ids: Int64s, checkpoint: Callable[[], None]
) -> tuple[Int32s, Int32s]:
    """Tail and head of every arc as indices into ``ids``: two (m,) int32 arrays; raises
    `FileFormatError`.
    """
    ends = parsed.arcs.ids
    if parsed.vertices is not None:
        _check_known_vertices(path, ends, ids, checkpoint)
    tails, heads = np.empty(len(ends), dtype=np.int32), np.empty(len(ends), dtype=np.int32)
    if _is_dense(int(ids[-1]), len(ids) + ends.size):
        lookup = np.zeros(int(ids[-1]) + 1, dtype=np.int32)
        for begin, end in slices(len(ids)):
            lookup[ids[begin:end]] = np.arange(begin, end, dtype=np.int32)
            checkpoint()
        for begin, end in slices(len(ends)):
            _renumber(ends, begin, end, lookup, tails, heads)
            checkpoint()
    else:
        for begin, end in slices(len(ends), _SOUGHT):
            tails[begin:end] = np.searchsorted(ids, ends[begin:end, 0])
            heads[begin:end] = np.searchsorted(ids, ends[begin:end, 1])
            checkpoint()
    return tails, heads


def _check_known_vertices(
    path: Path, ends: AnyArray, ids: Int64s, checkpoint: Callable[[], None]
) -> None:
    for begin, end in slices(len(ends), _SOUGHT):
        piece = ends[begin:end]
        unknown = ids[np.minimum(np.searchsorted(ids, piece), len(ids) - 1)] != piece
        if unknown.any():
            arc, column = (int(k) for k in np.argwhere(unknown)[0])
            unknown_id = int(piece[arc, column])
            raise FileFormatError(
                path,
                f"edge {format_count(begin + arc + 1)} names vertex {unknown_id}, "
                "which the file does not list",
                hint=f"It lists {plural(len(ids), 'vertex', 'vertices')}, {ids[0]} to {ids[-1]}.",
            )
        checkpoint()


def header_warnings(parsed: Parsed, n: int) -> list[str]:
    """Warnings about differences between the header's counts and the file's content."""
    warnings = []
    stated, found = parsed.header_vertices, n
    if stated is not None and stated != found:
        warnings.append(
            f"The header says {plural(stated, 'vertex', 'vertices')}; "
            f"the file has {format_count(found)}."
        )
    stated, found = parsed.header_arcs, len(parsed.arcs)
    if stated is not None and stated != found:
        warnings.append(
            f"The header says {plural(stated, 'arc')}; the file has {format_count(found)}."
        )
    return warnings
