"""Thread-safe cache of values derived from a graph, and SHA-256 hashes of graphs and of distances.

The hashes are hexadecimal, the same on every machine, and part of what is kept in
files.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import TypeVar, cast

import numpy as np

from solvers.graphs.weights import to_float
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.threads import thread_team

Value = TypeVar("Value")


class DerivedValues:
    """A cache that computes each value once, even if several threads request it at the same time.

    Each key has its own lock, so that different values are computed concurrently.
    ``make`` may request other keys; dependencies must be acyclic, so that threads do
    not deadlock. If ``make`` raises, nothing is stored, and a waiting thread computes
    the value itself.

    A copy or an unpickled object is empty, because locks cannot be pickled and values
    can be computed again.
    """

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        self._locks_guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of ``key``, computed by ``make`` if it is not cached."""
        if key not in self._values:
            with self._locks_guard:
                lock = self._locks.setdefault(key, threading.RLock())
            with lock:
                if key not in self._values:
                    self._values[key] = make()
        return cast(Value, self._values[key])

    def peek_cached(self, key: Hashable) -> object | None:
        """The value of ``key`` if it has been computed; None otherwise."""
        return self._values.get(key)

    def values(self) -> tuple[object, ...]:
        """The values computed so far."""
        return tuple(self._values.values())

    def __reduce__(self) -> tuple[type[DerivedValues], tuple[()]]:
        return DerivedValues, ()


_BLOCK_BYTES = 1 << 24  # that one thread hashes at a time
_RUNS, _RUN = 32, 32  # of an array in a sketch, and numbers of a run


def hash_of_content(arrays: Iterable[AnyArray]) -> str:
    """Hash of the types and values of a graph's arrays, in this order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.dtype.str.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def hash_of_changes(base: str, arrays: Iterable[AnyArray]) -> str:
    """Hash of a changed graph, from the hash of its base and the arrays that describe
    the changed arcs.
    """
    digest = hashlib.sha256(base.encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {len(array)}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def hash_of_structure(indptr: Int64s, indices: Int32s) -> str:
    """Hash of the numbers of vertices and arcs and of the arcs' ends; threads hash
    blocks, whose hashes are hashed.
    """
    rows, heads = (
        np.ascontiguousarray(a, a.dtype.newbyteorder("<")).view(np.uint8) for a in (indptr, indices)
    )
    blocks = [
        a[i : i + _BLOCK_BYTES] for a in (rows, heads) for i in range(0, len(a), _BLOCK_BYTES)
    ]
    digests = _in_threads(lambda block: hashlib.sha256(block.data).digest(), blocks)
    return hashlib.sha256(
        b"".join((f"{len(indptr) - 1} {len(indices)}".encode(), *digests))
    ).hexdigest()


def sketch_of_structure(indptr: Int64s, indices: Int32s) -> str:
    """Hash of the numbers of vertices and arcs and of a few runs of rows and heads, in
    microseconds: what differs in the sketch differs, what does not may be the same.
    """
    digest = hashlib.blake2b(f"{len(indptr) - 1} {len(indices)}".encode(), digest_size=16)
    for array in (indptr, indices):
        step, part = len(array) // _RUNS, array
        if step > _RUN:
            part = array[: _RUNS * step].reshape(_RUNS, step)[:, :_RUN]
        digest.update(np.ascontiguousarray(part, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def hash_of_distances(distances: AnyArray) -> str:
    """Hash of distances as little-endian float64, infinity for none; equal values of
    all types have equal hashes.

    That of a matrix is the hash of the hashes of its rows, which several threads
    compute.
    """
    if distances.ndim == 1:
        return _hash_of_row(distances).hexdigest()
    count = max(1, _BLOCK_BYTES // (8 * max(1, distances.shape[1])))
    blocks = [distances[first : first + count] for first in range(0, len(distances), count)]
    digests = _in_threads(
        lambda block: b"".join(_hash_of_row(row).digest() for row in block), blocks
    )
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _hash_of_row(distances: AnyArray) -> hashlib._Hash:
    row = to_float(distances) + 0.0  # -0.0 is 0.0
    return hashlib.sha256(np.ascontiguousarray(row, dtype="<f8").data)


def _in_threads(digest: Callable[[AnyArray], bytes], blocks: Sequence[AnyArray]) -> list[bytes]:
    digests = [b""] * len(blocks)

    def put(index: int) -> None:
        digests[index] = digest(blocks[index])

    with thread_team(None if len(blocks) > 1 else 1) as team:
        team.run(partial(put, index) for index in range(len(blocks)))
    return digests
