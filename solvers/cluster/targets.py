"""The vertices to which distances are kept, by their ids."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError, InputError, UnknownVertex
from solvers.graphs.graph import Graph


def find_targets(graph: Graph, text: str) -> NDArray[np.int64]:
    """Indices of the vertices that ``text`` names: a file with an id a line, or ids separated by commas.

    Raises
    ------
    UnknownVertex
    FileFormatError
        If the file cannot be read.
    InputError
        If there are none.
    """
    path = Path(text)
    if not path.is_file():
        return find_vertices(graph, text.split(","))
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"it cannot be read ({error})", hint="Write one vertex id a line.") from error
    return find_vertices(graph, lines)


def find_vertices(graph: Graph, ids: Iterable[Hashable]) -> NDArray[np.int64]:
    """Indices of vertices by their ids, as text or numbers, each once; blank ids are passed over.

    Raises
    ------
    UnknownVertex
    InputError
        If there are none.
    """
    wanted = [name for name in ids if str(name).strip()]
    if not wanted:
        raise InputError("No target is named. Name vertices by their ids, or leave targets out for all.")
    found = [graph.vertex(_id_of(graph, name)) for name in wanted]
    return np.array(list(dict.fromkeys(found)), np.int64)


def _id_of(graph: Graph, name: Hashable) -> Hashable:
    """Text as an id: a number, unless vertices have names."""
    if not isinstance(name, str):
        return name
    try:
        return name.strip() if graph.has_labels else int(name)
    except ValueError:
        raise UnknownVertex(name.strip(), ()) from None
