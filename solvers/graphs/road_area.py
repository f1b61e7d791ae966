"""Many roads that are changed alike and listed as one entry, such as all inside a lasso."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.changed_arcs import CLOSED

_SMALL = 1 << 31  # ids from 0 up to it are packed in pairs into 64 bits


@dataclass(frozen=True, eq=False)
class RoadArea:
    """Roads between many pairs of vertices, changed in both directions; arrays make it as fast as one road.

    Attributes
    ----------
    ends : (k, 2) int64
        Ids of the vertices, the lesser of each pair first; ascending, each pair once; read-only. Made by `of`.
    factor : float
        As of a `RoadChange`.

    Raises
    ------
    ParameterError
        If the factor is 0, negative or not a number.
    """

    ends: NDArray[np.int64]
    factor: float = CLOSED

    def __post_init__(self) -> None:
        if not self.factor > 0:
            reason = "a factor must be a number above 0; close roads that nothing may pass"
            raise ParameterError("road changes", "factor of an area", self.factor, reason)

    @classmethod
    def of(cls, ends: NDArray[np.integer], factor: float = CLOSED) -> RoadArea:
        """The area of these roads, in any order and direction, some perhaps twice.

        Parameters
        ----------
        ends : (k, 2) integers
        """
        pairs = np.sort(np.asarray(ends, np.int64).reshape(-1, 2), axis=1)
        if len(pairs) and pairs.min() >= 0 and pairs.max() < _SMALL:
            keys = np.unique(_keys(pairs))
            pairs = np.stack((keys >> 32, keys & (2**32 - 1)), axis=1)
        else:
            pairs = np.unique(pairs, axis=0)
        pairs.flags.writeable = False
        return cls(pairs, factor)

    def __len__(self) -> int:
        return len(self.ends)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RoadArea):
            return NotImplemented
        return self is other or (self.factor == other.factor and np.array_equal(self.ends, other.ends))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.factor, self.ends.tobytes()))

    @property
    def closes(self) -> bool:
        return self.factor == CLOSED

    def without(self, ends: NDArray[np.integer]) -> RoadArea:
        """The area without these roads, (j, 2) as for `of`."""
        kept = ~self.holds(ends)
        return self if kept.all() else RoadArea.of(self.ends[kept], self.factor)

    def holds(self, ends: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Mask of the roads of this area that are among ``ends``, (k,)."""
        others = RoadArea.of(ends).ends
        return _are_among(self.ends, others)

    def covers(self, ends: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Mask of the roads ``ends``, (j, 2) in any direction, that are in this area."""
        return _are_among(np.sort(np.asarray(ends, np.int64), axis=1), self.ends)


def _are_among(pairs: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the pairs that are among others; both with the lesser id first."""
    if not len(pairs) or not len(others):
        return np.zeros(len(pairs), np.bool_)
    if min(pairs.min(), others.min()) >= 0 and max(pairs.max(), others.max()) < _SMALL:
        return np.isin(_keys(pairs), _keys(others))
    _, numbers = np.unique(np.concatenate((pairs, others)), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    return np.isin(numbers[: len(pairs)], numbers[len(pairs) :])


def _keys(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = (pairs[:, 0] << 32) | pairs[:, 1]
    return keys
