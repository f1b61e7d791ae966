"""Reads experiments from TOML files; every fault is named with its line and, for a name, the nearest that exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solvers.contracts import catalog
from solvers.errors import ParameterError, UnknownName
from solvers.experiments.experiment import (
    BOTH,
    ChartKind,
    ChartSpec,
    Experiment,
    ExperimentScale,
    GraphSpec,
    Measuring,
    SeriesSpec,
)
from solvers.experiments.located import TomlFile, TomlTable
from solvers.experiments.point_devices import KINDS
from solvers.experiments.reading_claims import read_claim, read_published
from solvers.experiments.sweep import Expression, swept_values
from solvers.graphs import generators
from solvers.parameters import Parameter
from solvers.running.plan import MeasurementPlan

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
        variant = catalog.find(table.text("variant"))
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
