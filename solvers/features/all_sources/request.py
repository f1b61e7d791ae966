"""The request of an all-sources run, checked before anything is computed, and lists of
vertices by their ids.

The lists are the sources of a run, and the targets to which distances are kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.core.requirements import require_vertices
from solvers.devices.device import Device
from solvers.devices.kernel import compile_ahead
from solvers.errors import (
    FileFormatError,
    InputError,
    ParameterError,
    UnknownName,
    UnknownVertex,
)
from solvers.features.all_sources.reductions import (
    BETWEENNESS,
    HISTOGRAM,
    REDUCTIONS,
    DistanceBins,
    Reduction,
    find_reductions,
    parse_bins,
)
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.parameters import require_whole
from solvers.running.prepared_network import ordered_ahead
from solvers.system.array_types import Float64s, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.files import read_regular
from solvers.units import to_internal_unit

OWNER = "all-sources"
PREPARING = "preparing all sources"  # a stage

SOURCE, TARGET = "source", "target"
_SEED = 0
MOST_BYTES = 1 << 30


class Direction(Enum):
    """Which distances of a vertex are computed: from it to the others, or from the others to it."""

    OUT = "out"
    IN = "in"


@dataclass(frozen=True, eq=False)
class AllSourcesRequest:
    """One all-sources run.

    Raises InputError if the graph has no vertices, there are no sources, a budget is
    missing, or distances in a histogram could be negative; ParameterError if a budget
    is negative or no number, or the number of threads negative.
    """

    graph: Graph
    reductions: tuple[Reduction, ...] = REDUCTIONS[:2]
    budget: float | None = None  # in the unit of the weights; for the reductions that need one
    direction: Direction = Direction.OUT  # undirected graphs have one direction only
    # multiply closeness by the share of the other vertices reached (Wasserman and
    # Faust)
    corrected: bool = False
    threads: int = 0  # 0 for all cores
    device: Device | None = None  # for sweeps on a device; None for the processor
    state: Path | None = None  # keeps finished sources, from which an interrupted run continues
    sources: Int64s | None = None  # (k,) vertices, each once; None for all
    bins: DistanceBins | None = None  # of a histogram of all distances; None for none
    has_flows: bool = False  # betweenness, of paths within the budget if there is one
    # (n,) of vertices, as origins and destinations; None for 1 each
    masses: Float64s | None = None
    # sources are drawn at random, and betweenness is scaled to all vertices
    estimates: bool = False
    # of betweenness and closeness: the longest distance that counts, in the unit of the
    # weights; None for all, or of betweenness the budget
    cutoff: float | None = None
    targets: Int64s | None = None  # of the same: the vertices that count, each once; None for all
    # betweenness as a share of the pairs of other vertices, as NetworkX's
    normalized: bool = False

    @classmethod
    def of(
        cls,
        graph: Graph,
        names: Iterable[str] = (),
        *,
        budget: float | str | None = None,
        cutoff: float | str | None = None,
        direction: str = Direction.OUT.value,
        bins: str | tuple[int, float] = "powers",
        sources: int | str | Iterable[Hashable] | None = None,
        targets: str | Iterable[Hashable] | None = None,
        masses: ArrayLike | None = None,
        **given: Any,
    ) -> AllSourcesRequest:
        """The request that a user's words make, on the command line, in a call or in the
        window.

        ``names`` are those of reductions, `HISTOGRAM` and `BETWEENNESS`. Sources are a
        number to draw, ids, or a text as `parse_sources` takes it; targets as
        `parse_vertices`. ``given`` are fields as they are. Raises UnknownName,
        UnknownVertex, FileFormatError, InputError and ParameterError.
        """
        if direction not in (known := [way.value for way in Direction]):
            raise UnknownName("direction", direction, known)
        names = _names_of(names)
        number = isinstance(sources, Integral) or (
            isinstance(sources, str) and sources.isdecimal() and not _is_file(sources)
        )
        return cls(
            graph,
            find_reductions(names, HISTOGRAM, BETWEENNESS),
            parse_budget(graph, budget),
            Direction(direction),
            sources=None if sources is None else _sources_of(graph, sources),
            bins=_bins_of(graph, bins) if HISTOGRAM in names else None,
            has_flows=BETWEENNESS in names,
            masses=None if masses is None else _masses_of(masses),
            estimates=BETWEENNESS in names and number,
            cutoff=parse_budget(graph, cutoff, "cutoff"),
            targets=None if targets is None else _targets_of(graph, targets),
            **given,
        )

    def __post_init__(self) -> None:
        require_vertices(self.graph)
        if self.sources is not None and not len(self.sources):
            raise InputError("There are no sources. Name some, or leave them out for all vertices.")
        if self.bins is not None and self.graph.has_negative_weights:
            raise InputError(
                f"{self.graph.name} has negative weights; "
                "bins of a histogram begin at 0. Leave it out."
            )
        wanting = [reduction.name for reduction in self.reductions if reduction.needs_budget]
        if self.budget is None and wanting:
            raise InputError(f"{wanting[0].capitalize()} needs a budget, such as 5min or 2km.")
        for name, limit in (("budget", self.budget), ("cutoff", self.cutoff)):
            if limit is not None and (math.isnan(limit) or limit < 0):
                raise ParameterError(OWNER, name, limit, "it takes a number of at least 0")
        if self.is_limited and self.state is not None:
            raise InputError("A state file keeps whole rows. Leave it, or cutoff and targets, out.")
        if self.has_flows and self.direction is Direction.IN:
            raise InputError(
                "Betweenness counts paths, in both directions. Leave the direction out."
            )
        if self.masses is not None:
            self._require_masses(self.masses)
        if self.normalized and (self.masses is not None or self.targets is not None):
            reason = "Normalised betweenness is a share of all pairs of other vertices"
            raise InputError(f"{reason}: leave masses and targets, or normalized, out.")
        require_whole(OWNER, "threads", self.threads, 0)

    def _require_masses(self, masses: Float64s) -> None:
        if masses.shape != (self.graph.n,):
            raise InputError(
                f"There are {masses.size} masses for {self.graph.n} vertices. Give one per vertex."
            )
        wrong = np.flatnonzero(~(np.isfinite(masses) & (masses >= 0)))
        if len(wrong):
            vertex = self.graph.vertex_id(int(wrong[0]))
            raise InputError(
                f"The mass of vertex {vertex} is {masses[wrong[0]]:g}; "
                "masses are finite, 0 or more."
            )
        if not (masses if self.sources is None else masses[self.sources]).any():
            raise InputError(
                "No source has a mass above 0, so nothing flows. "
                "Give masses, or name other sources."
            )

    def ordered_ahead(self, progress: Progress) -> AbstractContextManager[None]:
        """While the block finds a device and imports what computes, METIS orders the graph, if
        it has to. Raises Cancelled.
        """
        return ordered_ahead(self.graph, progress, is_reverse=self.direction is Direction.IN)

    @property
    def gpu(self) -> Device | None:
        """The device that computes, if it is no processor."""
        return None if self.device is None or self.device.is_cpu else self.device

    def compile_kernels(self) -> None:
        """Begin to have a GPU compile what most networks need, if one computes; what has begun
        is not begun again.
        """
        gpu = self.gpu
        if gpu is None:
            return
        # imported here: the processor needs none of it
        from solvers.algorithms.hierarchy import device_sweeps
        from solvers.features.all_sources.flows import device_flows

        graph = searched_graph(self.graph).searched
        of_flows = [device_flows.usual_source(graph)] if self.has_flows else []
        compile_ahead(gpu, [*device_sweeps.usual_sources(graph), *of_flows])

    @property
    def is_limited(self) -> bool:
        """Whether betweenness and closeness are of some distances only."""
        return self.cutoff is not None or self.targets is not None

    @property
    def longest_path(self) -> float | None:
        """The longest path that counts for betweenness."""
        return self.budget if self.cutoff is None else self.cutoff

    @property
    def destinations(self) -> Float64s:
        """(n,) masses of the vertices that paths end at."""
        masses = self.origins
        if self.targets is None:
            return masses
        found = np.zeros(self.graph.n)
        found[self.targets] = masses[self.targets]
        return found

    @property
    def origins(self) -> Float64s:
        """(n,) masses of the vertices that paths begin at, if they are sources."""
        return np.ones(self.graph.n) if self.masses is None else self.masses

    @property
    def count(self) -> int:
        """Number of sources."""
        return self.graph.n if self.sources is None else len(self.sources)

    def vertices(self, first: int, last: int) -> Int32s:
        """The sources ``first`` to ``last - 1``."""
        if self.sources is None:
            return np.arange(first, last, dtype=np.int32)
        return self.sources[first:last].astype(np.int32)

    @property
    def sources_key(self) -> str:
        """Identifies the sources of a run; "" for all vertices."""
        if self.sources is None:
            return ""
        return hashlib.sha256(np.ascontiguousarray(self.sources, "<i8").data).hexdigest()

    @property
    def searched(self) -> Graph:
        """The graph whose rows are reduced, with junctions split at turns: with arcs reversed
        for distances to a vertex.
        """
        graph = searched_graph(self.graph).searched
        return graph.reverse if self.direction is Direction.IN and graph.directed else graph


def _names_of(reduce: Iterable[str]) -> list[str]:
    if isinstance(reduce, str):
        return [reduce]
    try:
        return list(reduce)
    except TypeError:
        words = "it takes the name of a reduction, or a list of them"
        raise ParameterError(OWNER, "reduce", reduce, words) from None


def _bins_of(graph: Graph, bins: str | tuple[int, float]) -> DistanceBins:
    if isinstance(bins, tuple | list):
        bins = ":".join(map(str, bins))
    if not isinstance(bins, str):
        words = "it takes “powers” or (COUNT, WIDTH), such as (50, 1000)"
        raise ParameterError(OWNER, "bins", bins, words)
    return parse_bins(bins, graph.weight_unit)


def _masses_of(masses: ArrayLike) -> Float64s:
    try:
        return np.asarray(masses, np.float64)
    except (TypeError, ValueError):
        words = "it takes one number for each vertex"
        raise ParameterError(OWNER, "masses", masses, words) from None


def _sources_of(graph: Graph, sources: int | str | Iterable[Hashable]) -> Int64s:
    if isinstance(sources, str):
        return parse_sources(graph, sources)
    if isinstance(sources, Integral) and not isinstance(sources, bool):
        return draw_sources(graph, int(sources))
    if not isinstance(sources, Iterable):
        words = "it takes a number of vertices, or a list of ids"
        raise ParameterError(OWNER, "sources", sources, words)
    return find_vertices(graph, sources, SOURCE)


def _targets_of(graph: Graph, targets: str | Iterable[Hashable]) -> Int64s:
    if isinstance(targets, str):
        return parse_vertices(graph, targets, TARGET)
    return find_vertices(graph, targets, TARGET)


def parse_budget(graph: Graph, budget: float | str | None, name: str = "budget") -> float | None:
    """A budget as users give it, such as ``"5min"``, ``"2km"`` or a number of seconds,
    in the graph's unit.

    Raises ParameterError.
    """
    try:
        return None if budget is None else to_internal_unit(budget, graph.weight_unit)
    except ValueError as error:
        raise ParameterError(OWNER, name, budget, str(error)) from None


def parse_vertices(graph: Graph, text: str, what: str) -> Int64s:
    """Indices of the vertices that ``text`` names: a file with one id per line, or ids
    separated by commas.

    ``what`` they are, `SOURCE` or `TARGET`, is for messages. Raises UnknownVertex;
    FileFormatError if the file cannot be read; InputError if there are none.
    """
    if not _is_file(text):
        return find_vertices(graph, text.split(","), what)
    path = Path(text)
    try:
        lines = read_regular(path, MOST_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(
            path, f"it cannot be read ({error})", hint="Write one vertex id per line."
        ) from error
    return find_vertices(graph, lines, what)


def parse_sources(graph: Graph, text: str) -> Int64s:
    """As `parse_vertices`; a whole number that is not the name of a file is the number
    of sources to draw.

    Raises UnknownVertex, FileFormatError, InputError.
    """
    if text.isascii() and text.isdigit() and not _is_file(text):
        return draw_sources(graph, int(text))
    return parse_vertices(graph, text, SOURCE)


def draw_sources(graph: Graph, count: int) -> Int64s:
    """Vertices drawn at random without repetition, in random order; the same ones in every run.

    Raises InputError for less than one, or more than there are.
    """
    if not 1 <= count <= graph.n:
        remedy = f"Draw 1 to {graph.n}; an id is written “{count},”."
        raise InputError(
            f"{count} sources cannot be drawn: {graph.name} has {graph.n} vertices. {remedy}"
        )
    return np.random.default_rng(_SEED).choice(graph.n, count, replace=False).astype(np.int64)


def find_vertices(graph: Graph, ids: Iterable[Hashable], what: str) -> Int64s:
    """Indices of vertices by their ids, as text or numbers, each once; blank ids are passed over.

    Raises UnknownVertex; InputError if there are none.
    """
    wanted = [name for name in ids if str(name).strip()]
    if not wanted:
        raise InputError(
            f"No {what} is named. Name vertices by their ids, or leave {what}s out for all."
        )
    found = [graph.vertex(id_of(graph, name)) for name in wanted]
    return np.array(list(dict.fromkeys(found)), np.int64)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a long list of ids is too long for a name
        return False


def id_of(graph: Graph, name: Hashable) -> Hashable:
    """Text as an id: a number, unless vertices have names."""
    if not isinstance(name, str):
        return name
    try:
        return name.strip() if graph.has_labels else int(name)
    except ValueError:
        raise UnknownVertex(name.strip(), ()) from None
