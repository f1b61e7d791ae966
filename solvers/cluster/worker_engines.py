"""In a worker: the graph of a pack, and engines for its rows, kept between chunks."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from solvers.algorithms.row_summaries import sum_type_of
from solvers.cluster.facts import COUNTER
from solvers.cluster.pack import PackName, open_pack
from solvers.cluster.placing import require_pack
from solvers.errors import GraphNotOnWorker
from solvers.graphs.graph import Graph
from solvers.host.observer import Observer
from solvers.host.openmp import team
from solvers.running.all_sources.engines import RowEngine, choose_engine
from solvers.running.all_sources.request import OWNER, find_sweep_device

_MOST_GRAPHS = 2


class OpenGraph:
    """A graph that this process has open. Each thread that computes takes an engine, whose memory is its own.

    Parameters
    ----------
    graph : Graph
    device : str
        As for `find_sweep_device`: "none" for the processor.
    """

    def __init__(self, graph: Graph, device: str):
        self.graph = graph
        self._device = find_sweep_device(device)
        self._lock = threading.Lock()
        self._idle: list[RowEngine] = []

    @contextmanager
    def engine(self, observer: Observer) -> Iterator[RowEngine]:
        """An engine for one thread, with one thread of OpenMP."""
        with team(1, OWNER):
            with self._lock:
                engine = self._idle.pop() if self._idle else None
            engine = engine or choose_engine(self.graph, np.dtype(sum_type_of(self.graph)), 1, self._device, observer)
            try:
                yield engine
            finally:
                with self._lock:
                    self._idle.append(engine)


_open: OrderedDict[tuple[str, str], OpenGraph] = OrderedDict()
_opening = threading.Lock()


def open_graph(pack: PackName, device: str, shared: bool) -> OpenGraph:
    """The graph of the pack, opened now or before.

    Raises
    ------
    GraphNotOnWorker
    """
    with _opening:
        key = (pack.digest, device)
        if key not in _open:
            path = require_pack(pack, shared)
            try:
                _open[key] = OpenGraph(open_pack(path), device)
            except (OSError, ValueError) as error:
                raise GraphNotOnWorker("this worker", str(path), f"cannot be used ({error})") from error
            COUNTER.say(f"opened {_open[key].graph.name}")
        _open.move_to_end(key)
        while len(_open) > _MOST_GRAPHS:
            _open.popitem(last=False)
        return _open[key]


def forget_graphs() -> None:
    """Close all graphs; their files can then be removed."""
    with _opening:
        _open.clear()
