"""What is known of arcs besides their weights: columns made of cells, and those along a
path.

A cell is what a table or an edge of another library holds. Columns of which at least
half of the given cells are numbers hold numbers, NaN elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.road_data import ArcColumn
from solvers.graphs.titles import Quantity, quantity_of, unit_named, unit_of
from solvers.system.array_types import AnyArray, Int64s
from solvers.text import format_distance, quoted
from solvers.units import METRES_PER_UNIT, SECONDS_PER_UNIT, to_public_unit

WEIGHT = "weight"
_MEASURES = {"length": METRES_PER_UNIT, "time": SECONDS_PER_UNIT}
_ADDED = (Quantity.LENGTH, Quantity.TIME, Quantity.COST, Quantity.WEIGHT)


def columns_of(cells: Mapping[str, Sequence[object]]) -> tuple[ArcColumn, ...]:
    """The columns of numbers and of texts, a list of which is one text; others hold
    objects, and are left out.
    """
    columns = []
    for name, column in cells.items():
        values = numbers_of(column)
        if 2 * np.count_nonzero(values == values) < sum(cell is not None for cell in column):
            values = np.array([None, *map(_text, column)], object)[1:]
        if len(column) and (values.dtype != object or any(value is not None for value in values)):
            columns.append(ArcColumn(name, unit_of(name), values))
    return tuple(columns)


def numbers_of(cells: Sequence[object]) -> AnyArray:
    """The cells as numbers: int64 if all are integers, else float64."""
    from solvers.graphs.quantities import number_of

    numbers = [cell if type(cell) in (int, float) else number_of(_plain(cell)) for cell in cells]
    if all(type(number) is int and abs(number) < 2**62 for number in numbers):
        return np.array(numbers, np.int64)
    return np.array([math.nan if number is None else number for number in numbers], np.float64)


def joined(name: str, parts: Sequence[AnyArray]) -> ArcColumn:
    """A column of numbers that was read piece by piece."""
    return ArcColumn(name, unit_of(name), np.concatenate([np.empty(0, np.int64), *parts]))


def columns_along(graph: Graph, arcs: Int64s, weights: AnyArray | None = None) -> list[ArcColumn]:
    """What is known of the arcs of a path, (k,) each: the weight, name and class of the
    road, other weights, and all other attributes.

    ``weights``, (k,): of these arcs, others than those of the graph.
    """
    own = graph.weights[arcs] if weights is None else weights
    columns, roads = list[ArcColumn](), graph.roads
    if roads is not None:
        columns += roads.weights
        if roads.class_of is not None:
            columns.append(ArcColumn("class", "", roads.class_of))
    known = {WEIGHT, *(column.name for column in columns)}
    columns += [column for column in graph.attributes if column.name not in known]
    along = [ArcColumn(WEIGHT, graph.weight_unit, own)]
    along += [column.of_arcs(arcs) for column in columns]
    if roads is not None:
        names = np.array([None, *map(roads.name, arcs.tolist())], object)[1:]
        along.insert(1, ArcColumn("road", "", names))
    return along


def column_named(columns: Iterable[ArcColumn], name: str) -> ArcColumn | None:
    """The column of that name; of "length" and "time" also the first in such a unit."""
    listed = list(columns)
    units = _MEASURES.get(name, {})
    named = [column for column in listed if column.name == name]
    return next(iter(named or [column for column in listed if column.unit in units]), None)


def total(column: ArcColumn) -> int | float:
    """The sum of numbers in their public unit; NaN if one is not known."""
    wide = np.int64 if column.values.dtype.kind in "iu" else np.float64
    found: int | float = to_public_unit(column.values.sum(dtype=wide).item(), column.unit)
    return found


def sums_of(columns: Iterable[ArcColumn]) -> dict[str, int | float | None]:
    """The sums of all numbers, None where one is not known."""
    numbers = [c for c in columns if not c.is_text and c.name != "class"]
    sums = {column.name: total(column) for column in numbers}
    return {name: value if math.isfinite(value) else None for name, value in sums.items()}


def is_added(column: ArcColumn) -> bool:
    """Whether the values are a length, a time or a cost: those of parts add up."""
    return not column.is_text and quantity_of(column.name) in _ADDED


def other_totals(graph: Graph, arcs: Int64s) -> list[str]:
    """Sums along a path that are a length, a time or a cost, each with its name, of
    attributes that are known of all its arcs.
    """
    found = []
    for column in graph.attributes:
        if not is_added(column) or not len(arcs):
            continue
        value = total(column.of_arcs(arcs))
        if math.isfinite(value):
            name = "" if unit_named(column.name) else f"{quoted(column.name, 30)} "
            found.append(f"{name}{format_distance(value, column.unit, exact=False)}")
    return found


def _plain(cell: object) -> object:
    return cell.item() if isinstance(cell, np.generic) else cell


def _text(cell: object) -> str | None:
    if isinstance(cell, (list, tuple)) and all(isinstance(part, str) for part in cell):
        return "; ".join(cell)
    return cell if isinstance(cell, str) else None
