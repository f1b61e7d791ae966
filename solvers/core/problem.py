"""Input and output of a variant: the problem, the recorder, the solution with its
phases, what is kept between trials.

`TrialScope` holds what a variant keeps from its first trial to its last, and on to the
traced run: processes that wait for work. `WarmGraph` holds what stays on a device
between the trials of one variant, if the plan asks for that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Annotated, Any, Protocol, TypeVar, cast

import numpy as np
from msgspec import Meta

from solvers.devices.device import Device, DeviceSession
from solvers.errors import AnswerRefused
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray
from solvers.system.cancel import SILENT, Progress

OnDevice = TypeVar("OnDevice")
NonNegative = Annotated[float, Meta(ge=0, le=sys.float_info.max)]


@dataclass
class Phases:
    """Durations of a trial's phases in ms. ``total`` is their sum; kernel compilation
    is excluded.
    """

    # building the algorithm's data structures (matrix, reverse graph, device
    # allocations)
    prepare: NonNegative = 0.0
    h2d: NonNegative = 0.0  # copies from host to device
    # the algorithm itself: measured by device events on a GPU, by the host's clock
    # elsewhere
    solve: NonNegative = 0.0
    d2h: NonNegative = 0.0  # copies from device to host

    @property
    def total(self) -> float:
        return self.prepare + self.h2d + self.solve + self.d2h

    @contextmanager
    def measure(self, phase: str) -> Iterator[None]:
        """Add the host time of the ``with`` block to ``phase``, also if the block raises."""
        start = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, phase, getattr(self, phase) + (time.perf_counter() - start) * 1e3)


class TrialResource(Protocol):
    """Something that outlasts a trial."""

    @property
    def is_usable(self) -> bool:
        """Whether the next trial can use it."""
        ...

    def close(self) -> None: ...


AnyKept = TypeVar("AnyKept", bound=TrialResource)


class TrialScope:
    """Keeps things between the trials of one variant in one run; closes them at the end
    of the ``with`` block.

    It belongs to the thread that runs the variant. The first problem solved in it may be
    of another graph, on which kernels are compiled: what depends on the graph is kept
    under a key with it.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, TrialResource] = {}

    def __enter__(self) -> TrialScope:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        for key in list(self._kept):
            self.drop(key)

    @property
    def is_empty(self) -> bool:
        return not self._kept

    def keep(self, key: Hashable, make: Callable[[], AnyKept]) -> AnyKept:
        """What is kept under a key; made at the first call, and again where it has
        become unusable.
        """
        if key in self._kept and not self._kept[key].is_usable:
            self.drop(key)
        if key not in self._kept:
            self._kept[key] = make()
        return cast(AnyKept, self._kept[key])

    def drop(self, key: Hashable) -> None:
        """Close what is kept under a key, before the end of the scope."""
        self._kept.pop(key).close()


Kept = TypeVar("Kept")


class WarmGraph:
    """Buffers of one graph, as one variant lays it out on a device; they are freed with
    the session.

    The session lasts as long as the trials, each of which has a session of its own for
    the rest. ``upload_ms`` is the host time for putting the graph on the device, copies
    and kernels included.
    """

    def __init__(self, session: DeviceSession):
        self._session = session
        self._kept: dict[Hashable, object] = {}
        self.upload_ms = 0.0

    @property
    def is_used(self) -> bool:
        """Whether the variant keeps anything: those on the processor, and those that
        overwrite the graph, do not.
        """
        return bool(self._kept)

    @property
    def nbytes(self) -> int:
        return self._session.peak_bytes

    def keep(self, key: Hashable, build: Callable[[DeviceSession], Kept]) -> Kept:
        """What ``build`` makes of the session, made once for each key; raises OutOfMemory."""
        if key not in self._kept:
            began = time.perf_counter()
            self._kept[key] = build(self._session)
            self._session.synchronize()
            self.upload_ms += (time.perf_counter() - began) * 1e3
        return cast(Kept, self._kept[key])


@contextmanager
def warm_graph_on(device: Device) -> Iterator[WarmGraph]:
    """A warm graph whose buffers are freed at the end of the ``with`` block."""
    with device.session() as session:
        yield WarmGraph(session)


class Recorder:
    """What a watched run reports to: passes with their frontiers, or phases of the
    steps of an all-pairs run.

    Reports that a subclass does not override are dropped; `iteration` becomes
    `iterations` of one pass. Where ``wants_distances``, for small graphs, the distances
    after every pass, or the matrix after every phase, are passed, too.
    """

    wants_distances = False

    def phase(self, name: str, unit: str) -> None:
        """Begin a named phase ("climb"), to which the following passes belong; each
        handles one ``unit`` ("vertex").
        """

    def iteration(
        self,
        active: AnyArray,
        relaxed: int,
        improved: int,
        ms: float,
        distances: AnyArray | None = None,
    ) -> None:
        """Record one finished pass, of ``ms`` milliseconds.

        ``active``, (k,), is the frontier: the vertices whose arcs were relaxed because
        their distance had decreased. Then the number of arcs relaxed, and of vertices
        whose distance decreased. ``distances``, (n,), are those after the pass, passed
        if ``wants_distances`` and the solver has them; the recorder copies them.
        """
        offsets = np.array([0, len(active)])
        counts = np.array([relaxed]), np.array([improved]), np.array([ms])
        self.iterations(
            offsets, np.asarray(active), *counts, None if distances is None else distances[None]
        )

    def iterations(
        self,
        offsets: AnyArray,
        vertices: AnyArray,
        relaxed: AnyArray,
        improved: AnyArray,
        ms: AnyArray,
        distances: AnyArray | None = None,
    ) -> None:
        """Record k finished passes in one call, for variants with very short passes;
        counts and times are (k,).

        Pass ``i``'s active vertices are ``vertices[offsets[i]:offsets[i + 1]]``;
        ``distances`` are (k, n). If ``wants_distances``, a solver that cannot pass them
        for several passes at once calls ``iteration`` for each.
        """

    def matrix_step(
        self,
        step: int,
        phase: int,
        tiles: AnyArray,
        matrix: AnyArray | None,
        ms: float,
        relaxed: int | None = None,
        requested_bytes: int | None = None,
        copied_bytes: int | None = None,
    ) -> None:
        """Record one finished phase of an all-pairs step.

        ``step``, ``phase``: pivot step, from 0; phase, from 1 (always 1 if the
        algorithm has one phase). ``tiles`` (k, 4): half-open cell ranges (row0, row1,
        column0, column1) that the phase wrote. ``matrix`` (n, n): the matrix after the
        phase; None if reading it back would be expensive. ``ms``, ``relaxed``,
        ``requested_bytes``, ``copied_bytes``: as those of `MatrixStep`.
        """


@dataclass(frozen=True)
class Problem:
    """A shortest-path problem for one variant."""

    graph: Graph
    source: int | None  # vertex index; None for all pairs
    target: int | None = None  # vertex index; single-source and all-pairs variants ignore it
    # the variant's own, settled (`Variant.settle`)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    device: Device | None = None  # device that runs kernels; None for CPU variants
    progress: Progress = SILENT  # receives progress; checked for cancellation
    # keeps the graph on the device between trials; None: every trial uploads it
    warm_graph: WarmGraph | None = None
    # keeps MPI ranks and working memory between trials; None: every trial makes its own
    scope: TrialScope | None = None
    # receives every iteration of a watched run. None in timed runs, which do no work
    # that only a trace needs
    recorder: Recorder | None = None

    @property
    def given_source(self) -> int:
        """The source, for variants that have one: `Variant.solve` has checked that it is given."""
        assert self.source is not None
        return self.source

    @property
    def given_target(self) -> int:
        assert self.target is not None
        return self.target

    @property
    def given_device(self) -> Device:
        assert self.device is not None
        return self.device

    @cached_property
    def distance_type(self) -> WeightType:
        """The type to solve in: the graph's weight type, or the next wider if path
        lengths could overflow it.
        """
        return self.graph.distance_type

    def weights(self) -> AnyArray:
        """The graph's weights in `distance_type`; not copied if they have that type."""
        return self.graph.weights_in(self.distance_type.dtype)

    def start_distances(self, source: int) -> AnyArray:
        """0 at ``source``, infinity elsewhere: (n,) of the distance type."""
        kind = self.distance_type
        distances = np.full(self.graph.n, kind.infinity, dtype=kind.dtype)
        distances[source] = 0
        return distances

    def graph_on(
        self, session: DeviceSession, key: Hashable, build: Callable[[DeviceSession], OnDevice]
    ) -> OnDevice:
        """Buffers that depend on the graph alone and that no kernel changes; raises OutOfMemory.

        ``build`` makes them in the session that it is given: the trial's ``session``,
        unless the graph stays on the device. ``key`` distinguishes them from others of
        the same variant.
        """
        return build(session) if self.warm_graph is None else self.warm_graph.keep(key, build)


@dataclass(frozen=True)
class Solution:
    """A variant's answer, in host memory."""

    # (n,) or (n, n) of the distance type: infinity of that type for unreachable
    # vertices
    distances: AnyArray
    iterations: int  # passes, rounds or steps, as the variant counts them
    phases: Phases
    # arcs relaxed (matrix cells for Floyd-Warshall); None if only a traced run can count them
    relaxations: int | None = None
    # (n,) or (n, n) int32, or None: predecessor of each vertex on its shortest path, -1
    # for the source and unreachable vertices; None if they are to be recovered from the
    # distances (``verification/paths.py``)
    predecessors: AnyArray | None = None
    peak_device_bytes: int = 0
    # a sentence for the user on the choice that an automatic variant made; "" for
    # others
    note: str = ""

    def require_shape(self, n: int, variant_id: str) -> None:
        """Refuse distances that are not of ``n`` vertices, which compiled code reads without a
        look at their number; raises AnswerRefused.
        """
        if self.distances.shape not in ((n,), (n, n)):
            right = f"({n},) or ({n}, {n})"
            raise AnswerRefused(variant_id, "shape of distances", str(self.distances.shape), right)
