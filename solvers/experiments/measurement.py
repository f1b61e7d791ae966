"""What was measured at the points of an experiment, in this run or an earlier one, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solvers.contracts.results import Status
from solvers.contracts.sample_statistics import median_interval
from solvers.experiments.grid import Point
from solvers.running.store.kept_run import GraphFacts, KeptRun, KeptVariant, MachineFacts


@dataclass(frozen=True)
class Measurement:
    """One measured point.

    Attributes
    ----------
    point : Point
    graph : GraphFacts
    source : int or None
        Id of the source vertex.
    kept : KeptVariant
        With all its trials.
    run_id, app_version : str
    machine : MachineFacts
    is_earlier : bool
        Taken from the store instead of measured in this run.
    """

    point: Point
    graph: GraphFacts
    source: int | None
    kept: KeptVariant
    run_id: str
    app_version: str
    machine: MachineFacts
    is_earlier: bool = False

    @classmethod
    def of(cls, point: Point, run: KeptRun, kept: KeptVariant, *, is_earlier: bool) -> Measurement:
        return cls(point, run.graph, run.source, kept, run.run_id, run.app_version, run.machine, is_earlier)

    @property
    def label(self) -> str:
        return self.point.series.label

    @property
    def is_timed(self) -> bool:
        """Whether its times may be compared: it ended well, and its answer is right unless it races by design."""
        kept, racy = self.kept, self.point.series.variant.racy
        right = kept.verdict is None or kept.verdict.verified or racy
        return kept.status is Status.OK and right and bool(kept.times())

    @property
    def on_gpu(self) -> bool:
        """Whether its kernels ran on a GPU, not on a processor through OpenCL."""
        return bool(self.kept.device) and not any(d.kind.value == "not_a_gpu" for d in self.kept.disturbances)

    def median(self, phase: str = "total") -> float | None:
        return self.kept.median(phase)

    def interval(self, phase: str = "total") -> tuple[float, float] | None:
        """The 95 % interval of the median in ms; None for fewer than six trials."""
        return median_interval(self.kept.times(phase))

    def spread(self, phase: str = "total") -> tuple[float, float]:
        """Its interval or, with fewer trials, the least and the greatest time."""
        times = self.kept.times(phase)
        return self.interval(phase) or (min(times), max(times))

    def value(self, name: str) -> Any:
        """Vertices, arcs or key of the graph, or a parameter of the variant; None if it has no such thing."""
        known: Mapping[str, Any] = {
            "vertices": self.graph.vertices, "arcs": self.graph.arcs, "graph": self.point.graph.key,
        }  # fmt: skip
        return known[name] if name in known else self.kept.parameters.get(name)

    def matches(self, where: Mapping[str, Any]) -> bool:
        return all(self.value(name) == wanted for name, wanted in where.items())


@dataclass(frozen=True)
class Omission:
    """A point that was not measured, and why."""

    point: Point
    reason: str


def timed(measurements: Iterable[Measurement]) -> list[Measurement]:
    return [found for found in measurements if found.is_timed]


def graph_order(measurements: Sequence[Measurement]) -> list[str]:
    """Hashes of the graphs, from the smallest to the largest."""
    sizes = {found.graph.sha256: (found.graph.vertices, found.graph.arcs) for found in measurements}
    return sorted(sizes, key=lambda digest: (*sizes[digest], digest))
