"""An experiment as values: which graphs and variants it compares, how it measures, what it draws and what it tests.

The files of `resources/experiments/` hold one experiment each; `solvers.experiments.spec_file` turns them into these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import Any

from solvers.core.variant import Variant
from solvers.graphs.generators import Generator
from solvers.running.request import MeasurementPlan


class ExperimentScale(Enum):
    """How large the graphs are: minutes on a laptop, or the sizes of the paper."""

    SMALL = "small"
    PAPER = "paper"


BOTH = (ExperimentScale.SMALL, ExperimentScale.PAPER)


class ChartKind(Enum):
    """What a chart draws.

    TIME: time by graph; SPEED_UP: baseline's time divided by the variant's; SCALING: time, and EFFICIENCY: speed-up per
    unit of the x axis, against threads or ranks with the ideal line; PHASES: stacked phases of the largest graph; WORK:
    relaxations per arc; RATE: relaxations per second against the device's limit.
    """

    TIME = "time"
    SPEED_UP = "speed-up"
    SCALING = "scaling"
    EFFICIENCY = "efficiency"
    PHASES = "phases"
    WORK = "work"
    RATE = "rate"


class ClaimKind(Enum):
    """What a claim compares.

    RATIO: time of one selection divided by that of another; BEST: the value of a parameter with the least time;
    EFFICIENCY: speed-up per unit of a parameter; ITERATIONS: number of iterations.
    """

    RATIO = "ratio"
    BEST = "best"
    EFFICIENCY = "efficiency"
    ITERATIONS = "iterations"


@dataclass(frozen=True)
class GraphSpec:
    """Graphs of one kind: a file, or a generator with the values of its parameters.

    Attributes
    ----------
    label : str
        Name for display; "" for the graph's own.
    generator : Generator or None
        None for a file.
    parameters : mapping of str to tuple
        Values of each parameter of the generator; all combinations are made. An `Expression` follows another parameter.
    file : str
        Name of the file, without ".gz"; "" for a generator.
    vertices, arcs : int
        Size of the graph of the file, for the forecast; 0 if unknown.
    weights : str
        As `read_graph`.
    source : str
        Id of the source vertex; "" for the first vertex.
    """

    label: str
    scales: tuple[ExperimentScale, ...]
    generator: Generator | None = None
    parameters: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    file: str = ""
    vertices: int = 0
    arcs: int = 0
    undirected: bool | None = None
    weights: str = "column"
    source: str = ""

    @property
    def count(self) -> int:
        return prod(len(values) for values in self.parameters.values())


@dataclass(frozen=True)
class SeriesSpec:
    """A variant with values of its parameters; all combinations run.

    Attributes
    ----------
    label : str
        Unique in the experiment.
    device : str
        "cuda" or "opencl": the interface through which the chosen device is used; "" for that of its choice.
    """

    label: str
    variant: Variant
    parameters: Mapping[str, tuple[Any, ...]]
    scales: tuple[ExperimentScale, ...]
    device: str = ""

    @property
    def count(self) -> int:
        return prod(len(values) for values in self.parameters.values())

    @property
    def swept(self) -> tuple[str, ...]:
        """Parameters with more than one value."""
        return tuple(name for name, values in self.parameters.items() if len(values) > 1)


@dataclass(frozen=True)
class Measuring:
    """How one scale is measured."""

    plan: MeasurementPlan
    longest_trial_s: float  # what is expected to take longer in one trial is left out


@dataclass(frozen=True)
class ChartSpec:
    """A chart to draw."""

    kind: ChartKind
    title: str
    x: str  # "vertices", "arcs", "graph", or the name of a swept parameter
    series: tuple[str, ...]  # labels; empty for all
    phase: str  # "total" or "solve"
    log: bool  # logarithmic axes, where the kind allows them
    baseline: str  # label of the series that speed-ups refer to


@dataclass(frozen=True)
class PublishedPoint:
    """One value of the paper: where it stands (vertices, graph, parameters), and its time in ms."""

    at: Mapping[str, Any]
    ms: float


@dataclass(frozen=True)
class Published:
    """Times that the paper states for one series; shown beside measured ones, never mixed with them."""

    series: str  # label of the series
    source: str  # figure or table
    hardware: str
    exact: bool  # False if the values were read off a figure
    points: tuple[PublishedPoint, ...]


@dataclass(frozen=True)
class Selection:
    """Measured points that a claim speaks of: a series, and values of parameters or graphs."""

    series: str
    where: Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and how it is tested.

    Attributes
    ----------
    text : str
        The statement, in own words.
    source : str
        Where the paper makes it.
    of : Selection
        For a ratio, the numerator: the slower one.
    to : Selection or None
        For a ratio, the denominator; for an efficiency, the points with one unit.
    parameter : str
        For BEST and EFFICIENCY: threads, ranks, block, ...
    best : object
        For BEST: the value that the paper found best.
    at : str
        "largest" or "smallest" for that graph of those that have all points, "each" for every graph.
    at_least, at_most : float or None
        What the figure must be for the claim to hold.
    needs_gpu : bool
        The claim speaks of a GPU: kernels on the processor cannot test it.
    """

    text: str
    source: str
    kind: ClaimKind
    of: Selection
    to: Selection | None = None
    parameter: str = ""
    best: Any = None
    at: str = "largest"
    at_least: float | None = None
    at_most: float | None = None
    phase: str = "total"
    needs_gpu: bool = False


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes
    ----------
    id : str
        Name on the command line and in the store ("bodra-2025-fig-2").
    paper, place, citation : str
        Short name of the paper, figure or table, and full reference; "" for an own experiment.
    question : str
        What it answers.
    method : str
        How it differs from the paper, and why.
    baseline : str
        Label of the series that speed-ups refer to.
    """

    id: str
    title: str
    graphs: tuple[GraphSpec, ...]
    series: tuple[SeriesSpec, ...]
    measuring: Mapping[ExperimentScale, Measuring]
    baseline: str
    charts: tuple[ChartSpec, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()
    paper: str = ""
    place: str = ""
    citation: str = ""
    question: str = ""
    method: str = ""

    def key(self, scale: ExperimentScale) -> str:
        """Name of this experiment at that scale in the store of runs."""
        return f"{self.id}/{scale.value}"

    def size(self, scale: ExperimentScale) -> int:
        """Number of points at that scale, without making them."""
        graphs = sum(graph.count for graph in self.graphs if scale in graph.scales)
        return graphs * sum(series.count for series in self.series if scale in series.scales)
