"""SHA-256 of graphs, hexadecimal: the same on every machine, and part of what is kept in files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK_BYTES = 1 << 24  # that one thread hashes at a time
_MOST_THREADS = 16


def hash_of_content(arrays: Iterable[NDArray[Any]]) -> str:
    """Hash of the types and values of a graph's arrays, in this order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.dtype.str.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def hash_of_changes(base: str, arrays: Iterable[NDArray[Any]]) -> str:
    """Hash of a changed graph: of the hash of its base and the arrays that name the changed arcs."""
    digest = hashlib.sha256(base.encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {len(array)}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def hash_of_structure(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> str:
    """Hash of the numbers of vertices and arcs and of where the arcs lead, whatever their weights.

    Blocks are hashed by several threads, and then their hashes.

    Parameters
    ----------
    indptr : (n + 1,) int64
    indices : (m,) int32
    """
    from concurrent.futures import ThreadPoolExecutor

    rows, heads = (np.ascontiguousarray(a, a.dtype.newbyteorder("<")).view(np.uint8) for a in (indptr, indices))
    blocks = [a[i : i + _BLOCK_BYTES] for a in (rows, heads) for i in range(0, len(a), _BLOCK_BYTES)]
    with ThreadPoolExecutor(min(len(blocks), _MOST_THREADS)) as pool:
        digests = pool.map(lambda block: hashlib.sha256(block.data).digest(), blocks)
        return hashlib.sha256(b"".join((f"{len(indptr) - 1} {len(indices)}".encode(), *digests))).hexdigest()
