"""The record of which rehearsals were made by this installation, in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import resources
from solvers.errors import FileNotWritten
from solvers.host.array_store import user_folder
from solvers.host.cache_folder import make_way
from solvers.host.files import read_regular, replace_atomically
from solvers.version import __version__

_MOST_BYTES = 1 << 24
_PACKAGES = ("numba", "llvmlite", "numpy", "pyopencl")  # each compiles in its own way


@dataclass(frozen=True)
class Rehearsed:
    """What was rehearsed.

    Attributes
    ----------
    steps : frozenset of str
    witnesses : tuple of str
        Files of numba's cache that the rehearsals left; if one is gone, so may be the others.
    """

    steps: frozenset[str] = frozenset()
    witnesses: tuple[str, ...] = ()


class RehearsalRecord:
    """The record; one that cannot be read or written is as if nothing was rehearsed.

    Parameters
    ----------
    folder : Path, optional
        By default in the user's cache folder.
    """

    def __init__(self, folder: Path | None = None):
        self._path = (user_folder("compiled") if folder is None else folder) / f"{_installation()}.json"

    def read(self) -> Rehearsed:
        """What was rehearsed by this version in this place, unless the cache was emptied since."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(read_regular(self._path, _MOST_BYTES))
            found = Rehearsed(frozenset(kept["steps"]), tuple(kept["witnesses"]))
            if all(os.path.exists(witness) for witness in found.witnesses):
                return found
        return Rehearsed()

    def missing(self, steps: Iterable[str]) -> tuple[str, ...]:
        """Those of ``steps`` that were not rehearsed."""
        done = self.read().steps
        return tuple(step for step in steps if step not in done)

    def add(self, step: str, witnesses: Iterable[str] = ()) -> None:
        """Record a rehearsal."""
        before = self.read()
        kept = {
            "steps": sorted(before.steps | {step}),
            "witnesses": sorted({*before.witnesses, *witnesses}),
        }
        with suppress(OSError, FileNotWritten):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            make_way(self._path)
            with replace_atomically(self._path) as beside:
                beside.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _installation() -> str:
    """Hash of what decides whether compiled code can be used again. Not of the sources: an edit costs one function."""
    from importlib import metadata  # imported here: it is slow

    parts = [__version__, sys.version, platform.machine(), str(resources.FOLDER), os.environ.get("NUMBA_CACHE_DIR", "")]
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            parts.append(f"{name} {metadata.version(name)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
