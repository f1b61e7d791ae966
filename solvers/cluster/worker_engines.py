"""In a worker: the graph of a pack, and engines for its rows, kept between chunks."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from solvers.algorithms.row_summaries import sum_type_of
from solvers.cluster.facts import COUNTER
from solvers.cluster.gpu_claim import device_for, one_sweep_at_a_time
from solvers.cluster.pack import PackName, open_pack
from solvers.cluster.packages import dask_for
from solvers.cluster.placing import require_pack
from solvers.devices.cuda import CudaDevice
from solvers.errors import GraphNotOnWorker
from solvers.graphs.graph import Graph
from solvers.host.observer import Observer
from solvers.host.openmp import team
from solvers.running.all_sources.engines import RowEngine, choose_engine
from solvers.running.all_sources.request import OWNER

_MOST_GRAPHS = 2


class OpenGraph:
    """A graph that this process has open. Each thread that computes takes an engine, whose memory is its own.

    Parameters
    ----------
    graph : Graph
    device : CudaDevice or None
        For sweeps on a device; None for the processor.
    """

    def __init__(self, graph: Graph, device: CudaDevice | None):
        self.graph, self.device = graph, device
        self._lock = threading.Lock()
        self._idle: list[RowEngine] = []

    @contextmanager
    def engine(self, observer: Observer) -> Iterator[RowEngine]:
        """An engine for one thread, with one thread of OpenMP; on the GPU, threads take turns."""
        with team(1, OWNER):
            with self._lock:
                engine = self._idle.pop() if self._idle else None
            engine = engine or choose_engine(self.graph, sum_type_of(self.graph), 1, self.device, observer)
            turn = nullcontext() if engine.device is None else one_sweep_at_a_time(observer)
            try:
                with turn:
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
    DeviceUnavailable
        For the device "cuda" without a GPU.
    """
    with _opening:
        key = (pack.digest, device)
        if key not in _open:
            path = require_pack(pack, shared)
            try:
                graph = open_pack(path)
            except (OSError, ValueError) as error:
                raise GraphNotOnWorker("this worker", str(path), f"cannot be used ({error})") from error
            _open[key] = OpenGraph(graph, device_for(device, _cluster()))
            COUNTER.say(f"opened {graph.name}")
        _open.move_to_end(key)
        while len(_open) > _MOST_GRAPHS:
            _open.popitem(last=False)
        return _open[key]


def _cluster() -> str:
    """Address of the scheduler of this worker."""
    address: str = dask_for("A worker").get_worker().scheduler.address
    return address


def forget_graphs() -> None:
    """Close all graphs; their files can then be removed."""
    with _opening:
        _open.clear()
