"""Selection: the least entries of a range, unsorted, by quickselect with the median of three.

Linear time on average. The paper takes the worst-case linear selection of Blum et al. 1973, whose constant is several
times as large.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.algorithms.bmssp.compiled import inner
from solvers.algorithms.bmssp.labels import precedes
from solvers.host.jit import njit


@njit(cache=True, nogil=True)
def select(entries: NDArray[Any], items: NDArray[Any], low: int, high: int, count: int) -> None:
    """Permute ``items[low:high]``, numbers of entries, so that the ``count`` least come first."""
    cut = low + count
    high -= 1
    while low < high and low < cut <= high:
        pivot = _median(entries, items[low], items[(low + high) // 2], items[high])
        i = low
        j = high
        while i <= j:
            while is_less(entries, items[i], pivot):
                i += 1
            while is_less(entries, pivot, items[j]):
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if cut <= j:
            high = j
        elif cut >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True, inline="always")
def is_less(entries: NDArray[Any], a: int, b: int) -> bool:
    """Whether entry ``a`` has the lesser label."""
    return precedes(
        entries[a].length, entries[a].zeros, entries[a].vertex, entries[b].length, entries[b].zeros, entries[b].vertex
    )


@inner
def _median(entries: NDArray[Any], a: int, b: int, c: int) -> int:
    if is_less(entries, b, a):
        a, b = b, a
    if is_less(entries, c, b):
        b = a if is_less(entries, c, a) else c
    return b
