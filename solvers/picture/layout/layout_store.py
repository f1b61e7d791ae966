"""Disk cache of layouts, so that reopening a graph does not compute its layout again. No Qt."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import numpy as np

from solvers.errors import FileNotWritten
from solvers.graphs.graph import Graph
from solvers.system.array_types import Float64s
from solvers.system.disk_cache import make_way, remove_cached, remove_oldest
from solvers.system.files import NotRegularFile, open_regular, replace_atomically

LEAST_VERTICES = 500  # smaller graphs are laid out instantly
MOST_BYTES = 512 << 20  # 32 million vertices
_DIGEST_BYTES = 32
_VERSION = "1"  # raise it when a layout comes out otherwise: those on disk are then made anew
_EARLIER_NAMES = ("2582ccfd1afc",)  # of version 1: a hash of its code

log = logging.getLogger(__name__)


def user_folder() -> Path:
    """Folder of the user's cached layouts."""
    # a GPU server that only runs the picture's tests may lack it
    from platformdirs import user_cache_path

    return user_cache_path("tautline") / "layouts"


class LayoutStore:
    """Cached positions by graph fingerprint, layout kind and version of the layouts.

    A file holds a digest and the positions themselves, in float64 and little-endian:
    there is no header or archive that damage could turn into something else. Files that
    cannot be read count as absent, and failures to write are ignored. Meant for worker
    threads, since files of large graphs are slow to read. Beyond ``most_bytes`` the
    least recently used layouts are removed.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES):
        self._folder = folder or user_folder()
        self._most_bytes = most_bytes

    def load(self, graph: Graph, kind: str) -> Float64s | None:
        """(n, 2) positions; None if not cached. A damaged file is removed."""
        paths = (self._path(graph, kind, version) for version in (_VERSION, *_EARLIER_NAMES))
        path = next(filter(Path.exists, paths), None)
        if graph.n < LEAST_VERTICES or path is None:
            return None
        try:
            positions = _read(path, graph.n)
            os.utime(path)  # marks it as recently used
        except (FileNotFoundError, NotRegularFile):
            return None
        except Exception as error:  # whatever is wrong with it, the layout can be computed again
            log.debug("cannot use layout %s: %s", path, error)
            remove_cached(path)
            return None
        return positions

    def save(self, graph: Graph, kind: str, positions: Float64s) -> None:
        """Store a layout, and remove others beyond the size limit."""
        if graph.n < LEAST_VERTICES or positions.nbytes > self._most_bytes:
            return
        path = self._path(graph, kind, _VERSION)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            make_way(path)
            with replace_atomically(path) as beside, beside.open("wb") as file:
                content = np.ascontiguousarray(positions, dtype="<f8")
                file.write(_digest(content))
                file.write(content.data)
            remove_oldest(self._folder, self._most_bytes, path)
        except (OSError, FileNotWritten) as error:
            log.debug("cannot store layout %s: %s", path, error)

    def _path(self, graph: Graph, kind: str, version: str) -> Path:
        return self._folder / f"{graph.sha256}-{kind}-{version}.positions"


def _read(path: Path, n: int) -> Float64s:
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size != _DIGEST_BYTES + 16 * n:
            raise ValueError(f"{size} bytes are not the positions of {n} vertices")
        digest = file.read(_DIGEST_BYTES)
        positions = np.fromfile(file, dtype="<f8", count=2 * n).reshape(n, 2)
    if digest != _digest(positions):
        raise ValueError("the positions do not have the digest")
    return positions.astype(np.float64, copy=False)


def _digest(positions: Float64s) -> bytes:
    return hashlib.blake2b(positions.data, digest_size=_DIGEST_BYTES).digest()
