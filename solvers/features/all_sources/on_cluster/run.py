"""All sources of a graph over a cluster: chunks are reduced or written where they
arise, and merged here.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from solvers.algorithms.distance_rows import budget_of, sum_type_of, summary_bytes
from solvers.errors import ClusterUnavailable, TautpathError
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.betweenness import FlowRun
from solvers.features.all_sources.engine import (
    RowProofs,
)
from solvers.features.all_sources.on_cluster.chunks import ChunkMemory, ChunkRunner, Remaining
from solvers.features.all_sources.on_cluster.row_array import RowArray, RowStore
from solvers.features.all_sources.on_cluster.worker import (
    ChunkPlan,
    ChunkResult,
    compute_row_end,
    require_choice,
)
from solvers.features.all_sources.request import (
    OWNER,
    PREPARING,
    AllSourcesRequest,
    Direction,
)
from solvers.features.all_sources.run import (
    COMPUTING,
    Watch,
    note_of,
    verdict_of,
)
from solvers.features.all_sources.state_file import FoundParts, SourceRange
from solvers.features.clusters.connection import Connection
from solvers.features.clusters.placing import Placement, place
from solvers.running.network_pack import PackName, write_pack
from solvers.running.prepared_network import PreparedNetwork, prepared_network
from solvers.system.array_types import Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.openmp import team
from solvers.text import format_count, plural
from solvers.verification.verify import verify_reverse

PLACING = "sending the graph"  # a stage, after the preparation
_STEP = 16  # sources that an engine sweeps together
_ROW_S = 600.0  # for the row of the diameter


@dataclass(frozen=True)
class ClusterChoices:
    """The parameters of a run over a cluster beyond the request. Raises InputError for
    an unknown device.
    """

    # Zarr group for the rows of distances, on a file system that all hosts see
    rows_to: Path | None = None
    # (k,) vertices to which distances are kept in the rows; None for all
    targets: Int64s | None = None
    # a GPU for each worker while there are any; "cuda": no workers without one; "none":
    # no GPUs
    device: str = "auto"
    shared: bool = True  # let hosts use the client's file of the graph if they see it

    def __post_init__(self) -> None:
        require_choice(self.device)


def run_on_cluster(
    request: AllSourcesRequest,
    connection: Connection,
    more: ClusterChoices | None = None,
    watch: Watch = lambda words: SILENT,
) -> AllSources:
    """Compute the numbers of every vertex, as `run_all_sources`, over the workers of a cluster.

    The request's threads and device are not used: each worker thread computes with one.
    ``watch`` makes the progress of each stage. While a checkpoint of `COMPUTING` does
    not return, the run is paused. When it cancels, finished chunks are in the state
    file, if there is one.

    Raises ClusterUnavailable, NegativeCycle, UnsuitableGraph, OutOfMemory,
    ParameterError, FileNotWritten, InputError, Cancelled.
    """
    return _ClusterAllSources(request, connection, more or ClusterChoices(), watch).run()


class _ClusterAllSources:
    def __init__(
        self, request: AllSourcesRequest, connection: Connection, more: ClusterChoices, watch: Watch
    ):
        self._request, self._connection, self._more, self._watch = request, connection, more, watch
        if more.rows_to is not None and request.state is None:
            beside = more.rows_to.with_name(more.rows_to.name + ".state")
            self._request = replace(request, state=beside)
        self._graph = request.searched
        self._sum_type = sum_type_of(self._graph)
        self._found = FoundParts(self._request, self._sum_type)

    def run(self) -> AllSources:
        began = time.perf_counter()
        request, graph = self._request, self._graph
        is_reverse = request.direction is Direction.IN
        with team(0, OWNER) as threads:
            network = prepared_network(
                request.graph, None, self._watch(PREPARING), threads, is_reverse=is_reverse
            )
        engine, translation = network.sweeps, network.translation
        assert engine is not None
        budget = budget_of(network.kind, request.budget)
        self._proofs = RowProofs(network, budget, request.count, graph)
        if is_reverse:  # workers have the reverse only, and prove rows on it
            self._proofs.add(verify_reverse(translation.searched, graph))
        rows_to = self._more.rows_to
        store = None if rows_to is None else RowStore(rows_to, self._request, self._more.targets)
        usable = None if store is None else store.finished()
        name = f"cluster: {engine.name}"
        self._flows = (
            _flow_run(request, network, self._watch(PREPARING)) if request.has_flows else None
        )
        state, problem = self._found.resume(name, self._proofs, self._flows, usable)
        kept = self._count = self._found.count
        end_of = translation.ends(None)  # None if workers have the network itself
        pack = write_pack(graph, network.engine, end_of=end_of)
        placement = place(self._connection, pack, self._watch(PLACING), shared=self._more.shared)
        rows = None if store is None else store.rows
        plan = ChunkPlan(
            uuid.uuid4().hex[:12],
            pack,
            self._more.shared,
            self._more.device,
            request.budget,
            rows,
            request.bins,
            request.has_flows,
            request.masses,
            request.direction,
        )
        progress = self._watch(COMPUTING)
        step = _STEP if store is None else store.rows.block
        remaining = Remaining(self._found.finished, step)
        runner = ChunkRunner(
            self._connection,
            plan,
            request.sources,
            remaining,
            step,
            self._memory(network, pack, rows),
            progress,
        )

        def take(chunk: ChunkResult) -> bool:
            if not self._proofs.add(chunk.verdict):
                return False
            if self._flows is not None and not self._take_flows(self._flows, chunk):
                return False
            done = SourceRange(chunk.first, chunk.last, chunk.summaries, chunk.counts)
            self._found.put(done)
            if store is not None:
                store.mark(chunk.first, chunk.last)
            if state is not None:
                state.append(done)
            if self._flows is not None:
                self._flows.keep()
            self._count += chunk.last - chunk.first
            progress.checkpoint(self._count, request.count)
            return True

        runner.run(take)
        if end_of is not None and self._proofs.verdict.verified:  # workers have no turns
            first = request.vertices(0, 1).astype(np.int32)
            self._proofs.prove(first, self._found.summaries.take(slice(0, 1)), SILENT)
        if self._flows is not None:
            self._flows.keep(last=True)
        ends = self._diameter_ends(plan)
        note = note_of(request, engine, kept, problem, self._sum_type) + self._summary(
            placement, runner
        )
        seconds = time.perf_counter() - began
        found = self._found
        summed = None
        if self._flows is not None and self._proofs.verdict.verified:
            summed = self._flows.result(found.summaries, SILENT)
        verdict = verdict_of(self._proofs, self._flows)
        return AllSources(
            request, found.summaries, ends, verdict, seconds, name, note, found.histogram, summed
        )

    @staticmethod
    def _take_flows(flows: FlowRun, chunk: ChunkResult) -> bool:
        return chunk.flows is not None and flows.take(chunk.first, chunk.last, chunk.flows)

    def _memory(
        self, network: PreparedNetwork, pack: PackName, rows: RowArray | None
    ) -> ChunkMemory:
        graph, kind = self._graph, self._graph.distance_type
        whole = rows is not None or self._request.bins is not None
        block = 0 if rows is None else rows.block * rows.columns * kind.dtype.itemsize
        needed = (
            network.thread_bytes(whole_rows=whole)
            + block
            + (0 if self._flows is None else self._flows.thread_bytes)
        )
        return ChunkMemory(graph.name, pack.size, needed, summary_bytes(kind, self._sum_type))

    def _diameter_ends(self, plan: ChunkPlan) -> tuple[int, int]:
        """As in a run on one machine: the other end is found in the row of the first of
        greatest eccentricity.
        """
        greatest = int(self._found.summaries.farthest.argmax())
        start = int(self._request.vertices(greatest, greatest + 1)[0])
        if not self._proofs.verdict.verified:
            return start, start
        claimed = self._found.summaries.take(slice(greatest, greatest + 1))
        future = self._connection.client.submit(compute_row_end, plan, start, claimed, pure=False)
        try:
            end, verdict = future.result(timeout=_ROW_S)
        except TautpathError:
            raise
        except Exception as error:  # Dask's own
            raise ClusterUnavailable(
                self._connection.name, f"the last row was not computed ({error})"
            ) from error
        self._proofs.add(verdict)
        return (end, start) if self._request.direction is Direction.IN else (start, end)

    def _summary(self, placement: Placement, runner: ChunkRunner) -> str:
        text = f" Computed on {plural(len(placement.hosts), 'host')}"
        if runner.gpus:
            text += f" with {plural(runner.gpus, 'GPU')}"
        if placement.sent:
            text += f"; the graph was sent to {format_count(len(placement.sent))} of them"
        text += "."
        for host, times in sorted(runner.pace.slow_hosts().items()):
            text += f" Host {host} is {times:.0f} times slower than the median worker."
        return text


def _flow_run(request: AllSourcesRequest, network: PreparedNetwork, progress: Progress) -> FlowRun:
    with team(0, OWNER) as threads:
        return FlowRun(request, network, threads, progress)
