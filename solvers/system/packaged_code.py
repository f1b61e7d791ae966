"""Machine code that comes with the installation, so that nobody waits for the compiler at
the first call.

``make dist`` compiles the functions that are used most for a processor family and puts
numba's cache files into the wheel, under ``solvers/machine_code``, in the folders of
their modules. They are read, never written. A function that is there runs at once;
`solvers.running.compile_ahead` compiles it for the very processor meanwhile, and later
processes prefer that code, which is some per cent faster. Where the files do not fit,
because numba has another version, the processor is older, or a source was changed,
functions are compiled as ever.
"""

from __future__ import annotations

import functools
import logging
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvers.program import ROOT

log = logging.getLogger(__name__)

FOLDER = ROOT / "solvers" / "machine_code"
NATIVE_VARIABLE = "TAUTPATH_NATIVE_CODE"
"""Set to 1, packaged code is not used: for whoever compiles for this very processor."""


@dataclass(frozen=True)
class ProcessorFamily:
    """A target of LLVM that many processors have in common.

    ``name`` and ``features`` are numba's settings NUMBA_CPU_NAME and NUMBA_CPU_FEATURES,
    ``needs`` the features of LLVM that a processor must have.
    """

    name: str
    features: str
    needs: frozenset[str] = frozenset()

    def settings(self) -> dict[str, str]:
        """The environment in which numba compiles for the family."""
        return {"NUMBA_CPU_NAME": self.name, "NUMBA_CPU_FEATURES": self.features}


X86 = ProcessorFamily(
    "x86-64-v3",
    "+avx2",  # part of the family: without a value, numba adds those of this processor
    frozenset(("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")),
)
ARM = ProcessorFamily("generic", "+neon")


def family_of_machine() -> ProcessorFamily:
    """The family that code is packaged for on machines of this kind."""
    return X86 if platform.machine().lower() in {"x86_64", "amd64"} else ARM


@functools.cache
def is_usable() -> bool:
    """Whether code is packaged that this processor runs."""
    if os.environ.get(NATIVE_VARIABLE) == "1" or not FOLDER.is_dir():
        return False
    from llvmlite import binding  # with numba, which compiled functions import late

    present = binding.get_host_cpu_features()
    return all(present.get(name, False) for name in family_of_machine().needs)


def load(cache: Any, signature: Any, context: Any) -> Any:
    """The code of a compiled function for the types of ``signature``; None if there is none.

    ``cache`` is numba's cache of the function, ``context`` its target's.
    """
    if not is_usable():
        return None
    files = _files(cache)
    types, (triple, *_), hashes = cache._index_key(signature, context.codegen())
    family = family_of_machine()
    try:
        found = files.load((types, (triple, family.name, family.features), hashes))
        return None if found is None else cache._impl.rebuild(context, found)
    except Exception as error:  # of another version of a package whose types are pickled
        log.info("packaged code of %s is not used: %s", files._index_name, error)
        return None


def _files(cache: Any) -> Any:
    """The packaged files of a function, which need not exist."""
    from numba.core.caching import IndexDataCacheFile

    source = Path(cache._py_func.__code__.co_filename).resolve()
    folder = source.parent
    inside = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else Path("none")
    locator = cache._impl.locator
    return IndexDataCacheFile(
        str(FOLDER / inside), cache._impl.filename_base, locator.get_source_stamp()
    )
