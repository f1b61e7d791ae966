"""OpenMP through numba: whether it is here, and how many threads a run takes.

numba runs ``prange`` loops on one of several threading layers, and settles on one for the whole process when the first
such loop is met. The variants that stand for OpenMP programs must run on OpenMP; and only that layer (or TBB) may be
entered from several threads at once, as a worker thread beside a window does.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

import numba

from solvers.errors import ParameterError, Unavailable
from solvers.parameters import Parameter

THREADS = Parameter("threads", 0, "threads; 0 takes all cores that this process may use", low=0)

_LAYER = "omp"
_SHORT_WAITS = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"}  # GNU's runtime, and LLVM's and Intel's
_REMEDY = "Install an OpenMP runtime (libgomp; on macOS libomp), or take a serial variant."


def lacking() -> Unavailable | None:
    """What to raise where numba has no OpenMP; None where it has."""
    _wait_asleep()
    try:
        importlib.import_module("numba.np.ufunc.omppool")
    except ImportError as error:
        return Unavailable(f"numba cannot load its OpenMP threading layer ({error}). {_REMEDY}")
    try:
        layer = numba.threading_layer()
    except ValueError:  # no loop was met yet: the choice is still free
        return None
    if layer != _LAYER:
        return Unavailable(
            f"numba already runs on its threading layer “{layer}” in this process. Start the program anew."
        )
    return None


def _wait_asleep() -> None:
    """Have threads that wait for others sleep after some microseconds, unless the user has set it otherwise.

    By default they keep their core busy for milliseconds. Where other programs want it too, the thread that all wait
    for is then kept from running, and a loop of 10 µs takes 10 ms. The runtime reads this once, when it is loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        for name, value in _SHORT_WAITS.items():
            os.environ.setdefault(name, value)


@contextmanager
def team(threads: int, owner: str) -> Iterator[int]:
    """Give the ``prange`` loops of the ``with`` block, in this thread, so many OpenMP threads; yields their number.

    Parameters
    ----------
    threads : int
        0 for all.
    owner : str
        The variant, for the error.

    Raises
    ------
    Unavailable
        Where numba has no OpenMP layer, or settled on another.
    ParameterError
        For more threads than this process has cores.
    """
    if (error := lacking()) is not None:
        raise error
    numba.config.THREADING_LAYER = _LAYER
    most = int(numba.config.NUMBA_NUM_THREADS)
    if threads > most:
        raise ParameterError(owner, "threads", threads, f"this process may use {most} cores; 0 takes them all")
    before = numba.get_num_threads()
    numba.set_num_threads(threads or most)
    try:
        yield threads or most
    finally:
        numba.set_num_threads(before)
