"""Lists of vertices, by their ids: the sources of a run, and the targets to which distances are kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError, InputError, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.host.files import read_regular

SOURCE, TARGET = "source", "target"
_SEED = 0
_MOST_BYTES = 1 << 30


def parse_vertices(graph: Graph, text: str, what: str) -> NDArray[np.int64]:
    """Indices of the vertices that ``text`` names: a file with an id a line, or ids separated by commas.

    Parameters
    ----------
    what : str
        What they are, `SOURCE` or `TARGET`, for messages.

    Raises
    ------
    UnknownVertex
    FileFormatError
        If the file cannot be read.
    InputError
        If there are none.
    """
    if not _is_file(text):
        return find_vertices(graph, text.split(","), what)
    path = Path(text)
    try:
        lines = read_regular(path, _MOST_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"it cannot be read ({error})", hint="Write one vertex id a line.") from error
    return find_vertices(graph, lines, what)


def parse_sources(graph: Graph, text: str) -> NDArray[np.int64]:
    """As `parse_vertices`; a whole number alone, which is no file, is how many sources are drawn.

    Raises
    ------
    UnknownVertex, FileFormatError, InputError
    """
    if text.isascii() and text.isdigit() and not _is_file(text):
        return draw_sources(graph, int(text))
    return parse_vertices(graph, text, SOURCE)


def draw_sources(graph: Graph, count: int) -> NDArray[np.int64]:
    """Vertices drawn at random without repetition, in ascending order; the same ones in every run.

    Raises
    ------
    InputError
        For less than one, or more than there are.
    """
    if not 1 <= count <= graph.n:
        raise InputError(f"{count} sources cannot be drawn: {graph.name} has {graph.n} vertices.")
    return np.sort(np.random.default_rng(_SEED).choice(graph.n, count, replace=False)).astype(np.int64)


def find_vertices(graph: Graph, ids: Iterable[Hashable], what: str) -> NDArray[np.int64]:
    """Indices of vertices by their ids, as text or numbers, each once; blank ids are passed over.

    Raises
    ------
    UnknownVertex
    InputError
        If there are none.
    """
    wanted = [name for name in ids if str(name).strip()]
    if not wanted:
        raise InputError(f"No {what} is named. Name vertices by their ids, or leave {what}s out for all.")
    found = [graph.vertex(_id_of(graph, name)) for name in wanted]
    return np.array(list(dict.fromkeys(found)), np.int64)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a long list of ids is too long for a name
        return False


def _id_of(graph: Graph, name: Hashable) -> Hashable:
    """Text as an id: a number, unless vertices have names."""
    if not isinstance(name, str):
        return name
    try:
        return name.strip() if graph.has_labels else int(name)
    except ValueError:
        raise UnknownVertex(name.strip(), ()) from None
