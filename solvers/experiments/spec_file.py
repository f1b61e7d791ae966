"""Reads experiments, with their claims and published values, from TOML files; finds those that come with the program.

Every fault is named with its line and, for a name, the nearest that exist. The experiments that come with the program
are one for every figure and table of the papers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import resources
from solvers.core.variant import find_variant
from solvers.errors import ParameterError, UnknownName
from solvers.experiments.grid import KINDS, Expression, swept_values
from solvers.experiments.spec import (
    BOTH,
    ChartKind,
    ChartSpec,
    Claim,
    ClaimKind,
    Experiment,
    ExperimentScale,
    GraphSpec,
    Measuring,
    Published,
    PublishedPoint,
    Selection,
    SeriesSpec,
)
from solvers.experiments.toml_file import TomlFile, TomlTable
from solvers.graphs import generators
from solvers.parameters import Parameter
from solvers.running.request import MeasurementPlan

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_LONGEST_TRIAL_S = {ExperimentScale.SMALL: 20.0, ExperimentScale.PAPER: 3600.0}
_OWN_X = ("vertices", "arcs", "graph")


def read_experiment(path: Path | str) -> Experiment:
    """Read an experiment.

    Parameters
    ----------
    path : Path or str

    Returns
    -------
    Experiment

    Raises
    ------
    FileFormatError
        If the file is no TOML, names an unknown variant, parameter, generator, series or key, or gives a value that is
        out of range. Carries the line, the reason and the nearest names.
    """
    file = TomlFile(Path(path))
    top = file.table(file.values)
    top.only(
        *("id", "title", "paper", "place", "citation", "question", "method", "baseline", "small", "paper_scale"),
        *("graph", "series", "chart", "published", "claim"),
    )
    identity = top.text("id")
    if not _ID.fullmatch(identity):
        raise top.error("an id has small letters, digits and hyphens, at most 61", "id")
    graphs = tuple(_graph(table) for table in file.tables("graph"))
    series = tuple(_series(table) for table in file.tables("series"))
    _require_parts(top, file, graphs, series)
    labels = [one.label for one in series]
    baseline = top.text("baseline", labels[0])
    if baseline not in labels:
        raise top.unknown("series", baseline, labels, "baseline")
    x_names = (*_OWN_X, *dict.fromkeys(name for one in series for name in one.swept))
    return Experiment(
        identity,
        top.text("title"),
        graphs,
        series,
        {scale: _measuring(file, scale) for scale in BOTH},
        baseline,
        tuple(_chart(table, labels, x_names, baseline) for table in file.tables("chart")),
        tuple(read_published(table, labels) for table in file.tables("published")),
        tuple(read_claim(table, series) for table in file.tables("claim")),
        top.text("paper", ""),
        top.text("place", ""),
        top.text("citation", ""),
        _one_line(top.text("question", "")),
        _one_line(top.text("method", "")),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _require_parts(
    top: TomlTable, file: TomlFile, graphs: tuple[GraphSpec, ...], series: tuple[SeriesSpec, ...]
) -> None:
    if not graphs:
        raise top.error("an experiment needs at least one [[graph]]")
    if not series:
        raise top.error("an experiment needs at least one [[series]]")
    seen: set[str] = set()
    for i, one in enumerate(series):
        if one.label in seen:
            raise file.error(f"two series are called “{one.label}”", file.line_of("series", i, "label"))
        seen.add(one.label)


# -- graphs and series -----------------------------------------------------------------------------------------------


def _scales(table: TomlTable) -> tuple[ExperimentScale, ...]:
    if "scale" not in table.values:
        return BOTH
    return (ExperimentScale(table.choice("scale", [scale.value for scale in BOTH])),)


def _graph(table: TomlTable) -> GraphSpec:
    table.only(
        *("label", "scale", "file", "vertices", "arcs", "undirected", "weights"),
        *("generator", "parameters", "source"),
    )
    label, scales, source = table.text("label", ""), _scales(table), str(table.values.get("source", ""))
    if ("file" in table.values) == ("generator" in table.values):
        raise table.error("a [[graph]] has either “file” or “generator”")
    if "file" in table.values:
        if "parameters" in table.values:
            raise table.error("parameters belong to a generator", "parameters")
        undirected = table.flag("undirected") if "undirected" in table.values else None
        return GraphSpec(
            label, scales, file=table.text("file"), vertices=table.whole("vertices", 0), arcs=table.whole("arcs", 0),
            undirected=undirected, weights=table.text("weights", "column"), source=source,
        )  # fmt: skip
    try:
        family = generators.find(table.text("generator"))
    except UnknownName as error:
        raise table.error(f"there is no generator “{error.name}”", "generator", nearest=error.nearest) from None
    parameters = _parameters(table, family.parameters, family.id)
    return GraphSpec(label, scales, family, parameters, source=source)


def _series(table: TomlTable) -> SeriesSpec:
    table.only("label", "variant", "parameters", "scale", "device")
    try:
        variant = find_variant(table.text("variant"))
    except UnknownName as error:
        raise table.error(f"there is no variant “{error.name}”", "variant", error.name, error.nearest) from None
    parameters = _parameters(table, variant.parameters, variant.id)
    device = table.choice("device", KINDS) if "device" in table.values else ""
    if device and not variant.runs_on.takes_device:
        raise table.error(f"{variant.id} runs on no device", "device")
    return SeriesSpec(table.text("label", variant.title), variant, parameters, _scales(table), device)


def _parameters(table: TomlTable, declared: tuple[Parameter, ...], owner: str) -> dict[str, tuple[Any, ...]]:
    """The values of each parameter, of its type and in its range; expressions stay as they are."""
    known = {parameter.name: parameter for parameter in declared}
    given = table.table("parameters")
    found: dict[str, tuple[Any, ...]] = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            raise table.error(f"{owner} has no parameter “{name}”", "parameters", name, near)
        try:
            values = swept_values(value)
            found[name] = tuple(_parsed(known[name], one, given, owner) for one in values)
        except ParameterError as error:
            raise table.error(
                f"{owner}: “{name}” cannot be {error.value!r}: {error.reason}", "parameters", name
            ) from None
        except ValueError as error:
            raise table.error(f"{owner}: “{name}”: {error}", "parameters", name) from None
    return found


def _parsed(parameter: Parameter, value: object, given: Mapping[str, Any], owner: str) -> Any:
    is_number = isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool)
    if isinstance(value, str) and is_number and (expression := Expression.parse(value)) is not None:
        if expression.parameter not in given or expression.parameter == parameter.name:
            raise ParameterError(owner, parameter.name, value, f"“{expression.parameter}” is not given beside it")
        if isinstance(given[expression.parameter], str):
            raise ParameterError(owner, parameter.name, value, f"“{expression.parameter}” is an expression itself")
        return expression
    return parameter.parse(value, owner)


# -- measuring and charts --------------------------------------------------------------------------------------------


def _measuring(file: TomlFile, scale: ExperimentScale) -> Measuring:
    name = "small" if scale is ExperimentScale.SMALL else "paper_scale"
    values = file.values.get(name, {})
    if not isinstance(values, dict):
        raise file.error(f"“{name}” must be written as [{name}]", file.line_of("", 0, name))
    table = file.table(values, name)
    table.only("trials", "warmups", "time_limit_s", "longest_trial_s")
    trials, warmups = table.whole("trials", 5), table.whole("warmups", 1)
    longest = table.number("longest_trial_s", _LONGEST_TRIAL_S[scale])
    try:
        plan = MeasurementPlan(
            warmups=warmups, trials=max(1, trials), time_limit_s=table.optional_number("time_limit_s")
        )
    except ParameterError as error:
        raise table.error(f"{error.name} cannot be {error.value}: {error.reason}", error.name) from None
    if longest <= 0:
        raise table.error("longest_trial_s must be above 0", "longest_trial_s")
    return Measuring(plan, longest)


def _chart(table: TomlTable, labels: list[str], x_names: tuple[str, ...], baseline: str) -> ChartSpec:
    table.only("kind", "title", "x", "series", "phase", "log", "baseline")
    kind = ChartKind(table.choice("kind", [kind.value for kind in ChartKind]))
    series = table.texts("series")
    for label in (*series, table.text("baseline", baseline)):
        if label not in labels:
            raise table.unknown("series", label, labels, "series" if label in series else "baseline")
    x = table.text("x", "vertices")
    if x not in x_names:
        raise table.unknown("swept parameter or size", x, x_names, "x")
    phase = table.choice("phase", ("total", "solve"), "total")
    log = table.flag("log", kind in (ChartKind.TIME, ChartKind.SCALING, ChartKind.SPEED_UP))
    return ChartSpec(kind, table.text("title"), x, series, phase, log, table.text("baseline", baseline))


_MS = {"ms": 1.0, "s": 1e3, "min": 6e4}


def read_published(table: TomlTable, labels: Sequence[str]) -> Published:
    """Read a table ``[[published]]``; raises `FileFormatError`."""
    table.only("series", "source", "hardware", "exact", "unit", "points")
    series = table.text("series")
    if series not in labels:
        raise table.unknown("series", series, labels, "series")
    factor = _MS[table.choice("unit", tuple(_MS), "s")]
    found = table.values.get("points")
    if not isinstance(found, list) or not found or not all(isinstance(point, dict) for point in found):
        raise table.error("points is a list of tables such as { vertices = 2000, time = 0.012 }", "points")
    points = tuple(_published_point(table, dict(point), factor) for point in found)
    return Published(series, table.text("source"), table.text("hardware"), table.flag("exact", True), points)


def _published_point(table: TomlTable, values: dict[str, Any], factor: float) -> PublishedPoint:
    time = values.pop("time", None)
    if isinstance(time, bool) or not isinstance(time, int | float) or not time > 0:
        raise table.error("every point needs a “time” above 0", "points")
    if not values:
        raise table.error("every point says where it stands: vertices, graph, or a parameter", "points")
    return PublishedPoint(values, time * factor)


def read_claim(table: TomlTable, series: Sequence[SeriesSpec]) -> Claim:
    """Read a table ``[[claim]]``; raises `FileFormatError`."""
    table.only(
        *("text", "source", "kind", "of", "to", "parameter", "best", "at", "at_least", "at_most", "phase"),
        "needs_gpu",
    )
    kind = ClaimKind(table.choice("kind", [kind.value for kind in ClaimKind], "ratio"))
    claim = Claim(
        table.text("text"),
        table.text("source"),
        kind,
        _selection(table, "of", series),
        _selection(table, "to", series) if kind is ClaimKind.RATIO else None,
        table.text("parameter", ""),
        table.values.get("best"),
        table.choice("at", ("largest", "smallest", "each"), "largest"),
        table.optional_number("at_least"),
        table.optional_number("at_most"),
        table.choice("phase", ("total", "solve"), "total"),
        table.flag("needs_gpu", False),
    )
    _require_test(table, claim, series)
    return claim


def _require_test(table: TomlTable, claim: Claim, series: Sequence[SeriesSpec]) -> None:
    """Refuse a claim that cannot be tested, or that nothing could contradict."""
    if claim.kind in (ClaimKind.BEST, ClaimKind.EFFICIENCY):
        swept = next(one.swept for one in series if one.label == claim.of.series)
        if claim.parameter not in swept:
            raise table.unknown("swept parameter", claim.parameter, swept, "parameter")
    if claim.kind is ClaimKind.BEST:
        if claim.best is None:
            raise table.error("the claim names no “best” value")
    elif claim.at_least is None and claim.at_most is None:
        raise table.error("the claim needs “at_least” or “at_most”")


def _selection(table: TomlTable, key: str, series: Sequence[SeriesSpec]) -> Selection:
    values = dict(table.table(key))
    label = values.pop("series", None)
    labels = [one.label for one in series]
    if not isinstance(label, str):
        raise table.error(f"“{key}” names a series: {{ series = … }}", key)
    if label not in labels:
        raise table.unknown("series", label, labels, key)
    variant = next(one.variant for one in series if one.label == label)
    known = ("graph", "vertices", *(parameter.name for parameter in variant.parameters))
    for name in values:
        if name not in known:
            raise table.unknown(f"parameter of {variant.id}", name, known, key)
    return Selection(label, values)


_ENDING = ".toml"


@cache
def shipped() -> tuple[Experiment, ...]:
    """All of them, in order of their ids."""
    return tuple(read_experiment(path) for path in _files())


def find_experiment(name: str) -> Experiment:
    """A shipped experiment by its id, or one of a file.

    Raises
    ------
    UnknownName
        If it is neither; carries the nearest ids.
    FileFormatError
        As `read_experiment`.
    """
    path = Path(name)
    known = {file.stem: file for file in _files()}
    if name in known:
        return read_experiment(known[name])
    if path.suffix == _ENDING or path.is_file():
        return read_experiment(path)
    raise UnknownName("experiment", name, known)


def _files() -> tuple[Path, ...]:
    return tuple(sorted((resources.FOLDER / "experiments").glob(f"*{_ENDING}")))
