"""The points of an experiment: every graph with every variant and every combination of its parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.experiments.experiment import Experiment, ExperimentScale, GraphSpec, SeriesSpec
from solvers.experiments.sweep import Expression

_ARCS_OF_ROADS = 2.6  # per vertex, in road-like graphs
_ARCS_OF_CROSSING = 4  # per vertex of a grid


@dataclass(frozen=True)
class GraphChoice:
    """One graph of an experiment, not made yet.

    Attributes
    ----------
    spec : GraphSpec
    parameters : mapping
        Of the generator, settled.
    vertices, arcs : int
        Expected size; 0 if unknown.
    """

    spec: GraphSpec
    parameters: Mapping[str, Any] = field(default_factory=dict)
    vertices: int = 0
    arcs: int = 0

    @property
    def title(self) -> str:
        if self.spec.generator is None:
            return self.spec.label or self.spec.file
        swept = (name for name, values in self.spec.parameters.items() if len(values) > 1)
        sizes = ", ".join(f"{name} {self.parameters[name]}" for name in swept)
        name = self.spec.label or self.spec.generator.id
        return f"{name}, {sizes}" if sizes else name


@dataclass(frozen=True)
class Point:
    """One thing to measure.

    Attributes
    ----------
    graph : GraphChoice
    series : SeriesSpec
    parameters : mapping
        Of the variant, settled.
    """

    graph: GraphChoice
    series: SeriesSpec
    parameters: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Series and swept parameters: "tiled, tile 16"."""
        swept = ", ".join(f"{name} {self.parameters[name]}" for name in self.series.swept)
        return f"{self.series.label}, {swept}" if swept else self.series.label


def points_of(experiment: Experiment, scale: ExperimentScale) -> tuple[tuple[GraphChoice, tuple[Point, ...]], ...]:
    """The graphs of that scale in order, each with its points in order of the series."""
    return tuple((graph, tuple(points)) for graph, points in each_graph(experiment, scale))


def each_graph(experiment: Experiment, scale: ExperimentScale) -> Iterator[tuple[GraphChoice, Iterator[Point]]]:
    """The same one by one, for grids of very many points."""
    series = [one for one in experiment.series if scale in one.scales]
    for graph in (choice for spec in experiment.graphs if scale in spec.scales for choice in _graphs_of(spec)):
        yield graph, (point for one in series for point in _points_on(graph, one))


def by_graph(points: Sequence[Point]) -> Iterator[tuple[GraphChoice, list[Point]]]:
    """The points in groups of the same graph, in order."""
    groups: list[tuple[GraphChoice, list[Point]]] = []
    for point in points:
        if groups and groups[-1][0] is point.graph:
            groups[-1][1].append(point)
        else:
            groups.append((point.graph, [point]))
    return iter(groups)


def _points_on(graph: GraphChoice, series: SeriesSpec) -> Iterator[Point]:
    for chosen in _combinations(series.parameters):
        yield Point(graph, series, series.variant.settle(chosen))


def _graphs_of(spec: GraphSpec) -> Iterator[GraphChoice]:
    if spec.generator is None:
        yield GraphChoice(spec, {}, spec.vertices, spec.arcs)
        return
    for chosen in _combinations(spec.parameters):
        parameters = spec.generator.settle(chosen)
        yield GraphChoice(spec, parameters, *_expected_size(parameters))


def _expected_size(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """Vertices and arcs of a generated graph, by the names of the generator's parameters; 0 if they do not tell."""
    if "edge_factor" in parameters:
        n = 2 ** int(parameters["scale"])
        return n, n * int(parameters["edge_factor"])
    if "columns" in parameters:
        n = int(parameters["columns"]) * int(parameters["rows"])
        return n, _ARCS_OF_CROSSING * n
    n = int(parameters.get("vertices", 0))
    return n, n * int(parameters["degree"]) if "degree" in parameters else round(_ARCS_OF_ROADS * n)


def _combinations(parameters: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Every combination of values; expressions are replaced by what they come to."""
    for values in itertools.product(*parameters.values()):
        chosen = dict(zip(parameters, values, strict=True))
        yield {name: value.value(chosen) if isinstance(value, Expression) else value for name, value in chosen.items()}
