"""What a run leaves behind: trials, verdict, path, trace. Values only: ``runner.py`` makes them, others read them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.catalog import Variant
from solvers.contracts.trace import ActivityTrace, MatrixTrace
from solvers.graphs.graph import Graph
from solvers.host.timing import Phases


class Status(Enum):
    """How a run ended; the value is what CSV files say."""

    OK = "ok"
    CANCELLED = "cancelled"
    OUT_OF_MEMORY = "out_of_memory"
    NEGATIVE_CYCLE = "negative_cycle"
    ERROR = "error"


@dataclass(frozen=True)
class Verdict:
    """What the independent verifier found.

    Attributes
    ----------
    verified : bool
    wrong_vertices : int
        Vertices (or matrix cells checked) whose distance is wrong; 0 where verified.
    words : str
        "all 264,346 distances proved", or what failed first.
    rows : tuple of int
        All pairs: the rows that were checked; empty for one source.
    seed : int or None
        All pairs: the seed that chose them, None where all rows were checked.
    """

    verified: bool
    wrong_vertices: int
    words: str
    rows: tuple[int, ...] = ()
    seed: int | None = None


@dataclass(frozen=True)
class Trial:
    """One timed (or warm-up) execution.

    Attributes
    ----------
    index : int
        From 0, warm-ups included.
    is_warmup : bool
    phases : Phases
        All zero where the trial did not end well.
    status : Status
    error : str
    iterations, relaxations : int or None
        Of this very trial: racing threads may need more passes in one than in another.
    """

    index: int
    is_warmup: bool
    phases: Phases
    status: Status = Status.OK
    error: str = ""
    iterations: int | None = None
    relaxations: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """All that is known of one variant on one problem.

    Attributes
    ----------
    variant : Variant
    parameters : mapping
    graph : Graph
    source, target : int or None
        Vertex indices.
    device_name, driver : str
        "" for CPU variants.
    status : Status
    error : str
        One clear sentence where the status is not OK.
    fault : Exception or None
        What ended the run where the status is not OK, without its traceback, whose frames would keep arrays alive.
    traceback : str
        The traceback of a fault that is none of Tautline's own errors.
    trials : tuple of Trial
        Warm-ups included, in order.
    distances : array or None
    predecessors : array or None
        (n,) int32 for one source; None for all pairs where too large.
    iterations, relaxations : int or None
    verdict : Verdict or None
        None where not run.
    trace : ActivityTrace, MatrixTrace or None
    cycle : tuple of int
        Vertices of a negative cycle.
    path : (k,) int32 or None
        Vertex indices from source to target; None without a target or where it cannot be reached.
    peak_device_bytes : int
    note : str
        How the answer came about, where the variant had a choice (see `Solution`).
    run_id, timestamp_utc : str
    """

    variant: Variant
    parameters: Mapping[str, Any]
    graph: Graph
    source: int | None
    target: int | None
    device_name: str = ""
    driver: str = ""
    status: Status = Status.OK
    error: str = ""
    fault: Exception | None = None
    traceback: str = ""
    trials: tuple[Trial, ...] = ()
    distances: NDArray[Any] | None = None
    predecessors: NDArray[Any] | None = None
    iterations: int | None = None
    relaxations: int | None = None
    verdict: Verdict | None = None
    trace: ActivityTrace | MatrixTrace | None = None
    cycle: tuple[int, ...] = ()
    path: NDArray[np.int32] | None = None
    peak_device_bytes: int = 0
    note: str = ""
    run_id: str = ""
    timestamp_utc: str = ""

    def __repr__(self) -> str:
        return f"Result({self.variant.id} on {self.graph!r}: {self.status.value})"

    @property
    def ok(self) -> bool:
        """Solved and, unless verification was switched off, proved."""
        return self.status is Status.OK and (self.verdict is None or self.verdict.verified)

    def times(self, phase: str = "total") -> list[float]:
        """Milliseconds of the timed trials that succeeded, for one phase ("solve", "total", ...)."""
        return [getattr(t.phases, phase) for t in self.trials if not t.is_warmup and t.status is Status.OK]

    def median(self, phase: str = "total") -> float | None:
        """Median ms over the timed trials; None where none succeeded."""
        times = self.times(phase)
        return statistics.median(times) if times else None

    @property
    def target_distance(self) -> float | None:
        """Length of the path asked for (inf where unreachable); None without a target or an answer."""
        if self.target is None or self.source is None or self.distances is None:
            return None
        from solvers.graphs.weights import weight_type

        row = self.distances if self.distances.ndim == 1 else self.distances[self.source]
        value = row[self.target]
        kind = weight_type(self.distances.dtype)
        return float("inf") if value >= kind.infinity else float(value)
