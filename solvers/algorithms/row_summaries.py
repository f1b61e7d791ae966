"""Summaries of rows of distances: how many vertices a source reaches, how far, and how many within a budget.

All-sources programs keep a few numbers of each row instead of the row. They are added up where the distances arise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType

_MOST_SUM = 2**63 - 1


@dataclass(frozen=True, eq=False)
class RowSummaries:
    """One entry for each of k sources.

    Attributes
    ----------
    farthest : (k,) array of the distance type
        Greatest finite distance; at least 0, that of the source itself.
    totals : (k,) int64 or float64
        Sum of the finite distances.
    reached : (k,) int32
        Vertices with a finite distance, the source included.
    within : (k,) int32
        Those of them whose distance is at most the budget.
    """

    farthest: NDArray[Any]
    totals: NDArray[Any]
    reached: NDArray[np.int32]
    within: NDArray[np.int32]

    @classmethod
    def empty(cls, k: int, kind: WeightType, sum_type: np.dtype[Any]) -> RowSummaries:
        """Zeros for ``k`` sources."""
        return cls(np.zeros(k, kind.dtype), np.zeros(k, sum_type), np.zeros(k, np.int32), np.zeros(k, np.int32))

    @classmethod
    def of_row(cls, row: NDArray[Any], kind: WeightType, sum_type: np.dtype[Any], budget: Any) -> RowSummaries:
        """The summary of one whole row, by NumPy."""
        finite = row[row < kind.infinity]
        return cls(
            np.array([finite.max(initial=0)], kind.dtype),
            np.array([finite.sum(dtype=sum_type)], sum_type),
            np.array([len(finite)], np.int32),
            np.array([(finite <= budget).sum()], np.int32),
        )

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.farthest, self.totals, self.reached, self.within

    def __len__(self) -> int:
        return len(self.reached)

    def take(self, chosen: Any) -> RowSummaries:
        """The entries at ``chosen``, which indexes arrays."""
        return RowSummaries(*(array[chosen] for array in self.arrays))

    def put(self, chosen: Any, others: RowSummaries) -> None:
        """Overwrite the entries at ``chosen``."""
        for own, other in zip(self.arrays, others.arrays, strict=True):
            own[chosen] = other


def sum_type_of(graph: Graph) -> np.dtype[Any]:
    """int64 where no sum of a row's distances can overflow it, else float64."""
    if graph.distance_type.is_integer and int(graph.path_bound) * graph.n <= _MOST_SUM:
        return np.dtype(np.int64)
    return np.dtype(np.float64)


def summary_bytes(kind: WeightType, sum_type: np.dtype[Any]) -> int:
    """Of a source while its summary is computed, put in order and sent: three copies, and its place in the order."""
    return 3 * (kind.dtype.itemsize + sum_type.itemsize + 8) + 16


def budget_of(kind: WeightType, budget: float | None) -> Any:
    """The greatest distance of that type within ``budget``; 0 without one, where the count means nothing.

    Integer distances are within 3.7 if they are within 3.
    """
    if budget is None:
        return kind.dtype.type(0)
    if kind.is_integer:
        return kind.dtype.type(
            min(int(budget // 1), int(kind.infinity) - 1) if budget < kind.infinity else kind.infinity - 1
        )
    return kind.dtype.type(budget)
