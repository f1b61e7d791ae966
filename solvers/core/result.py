"""Results of a run: trials, verdict, path, trace, disturbances. Values only.

They are created by ``running/run.py``. `Measured` has what is measured and proved of one
variant, whether it is a `Result` with its graph and arrays or a kept one; the run store
checks its fields by these types. A disturbance is what may have falsified the times of a
result. What people are told of a result is decided by `solvers.core.result_view`.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cached_property
from typing import Annotated, Any

from msgspec import Meta

from solvers.core.problem import NonNegative, Phases
from solvers.core.samples import median_interval
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.core.variant import Answers, Variant
from solvers.errors import VerificationFailed
from solvers.graphs.derived import hash_of_distances
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray, Int32s

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]

SUMMARY_PHASES = ("solve", "total")
"""The times that tables and intervals are about; the other phases are parts of the total."""


class DisturbanceKind(Enum):
    """Kind of a disturbance; the values are used in CSV files."""

    LOAD = "load"
    OWN_WORK = "own_work"
    STEAL = "steal"
    THROTTLED = "throttled"
    SLOW_START = "slow_start"
    OUTLIERS = "outliers"
    SPREAD = "spread"
    SHORT = "short"
    NOT_A_GPU = "not_a_gpu"


@dataclass(frozen=True)
class Disturbance:
    """One reason to doubt the times of a result."""

    kind: DisturbanceKind
    words: str  # one sentence for the user, with the measured figure


class Status(Enum):
    """Outcome of a run; the values are used in CSV files.

    NOT_APPLICABLE: the variant was not started, since it does not solve this problem or
    cannot run on this machine.
    """

    OK = "ok"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    NEGATIVE_CYCLE = "negative_cycle"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


@dataclass(frozen=True)
class Verdict:
    """Outcome of the verification of an answer.

    Attributes
    ----------
    verified : bool
    wrong_vertices : int
        Number of vertices, or checked cells of a matrix, whose distance is wrong.
    text : str
        "All 264,346 distances proved.", or the first failure.
    rows : tuple of int
        Many sources: indices of the vertices whose rows were checked.
    seed : int or None
        Of the sample of rows; None if all rows were checked.
    """

    verified: bool
    wrong_vertices: Count
    text: str
    rows: tuple[int, ...] = ()
    seed: int | None = None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Verdict({self.answer!r}, {self.text!r})"

    def require(self, what: str) -> None:
        """Raise VerificationFailed of what was computed, unless it is verified."""
        if not self.verified:
            raise VerificationFailed(what, self.text, self.wrong_vertices, self.rows)

    @property
    def sampled(self) -> bool:
        """True if only some rows of an all-pairs answer were checked."""
        return self.seed is not None

    @property
    def answer(self) -> str:
        """Short form, also for CSV files: "yes", "no", or "sampled, 1600 rows" if all
        checked rows are correct.
        """
        if not self.verified:
            return "no"
        if not self.sampled:
            return "yes"
        return f"sampled, {len(self.rows)} {'row' if len(self.rows) == 1 else 'rows'}"


@dataclass(frozen=True)
class Trial:
    """One timed or warm-up execution."""

    index: Count  # from 0, warm-ups included
    is_warmup: bool
    phases: Phases  # all zero if the trial failed
    status: Status = Status.OK
    error: str = ""
    # counts of this trial; they can differ between trials if threads race
    iterations: Count | None = None
    relaxations: Count | None = None


@dataclass(frozen=True)
class StoredAnswer:
    """What is known of the answer of an earlier run, whose distances were not kept."""

    target_distance: int | float | None = None
    distances_sha256: str = ""  # as in ``trials.csv``; "" if unknown
    # version of Tautpath and processor of that run; "" if unknown
    app_version: str = ""
    cpu: str = ""
    host: str = ""  # the cluster's host that it ran on; "" for this machine, or if unknown


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was measured and proved of one variant in one run."""

    status: Status | None = None  # None if the run was killed, or is not finished
    error: str = ""  # one sentence if the status is not OK
    # "" for variants of the processor
    device_name: str = ""
    driver: str = ""
    trials: tuple[Trial, ...] = ()  # warm-ups included, in order
    verdict: Verdict | None = None  # None if the answer was not verified
    iterations: Count | None = None
    relaxations: Count | None = None
    peak_device_bytes: Count = 0
    note: str = ""  # the choice that an automatic variant made (see `Solution`)
    # wall time of the first warm-up, compilation included; None without warm-ups
    cold_ms: NonNegative | None = None
    # CPU time per second that other programs used during the trials: 1 is one core.
    # None if it is unknown
    load: NonNegative | None = None
    # reasons to doubt the times; empty if none was found
    disturbances: tuple[Disturbance, ...] = ()
    # time for putting the graph on the device, where it then stayed; no trial contains
    # it. None: every trial uploads the graph, or there is no device
    graph_upload_ms: NonNegative | None = None

    @property
    def has_warm_graph(self) -> bool:
        """Whether the graph stayed on the device between the trials."""
        return self.graph_upload_ms is not None

    def times(self, phase: str = "total") -> list[float]:
        """NonNegative of the timed trials that succeeded, for one phase ("solve",
        "total", ...).
        """
        if phase not in self._times:
            timed = (t for t in self.trials if not t.is_warmup and t.status is Status.OK)
            self._times[phase] = tuple(getattr(t.phases, phase) for t in timed)
        return list(self._times[phase])

    @cached_property
    def _times(self) -> dict[str, tuple[float, ...]]:
        """Times by phase, which views ask for at every paint."""
        return {}

    def median(self, phase: str = "total") -> float | None:
        """Median in ms over the successful timed trials; None if there are none."""
        times = self.times(phase)
        return statistics.median(times) if times else None

    def confidence(self, phase: str = "total") -> tuple[float, float] | None:
        """The 95 % confidence interval of the median, in ms; None for fewer than six
        timed trials.
        """
        return median_interval(self.times(phase))


def measured_fields(measured: Measured) -> dict[str, Any]:
    """The fields of `Measured` alone, with which a `Result` becomes a kept one, and back."""
    return {one.name: getattr(measured, one.name) for one in fields(Measured)}


@dataclass(frozen=True, eq=False, repr=False)
class Result(Measured):
    """What a variant answered in a run, and the times that it took."""

    variant: Variant
    parameters: Mapping[str, Any]
    graph: Graph
    # vertex indices
    source: int | None
    target: int | None
    status: Status = field(default=Status.OK, kw_only=True)
    # the exception that ended the run; its traceback is removed, because its frames
    # would keep arrays alive
    fault: Exception | None = None
    traceback: str = ""  # text of the traceback, if the exception is not a `TautpathError`
    report: str = ""  # crash report of such an exception, without user data
    distances: AnyArray | None = None
    # (n,) int32 of the tree from the source; None without a source or if the answer is wrong
    predecessors: AnyArray | None = None
    trace: ActivityTrace | MatrixTrace | None = None
    cycle: tuple[int, ...] = ()  # vertex indices of a negative cycle; empty if there is none
    # (k,): vertex indices from source to target; None without a target or if it is unreachable
    path: Int32s | None = None
    run_id: str = ""
    timestamp_utc: str = ""
    # for a run that was reopened from the store; None for one of this session
    stored: StoredAnswer | None = None
    # of the graph that was searched for a network whose junctions are split at turns; its
    # verdict holds for this result
    searched: Result | None = None

    # a result is itself, as its arrays are; what was measured compares by value
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Result({self.variant.id} on {self.graph!r}: {self.status.value})"

    @property
    def ok(self) -> bool:
        """True if solved and, unless verification was switched off, verified."""
        return self.status is Status.OK and (self.verdict is None or self.verdict.verified)

    @property
    def target_distance(self) -> int | float | None:
        """Distance from source to target; None without a target or an answer.

        An int for integer weights, which a float of the same size might not be equal
        to; inf if unreachable.
        """
        if self.target is None or self.source is None:
            return None
        if self.distances is None:
            return None if self.stored is None else self.stored.target_distance
        from solvers.graphs.weights import exact_distance

        return exact_distance(
            self.distances if self.distances.ndim == 1 else self.distances[self.source], self.target
        )

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the answer, of the target's distance only for one-path variants; ""
        without an answer.

        A cancelled series has none either, since the hash of a large matrix takes long.
        """
        if self.distances is None:
            return "" if self.stored is None else self.stored.distances_sha256
        if self.status is Status.CANCELLED:
            return ""
        if self.variant.answers is Answers.TARGET and self.target is not None:
            return hash_of_distances(self.distances[self.target : self.target + 1])
        return hash_of_distances(self.distances)
