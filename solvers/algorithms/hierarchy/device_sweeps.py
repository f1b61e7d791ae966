"""Sweeps from many sources on a device, a batch at a time: whole rows of distances, or
what rows are reduced to.

Compilation, memory and launches of ``device_batch.cu``. The functions that take any
list of sources are not variants: a variant answers for one source, one target or all
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries
from solvers.algorithms.hierarchy.device_hierarchy import (
    QUAD,
    DeviceHierarchy,
    SweepPieces,
    SweepStage,
    sweep_pieces,
)
from solvers.algorithms.hierarchy.preparation import (
    CUSTOMISE,
    Prepared,
    device_for_customising,
    prepare,
)
from solvers.core.problem import Phases, Problem, WarmGraph
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.errors import DeviceUnavailable, OutOfMemory, ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import FLOAT64
from solvers.parameters import Parameter, settle_parameters
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress

BLOCK = Parameter("block", 64, "threads in a block", choices=(32, 64, 128))
EACH = Parameter("each", 1, "sources of a thread", choices=(1, 2, 4), title="Sources a thread")
PIECE = Parameter("piece", 128, "most vertices of a piece of the last stage", low=16, high=65536)
ABREAST = Parameter(
    "abreast", 0, "sources of a batch; 0 chooses", low=0, high=1 << 20, title="Sources a batch"
)
PARAMETERS = (BLOCK, EACH, PIECE, ABREAST, CUSTOMISE)

_MOST_REDUCED = 1 << 16  # sources of a batch, if rows are reduced, ...
_MOST_KEPT = 1 << 14  # ... and if they are kept
_RELAXATIONS_A_BATCH = 2e11  # on a GPU, between two cancellation checks
_RELAXATIONS_ON_A_CPU = 4e7
_BLOCKS_A_MULTIPROCESSOR = 128  # enough for several waves of blocks
_SHARE = 0.8  # of the free memory
_TILE = 32
_QUADS = 64  # that a block loads together
_SCRATCH_CELLS = 1 << 26  # for paths that do not fit into shared memory
_BYTES_OF_PART = 24  # of a lane's partial results, at most

_NAME = "sources on a device"


class DeviceSweeps:
    """A hierarchy on a device, with memory for batches of sources. Made by `device_sweeps`.

    ``targets``: vertices of the columns of rows, which are float64 then, with inf where
    there is no path; by default all, in the distance type. At most ``batch`` sources
    are settled together.
    """

    def __init__(
        self,
        problem: Problem,
        ready: Prepared,
        session: DeviceSession,
        phases: Phases,
        *,
        reduce: bool,  # reduce each source's distances instead of keeping them
        most: int,  # sources that are asked for at once at most
        whole: bool = False,  # keep the rows of ``most`` sources on the device, in ``kept_rows``
        targets: AnyArray | None = None,
    ):
        graph, settings = problem.graph, problem.parameters
        self._graph, self._kind, self._ready, self._session = (
            graph,
            problem.distance_type,
            ready,
            session,
        )
        self._device, self._phases, self._reduce = session.device, phases, reduce
        self._block, self._each = int(settings["block"]), int(settings["each"])
        self._group = self._block * self._each
        self._most_blocks = self._device.compute_units * (
            4 if self._device.is_cpu else _BLOCKS_A_MULTIPROCESSOR
        )
        most_vertices = int(settings["piece"])
        with phases.measure("prepare"):
            self._pieces: SweepPieces = graph.cached(
                ("pieces of the hierarchy", most_vertices),
                lambda: sweep_pieces(ready.hierarchy, most_vertices),
            )
        self._kept = self._pieces.inner if reduce else graph.n
        self._targets, self._columns = targets, graph.n if targets is None else len(targets)
        self._cell = self._kind.dtype if targets is None else np.dtype(np.float64)
        self._programs = {stage: self._compile(stage) for stage in self._pieces.stages}
        upload = partial(DeviceHierarchy.upload, ready, self._pieces, self._any_program)
        with phases.measure("h2d"):
            self._hierarchy = problem.graph_on(session, "hierarchy", upload)
            self._places = self._hierarchy.place_of_vertex
            if targets is not None:
                place = np.empty(graph.n, np.int32)
                place[self._pieces.rank] = np.arange(graph.n, dtype=np.int32)
                self._places = session.upload(place[ready.hierarchy.tree.rank[targets]])
        kept_bytes = most * self._columns * self._cell.itemsize if whole else 0
        self.batch = self._fitting(most, int(settings["abreast"]), kept_bytes)
        with phases.measure("prepare"):
            self._allocate(most if whole else self.batch)

    @property
    def relaxations(self) -> int:
        """Arcs of one sweep."""
        return self._ready.hierarchy.arcs

    def by_rank(self, sources: Int32s) -> Int64s:
        """Positions of the sources in the order of the hierarchy, in which neighbours
        share most.
        """
        return np.argsort(self._ready.hierarchy.tree.rank[sources])

    def rows(self, sources: Int32s, into: AnyArray) -> None:
        """Distances from at most `batch` sources into rows, (k, n) or (k, targets), contiguous."""
        self.keep(sources, np.arange(len(sources)))
        with self._phases.measure("d2h"):
            self._session.download(self.kept_rows, into)

    def keep(self, sources: Int32s, rows: AnyArray) -> None:
        """Distances from at most `batch` sources into the given rows of ``kept_rows``,
        on the device.
        """
        lanes = self._settle(sources, rows=rows)
        tiles = -(-self._columns // _TILE), -(-lanes // _TILE)
        with self._session.timer() as timer:
            self._any_program.launch(
                "turn_rows",
                tiles,
                (_TILE, 8),
                self._columns,
                lanes,
                self._places,
                self._row,
                self._known,
                self.kept_rows,
            )
        self._phases.solve += timer.ms

    def totals(self, sources: Int32s, budget: Any) -> RowSummaries:
        """Summaries of the distances from at most `batch` sources."""
        lanes = self._settle(sources, budget)
        back = np.empty(len(sources), np.int64)
        back[self._order] = np.arange(len(sources))
        with self._phases.measure("d2h"):
            found = [
                self._session.download(part, np.empty(lanes, part.dtype))[back]
                for part in self._partial
            ]
        farthest, reached, within, totals = found
        return RowSummaries(farthest, totals, reached, within)

    def _compile(self, stage: SweepStage) -> Program:
        more: dict[str, int] = {}
        if self._ready.metric.guarded and self._kind.is_integer:
            more["GUARDED"] = 1
        if self._targets is not None:
            more["TABLE"] = 1
        if not self._fits_shared(stage):
            more["IN_GLOBAL"] = 1
        elif self._device.kind != "cuda":
            more["SLOTS"] = _rounded(stage.slots)
        source = _source(self._graph, self._block, self._each, is_reduced=self._reduce, **more)
        self._any_program = self._device.compile(source)
        return self._any_program

    def _fits_shared(self, stage: SweepStage) -> bool:
        slots = stage.slots if self._device.kind == "cuda" else _rounded(stage.slots)
        quads = (_QUADS + 1) * (2 * QUAD * self._kind.dtype.itemsize + 4)
        return slots * self._group * self._kind.dtype.itemsize + quads <= self._device.shared_bytes

    def _fitting(self, most: int, wanted: int, kept_bytes: int) -> int:
        """The size of batches: as wanted, but no more than fit into the memory and
        between two checks.
        """
        size, height, stages = (
            self._kind.dtype.itemsize,
            self._ready.hierarchy.tree.height,
            self._pieces.stages,
        )
        of_lane = 8 + size * (height + self._kept)
        of_lane += 0 if self._reduce or kept_bytes else self._cell.itemsize * self._columns
        of_lane += size * max(
            (stage.slots for stage in stages if not self._fits_shared(stage)), default=0
        )
        tall = [
            stage.slots * self._most_blocks * self._group
            for stage in stages
            if not self._fits_shared(stage)
        ]
        fixed = kept_bytes + size * min(max(tall, default=0), _SCRATCH_CELLS)
        if self._reduce:
            of_lane += _BYTES_OF_PART * len(stages)
            fixed += _BYTES_OF_PART * len(stages) * self._most_blocks * self._group
        free = int(_SHARE * self._device.free_bytes()) - fixed
        room = free // of_lane // self._group * self._group
        if room <= 0:
            needed = of_lane * self._group + kept_bytes
            raise OutOfMemory(
                "A batch of sources", needed, max(0, free + kept_bytes), self._device.name
            )
        relaxations = _RELAXATIONS_ON_A_CPU if self._device.is_cpu else _RELAXATIONS_A_BATCH
        quick = int(relaxations / max(1, self._ready.hierarchy.arcs)) // self._group * self._group
        chosen = wanted or min(
            _MOST_REDUCED if self._reduce else _MOST_KEPT, max(self._group, quick)
        )
        return max(1, min(most, room, chosen))

    def _blocks(self, stage: SweepStage, lanes: int) -> int:
        """Blocks that share the pieces of a stage, for each group of lanes."""
        most = self._most_blocks * self._group // lanes
        if not self._fits_shared(stage):
            most = min(most, _SCRATCH_CELLS // (stage.slots * lanes))
        return max(1, min(stage.last - stage.first, most))

    def _allocate(self, rows: int) -> None:
        session, dtype = self._session, self._kind.dtype
        lanes = -(-self.batch // self._group) * self._group
        self._start, self._row = (session.empty(lanes, np.int32) for _ in range(2))
        self._reached = session.empty(max(1, self._ready.hierarchy.tree.height * lanes), dtype)
        self._known = session.empty(max(1, self._kept * lanes), dtype)
        if not self._reduce:
            self.kept_rows = session.empty((rows, self._columns), self._cell)
        most = max(lanes, self._most_blocks * self._group)  # lanes of all blocks of a launch
        tall = [stage.slots for stage in self._pieces.stages if not self._fits_shared(stage)]
        scratch = [max(slots * lanes, min(slots * most, _SCRATCH_CELLS)) for slots in tall]
        self._scratch = session.empty(max(scratch, default=1), dtype)
        cells = most * len(self._pieces.stages) if self._reduce else 1
        self._partial = tuple(
            session.empty(cells, t) for t in (dtype, np.int32, np.int32, _total_type(self._graph))
        )

    def _settle(self, sources: Int32s, budget: Any = 0, rows: AnyArray | None = None) -> int:
        """Climb and sweep; returns the number of lanes. Lanes are sorted by rank, the
        last one fills up its group.
        """
        tree, kind, count = self._ready.hierarchy.tree, self._kind, len(sources)
        lanes = -(-count // self._group) * self._group
        ranks = tree.rank[sources]
        self._order = np.argsort(ranks)
        start, row = (
            np.full(self._start.shape[0], value, np.int32) for value in (ranks[self._order[-1]], -1)
        )
        start[:count], row[:count] = (
            ranks[self._order],
            self._order if rows is None else rows[self._order],
        )
        with self._phases.measure("h2d"):
            self._session.write(self._start, start)
            self._session.write(self._row, row)
        with self._session.timer() as timer:
            blocks = (-(-lanes // self._block),)
            self._any_program.launch(
                "climb",
                blocks,
                (self._block,),
                lanes,
                tree.height,
                self._start,
                *self._hierarchy.climbing,
                self._reached,
            )
            parts = 0
            for stage in self._pieces.stages:
                parts += self._settle_stage(stage, lanes, parts, kind.dtype.type(budget))
            if self._reduce:
                self._any_program.launch(
                    "join_parts",
                    blocks,
                    (self._block,),
                    lanes,
                    parts,
                    *self._partial,
                )
        self._phases.solve += timer.ms
        return lanes

    def _settle_stage(self, stage: SweepStage, lanes: int, part: int, budget: Any) -> int:
        """Launch a stage; returns how many rows of partial results it writes."""
        width = self._blocks(stage, lanes)
        bytes_of_block = stage.slots * self._group * self._kind.dtype.itemsize
        dynamic = self._device.kind == "cuda" and self._fits_shared(stage)
        self._programs[stage].launch(
            "settle_pieces",
            (width, lanes // self._group),
            (self._block, 1),
            stage.first,
            stage.last,
            lanes,
            *self._hierarchy.sweeping,
            self._start,
            self._reached,
            self._kept,
            self._known,
            stage.slots,
            self._scratch,
            part,
            budget,
            *self._partial,
            shared_bytes=bytes_of_block if dynamic else 0,
        )
        return width


def usual_sources(graph: Graph) -> tuple[KernelSource, KernelSource]:
    """What most graphs need on a GPU, for rows that are reduced and for whole ones:
    `compile_ahead` takes them before the hierarchy says what this one needs.
    """
    block, each = int(BLOCK.default), int(EACH.default)
    reduced, whole = (_source(graph, block, each, is_reduced=it) for it in (True, False))
    return reduced, whole


def _source(graph: Graph, block: int, each: int, *, is_reduced: bool, **more: int) -> KernelSource:
    kind = graph.distance_type
    defines = distance_defines(kind) | {"BLOCK": block, "EACH": each, "QUADS": _QUADS} | more
    if is_reduced:
        defines["REDUCE"] = 1
    if _total_type(graph) is np.float64:
        defines["TOTAL_FLOAT64"] = 1
    return KernelSource.beside(__file__, "device_batch.cu", **defines)


def _total_type(graph: Graph) -> type[np.int64] | type[np.float64]:
    """Of sums of distances: exact 64-bit integers wherever they cannot overflow."""
    exact = graph.distance_type.is_integer and graph.n * float(graph.path_bound) < 2.0**63
    return np.int64 if exact else np.float64


@contextmanager
def device_sweeps(
    problem: Problem,
    ready: Prepared,
    device: Device,
    phases: Phases,
    *,
    reduce: bool,
    most: int,
    whole: bool = False,
    targets: AnyArray | None = None,
) -> Iterator[tuple[DeviceSweeps, DeviceSession]]:
    """A hierarchy on a device, and the session that holds it.

    Raises OutOfMemory, KernelBuildError, DeviceUnavailable.
    """
    sums = reduce and not problem.distance_type.is_integer
    if (sums or targets is not None) and (lacking := device.missing_features(FLOAT64)):
        needed = f"{lacking}, which sums and tables of distances need"
        raise DeviceUnavailable(f"{device.name} lacks {needed}; choose another device.")
    with device.session() as session:
        yield (
            DeviceSweeps(
                problem,
                ready,
                session,
                phases,
                reduce=reduce,
                most=most,
                whole=whole,
                targets=targets,
            ),
            session,
        )


def batches_of(
    sources: Sequence[int] | AnyArray, sweeps: DeviceSweeps, progress: Progress
) -> Iterator[slice]:
    """Ranges of sources that are settled together, with a cancellation check before each."""
    for first in range(0, len(sources), sweeps.batch):
        progress.checkpoint(first, len(sources))
        yield slice(first, min(len(sources), first + sweeps.batch))


def _rounded(slots: int) -> int:
    """The next power of two, so that few programs are compiled."""
    return max(64, 1 << (slots - 1).bit_length())


def settle_and_reduce(
    graph: Graph,  # negative weights are allowed, negative cycles are not
    device: Device,
    sources: AnyArray,
    *,
    # in the unit of the weights; integer distances are compared with it rounded down
    budget: float | None = None,
    settings: Mapping[str, Any] | None = None,  # parameters of ``cch-batch-device``
    progress: Progress = SILENT,
    warm: WarmGraph | None = None,  # keeps the hierarchy on the device
) -> Iterator[tuple[slice, RowSummaries]]:
    """Settle all vertices from each source and reduce the distances where they arise;
    rows are never kept.

    Raises NegativeCycle if the graph has one, wherever it is; ParameterError for a
    vertex that is not in the graph; SeparatorsTooLarge, OutOfMemory, Unavailable,
    OrderFailed, DeviceUnavailable, KernelBuildError, Cancelled.

    Sources are vertex indices; repeated ones are allowed. Neighbours among them should
    be near in the network: they share more. Yields batch after batch, in the order of
    ``sources``, each as a slice of them; nothing is within where no budget was given.
    Sums of integers are exact, in int64, unless n times the longest path could exceed
    it; else they are float64, added in an order that depends on the device.
    Cancellation is checked between batches.
    """
    if not len(sources):
        return
    kind = graph.distance_type
    infinity = kind.infinity - 1 if kind.is_integer else np.finfo(kind.dtype).max
    most = -infinity if budget is None else min(max(budget, -infinity), infinity)
    limit = kind.dtype.type(np.floor(most) if kind.is_integer else most)
    with _swept(graph, device, sources, settings, progress, reduce=True, warm=warm) as (
        chosen,
        sweeps,
        _,
    ):
        for part in batches_of(chosen, sweeps, progress):
            found = sweeps.totals(chosen[part], limit)
            if budget is None:
                found.within[:] = 0
            yield part, found


def settle_into_rows(
    graph: Graph,
    device: Device,
    sources: AnyArray,
    *,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = SILENT,
    warm: WarmGraph | None = None,
) -> Iterator[tuple[slice, AnyArray]]:
    """Distances from each source to all vertices, in batches that fit into the device's memory.

    Raises as `settle_and_reduce`.

    Parameters are as of `settle_and_reduce`. Yields each batch as a slice of
    ``sources``, with a new (k, n) array of the distance type: a row for each source of
    the batch.
    """
    if not len(sources):
        return
    with _swept(graph, device, sources, settings, progress, reduce=False, warm=warm) as (
        chosen,
        sweeps,
        _,
    ):
        for part in batches_of(chosen, sweeps, progress):
            rows = np.empty((part.stop - part.start, graph.n), graph.distance_type.dtype)
            sweeps.rows(chosen[part], rows)
            yield part, rows


def settle_into_table(
    graph: Graph, device: Device, sources: AnyArray, targets: AnyArray, table: Float64s
) -> None:
    """Distances from each source to each target, (k, l), with inf where there is no
    path; raises as `settle_into_rows`.

    The table is fastest in page-locked memory: ``device.result_array(...)``.
    """
    if not table.size:
        return
    with _swept(graph, device, sources, None, SILENT, reduce=False, targets=targets) as (
        chosen,
        sweeps,
        _,
    ):
        for part in batches_of(chosen, sweeps, SILENT):
            sweeps.rows(chosen[part], table[part])


def settle_on_device(
    graph: Graph, device: Device, sources: AnyArray, settings: Mapping[str, Any] | None = None
) -> Any:
    """Rows of distances that stay on an NVIDIA GPU: a CuPy array, (k, n) of the distance type.

    Raises OutOfMemory if they do not fit beside the hierarchy; as `settle_into_rows`.
    """
    with _swept(graph, device, sources, settings, SILENT, reduce=False, whole=True) as (
        chosen,
        sweeps,
        _,
    ):
        order = sweeps.by_rank(chosen)
        for part in batches_of(chosen, sweeps, SILENT):
            sweeps.keep(chosen[order[part]], order[part])
        rows: Any = sweeps.kept_rows
        return rows.array


@contextmanager
def _swept(
    graph: Graph,
    device: Device,
    sources: AnyArray,
    settings: Mapping[str, Any] | None,
    progress: Progress,
    *,
    reduce: bool,
    whole: bool = False,
    targets: AnyArray | None = None,
    warm: WarmGraph | None = None,
) -> Iterator[tuple[Int32s, DeviceSweeps, Phases]]:
    """The sources, checked, and the graph's hierarchy on the device."""
    chosen = np.asarray(sources, dtype=np.int64)
    if not 0 <= int(chosen.min()) <= int(chosen.max()) < graph.n:
        raise ParameterError(
            _NAME, "sources", sources, f"vertices are numbered from 0 to {graph.n - 1}"
        )
    phases = Phases()
    settled = settle_parameters(PARAMETERS, settings or {}, _NAME)
    problem = Problem(graph, None, None, settled, device, progress, warm_graph=warm)
    ready = prepare(graph, None, _NAME, progress, device=device_for_customising(problem))
    given: dict[str, Any] = {
        "reduce": reduce,
        "most": len(chosen),
        "whole": whole,
        "targets": targets,
    }
    with device_sweeps(problem, ready, device, phases, **given) as (sweeps, _):
        yield chosen.astype(np.int32), sweeps, phases
