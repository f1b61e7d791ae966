"""The order in which a graph's vertices are contracted: from disk, by degree, or by METIS, which
may begin ahead of the call that wants it.

The order depends only on the structure, and is kept on disk. A graph whose separators are
too large for a hierarchy is refused before METIS begins.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from solvers.algorithms.hierarchy.adjacency import (
    MOST_VERTICES,
    Adjacency,
    adjacency_of,
    estimated_separator,
    least_up_arcs,
    minimum_degree_order,
)
from solvers.algorithms.hierarchy.dissection import Dissection, has_pymetis, require_pymetis
from solvers.errors import SeparatorsTooLarge
from solvers.graphs.graph import Graph
from solvers.system.array_types import Int32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import ArrayStore, user_folder
from solvers.system.threads import in_background
from solvers.text import format_count, format_duration

log = logging.getLogger(__name__)

HIERARCHY_KEY = "hierarchy"  # of what is derived from the graph
# raise it when dissection gives other orders: those on disk are then made anew
ORDER_VERSION = "3"
_AHEAD = "order begun ahead"  # keys of what is derived from the graph
_ON_DISK, _ANOTHERS = "order on disk", "order on disk is another's"
_MOST_ARCS = 1_000_000  # of a hierarchy, whatever the graph's size, ...
_MOST_ARCS_AN_ARC = 25  # ... and as many more for each of its arcs
_kept = [0]  # orders, by this process


@dataclass(frozen=True)
class KeptOrder:
    """An order on disk, and what the hierarchy along it is."""

    structure: str  # hexadecimal, as are names: that of the graph that was ordered
    name: str
    arcs: int
    levels: int

    LENGTH = 19  # 32-bit words

    @classmethod
    def of(cls, words: Int32s) -> KeptOrder:
        structure, name = (part.astype("<i4").tobytes().hex() for part in (words[:8], words[8:16]))
        return cls(structure, name, int(words[16:18].view(np.int64)[0]), int(words[18]))

    @property
    def words(self) -> Int32s:
        names = (np.frombuffer(bytes.fromhex(one), "<i4") for one in (self.structure, self.name))
        arcs = np.array([self.arcs], np.int64).view(np.int32)
        return np.concatenate([*names, arcs, [self.levels]]).astype(np.int32)


@contextmanager
def ordered_ahead(graph: Graph, variant_id: str, progress: Progress = SILENT) -> Iterator[None]:
    """Have METIS order a graph, if it has to, while the block does what else is to be done
    before `hierarchy_of` is called, which then waits for the order.

    If the block ends without that, METIS ends, too. The hierarchy is written to disk beside
    the rest of the block. Raises Cancelled.
    """
    while graph.base is not None:
        graph = graph.base.graph
    if graph.peek_cached(HIERARCHY_KEY) is not None or not _needs_metis(graph):
        yield
        return
    begun: Future[Ordering] = Future()
    ahead = graph.cached(_AHEAD, list[Future[Ordering]])
    beside: list[Future[None]] = []
    try:
        begun.set_result(Ordering(graph, variant_id, progress, beside))
    except SeparatorsTooLarge as error:
        begun.set_exception(error)
    ahead.append(begun)
    try:
        yield
    finally:
        with suppress(ValueError):  # `hierarchy_of` has taken it
            ahead.remove(begun)
            if begun.exception() is None:
                begun.result().end()
        wait(beside)


def begun_ahead(graph: Graph) -> Ordering | None:
    """What `ordered_ahead` has begun, for one who finishes it; raises SeparatorsTooLarge."""
    ahead = graph.cached(_AHEAD, list[Future[Ordering]])
    with suppress(IndexError):
        return ahead.pop().result()
    return None


class Ordering:
    """The order of contraction of a graph, on which METIS works until it is finished, unless
    it is on disk or the graph is small.
    """

    def __init__(
        self,
        graph: Graph,
        variant_id: str,
        progress: Progress,
        # gets what is done beside other work, of a block that waits for it at its end
        beside: list[Future[None]] | None = None,
    ):
        self._dissection, self._beside = Dissection(), beside
        with ExitStack() as failed:
            failed.callback(self.end)
            if _needs_metis(graph):
                self._dissection.start()  # it takes as long to load as the structure to make
            self.adjacency = adjacency_of(graph, progress)
            progress.checkpoint()
            _require_small_separators(graph, self.adjacency, variant_id, progress)
            self._begin(variant_id, progress)
            failed.pop_all()

    def __enter__(self) -> Ordering:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def finish(self, meanwhile: Callable[[], None], progress: Progress) -> tuple[Int32s, str]:
        """The order, and a few words on where it came from; ``meanwhile`` is called if METIS is
        at work. Raises OrderFailed, Cancelled.
        """
        if self._found is not None:
            return self._found, self._words
        meanwhile()
        order = self._dissection.finish(progress)
        took = time_since(self._began)
        order_store().save(self.name, order)
        return order, f"ordering took {took}{self._words}"

    def do_beside(self, work: Callable[[], None]) -> None:
        """Do what nobody waits for, beside other work if there is a block that ends later."""
        if self._beside is None:
            work()
        else:
            self._beside.append(in_background(work))

    def end(self) -> None:
        self._dissection.end()

    def _begin(self, variant_id: str, progress: Progress) -> None:
        self.name, self._found, self._words = "", None, ""  # its name on disk, if it is kept
        if self.adjacency.n <= MOST_VERTICES:
            self._found = minimum_degree_order(self.adjacency)
            self._words = "ordered by degree"
            return
        require_pymetis(variant_id)
        self.name = structure_hash(self.adjacency)
        stored = order_store().load(self.name, self.adjacency.n)
        if stored.array is not None and _is_permutation(stored.array):
            self._found, self._words = stored.array, "the order was read from disk"
            return
        self._words = f" (the stored order was {stored.problem})" if stored.problem else ""
        self._began = time.perf_counter()
        self._dissection.begin(self.adjacency, progress)


def order_store() -> ArrayStore:
    return ArrayStore(user_folder("orders"), ORDER_VERSION)


def keep_order(graph: Graph, name: str, arcs: int, levels: int) -> None:
    """Note on disk under which name a graph's order is kept, and what its hierarchy is."""
    kept = KeptOrder(graph.structure_sha256, name, arcs, levels)
    kept_order_store().save(graph.structure_sketch, kept.words)
    _kept[0] += 1


def kept_order_store() -> ArrayStore:
    """The user's store of `KeptOrder`, by sketches of graphs.

    Orders have the hash of the structure without directions, which takes as long to
    find as a graph to be solved.
    """
    return _kept_orders_in(user_folder("order-names"))


@lru_cache(maxsize=4)
def _kept_orders_in(folder: Path) -> ArrayStore:
    return ArrayStore(folder, f"{ORDER_VERSION}, 2 {sys.byteorder}")


def order_on_disk(graph: Graph) -> KeptOrder | None:
    """The order of a graph with this sketch, looked for once, and after this process has kept
    another.
    """

    def look() -> KeptOrder | None:
        words = kept_order_store().load(graph.structure_sketch, KeptOrder.LENGTH).array
        found = None if words is None else KeptOrder.of(words)
        return found if found is not None and order_store().has(found.name, graph.n) else None

    if graph.n <= MOST_VERTICES or graph.peek_cached(_ANOTHERS):
        return None
    return graph.cached((_ON_DISK, _kept[0]), look)


def confirm_order(graph: Graph) -> bool:
    """Whether the order that was found by a sketch is that of the graph."""
    order = order_on_disk(graph)
    if order is not None and order.structure != graph.structure_sha256:
        graph.cached(_ANOTHERS, lambda: True)
        order = None
    return order is not None


def _needs_metis(graph: Graph) -> bool:
    """Whether METIS orders a graph, if one that looks like it was not ordered before; False
    if it is not installed.
    """
    return graph.n > MOST_VERTICES and has_pymetis() and order_on_disk(graph) is None


def suits_hierarchy(graph: Graph, adjacency: Adjacency, progress: Progress = SILENT) -> bool:
    """Whether separators are small enough, by the estimate that is made before a graph
    is ordered; raises Cancelled.
    """
    return least_up_arcs(estimated_separator(adjacency, progress)) <= most_arcs(graph)


def _require_small_separators(
    graph: Graph, adjacency: Adjacency, variant_id: str, progress: Progress = SILENT
) -> None:
    least = least_up_arcs(estimated_separator(adjacency, progress))
    if least > most_arcs(graph):
        log.info("hierarchy of %s refused: at least %s arcs", graph.name, format_count(least))
        raise SeparatorsTooLarge(variant_id, graph.name, least, graph.m)


def most_arcs(graph: Graph) -> int:
    return _MOST_ARCS + _MOST_ARCS_AN_ARC * graph.m


def structure_hash(adjacency: Adjacency) -> str:
    """SHA-256 of the structure, hexadecimal: the same whatever the weights, the
    directions and the vertex ids.
    """
    digest = hashlib.sha256()
    for array in (adjacency.first, adjacency.neighbours):
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def _is_permutation(order: Int32s) -> bool:
    inside = bool(((order >= 0) & (order < len(order))).all())
    return inside and bool((np.bincount(order, minlength=len(order)) == 1).all())


def time_since(began: float) -> str:
    """The time since ``time.perf_counter`` gave ``began``, for a note."""
    return format_duration((time.perf_counter() - began) * 1e3)
