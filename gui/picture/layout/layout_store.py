"""Layouts kept on disk, so that a graph laid out once is drawn at once when its file is opened again. No Qt."""

from __future__ import annotations

import hashlib
import logging
import os
import zipfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from gui.picture.layout import stress
from solvers.errors import FileNotWritten
from solvers.graphs.graph import Graph
from solvers.host.files import replace_atomically

LEAST_VERTICES = 500  # smaller graphs are laid out faster than one looks
MOST_BYTES = 512 << 20  # 32 million vertices

log = logging.getLogger(__name__)


def user_folder() -> Path:
    """Where this user's layouts lie."""
    return user_cache_path("tautline") / "layouts"


@cache
def code_version() -> str:
    """A fingerprint of the code that lays out: when it changes, what it made before is not looked at any more."""
    return hashlib.sha256(Path(stress.__file__).read_bytes()).hexdigest()[:12]


class LayoutStore:
    """Positions of graphs by the fingerprint of the graph, the kind of layout and the version of its code.

    What cannot be read is treated as absent, what cannot be written is left out: a cache must never stop anyone. For
    worker threads, since files of large graphs take a while.

    Parameters
    ----------
    folder : Path, optional
        The user's own by default; made when something is kept.
    most_bytes : int
        Past it the layouts that were not asked for longest are thrown out.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES):
        self._folder = folder or user_folder()
        self._most_bytes = most_bytes

    def load(self, graph: Graph, kind: str) -> NDArray[np.float64] | None:
        """(n, 2) positions; None where none are kept. A damaged file is removed."""
        path = self._path(graph, kind)
        if graph.n < LEAST_VERTICES or not path.is_file():
            return None
        try:
            positions = _read(path)
            if positions.shape != (graph.n, 2) or positions.dtype != np.float64 or not np.isfinite(positions).all():
                raise ValueError("not the positions of this graph")
            os.utime(path)  # asked for just now
        except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
            log.debug("layout %s is of no use: %s", path, error)
            _remove(path)
            return None
        return positions

    def save(self, graph: Graph, kind: str, positions: NDArray[np.float64]) -> None:
        """Keep a layout, and throw out others where that takes too much room."""
        if graph.n < LEAST_VERTICES or positions.nbytes > self._most_bytes:
            return
        path = self._path(graph, kind)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with replace_atomically(path) as beside, beside.open("wb") as file:
                np.savez(file, positions=positions)  # a zip archive: its checksum tells damage
            self._thin(path)
        except (OSError, FileNotWritten) as error:
            log.debug("layout %s was not kept: %s", path, error)

    def _path(self, graph: Graph, kind: str) -> Path:
        return self._folder / f"{graph.sha256}-{kind}-{code_version()}.npz"

    def _thin(self, newest: Path) -> None:
        files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(self._folder) if entry.is_file()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
            if total <= self._most_bytes:
                return
            if path != newest:
                _remove(path)
                total -= stat.st_size


def _read(path: Path) -> NDArray[np.float64]:
    with np.load(path, allow_pickle=False) as archive:
        positions: NDArray[np.float64] = archive["positions"]
    return positions


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("layout %s stays: %s", path, error)
