"""Weights that change with the hour: a table of factors by class of road, or of speeds of
arcs, for some hours of the day.

A table is used at one hour: all of a path is weighed as at that hour, whatever time it
takes. That is no time-dependent search.

Factors are a CSV table with the titles ``class,07:00,08:00`` and a row for each class,
or TOML with a table for each hour, ``[factors."08:00"]`` and ``motorway = 1.4``. The
class "others" stands for those that are not listed; without it they keep their weights.
Speeds are a CSV or Parquet table with the titles ``from,to,07:00,08:00`` and a row for
each arc, in km/h; arcs that are not listed keep their weights.

A graph at an hour is made from its network as by changes to its roads (`RoadChanges`): what
uses the graph, such as a variant, uses the weights of the hour.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import os
import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from solvers.errors import FileFormatError, ParameterError, UnknownVertex, UnsuitableGraph
from solvers.graphs.arc_columns import column_named
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Float64s
from solvers.system.files import read_regular
from solvers.system.optional_packages import pyarrow_for
from solvers.text import listed, plural, quoted
from solvers.units import METRES_PER_UNIT, SECONDS_PER_UNIT

# by `RoadData.class_of`
CLASSES = (
    "path",
    "service",
    "residential",
    "tertiary",
    "secondary",
    "primary",
    "trunk",
    "motorway",
)
_OTHERS = "others"
_HOUR = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_MOST_BYTES = 1 << 28
_KMH = 3.6
_KEPT_TABLES = 4
_HINT = "See “weights by hour” in the documentation: class,08:00 or from,to,08:00."


@dataclass(frozen=True, eq=False)
class HourTable:
    """Factors or speeds for some hours; ``rows`` are classes, or ends of arcs."""

    name: str
    rows: tuple[Any, ...]  # names of classes, or pairs of ids as texts
    values: Mapping[str, Float64s]  # by hour, ascending; one for each row

    @property
    def hours(self) -> tuple[str, ...]:
        return tuple(self.values)

    @property
    def has_speeds(self) -> bool:
        return bool(self.rows) and isinstance(self.rows[0], tuple)

    def require(self, hour: str) -> Float64s:
        """The values of an hour; raises ParameterError for one that the table does not have."""
        chosen = self.values.get(hour_of(hour))
        if chosen is None:
            reason = f"{self.name} has {', '.join(self.hours)}"
            raise ParameterError("weights by hour", "hour", hour, reason)
        return chosen

    def weights_at(self, graph: Graph, hour: str) -> AnyArray:
        """The weights of the graph at an hour, (m,) of its type, rounded half up and not
        below 1 where they were not.

        Raises ParameterError for an hour that the table does not have, and a weight that
        leaves the range of its type; UnsuitableGraph if the graph lacks what the table
        refers to; UnknownVertex, and ParameterError, for an arc that it lacks.
        """
        chosen = self.require(hour)
        if graph.weight_unit in METRES_PER_UNIT:
            reason = f"{graph.name} is weighted by length, which no hour changes."
            raise UnsuitableGraph(f"{self.name} changes travel times, and {reason}")
        weights = graph.weights.astype(np.float64)
        if self.has_speeds:
            self._set_speeds(graph, chosen, weights)
        else:
            weights *= self._factors(graph, chosen)
        if not graph.weight_type.is_integer:
            return weights.astype(graph.weights.dtype)
        rounded = np.maximum(np.floor(weights + 0.5), np.minimum(graph.weights, 1))
        if len(rounded) and rounded.max() >= weight_type(graph.weights.dtype).infinity:
            raise ParameterError("weights by hour", "hour", hour, "a weight leaves the range")
        return rounded.astype(graph.weights.dtype)

    def stands_for(self, graph: Graph) -> str:
        """The further kinds of roads that factors of a road network are for; "" if there are
        none: "“residential” is also for living_street, pedestrian, road, unclassified".
        """
        roads = graph.roads
        if self.has_speeds or roads is None or roads.class_of is None:
            return ""
        found = []
        for rank in np.unique(roads.class_of[roads.class_of > 0]).tolist():
            kinds = [kind for kind, of in roads.kinds.classes.items() if of == rank]
            others = sorted({*kinds} - {CLASSES[rank]})
            if CLASSES[rank] in self.rows and others:
                found.append(f"“{CLASSES[rank]}” is also for {', '.join(others)}")
        return "; ".join(found)

    def left_out(self, graph: Graph) -> str:
        """What of the graph the table does not name, so that its weights stay; "" if that is
        nothing.
        """
        if self.has_speeds:
            count = f"{plural(len(self.rows), 'row')} for {plural(graph.m, 'arc')}"
            stays = "arcs that it does not name keep their weights."
            return f"{self.name} has {count}: {stays}" if len(self.rows) < graph.m else ""
        classes = None if graph.roads is None else graph.roads.class_of
        if classes is None or _OTHERS in self.rows:
            return ""
        names = [CLASSES[k] for k in np.unique(classes).tolist() if CLASSES[k] not in self.rows]
        remedy = f"Add rows for them, or one for “{_OTHERS}”."
        return (
            f"{self.name} has no factors for {listed(names)}: these roads keep their weights. "
            f"{remedy}"
            if names
            else ""
        )

    def _factors(self, graph: Graph, chosen: Float64s) -> AnyArray:
        by_class = np.ones(len(CLASSES))
        by_class[:] = dict(zip(self.rows, chosen, strict=True)).get(_OTHERS, 1.0)
        named = [name for name in self.rows if name != _OTHERS]
        for name, factor in zip(self.rows, chosen, strict=True):
            if name != _OTHERS:
                by_class[CLASSES.index(name)] = factor
        classes = None if graph.roads is None else graph.roads.class_of
        if classes is None and named:
            raise UnsuitableGraph(
                f"{self.name} has factors by class of road, and {graph.name} has no classes: "
                f"use the class “{_OTHERS}” alone, or speeds by arc."
            )
        return by_class[-1:] if classes is None else by_class[classes]

    def _set_speeds(self, graph: Graph, speeds: Float64s, weights: Float64s) -> None:
        columns = (*(graph.roads.weights if graph.roads else ()), *graph.attributes)
        lengths = column_named(columns, "length")
        per_second = SECONDS_PER_UNIT.get(graph.weight_unit)
        if lengths is None or lengths.unit not in METRES_PER_UNIT or per_second is None:
            raise UnsuitableGraph(
                f"{self.name} has speeds, which need weights in seconds and lengths of arcs, in "
                f"metres; {graph.name} lacks them."
            )
        metres = lengths.values * METRES_PER_UNIT[lengths.unit]
        for (tail, head), speed in zip(self.rows, speeds.tolist(), strict=True):
            row, end = graph.row(_vertex(graph, tail)), _vertex(graph, head)
            arcs = row.start + np.flatnonzero(graph.indices[row] == end)
            if not len(arcs):
                raise ParameterError("weights by hour", "arc", f"{tail},{head}", "there is none")
            weights[arcs] = metres[arcs] / (speed / _KMH) / per_second


@dataclass(frozen=True)
class AtHour:
    """That roads are weighed as at an hour of a table that may be in no file; a `Said`."""

    table: HourTable
    at: str  # as `hour_of`

    def __str__(self) -> str:
        return f"at {self.at}"


@dataclass(frozen=True)
class Hour:
    """An hour of a table in a file."""

    path: str  # absolute
    sha256: str  # of the file
    at: str  # as `hour_of`

    @classmethod
    def of(cls, path: Path | str, at: str = "") -> Hour:
        """An hour of a table, or its first; raises as `read_hours` and `hour_of`."""
        path = os.path.abspath(path)
        sha256 = hashlib.sha256(_content(Path(path))).hexdigest()
        return cls(path, sha256, hour_of(at) if at else _table_of(path, sha256).hours[0])

    @property
    def table(self) -> HourTable:
        """The table, read again unless it was read lately.

        Raises as `read_hours`; FileFormatError if the file has changed, too.
        """
        return _table_of(self.path, self.sha256)

    def __str__(self) -> str:
        return f"{self.at} of {quoted(Path(self.path).name, 60)}"


@lru_cache(_KEPT_TABLES)
def _table_of(path: str, sha256: str) -> HourTable:
    content = _content(Path(path))
    if hashlib.sha256(content).hexdigest() != sha256:
        raise FileFormatError(
            Path(path),
            "it has changed since its weights were used",
            hint="Open it again, as weights by hour.",
        )
    return _parsed(Path(path), content)


def hour_of(text: str) -> str:
    """An hour as HH:MM; raises ParameterError."""
    found = _HOUR.fullmatch(str(text).strip())
    if found is None:
        raise ParameterError("weights by hour", "hour", text, "it takes an hour such as 08:00")
    return f"{int(found[1]):02}:{found[2]}"


def read_hours(path: Path | str) -> HourTable:
    """Read a table of factors or speeds, TOML, CSV or Parquet by the ending of the name.

    Raises FileFormatError, PackageMissing.
    """
    path = Path(path)
    return _parsed(path, _content(path))


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, _MOST_BYTES)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> FileFormatError:
    return FileFormatError(path, f"it cannot be read ({error})", hint=_HINT)


def _parsed(path: Path, content: bytes) -> HourTable:
    try:
        if path.suffix.lower() == ".parquet":
            pyarrow_for(f"Reading {path.name}")
            from pyarrow import BufferReader, parquet

            columns = parquet.read_table(BufferReader(content)).to_pydict()
            return _table(path, list(columns), list(zip(*columns.values(), strict=True)))
        text = content.decode("utf-8-sig")
        if path.suffix.lower() == ".toml":
            return _table(path, *_of_toml(tomllib.loads(text)))
        titles, *rows = [row for row in csv.reader(io.StringIO(text)) if row] or [[]]
        return _table(path, titles, rows)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise _unreadable(path, error) from error


def _of_toml(content: Mapping[str, Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The titles and rows of the same table in CSV."""
    factors: Mapping[str, Mapping[str, Any]] = content.get("factors", {})
    classes = dict.fromkeys(name for by_class in factors.values() for name in by_class)
    for hour, by_class in factors.items():
        missing = sorted({*classes} - {*by_class, _OTHERS})
        if not by_class or (missing and _OTHERS not in by_class):
            raise ValueError(f"{hour} has no factor for {listed(missing or [_OTHERS])}")
    rows = [
        (name, *(by_class.get(name, by_class.get(_OTHERS, 1)) for by_class in factors.values()))
        for name in classes
    ]
    return ["class", *factors], rows


def _table(path: Path, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> HourTable:
    titles = [title.strip() for title in titles]
    ends = 2 if titles[:2] == ["from", "to"] else int(titles[:1] == ["class"])
    if not ends or len(titles) == ends or not rows:
        raise FileFormatError(path, "it is no table of weights by hour", hint=_HINT)
    names: list[Any] = []
    table = np.empty((len(rows), len(titles) - ends))
    for k, row in enumerate(rows):
        cells = [str(cell).strip() for cell in row]
        name: Hashable = tuple(cells[:2]) if ends == 2 else cells[0]
        values = [_positive(cell) for cell in cells[ends:]]
        if len(cells) != len(titles) or None in values:
            raise _bad(path, k, cells, "it takes a number above 0 for each hour")
        if ends == 1 and name not in (*CLASSES, _OTHERS):
            raise _bad(path, k, cells, f"a class is one of {', '.join((*CLASSES, _OTHERS))}")
        if name in names and ends == 1:
            raise _bad(path, k, cells, "the class has a row already")
        names.append(name)
        table[k] = values
    try:
        hours = [hour_of(title) for title in titles[ends:]]
    except ParameterError as error:
        raise FileFormatError(path, str(error).rstrip("."), hint=_HINT) from None
    if twice := [hour for k, hour in enumerate(hours) if hour in hours[:k]]:
        reason = f"the hour {twice[0]} is there twice: leave one of them out"
        raise FileFormatError(path, reason, hint=_HINT)
    by_hour = {hour: table[:, k] for k, hour in enumerate(hours)}
    return HourTable(quoted(path.name, 60), tuple(names), dict(sorted(by_hour.items())))


def _bad(path: Path, row: int, cells: Sequence[str], reason: str) -> FileFormatError:
    return FileFormatError(path, f"row {row + 1}: {reason}", text=",".join(cells), hint=_HINT)


def _positive(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0 < value < math.inf else None


def _vertex(graph: Graph, text: str) -> int:
    """The vertex of an id as text; raises UnknownVertex."""
    try:
        return graph.vertex(text if graph.has_labels else int(text))
    except ValueError:
        raise UnknownVertex(text, []) from None
