"""A peer in a process of its own: it can be stopped in mid-solve, and what it holds
weighs on nobody else.

Most peers hold Python's lock while they solve, so that no thread could end them. Time
is taken in the peer's own process, around its solve alone; the other processes wait
meanwhile and do nothing.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from tests.benchmarks.peers import PEERS, Rows


class Dropped(Exception):
    """A program is out of the race; says why."""


class PeerProcess:
    """One peer and its graph.

    Parameters
    ----------
    source : int or None
        None for all pairs.
    wanted : integers
        Sources whose rows `rows` brings back.
    """

    def __init__(self, name: str, graph: Graph, source: int | None, wanted: NDArray[Any]):
        # a fork would share the GPU's driver and OpenMP's threads
        spawning = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawning.Pipe()
        arrays = (graph.indptr, graph.indices, graph.weights)
        self._process = spawning.Process(
            target=_serve, args=(theirs, name, arrays, source, wanted), daemon=True
        )
        self._started = time.monotonic()
        self._process.start()
        theirs.close()

    def wait_until_built(self, limit_s: float) -> str:
        """What the peer will call (see `Task`), once its graph is built."""
        left = limit_s - (time.monotonic() - self._started)
        return str(self._receive(max(0.0, left), f"building its graph took over {limit_s:.0f} s"))

    def solve(self, limit_s: float) -> tuple[float, float]:
        """Milliseconds of one solve, which is all that is timed, and so of the total."""
        ms = float(
            self._ask("solve", limit_s, f"one solve took over the {limit_s:.0f} s left to it")
        )
        return ms, ms

    def rows(self) -> Rows:
        """Of the last answer."""
        return np.asarray(
            self._ask("rows", 600.0, "its answer could not be read within 10 minutes")
        )

    def close(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _ask(self, what: str, limit_s: float, too_late: str) -> Any:
        with suppress(BrokenPipeError):  # a process that has just died; what is received tells how
            self._pipe.send(what)
        return self._receive(limit_s, too_late)

    def _receive(self, limit_s: float, too_late: str) -> Any:
        try:
            if not self._pipe.poll(limit_s):
                raise Dropped(too_late)
            kind, value = self._pipe.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            raise Dropped(
                f"its process ended (exit status {self._process.exitcode}); out of memory?"
            ) from None
        if kind == "error":
            raise Dropped(value)
        return value


def _serve(
    pipe: Connection,
    name: str,
    arrays: tuple[Any, Any, Any],
    source: int | None,
    wanted: NDArray[Any],
) -> None:
    """The peer's side: build, then solve as often as asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's business
    try:
        task = PEERS[name].prepare(Graph(*arrays), source)
        gc.collect()
        gc.freeze()  # the collector need not walk through millions of arcs during a solve
        pipe.send(("built", task.how))
        answer = None
        while True:
            if pipe.recv() == "rows":
                pipe.send(("rows", task.rows(answer, wanted)))
                continue
            answer = None  # two at once may not fit
            started = time.perf_counter()
            answer = task.solve()
            ms = (time.perf_counter() - started) * 1e3
            pipe.send(("ms", ms if task.ms is None else task.ms(answer)))
    except EOFError:
        return
    except Exception as error:  # a peer may raise anything; the table goes on without it
        pipe.send(("error", f"{type(error).__name__}: {' '.join(str(error).split())}"))
