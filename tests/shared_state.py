"""State that the tests of one process share, and that each of them leaves as it found it."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from solvers.features.notebooks import outputs

Encoded = Any  # bytes, or str on Windows

# variables that this program, or a library, sets once for each process
_SET_ONCE = {
    "PYTEST_CURRENT_TEST",
    "GOMP_SPINCOUNT",  # solvers.system.openmp, before OpenMP starts
    "KMP_BLOCKTIME",
    "PYOPENCL_HOME",  # PyOpenCL itself, when it is first imported
    "PYOPENCL_CACHE_FAILURE_FATAL",  # solvers.devices.kernel, before PyOpenCL is imported
    "OCL_ICD_VENDORS",  # solvers.devices.opencl, likewise
    # Dask's nannies, in a thread of theirs, for the moment in which a worker's process
    # starts
    "PYTHONHASHSEED",
    "__DASK_PARENT_PID",
}


@dataclass(frozen=True)
class SharedState:
    """A copy of what tests share, taken at one moment."""

    # environment variables as the system encodes them: decoding all of them, twice a
    # test, took longer than all else here
    environment: dict[Encoded, Encoded]
    folder: str  # the working directory
    path: tuple[str, ...]  # where Python looks for modules
    modules: dict[str, ModuleType]  # every imported module by name
    # how many threads numba's parallel loops use; None before numba has started any
    threads: int | None
    interrupt: object  # the handler of Ctrl+C
    collects: bool  # whether Python collects garbage by itself
    cells: tuple[str, int]  # what cells of notebooks show, and how many characters

    @classmethod
    def now(cls) -> SharedState:
        return cls(
            environment=os.environ._data.copy(),  # type: ignore[attr-defined]
            folder=os.getcwd(),
            path=tuple(sys.path),
            modules=sys.modules.copy(),
            threads=_numba_threads(),
            interrupt=signal.getsignal(signal.SIGINT),
            collects=gc.isenabled(),
            cells=(outputs.OUTPUTS.kind, outputs.OUTPUTS.limit),
        )

    def changes(self, later: SharedState) -> list[str]:
        """What differs ``later``, a line each.

        Newly imported modules and newly started threads are no change, nor are the
        variables that libraries set when they are first imported (PyOpenCL sets
        ``PYOPENCL_HOME``).
        """
        imported = len(later.modules) > len(self.modules)
        found = [
            f"the environment variable {os.fsdecode(name)} was "
            f"{_decoded(self.environment.get(name))!r} and is "
            f"{_decoded(later.environment.get(name))!r}"
            for name in sorted(_differing(self.environment, later.environment))
            if os.fsdecode(name) not in _SET_ONCE and (name in self.environment or not imported)
        ]
        for what, before, after in (
            ("the working directory", self.folder, later.folder),
            ("sys.path", self.path, later.path),
            ("the handler of SIGINT", self.interrupt, later.interrupt),
            ("gc.isenabled()", self.collects, later.collects),
            ("numba's number of threads", self.threads, later.threads),
            ("what cells of notebooks show", self.cells, later.cells),
        ):
            if before is not None and before != after:
                found.append(f"{what} was {before!r} and is {after!r}")
        if later.modules != self.modules:
            for name, module in self.modules.items():
                if later.modules.get(name) is not module:
                    found.append(f"sys.modules[{name!r}] was replaced or removed")
        return found


def shadowed_methods(device: object) -> list[str]:
    """Names of ``device``'s methods that an attribute of the same name hides, as
    ``setattr`` on a device leaves it.
    """
    return [name for name in vars(device) if callable(getattr(type(device), name, None))]


def shadowed_device_methods() -> list[str]:
    """The same for every device found so far, a line each; finds none by itself, as
    that takes long.
    """
    devices = sys.modules.get("solvers.devices")
    if devices is None:
        return []
    return [
        f"{device.key}.{name} hides the method: patch the class, type(device)"
        for device in devices.known_devices()
        for name in shadowed_methods(device)
    ]


def _numba_threads() -> int | None:
    """None where numba has started no threads: asking for their number would start them."""
    parallel = sys.modules.get("numba.np.ufunc.parallel")
    if parallel is None or not getattr(parallel, "_is_initialized", False):
        return None
    return int(parallel.get_num_threads())


def _decoded(value: Encoded | None) -> str | None:
    return None if value is None else os.fsdecode(value)


def _differing(before: Mapping[Encoded, Encoded], after: Mapping[Encoded, Encoded]) -> set[Encoded]:
    return {name for name, _ in before.items() ^ after.items()}
