"""What an all-sources run is asked for, checked before anything is computed, and lists of vertices by their ids.

The lists are the sources of a run, and the targets to which distances are kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.devices import pick
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable, FileFormatError, InputError, ParameterError, UnknownVertex
from solvers.graphs.graph import Graph
from solvers.running.all_sources.reductions import REDUCTIONS, DistanceBins, Reduction
from solvers.system.files import read_regular

OWNER = "all-sources"


class Direction(Enum):
    """Which distances of a vertex are meant: from it to the others, or from the others to it."""

    OUT = "out"
    IN = "in"


@dataclass(frozen=True, eq=False)
class AllSourcesRequest:
    """One all-sources run.

    Raises
    ------
    InputError
        If the graph has no vertices, there are no sources, or distances in a histogram could be negative.
    ParameterError
        If a budget is missing, negative or no number, or the number of threads negative.
    """

    graph: Graph
    reductions: tuple[Reduction, ...] = REDUCTIONS[:2]
    budget: float | None = None  # in the unit of the weights; for the reductions that need one
    direction: Direction = Direction.OUT  # undirected graphs have one direction only
    # multiply closeness by the share of the other vertices that are reached (Wasserman and Faust)
    corrected: bool = False
    threads: int = 0  # 0 for all cores
    device: Device | None = None  # for sweeps on a device; None for the processor
    state: Path | None = None  # file that keeps finished sources, from which an interrupted run goes on
    # (k,) or None: vertices whose numbers are computed, each once; None for all
    sources: NDArray[np.int64] | None = None
    bins: DistanceBins | None = None  # of a histogram of all distances; None for none

    def __post_init__(self) -> None:
        if self.graph.n == 0:
            raise InputError(f"{self.graph.name} has no vertices, so nothing can be computed for them.")
        if self.sources is not None and not len(self.sources):
            raise InputError("There are no sources. Name some, or leave them out for all vertices.")
        if self.bins is not None and self.graph.has_negative_weights:
            raise InputError(f"{self.graph.name} has negative weights; bins of a histogram begin at 0. Leave it out.")
        wanting = [reduction.name for reduction in self.reductions if reduction.needs_budget]
        if self.budget is None and wanting:
            raise ParameterError(OWNER, "budget", None, f"{wanting[0]} needs one, in the unit of the weights")
        if self.budget is not None and (math.isnan(self.budget) or self.budget < 0):
            raise ParameterError(OWNER, "budget", self.budget, "it takes a number of at least 0")
        if self.threads < 0:
            raise ParameterError(OWNER, "threads", self.threads, "it takes a whole number of at least 0")

    @property
    def count(self) -> int:
        """Number of sources."""
        return self.graph.n if self.sources is None else len(self.sources)

    def vertices(self, first: int, last: int) -> NDArray[np.int32]:
        """The sources ``first`` to ``last - 1``."""
        if self.sources is None:
            return np.arange(first, last, dtype=np.int32)
        return self.sources[first:last].astype(np.int32)

    @property
    def sources_key(self) -> str:
        """Tells the sources of a run from those of another; "" for all vertices."""
        if self.sources is None:
            return ""
        return hashlib.sha256(np.ascontiguousarray(self.sources, "<i8").data).hexdigest()

    @property
    def searched(self) -> Graph:
        """The graph whose rows are reduced: with arcs reversed for distances to a vertex."""
        if self.direction is Direction.IN and self.graph.directed:
            return self.graph.reverse
        return self.graph


def find_sweep_device(spec: str) -> Device | None:
    """The device for an all-sources run; "auto" is an NVIDIA GPU, if there is one, and "none" the processor's threads.

    Raises
    ------
    DeviceUnavailable
        If a device other than "auto" was requested and does not exist.
    """
    if spec == "none":
        return None
    try:
        return pick("cuda" if spec == "auto" else spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None


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
