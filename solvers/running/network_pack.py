"""A graph and its prepared hierarchy in one file, which several processes map into memory
and share: a router's of other programs, workers of a cluster.

A header in JSON, preceded by its length, names the arrays and their offsets; the arrays
follow, little-endian, aligned to cache lines. The file is mapped copy-on-write: nothing
writes to it, and compiled functions need not be compiled again for read-only arrays.
Parts of a hierarchy that only customising and unpacking paths need are left out.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import EliminationTree
from solvers.algorithms.hierarchy.metric import Metric
from solvers.algorithms.hierarchy.preparation import adopt
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WEIGHT_TYPES
from solvers.running.engines import Engine, HierarchyEngine
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.disk_cache import user_folder
from solvers.system.files import open_regular, replace_atomically, writing
from solvers.version import __version__

_FORMAT = "tautpath pack 2"
_LENGTH = struct.Struct("<q")
_ALIGNMENT = 64
_MOST_FILES = 4  # kept in the cache; the least recently used are removed
_MOST_HEADER = 1 << 16
_GRAPH = ("indptr", "indices", "weights", "ids")
_TREE = ("order", "rank", "parent", "depth", "size")
_HIERARCHY = tuple(field.name for field in fields(Hierarchy) if field.name != "tree")


@dataclass(frozen=True)
class PackName:
    """How client and workers name a pack."""

    key: str  # of the graph, the preparation and the version; the name of the file
    digest: str  # BLAKE2b of the arrays, hexadecimal
    size: int  # bytes of the file
    path: str  # the client's file, which workers on the same file system use


def packs_folder() -> Path:
    """The user's folder of packs, on whatever machine it is asked."""
    return user_folder("cluster")


def write_pack(graph: Graph, engine: Engine | None, end_of: Int32s | None = None) -> PackName:
    """Write the pack of a graph into the cache, unless it is there; with the hierarchy of
    ``engine`` if it has one, and with the ends of split junctions if it is searched for them.

    Raises FileNotWritten.
    """
    folder = packs_folder()
    arrays, about = _contents(graph, engine)
    if end_of is not None:
        arrays["end_of"] = np.ascontiguousarray(end_of, "<i4")
        about["junctions"] = len(end_of)
    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
    path = folder / f"{key}.pack"
    digest = hashlib.blake2b(digest_size=32)
    offsets: list[tuple[str, str, int, int]] = []
    at = 0
    for name, array in arrays.items():
        digest.update(array.data)
        offsets.append((name, array.dtype.str, len(array), at))
        at += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({**about, "arrays": offsets, "digest": digest.hexdigest()}).encode()
    begin = _begin(len(header))
    found = PackName(key, digest.hexdigest(), begin + at, str(path))
    if not problem_of(path, found):
        return found
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as beside, beside.open("wb") as file:
        file.write(_LENGTH.pack(len(header)) + header)
        for (_, _, _, offset), array in zip(offsets, arrays.values(), strict=True):
            file.seek(begin + offset)
            file.write(array.data)
        file.truncate(begin + at)
    thin(folder, path)
    return found


def problem_of(path: Path, pack: PackName) -> str:
    """Why a file is not the pack, by its header and size: "is missing", "is of another
    graph"; "" if it is.
    """
    try:
        header, _ = _header(path)
        size = path.stat().st_size
    except OSError:
        return "is missing"
    except ValueError:
        return "is damaged"
    if header.get("digest") != pack.digest:
        return "is of another graph"
    return "" if size == pack.size else "is not whole"


def open_pack(path: Path) -> tuple[Graph, Int32s | None]:
    """The graph of a pack, with its hierarchy adopted, and the ends of split junctions, if
    there are any; arrays are pages of the file.

    Raises OSError; ValueError if the arrays are not those that were written.
    """
    header, begin = _header(path)
    whole = np.memmap(path, np.uint8, "c")
    arrays, digest = {}, hashlib.blake2b(digest_size=32)
    for name, kind, length, offset in header["arrays"]:
        first = begin + offset
        array = np.asarray(whole[first : first + length * np.dtype(kind).itemsize]).view(kind)
        digest.update(array.data)
        arrays[name] = array.view(array.dtype.newbyteorder("="))
    if digest.hexdigest() != header["digest"]:
        raise ValueError("is damaged")
    graph = Graph(
        arrays["indptr"],
        arrays["indices"],
        arrays["weights"],
        ids=arrays["ids"],
        name=header["name"],
        directed=header["directed"],
        weight_unit=header["unit"],
    )
    if header["metric"] is not None:
        _adopt(graph, header, arrays)
    return graph, arrays.get("end_of")


def thin(folder: Path, newest: Path) -> None:
    """Remove the least recently used packs of the cache but a few; Windows does not
    remove those in use.
    """
    with suppress(OSError):
        files = sorted(
            folder.glob("*.pack"), key=lambda path: path.stat().st_mtime_ns, reverse=True
        )
        for path in [path for path in files if path != newest][_MOST_FILES - 1 :]:
            with suppress(OSError):
                path.unlink()


def _contents(graph: Graph, engine: Engine | None) -> tuple[dict[str, AnyArray], dict[str, Any]]:
    """Arrays by their names, and the rest of the header."""
    arrays = {name: getattr(graph, name) for name in _GRAPH}
    metric = None
    if isinstance(engine, HierarchyEngine):
        hierarchy, weights = engine.hierarchy, engine.metric
        arrays |= {name: getattr(hierarchy.tree, name) for name in _TREE}
        arrays |= {name: getattr(hierarchy, name) for name in _HIERARCHY}
        arrays["up"] = weights.up
        if not weights.is_symmetric:
            arrays["down"] = weights.down
        metric = {"guarded": weights.guarded, "symmetric": weights.is_symmetric}
    about = {
        "format": _FORMAT,
        "version": __version__,
        "graph": graph.sha256,
        "name": graph.name,
        "unit": graph.weight_unit,
        "directed": graph.directed,
        "distances": graph.distance_type.name,
        "metric": metric,
    }
    return {
        name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for name, a in arrays.items()
    }, about


def _adopt(graph: Graph, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    kind, metric = WEIGHT_TYPES[header["distances"]], header["metric"]
    tree = EliminationTree(*(arrays[name] for name in _TREE))
    hierarchy = Hierarchy(tree, *(arrays[name] for name in _HIERARCHY))
    down = arrays["up"] if metric["symmetric"] else arrays["down"]
    weights = Metric(arrays["up"], down, False, metric["guarded"], kind.dtype.type(kind.infinity))
    adopt(graph, hierarchy, weights, kind, "prepared by the client")


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    with open_regular(path) as file:
        head = file.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            raise ValueError("is damaged")
        (length,) = _LENGTH.unpack(head)
        if not 0 < length <= _MOST_HEADER:
            raise ValueError("is damaged")
        found = json.loads(file.read(length))
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise ValueError("is damaged")
    with suppress(OSError):
        path.touch()  # counts as used
    return found, _begin(length)


def _begin(length: int) -> int:
    return -(-(_LENGTH.size + length) // _ALIGNMENT) * _ALIGNMENT
