"""What tests run in the workers of a cluster: faults to be met there, and questions to
the worker.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from typing import Any

from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.algorithms.hierarchy.preparation import prepare
from solvers.errors import SeparatorsTooLarge
from solvers.features.all_sources.on_cluster import row_array
from solvers.graphs.graph import Graph
from solvers.running import engines
from solvers.system.cancel import Progress

_right_summaries: list[Any] = []
_written: list[Any] = []


def qt_modules() -> tuple[str, ...]:
    return tuple(name for name in sys.modules if name.startswith(("PySide6", "gui")))


def ignores_interrupts() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def threads() -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def refuse_sweeps() -> None:
    def refuse(graph: Graph, *_: object, **__: object) -> None:
        raise SeparatorsTooLarge("test", graph.name, 9, 1)

    vars(engines)["prepare"] = refuse


def allow_sweeps() -> None:
    vars(engines)["prepare"] = prepare


def executing(dask_worker: Any) -> int:
    return len(dask_worker.state.executing)


def never_end() -> None:
    _right_summaries.append(HierarchyRows.summarise)

    def endless(self: Any, sources: Any, budget: Any, progress: Progress) -> Any:
        while True:
            progress.checkpoint()
            time.sleep(0.005)

    HierarchyRows.summarise = endless  # type: ignore[method-assign]


def restore_summarise() -> None:
    HierarchyRows.summarise = _right_summaries.pop()  # type: ignore[method-assign]


def running_keys(dask_worker: Any) -> int:
    return len(dask_worker.state.executing) + len(dask_worker.state.ready)


def fill_disk() -> None:
    """As if it were full from the row 64 on."""
    write = row_array.RowWriter.write
    _written.append(write)

    def refuse(self: row_array.RowWriter, first: int, block: Any) -> None:
        self._distances = _FullFrom64(self._distances)
        write(self, first, block)

    row_array.RowWriter.write = refuse  # type: ignore[method-assign]


def empty_disk() -> None:
    row_array.RowWriter.write = _written.pop()  # type: ignore[method-assign]


class _FullFrom64:
    def __init__(self, array: Any):
        self._array = array

    def __setitem__(self, rows: slice, block: Any) -> None:
        if rows.stop > 64:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._array[rows] = block


def add_one() -> None:
    summarise = HierarchyRows.summarise
    _right_summaries.append(summarise)

    def wrong(self: Any, *arguments: Any) -> Any:
        found = summarise(self, *arguments)
        found.totals[:] += 1
        return found

    HierarchyRows.summarise = wrong  # type: ignore[method-assign, assignment]
