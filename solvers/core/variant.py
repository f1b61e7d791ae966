"""The registry of variants, found by importing every module of the algorithm packages;
their metadata and preparation.

Metadata can be read without CuPy, PyOpenCL or mpi4py: device libraries are imported
only by the device that uses them.

The bytes of `DeviceWork` are counted from the text of the kernels: every array element
that a thread must read or write, once for each thread that does. They are a lower
bound: values that all threads share, and accesses that depend on chance, are left out.
They are what the threads request; caches may serve part of them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from solvers.core.labelling import Labelling
from solvers.core.pseudocode import Pseudocode
from solvers.core.requirements import (
    require_nonnegative,
    required_device,
    required_end_points,
    required_source,
)
from solvers.errors import UnknownName
from solvers.parameters import Parameter, settle_parameters
from solvers.system.array_types import AnyArray
from solvers.system.discovery import modules_of
from solvers.system.feature import features
from solvers.text import capitalised

if TYPE_CHECKING:
    from solvers.core.problem import Problem, Solution
    from solvers.devices.device import Device
    from solvers.graphs.graph import Graph

Count = TypeVar("Count", float, AnyArray)


@dataclass(frozen=True)
class Bytes:
    """Bytes read or written for one thing."""

    fixed: int = 0  # of ids, offsets and flags
    values: int = 0  # number of distances and weights, whose size is that of the distance type

    def of(self, value_bytes: int) -> int:
        """The bytes, with ``value_bytes`` for each distance or weight."""
        return self.fixed + self.values * value_bytes


_NONE = Bytes()


@dataclass(frozen=True)
class Traffic:
    """Bytes that one iteration asks for, by what they are asked for."""

    # for each vertex and each arc of the graph
    vertex: Bytes = _NONE
    arc: Bytes = _NONE
    # for each vertex of the frontier, and for each arc that leaves one
    active: Bytes = _NONE
    relaxed: Bytes = _NONE
    # for each vertex that had a distance before the iteration, and for each arc that leaves one
    reached: Bytes = _NONE
    reached_arc: Bytes = _NONE
    # for each vertex that has not been in the frontier yet, and for each arc that leads to one
    unsettled: Bytes = _NONE
    unsettled_arc: Bytes = _NONE
    improved: Bytes = _NONE  # for each vertex whose distance falls

    def needed(self) -> frozenset[str]:
        """Names of the counts that `total` uses."""
        return frozenset(field.name for field in fields(self) if getattr(self, field.name) != _NONE)

    def total(self, counts: Mapping[str, Count], value_bytes: int) -> Count | int:
        """Bytes of an iteration with these counts; or of many, with arrays of one value
        for each.
        """
        return sum(
            counts[name] * getattr(self, name).of(value_bytes) for name in sorted(self.needed())
        )


@dataclass(frozen=True)
class DeviceWork:
    """The kernels of one iteration, as a timed run launches them."""

    # names of the kernels that relax, one for each layout: its threads are what the
    # variant's mapping speaks of. Empty if a timed run makes several iterations in a
    # launch, so that launches say nothing about an iteration
    relaxing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # names of the kernels launched beside it in every iteration
    # for the graph as rows or a list of arcs; None if it cannot be told from the counts of a trace
    traffic: Traffic | None = None


class WorkMapping(Enum):
    """Which worker handles which vertex, arc or matrix cell; the value says it in one line."""

    CORE_BY_VERTEX = "One core, one vertex after another"
    CORE_BY_SOURCE = "One core, one source after another"
    CORE_BY_CELL = "One core, one cell of the matrix after another"
    CORE_FROM_BOTH_ENDS = "One core, in turn from the source and from the target"
    THREAD_PER_VERTEX = "One thread per vertex"
    THREADS_STRIDED = "Fewer threads than vertices: each takes every so-many-th one"
    THREADS_STRIDED_FLAGGED = "Fewer threads than vertices; only flagged vertices are relaxed"
    THREAD_PER_FRONTIER_VERTEX = "One thread per vertex; only those of the frontier have work"
    THREAD_PER_UNRESOLVED_VERTEX = "One thread per vertex; only unresolved vertices have work"
    CORE_AND_THREAD_PER_VERTEX = "One core and one thread per vertex, in turn"
    THREAD_PER_ARC = "One thread per arc"
    THREAD_PER_FLAGGED_ARC = "One thread per arc; only arcs with a flagged tail are relaxed"
    THREAD_PER_CELL = "One thread per cell of the matrix"
    THREAD_PER_ROW = "One thread per row of the matrix"
    THREAD_PER_SOURCE = "One thread per source; each fills its row"
    BLOCK_PER_SOURCE = "One block of threads per source; each fills its row"
    BLOCK_PER_TILE = "One block of threads per tile"
    BLOCK_PER_PART = "One block of threads per part of the graph"
    BLOCK_PER_SUBTREES = "One block of threads per bundle of subtrees of the elimination tree"
    CLUSTER_SHARES_FRONTIER = "The blocks of one cluster share the frontier"
    THREADS_SHARE_FRONTIER = "All threads share the frontier, several to a vertex"
    CORES_SHARE_FRONTIER = "The cores share the frontier in chunks"
    CORES_SHARE_ROWS = "The cores share the rows of the matrix"
    CORES_SHARE_TILES = "The cores share the tiles of the matrix"
    CORES_SHARE_SUBTREES = "The cores share the subtrees of the elimination tree"
    CORES_SHARE_SOURCES = "Each core takes a batch of sources, one vector lane per source"
    RANKS_OWN_VERTICES = "Each rank owns a range of vertices"
    RANKS_OWN_ROWS = "Each rank owns a range of rows"
    CHOSEN_LATER = "The mapping of the variant that is chosen"


@dataclass(frozen=True)
class Preparation:
    """State of a variant's preparation."""

    words: str  # what exists, as a clause: "its partition was prepared earlier"; "" if nothing does
    # seconds that the rest is estimated to take on this machine; 0 if all is kept with
    # the graph, so that the next solve begins at once
    left_s: float = 0.0
    arcs: int | None = None  # that a solve relaxes, where that is known before
    levels: int | None = None  # one after another
    # Whether what was found by a part of the structure is that of the whole structure, of
    # which the hash takes longer than many a search.
    is_confirmed: Callable[[], bool] = field(default=lambda: True, compare=False)

    @property
    def is_complete(self) -> bool:
        return self.left_s == 0


FAMILIES = (
    "bellman_ford",
    "dijkstra",
    "floyd_warshall",
    "near_far",
    "bmssp",
    "one_path",
    "hierarchy",
    "auto",
)


class Algorithm(Enum):
    BELLMAN_FORD = "Bellman-Ford"
    DIJKSTRA = "Dijkstra"
    FLOYD_WARSHALL = "Floyd-Warshall"
    MODERN = "Modern"


class Answers(Enum):
    """The problem a variant solves: one path to one target, one source to all vertices,
    or all pairs.
    """

    TARGET = "target"
    SSSP = "sssp"
    APSP = "apsp"


class RunsOn(Enum):
    SERIAL = "serial"
    OPENMP = "openmp"
    THREADS = "threads"
    MPI = "mpi"
    GPU = "gpu"
    HYBRID = "hybrid"
    ANY = "any"

    @property
    def needs_device(self) -> bool:
        """True if the variant launches kernels on a CUDA or OpenCL device."""
        return self in (RunsOn.GPU, RunsOn.HYBRID)

    @property
    def takes_device(self) -> bool:
        """True if the variant uses a device when there is one; with ``ANY`` it also
        runs without.
        """
        return self.needs_device or self is RunsOn.ANY


@dataclass(frozen=True)
class Citation:
    """Source of a variant: the paper's short name, and the section in it."""

    paper: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.paper}, {self.place}" if self.place else self.paper


Solve = Callable[["Problem"], "Solution"]


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What is declared of an algorithm variant, where its function is written."""

    id: str  # name in code, CSV files and on the command line ("bf-strided-flag")
    title: str  # short display name, unique within its algorithm ("strided + flag")
    algorithm: Algorithm
    answers: Answers
    runs_on: RunsOn
    # how the data are divided among threads, cores or ranks; the card draws it
    mapping: WorkMapping
    idea: str  # the idea in plain language, for the card
    papers: tuple[Citation, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    needs_nonnegative: bool = False  # refuses graphs with negative weights
    needs_coordinates: bool = False  # refuses graphs without coordinates
    caveat: str = ""  # differences from the paper and their reasons, or limitations
    watch: str = ""  # what to look for when the run is played back
    cost: str = ""  # time and memory, in n and m
    racy: bool = False  # has a data race by design: for measuring only
    cuda_only: bool = False  # uses features that only CUDA has
    # the least required compute capability, times ten (90: thread block clusters); 0 if
    # there is none
    compute_capability: int = 0
    packages: tuple[str, ...] = ()  # Python packages that it needs and that may be missing
    kernel: str = ""  # file name of the kernel in the folder of the module ("vertex.cu"), or ""
    # from Graph to the bytes of working memory that it allocates (on the device, for GPU variants)
    memory: Callable[[Graph], int] | None = None
    # from Graph and validated parameters to the bytes that the parameter ``layout``
    # adds to ``memory``: those of an adjacency matrix or of padded rows; 0 if none
    layout_memory: Callable[[Graph, Mapping[str, Any]], int] | None = None
    # from Graph and Device (or None) to the state of the `Preparation` for the default
    # parameters; None instead if nothing exists and the rest takes long. It prepares
    # nothing itself. None for variants without a preparation
    prepared: Callable[[Graph, Device | None], Preparation | None] | None = None
    # the algorithm line by line, for explanations; None for variants that choose another
    pseudocode: Pseudocode | None = None
    # the kernels of an iteration, and what they read and write; None for variants whose
    # launches are not divided into iterations, or that have none
    device_work: DeviceWork | None = None
    # another for narrow tables and charts, if the title is long ("frontier F, CPU"), as
    # unique; else ""
    short_title: str = ""


@dataclass(frozen=True, kw_only=True)
class Variant(Declaration):
    """An algorithm variant: its declaration and the function that runs it."""

    # from Problem, its parameters settled, to Solution; call `solve`, which settles
    # them
    function: Solve
    module: str = ""  # dotted module name, which locates the kernel and the source

    @property
    def full_title(self) -> str:
        """Algorithm and title, "Bellman-Ford strided + flag"; titles of modern variants
        name their algorithm.
        """
        if self.algorithm is Algorithm.MODERN:
            return capitalised(self.title)
        return f"{self.algorithm.value} {self.title}"

    @property
    def is_own(self) -> bool:
        """Whether it is the user's: from a file or package, or with a changed kernel."""
        return False

    @property
    def base_id(self) -> str:
        """The variant whose kernel was changed, or this one."""
        return self.id

    @property
    def labelling(self) -> Labelling:
        """The family whose words say what its vertices are."""
        known = self.pseudocode
        return Labelling.CORRECTING if known is None else known.labelling

    def settle(self, given: Mapping[str, object]) -> dict[str, Any]:
        """This variant's parameters: the defaults, overridden by ``given``; raises as
        ``settle_parameters``.
        """
        return settle_parameters(self.parameters, given, self.id)

    def solve(self, problem: Problem) -> Solution:
        """Solve ``problem``; missing parameters take their defaults.

        Raises UnknownName, ParameterError: as `settle`. Raises TautpathError: whatever
        keeps this variant from an answer: `NegativeCycle`, `UnsuitableGraph`,
        `OutOfMemory`, `AnswerRefused`, ...
        """
        parameters = self.settle(problem.parameters)
        self._require_declared(problem)
        if parameters != problem.parameters:
            problem = replace(problem, parameters=parameters)
        solution = self.function(problem)
        solution.require_shape(problem.graph.n, self.id)
        return solution

    def _require_declared(self, problem: Problem) -> None:
        """Raise if the problem lacks what the declaration says that the function needs."""
        if self.runs_on.needs_device:
            required_device(problem, self.id)
        if self.answers is Answers.TARGET:
            required_end_points(problem, self.id)
        if self.answers is not Answers.APSP:
            required_source(problem, self.id)
        if self.needs_nonnegative:
            require_nonnegative(problem.graph, self.id)


_REGISTRY: dict[str, Variant] = {}
_providers: list[Callable[[], object]] = []  # not called yet
# held while variants are found; by the thread that finds them, which may ask for some, again
_finding = threading.RLock()
_is_finding = False


@dataclass(frozen=True, kw_only=True)
class variant(Declaration):  # noqa: N801 - a decorator
    """Registers the decorated ``solve`` function as a variant that is declared by the keywords."""

    def __call__(self, solve: Solve) -> Solve:
        entry = Variant(**vars(self), function=solve, module=solve.__module__)
        if self.id in _REGISTRY and _REGISTRY[self.id].module != entry.module:
            modules = (_REGISTRY[self.id].module, entry.module)
            files = (
                Path(getattr(sys.modules.get(name), "__file__", name)).name for name in modules
            )
            raise ValueError(f"two variants are called {self.id}: in {' and '.join(files)}")
        _REGISTRY[self.id] = entry
        return solve


def register(entry: Variant) -> None:
    """Add a variant of the user's own, or replace it by a newer version."""
    _REGISTRY[entry.id] = entry


def unregister(variant_id: str) -> None:
    _REGISTRY.pop(variant_id, None)


def registered(variant_id: str) -> Variant | None:
    """The variant with that id among those imported so far."""
    return _REGISTRY.get(variant_id)


class RegistrySnapshot:
    """The variants that were declared since this object was made."""

    def __init__(self) -> None:
        self._before = dict(_REGISTRY)

    @property
    def entries(self) -> tuple[Variant, ...]:
        return tuple(
            entry for name, entry in _REGISTRY.items() if self._before.get(name) is not entry
        )

    def withdraw(self) -> None:
        """Make the registry what it was."""
        for entry in self.entries:
            unregister(entry.id)
        _REGISTRY.update(
            {name: entry for name, entry in self._before.items() if name not in _REGISTRY}
        )


def _import_families() -> None:
    families = (f"solvers.algorithms.{family}" for family in FAMILIES)
    for package in (*families, *(one.variants for one in features().values() if one.variants)):
        for _ in modules_of(package):
            pass  # importing it registered its variants


_providers.append(_import_families)


def add_provider(register_variants: Callable[[], object]) -> None:
    """Have a function register variants before the next question to the registry.

    It is not called here: a thread that imports a module must not wait for one that finds
    variants, which may need the same module.
    """
    _providers.append(register_variants)


def _find_all() -> None:
    """Have every provider register its variants, once; other threads wait for all of them."""
    global _is_finding
    if not _providers:
        return
    with _finding:
        if _is_finding:  # a user's module asks for variants while it is imported
            return
        _is_finding = True
        try:
            while _providers:
                _providers[0]()
                del _providers[0]  # now: threads that see none left do not wait
        finally:
            _is_finding = False


def all_variants() -> tuple[Variant, ...]:
    """Every variant, ordered by algorithm, problem, host before device, and id."""
    _find_all()
    return tuple(_REGISTRY[variant_id] for variant_id in _in_order(tuple(_REGISTRY)))


@cache
def _in_order(ids: tuple[str, ...]) -> list[str]:
    """The ids in the order of `all_variants`; kept, since the window asks at every click."""
    algorithms, questions = list(Algorithm), list(Answers)

    def rank(variant_id: str) -> tuple[int, int, bool, str]:
        entry = _REGISTRY[variant_id]
        device = entry.runs_on.needs_device
        return algorithms.index(entry.algorithm), questions.index(entry.answers), device, variant_id

    return sorted(ids, key=rank)


def answers_of(variant_id: str) -> Answers | None:
    """What a variant answers; None for one of another version, which is not known."""
    try:
        return find_variant(variant_id).answers
    except UnknownName:
        return None


def find_variant(variant_id: str) -> Variant:
    """The variant with that id; raises UnknownName with the nearest ids if there is none."""
    _find_all()
    try:
        return _REGISTRY[variant_id]
    except KeyError:
        raise UnknownName("variant", variant_id, _in_order(tuple(_REGISTRY))) from None
