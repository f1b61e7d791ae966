"""numba's OpenMP threading layer: its availability, and the number of threads of a run.

numba runs ``prange`` loops on one of several threading layers and chooses it once per
process, at the first such loop. Variants that represent OpenMP programs must run on
OpenMP. Of numba's layers, only OpenMP and TBB may be entered from several threads at
once, which the window does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

from solvers.errors import ParameterError, Unavailable
from solvers.parameters import Parameter

THREADS = Parameter("threads", 0, "threads; 0 uses all cores available to this process", low=0)

_LAYER = "omp"
_LAYER_MODULE = "numba.np.ufunc.omppool"
# the GNU runtime; the LLVM and Intel runtimes
_SHORT_SPIN = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"}
_FORKED = (
    "OpenMP ran in the process that this one was forked from, and cannot run in both. "
    'Start processes by multiprocessing.get_context("spawn"), '
    "to which graphs and routers are pickled."
)
_REMEDY = "Install an OpenMP runtime (libgomp; on macOS libomp), or use a serial variant."


# "here" after the first loop, "parent" in a process that was forked after it
_running: set[str] = set()


def _forbid_after_fork() -> None:
    if "here" in _running:
        _running.add("parent")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forbid_after_fork)


def availability_error() -> Unavailable | None:
    """The error to raise if numba cannot use OpenMP; None if it can."""
    _limit_spinning()
    try:
        vendor = openmp_vendor()
        if "parent" in _running and vendor == "GNU":  # which would end the process
            return Unavailable(_FORKED)
    except ImportError as error:
        return Unavailable(f"numba cannot load its OpenMP threading layer ({error}). {_REMEDY}")
    if "numba" not in sys.modules:  # nor is its layer chosen
        return None
    import numba  # where another thread imports it, this one waits

    try:
        layer = numba.threading_layer()
    except ValueError:  # no parallel loop has run yet, so the layer is not chosen yet
        return None
    if layer != _LAYER:
        return Unavailable(
            f"numba already uses its threading layer “{layer}” in "
            "this process. Restart the program."
        )
    return None


@cache
def openmp_vendor() -> str:
    """Whose OpenMP runtime numba loads; raises ImportError without one.

    Loads the module of numba that is linked with it, without importing numba: the window
    asks while it is made.
    """
    *packages, _ = _LAYER_MODULE.split(".")
    places: Sequence[str] | None = None
    for package in packages:
        found = PathFinder.find_spec(package, places)
        places = None if found is None else found.submodule_search_locations
    found = PathFinder.find_spec(_LAYER_MODULE, places) if places else None
    if found is None or found.loader is None:
        raise ModuleNotFoundError(f"there is no {_LAYER_MODULE}")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return str(module.openmp_vendor)


def _limit_spinning() -> None:
    """Make waiting OpenMP threads sleep after some microseconds, unless the user has
    set ``OMP_WAIT_POLICY``.

    By default they spin for milliseconds. On a loaded machine the spinning threads then
    keep the last working thread from running, and short loops take a thousand times
    longer. The runtime reads these settings once, when loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        for name, value in _SHORT_SPIN.items():
            os.environ.setdefault(name, value)


def threads_for(asked: int, owner: str) -> int:
    """The number of threads asked for, 0 for all cores available to the process.

    Raises ParameterError if that is more than the process may use. ``owner``: id of the
    variant, for the error message.
    """
    import numba  # here: the import of `solvers` does without

    most = int(numba.config.NUMBA_NUM_THREADS)
    if asked > most:
        raise ParameterError(
            owner, "threads", asked, f"this process may use {most} cores; 0 uses all of them"
        )
    return asked or most


@contextmanager
def team(threads: int, owner: str) -> Iterator[int]:
    """Set the number of OpenMP threads of ``prange`` loops started from this thread
    inside the ``with`` block.

    Raises Unavailable if numba has no OpenMP layer, or has already chosen another;
    ParameterError if more threads are asked for than the process may use cores.

    ``threads``: 0 for all cores available to the process; the number is yielded.
    ``owner``: id of the variant, for the error message.
    """
    if (error := availability_error()) is not None:
        raise error
    import numba  # here: the import of `solvers` does without

    numba.config.THREADING_LAYER = _LAYER
    used = threads_for(threads, owner)
    before = numba.get_num_threads()
    numba.set_num_threads(used)
    _running.add("here")
    try:
        yield used
    finally:
        numba.set_num_threads(before)
