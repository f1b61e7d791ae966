"""Simple paths from the shortest on, by Yen's algorithm.

Each further path leaves an earlier one at some vertex, and goes on by the shortest way
that meets no vertex before it and takes no arc by which an earlier path with the same
beginning went on. A path leaves none before the vertex where it left another itself:
those ways have been found.

Source: Yen, "Finding the k shortest loopless paths in a network", Management Science
17, 1971; Lawler, "A procedure for computing the k best solutions", Management Science
18, 1972, for beginning where the path itself left an earlier one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Set
from typing import Any, Protocol, TypeVar

Vertices = tuple[int, ...]


class OrderedPath(Protocol):
    """A path; shorter ones are less."""

    @property
    def junctions(self) -> Vertices:
        """The vertices, none twice."""
        ...

    def __lt__(self, other: Any) -> bool: ...


AnyPath = TypeVar("AnyPath", bound=OrderedPath)


def simple_paths(
    search: Callable[[Vertices, Set[int]], AnyPath | None], source: int
) -> Iterator[AnyPath]:
    """The paths from a vertex, from the shortest on.

    ``search`` gives the shortest path that begins with some vertices, and goes on from
    the last of them to none of a set; None if there is none.
    """
    given: list[AnyPath] = []
    waiting: list[tuple[AnyPath, int]] = []  # paths, and where they left another
    first = search((source,), frozenset())
    if first is not None:
        waiting.append((first, 0))
    while waiting:
        path, left = heapq.heappop(waiting)
        yield path
        given.append(path)
        for i in range(left, len(path.junctions) - 1):
            root = path.junctions[: i + 1]
            taken = {other.junctions[i + 1] for other in given if other.junctions[: i + 1] == root}
            found = search(root, taken)
            if found is not None:
                heapq.heappush(waiting, (found, i))
