"""Nodes and their positions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_INT64 = np.iinfo(np.int64)
_GAPS = 4  # a table may have so many times more places than there are nodes
ABSENT = -1


class NodeIndex:
    """Positions of the nodes of a graph, and nodes by position.

    Integers in a narrow range, the usual case, are looked up in a table without touching a Python object.

    Parameters
    ----------
    nodes : iterable of hashables
        All different.
    """

    def __init__(self, nodes: Iterable[Hashable]):
        self._nodes = list(nodes)
        self._ids = self._as_ids()
        self._table: NDArray[np.int32] | None = None
        self._low = 0
        self._places: dict[Hashable, int] | None = None
        self._objects: NDArray[Any] | None = None
        if self._ids is not None and len(self._ids):
            low, high = int(self._ids.min()), int(self._ids.max())
            if high - low < _GAPS * (len(self._ids) + 1000):
                self._low = low
                self._table = np.full(high - low + 1, ABSENT, np.int32)
                self._table[self._ids - low] = np.arange(len(self._ids), dtype=np.int32)
        if self._table is None:
            self._places = {node: place for place, node in enumerate(self._nodes)}

    def _as_ids(self) -> NDArray[np.int64] | None:
        if set(map(type, self._nodes)) != {int}:
            return None
        try:
            return np.fromiter(self._nodes, np.int64, len(self._nodes))
        except OverflowError:
            return None

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> list[Any]:
        """The nodes by position."""
        return self._nodes

    def place(self, node: Hashable) -> int:
        """Position of a node; `ABSENT` for anything that is none, as for what cannot be hashed."""
        try:
            hash(node)
        except TypeError:
            return ABSENT
        if self._places is not None:
            return self._places.get(node, ABSENT)
        try:
            whole = int(node)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            return ABSENT
        if whole != node or not 0 <= whole - self._low < len(self._table):  # type: ignore[arg-type]
            return ABSENT
        return int(self._table[whole - self._low])  # type: ignore[index]

    def places(self, nodes: Iterable[Any], count: int) -> NDArray[np.int32]:
        """Positions of ``count`` nodes, all of which exist."""
        if self._table is not None:
            return self._table[np.fromiter(nodes, np.int64, count) - self._low]
        assert self._places is not None
        return np.fromiter(map(self._places.__getitem__, nodes), np.int32, count)

    def named(self, places: NDArray[Any]) -> list[Any]:
        """The nodes at these positions."""
        if self._ids is not None:
            ids: list[Any] = self._ids[places].tolist()
            return ids
        if self._objects is None:
            self._objects = np.fromiter(self._nodes, object, len(self._nodes))
        found: list[Any] = self._objects[places].tolist()
        return found
