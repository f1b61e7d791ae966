"""The points of an experiment: every graph with every variant, combination of its
parameters, and device.

Values of a swept parameter are listed, spaced over a range, or follow another
parameter. The device of a point is the one chosen or, for a series that names CUDA or
OpenCL, the same GPU through that.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.devices import discover
from solvers.devices.device import Device
from solvers.features.experiments.spec import Experiment, ExperimentScale, GraphSpec, SeriesSpec
from solvers.text import format_value

_ARCS_OF_ROADS = 2.6  # per vertex, in road-like graphs
_ARCS_OF_CROSSING = 4  # per vertex of a grid

MOST_VALUES = 1_000_000
_EXPRESSION = re.compile(r"\s*([a-z_]+)\s*([-+*/])\s*(\d+)\s*")
_RANGE_KEYS = {"from", "to", "steps", "spacing"}

KINDS = ("cuda", "opencl")
_NAMES = {"cuda": "CUDA", "opencl": "OpenCL"}
_REMEDIES = {
    "cuda": "it takes an NVIDIA GPU, its driver and CuPy",
    "opencl": "install the OpenCL driver of the GPU, which comes with NVIDIA's driver",
}


@dataclass(frozen=True)
class GraphChoice:
    """One graph of an experiment, not made yet."""

    spec: GraphSpec
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the generator, settled
    vertices: int = 0  # expected; 0 if unknown
    arcs: int = 0  # expected; 0 if unknown

    @property
    def key(self) -> str:
        """Label and swept parameters: what the file of an experiment calls the graph."""
        return self._named(str)

    @property
    def title(self) -> str:
        """The key as it is shown, with grouped digits: "random, vertices 1\u202f024"."""
        return self._named(format_value)

    def _named(self, text_of: Callable[[Any], str]) -> str:
        if self.spec.generator is None:
            return self.spec.label or self.spec.file
        swept = [name for name, values in self.spec.parameters.items() if len(values) > 1]
        return _with_values(
            self.spec.label or self.spec.generator.id, swept, self.parameters, text_of
        )


@dataclass(frozen=True)
class Point:
    graph: GraphChoice
    series: SeriesSpec
    parameters: Mapping[str, Any]  # of the variant, settled

    @property
    def key(self) -> str:
        """Series and swept parameters: "tiled, tile 16"."""
        return _with_values(self.series.label, self.series.swept, self.parameters, str)

    @property
    def title(self) -> str:
        """The key as it is shown, with grouped digits."""
        return _with_values(self.series.label, self.series.swept, self.parameters, format_value)


def points_of(
    experiment: Experiment, scale: ExperimentScale
) -> tuple[tuple[GraphChoice, tuple[Point, ...]], ...]:
    """The graphs of that scale in order, each with its points in order of the series."""
    return tuple((graph, tuple(points)) for graph, points in each_graph(experiment, scale))


def each_graph(
    experiment: Experiment, scale: ExperimentScale
) -> Iterator[tuple[GraphChoice, Iterator[Point]]]:
    """The same one by one, for grids of very many points."""
    series = [one for one in experiment.series if scale in one.scales]
    for graph in (
        choice for spec in experiment.graphs if scale in spec.scales for choice in _graphs_of(spec)
    ):
        yield graph, (point for one in series for point in _points_on(graph, one))


def graph_titles(experiment: Experiment) -> dict[str, str]:
    return {choice.key: choice.title for spec in experiment.graphs for choice in _graphs_of(spec)}


def by_graph(points: Sequence[Point]) -> Iterator[tuple[GraphChoice, list[Point]]]:
    """The points in groups of the same graph, in order."""
    for _, group in itertools.groupby(points, key=lambda point: id(point.graph)):
        same = list(group)
        yield same[0].graph, same


def _with_values(
    label: str, names: Iterable[str], values: Mapping[str, Any], text_of: Callable[[Any], str]
) -> str:
    return ", ".join((label, *(f"{name} {text_of(values[name])}" for name in names)))


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
    """Vertices and arcs of a generated graph, by the names of the generator's
    parameters; 0 if they do not tell.
    """
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
        yield {
            name: value.value(chosen) if isinstance(value, Expression) else value
            for name, value in chosen.items()
        }


@dataclass(frozen=True)
class Expression:
    """A whole number that follows another parameter: "vertices / 5"."""

    parameter: str
    operator: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Expression | None:
        """None if the text is not an expression."""
        found = _EXPRESSION.fullmatch(text)
        if found is None or (found.group(2) == "/" and int(found.group(3)) == 0):
            return None
        return cls(found.group(1), found.group(2), int(found.group(3)))

    def value(self, parameters: Mapping[str, Any]) -> int:
        """The value beside these parameters; divisions round down."""
        other = int(parameters[self.parameter])
        results = {"+": other + self.number, "-": other - self.number, "*": other * self.number}
        return results[self.operator] if self.operator in results else other // self.number


def swept_values(given: object) -> tuple[Any, ...]:
    """The values that a file gives for a parameter: one, a list, or a range.

    A range is a table such as ``{ from = 1024, to = 16384, steps = 5, spacing = "log"
    }``; whole ends give whole values, without repetitions. Raises ValueError with the
    reason in words.
    """
    if isinstance(given, list):
        if not given:
            raise ValueError("the list of values is empty")
        if any(isinstance(value, list | dict) for value in given):
            raise ValueError("a list holds single values only")
        return tuple(given)
    if isinstance(given, dict):
        return _range_values(given)
    return (given,)


def _range_values(given: Mapping[str, Any]) -> tuple[Any, ...]:
    if unknown := set(given) - _RANGE_KEYS:
        raise ValueError(f"a range has no “{min(unknown)}”; it takes from, to, steps and spacing")
    first, last, steps = given.get("from"), given.get("to"), given.get("steps", 2)
    spacing = given.get("spacing", "linear")
    ends = (first, last)
    if not all(
        isinstance(end, int | float) and not isinstance(end, bool) and math.isfinite(end)
        for end in ends
    ):
        raise ValueError("a range needs the numbers “from” and “to”")
    if not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= MOST_VALUES:
        raise ValueError(f"“steps” must be a whole number from 2 to {MOST_VALUES}")
    if spacing not in ("linear", "log"):
        raise ValueError("“spacing” must be linear or log")
    assert first is not None  # checked above
    assert last is not None
    if spacing == "log" and not (first > 0 and last > 0):
        raise ValueError("both ends of a logarithmic range must be above 0")
    if spacing == "log":
        values = [
            math.exp(math.log(first) + (math.log(last) - math.log(first)) * i / (steps - 1))
            for i in range(steps)
        ]
    else:
        values = [first + (last - first) * i / (steps - 1) for i in range(steps)]
    if isinstance(first, int) and isinstance(last, int):
        return tuple(dict.fromkeys(round(value) for value in values))
    return tuple(values)


@dataclass(frozen=True)
class PointDevices:
    """The device chosen, and those of the machine that may be the same one."""

    chosen: Device | None
    found: tuple[Device, ...] = ()

    @classmethod
    def of_experiment(cls, experiment: Experiment, chosen: Device | None) -> PointDevices:
        """Queries the drivers only if a series names a kind of device."""
        names_kind = any(one.device for one in experiment.series)
        return cls(chosen, discover().devices if names_kind else ())

    def of(self, point: Point) -> Device | None:
        """The device that runs the point; None if it needs none, or there is none (see
        `missing`).
        """
        if not point.series.variant.runs_on.takes_device:
            return None
        return self._as_kind(point.series.device)

    def missing(self, point: Point) -> str:
        """Why the device that the series names cannot be had; "" if it can, or if it names none."""
        kind = point.series.device
        if not kind or self._as_kind(kind) is not None:
            return ""
        if self.chosen is None:
            return f"no {_NAMES[kind]} device was found: {_REMEDIES[kind]}"
        return f"{self.chosen.name} cannot be used through {_NAMES[kind]} here: {_REMEDIES[kind]}"

    def _as_kind(self, kind: str) -> Device | None:
        """The chosen device through that interface; through which it was chosen if
        ``kind`` is "".
        """
        if self.chosen is None or kind in ("", self.chosen.kind):
            return self.chosen
        return next(
            (one for one in self.found if one.kind == kind and _is_same_gpu(one, self.chosen)), None
        )


def of_one_device(points: Iterable[Point]) -> list[Point]:
    """Those whose series name the same kind of device as the first."""
    found = list(points)
    return [point for point in found if point.series.device == found[0].series.device]


def _is_same_gpu(one: Device, other: Device) -> bool:
    return one.name == other.name and not one.is_cpu and not other.is_cpu
