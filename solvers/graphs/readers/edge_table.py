"""Edge tables, CSV and Parquet: a row for each edge, with the ids of its ends and a
weight in columns to choose.

The preview holds the first rows of a table, and what follows from them: separator,
titles, and the columns of source, target and weight.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.interpretation import Certainty, Decision, Interpretation
from solvers.graphs.quantities import PLAIN, Notation, notation_of, unclear_weights
from solvers.graphs.readers.formats import Parsed, is_number, number_of, whole_names
from solvers.graphs.readers.reading import SEPARATORS, EdgeColumns, TableOptions
from solvers.graphs.readers.table import Rows, narrowed
from solvers.graphs.titles import (
    Quantity,
    ends_of,
    possible_weights,
    quantity_of,
    unit_of,
    words_of,
)
from solvers.text import quoted

_WHOLE = re.compile(r"[+-]?[0-9]+")
_GROUPED = re.compile(r"[+-]?\d{1,3}([ '.,\u00a0\u2009\u202f]\d{3})+([.,]\d+)?")
MISSING_WEIGHT = "the weight is missing"
OTHER_WEIGHTS = "choose another column of weights, or take every weight as 1 (weights “unit”)."
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

PREVIEW_ROWS = 20
_MOST_LISTED = 6
_NOTHING = ("", "n/a", "na", "null", "none", "nil", "-", "--", "?", ".", "#n/a")
_NUMBER = re.compile(r"[+-]?(\d+,\d+|\d{1,3}([ '.,\u00a0\u2009\u202f]\d{3})+([.,]\d+)?)")
# a comma may be in a number, a blank in a name
_ORDER = ("tab", "semicolon", "bar", "comma", "blank")
_MOMENTS = (("time",), ("zeit",), ("temps",), ("tiempo",), ("tempo",))
_FIRST_MOMENT = 10**8  # seconds of Unix time in 1973; no edge takes so long
_DIRECTIONS = {"directed": False, "undirected": True, "mutual": True}


class BadCell(Exception):
    """A cell that cannot be read; ``row`` is its index among the rows given."""

    def __init__(self, row: int, reason: str, hint: str = ""):
        self.row, self.reason, self.hint = row, reason, hint
        super().__init__(reason)


class EdgeCollector:
    """Takes the rows of a table piece by piece; at the end names that are all integers
    become ids, ascending.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._ends: list[NDArray[np.int32]] = []
        self._weights: list[NDArray[Any]] = []
        self._undirected: list[bool] = []

    def add(
        self,
        tails: Sequence[Any],
        heads: Sequence[Any],
        weights: NDArray[Any] | None,
        directions: Sequence[str] = (),
    ) -> None:
        """Take some rows, with weights as of `weights_of`; raises `BadCell` if an end
        is missing, or a direction is none.
        """
        for row, direction in enumerate(directions):
            if direction.lower() not in _DIRECTIONS:
                raise BadCell(row, f"“{quoted(direction, 40)}” is neither directed nor undirected")
            self._undirected.append(_DIRECTIONS[direction.lower()])
        number = self._numbers
        ends = np.array(
            [[number.setdefault(name, len(number)) for name in names] for names in (tails, heads)],
            np.int32,
        )
        for missing in ("", None):
            if missing in number:
                row, column = np.argwhere(number[missing] == ends.T)[0].tolist()
                raise BadCell(row, f"the {('source', 'target')[column]} is missing")
        self._ends.append(ends.T)
        if weights is not None:
            self._weights.append(weights)

    def parsed(self, weights_from: str, warnings: tuple[str, ...] = ()) -> Parsed:
        """All rows as the content of a graph file."""
        ends = np.concatenate(self._ends) if self._ends else np.empty((0, 2), np.int32)
        values, rounded = _joined(self._weights, len(ends))
        nodes = list(self._numbers)
        names: Sequence[Any] = whole_names(nodes) or [str(node) for node in nodes]
        if names and isinstance(names[0], int):
            order = sorted(range(len(names)), key=names.__getitem__)
            rank = np.empty(len(order), np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            ends, names = rank[ends], [names[index] for index in order]
        vertices = Rows(np.arange(len(names))[:, None], np.empty((len(names), 0)))
        undirected = bool(self._undirected) and all(self._undirected)
        if any(self._undirected) and not undirected:
            turn = np.flatnonzero(self._undirected)
            turn = turn[ends[turn, 0] != ends[turn, 1]]
            ends = np.concatenate([ends, ends[turn, ::-1]])
            values = np.concatenate([values, values[turn]])
        return Parsed(
            Rows(ends, values, len(rounded), int(rounded[0]) if len(rounded) else 0),
            undirected=undirected,
            weights_from=weights_from if self._weights else "",
            vertices=vertices,
            names=tuple(names),
            warnings=warnings,
        )


def weights_of(texts: Sequence[str], notation: Notation = PLAIN) -> NDArray[Any]:
    """Weights from texts: int64 if all are integers, float64 if none is, objects if some are.

    Raises `BadCell` at the first that is not a finite 64-bit number in the notation.
    """
    if notation.special:
        plain = [notation.plain(text) for text in texts]
        if None in plain:
            row = plain.index(None)
            shown = texts[row].strip()
            reason = f"the weight “{quoted(shown, 40)}” is not like the others of its column, "
            reason += notation.form.value
            raise BadCell(row, reason if shown else MISSING_WEIGHT, _remedy(shown))
        texts = [text for text in plain if text is not None]
    if (together := _plain_weights(texts)) is not None:
        return together
    numbers = [_weight(text) for text in texts]
    if None in numbers:
        row = numbers.index(None)
        shown = texts[row].strip()
        reason = (
            f"the weight “{quoted(shown, 40)}” is not a finite 64-bit number"
            if shown
            else MISSING_WEIGHT
        )
        raise BadCell(row, reason, _remedy(shown))
    kinds = {type(number) for number in numbers}
    one_kind = np.int64 if kinds == {int} else np.float64
    return np.array(numbers, object if len(kinds) > 1 else one_kind)


def _remedy(shown: str) -> str:
    correct = "Correct the cell"
    if _DECIMAL_COMMA.fullmatch(shown):
        correct = "Write decimals with a point"
    elif _GROUPED.fullmatch(shown):
        correct = "Write numbers without separators between their digits"
    return f"{correct}, {OTHER_WEIGHTS}"


def _plain_weights(texts: Sequence[str]) -> NDArray[Any] | None:
    """Weights that are all integers, or all decimals, converted together; None for others."""
    together = "".join(texts)
    if "_" in together or not together.isascii():  # Python takes 1_000, and digits of every script
        return None
    try:
        if "." not in together:
            return np.array(list(map(int, texts)), np.int64)
        if all("." in text for text in texts):
            decimals = np.array(list(map(float, texts)))
            return decimals if np.isfinite(decimals).all() else None
    except (ValueError, OverflowError):
        pass
    return None


def _weight(text: str) -> int | float | None:
    """A text as a number; None if it is not a number, not finite, or an integer past 64 bits."""
    number = number_of(text)
    if isinstance(number, float) and _WHOLE.fullmatch(text.strip()):
        whole = int(Decimal(text.strip()))  # int() refuses thousands of digits
        return whole if -(2**63) <= whole < 2**63 else None
    return number


def _joined(parts: Sequence[NDArray[Any]], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All weights as (m, 1), or (m, 0) without any; and the integers that lose digits
    because others are decimals.
    """
    if not parts:
        return np.empty((count, 0)), np.empty(0, np.int64)
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i"}:
        return narrowed(np.concatenate(parts))[:, None], np.empty(0, np.int64)
    integers = (
        number
        for part in parts
        if part.dtype.kind != "f"
        for number in part.tolist()
        if type(number) is int
    )
    lost = np.array([number for number in integers if int(float(number)) != number], np.int64)
    return np.concatenate([part.astype(np.float64) for part in parts])[:, None], lost


@dataclass(frozen=True)
class TablePreview:
    """The beginning of a table; a text file's lines can be split in another way."""

    separator: str  # a key of `SEPARATORS`; "" for Parquet
    header: bool  # whether the titles are those of the file
    titles: tuple[str, ...]  # one for each column; "1", "2" and so on if the file has none
    # at most `PREVIEW_ROWS`, without titles; of uneven lengths if cells are missing
    rows: tuple[tuple[str, ...], ...]
    even: bool = True  # whether all of them have as many cells as there are titles
    lines: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def is_numeric(self, column: int) -> bool:
        """Whether most cells of a column are numbers, so that it can hold weights;
        missing values do not count.

        A cell that is not a number is then an error. Numbers in another notation (2,5
        or 1 234) count, so that the error names them.
        """
        return is_mostly_numbers([row[column] for row in self.rows if len(row) > column])

    def unread(self, columns: EdgeColumns) -> tuple[str, ...]:
        """A sentence on the columns that are not read, if there are any, when the user
        did not choose columns.
        """
        used = {*columns.places, columns.direction}
        others = [column for column in range(len(self.titles)) if column not in used]
        if not others:
            return ()
        shown = [self._described(column) for column in others[:_MOST_LISTED]] + ["…"] * (
            len(others) > _MOST_LISTED
        )
        if columns.weight is not None:
            return (
                f"Not read: {', '.join(shown)}; the weights are in {self._shown(columns.weight)}.",
            )
        numeric = [column for column in others if self.is_numeric(column)]
        remedy = ""
        if numeric:
            choice = EdgeColumns(columns.source, columns.target, numeric[0]).text(self.titles)
            remedy = f" Choose columns, such as “{quoted(choice)}”."
        return (
            (
                "No column is read as weights: every weight is 1. "
                f"Not read: {', '.join(shown)}.{remedy}"
            ),
        )

    def _described(self, column: int) -> str:
        if self.is_numeric(column):
            return f"{self._shown(column)} (numbers)"
        cell = next(
            (row[column].strip() for row in self.rows if len(row) > column and row[column].strip()),
            "",
        )
        return f"{self._shown(column)} ({f'no numbers: “{quoted(cell, 20)}”' if cell else 'empty'})"

    def _named(self, column: int) -> str:
        shown = self._shown(column)
        return shown if shown.startswith("column") else f"column {shown}"

    def _shown(self, column: int) -> str:
        title = self.titles[column].strip()
        return f"“{quoted(title, 30)}”" if self.header and title else f"column {column + 1}"

    def notation(self, column: int) -> Notation:
        """How the numbers of a column are written."""
        return notation_of([row[column] for row in self.rows if len(row) > column])

    def unit(self, columns: EdgeColumns) -> str:
        """The unit of the weights, by their cells or their title; "" if unknown."""
        if columns.weight is None:
            return ""
        unit = self.notation(columns.weight).unit
        return unit or (unit_of(self.titles[columns.weight]) if self.header else "")

    @cached_property
    def direction(self) -> int | None:
        """The column that says whether each edge is directed: Gephi's “Type”."""
        for column, title in enumerate(self.titles):
            cells = {row[column].strip().lower() for row in self.rows if len(row) > column}
            if self.header and words_of(title) == ("type",) and cells & _DIRECTIONS.keys():
                return column
        return None

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Source and target by their titles: one pair, none or, if unclear, several."""
        return ends_of(self.titles) if self.header else ()

    def possible_weights(self, pair: tuple[int, int]) -> tuple[int, ...]:
        """The columns that may be the weights: none, the one, or several to choose from."""
        used = {*pair, self.direction}
        others = [
            column
            for column in range(len(self.titles))
            if column not in used and not self._is_empty(column)
        ]
        found = possible_weights(
            [self.titles[column] for column in others],
            [self.is_numeric(column) for column in others],
        )
        named = tuple(others[place] for place in found)
        if len(named) == 1 and self._is_vague(named[0]):
            # a rating beside it may be the weight
            unknown = (place for place in others if self._is_unknown(place))
            return (*named, *(place for place in unknown if self.is_numeric(place)))
        return named

    def _is_unknown(self, column: int) -> bool:
        return quantity_of(self.titles[column]) is Quantity.UNKNOWN

    def _is_vague(self, column: int) -> bool:
        """Whether a column called “time” may also hold moments."""
        return words_of(self.titles[column]) in _MOMENTS and not self.notation(column).special

    def _are_moments(self, column: int) -> bool:
        cells = [number_of(row[column]) for row in self.rows if len(row) > column]
        return self._is_vague(column) and all(
            cell is not None and cell >= _FIRST_MOMENT for cell in cells
        )

    def _is_empty(self, column: int) -> bool:
        """Whether no row has a cell in a column."""
        return not any(len(row) > column and row[column].strip() for row in self.rows)

    @cached_property
    def may_be_matrix(self) -> bool:
        """Whether it is a square of numbers with a diagonal of zeros."""
        count = len(self.rows)
        if self.header or not self.even or count < 3 or count != len(self.titles):
            return False
        return all(number_of(self.rows[k][k]) == 0 for k in range(count))

    def unclear(self, weighted: bool) -> str:
        """What the table leaves open, for the question; "" if nothing."""
        if self.may_be_matrix:
            return "this may be a matrix of distances, or a list of edges"
        if not self.header:
            return unclear_weights(self._numbers) if weighted else ""
        if len(self.pairs) != 1:
            return ""
        found = self.possible_weights(self.pairs[0]) if weighted else ()
        if not found or self._is_known(found):
            return ""
        if len(found) == 1:
            return f"whether {self._shown(found[0])} holds the weights is not clear"
        shown = [self._shown(column) for column in found]
        return f"{', '.join(shown[:-1])} and {shown[-1]} may each be the weights"

    @cached_property
    def _numbers(self) -> dict[int, NDArray[np.float64]]:
        """The columns beside the first two that hold plain numbers only."""
        columns = {
            place: [number_of(row[place]) for row in self.rows if len(row) > place]
            for place in range(2, len(self.titles))
        }
        return {
            place: np.array(numbers, np.float64)
            for place, numbers in columns.items()
            if numbers and None not in numbers
        }

    def _is_known(self, found: tuple[int, ...]) -> bool:
        return (
            len(found) == 1 and not self._is_unknown(found[0]) and not self._are_moments(found[0])
        )

    def example(self, weighted: bool) -> str:
        """A choice of columns that may be meant."""
        if len(self.pairs) != 1:
            return "1,2,3" if len(self.titles) > 2 else "1,2"
        found = self.possible_weights(self.pairs[0]) if weighted else ()
        return EdgeColumns(*self.pairs[0], found[0] if found else None).text(self.titles)

    @property
    def guess(self) -> EdgeColumns | None:
        """Source, target and weight by their titles, or the first columns if there are
        no others; None if unclear.
        """
        if self.pairs:
            return self.by_title
        count = len(self.titles)
        if (
            self.header
            or self.unclear(True)
            or not self.even
            or count not in (2, 3)
            or (count == 3 and not self.is_numeric(2))
        ):
            return None
        return EdgeColumns(0, 1, 2 if count == 3 else None)

    @property
    def by_title(self) -> EdgeColumns | None:
        """Source, target and weight by their titles; None if these are not clear."""
        if len(self.pairs) != 1 or self.unclear(True):
            return None
        found = self.possible_weights(self.pairs[0])
        return EdgeColumns(*self.pairs[0], found[0] if found else None, self.direction)

    def interpretation(self, columns: EdgeColumns, *, chosen: bool) -> Interpretation:
        """How the columns were found: ``chosen`` by the user, known by the titles, or by
        the places of the only columns.
        """
        sure = (Certainty.KNOWN, "its title" if self.header else "its place")
        parts = [
            Decision(self._shown(place), *((Certainty.STATED, "") if chosen else sure))
            for place in columns.places
        ]
        used = {*columns.places, columns.direction}
        ignored = [title for place, title in enumerate(self.titles) if place not in used]
        return Interpretation(
            Decision("none: every weight is 1")
            if columns.weight is None
            else replace(parts[2], what=self._named(columns.weight)),
            self.unit(columns),
            parts[0],
            parts[1],
            None if columns.direction is None else Decision(self._shown(columns.direction)),
            tuple(title if self.header else f"column {title}" for title in ignored),
        )

    def interpreted(self, parsed: Parsed, columns: EdgeColumns, *, chosen: bool) -> Parsed:
        """What was read, with its `interpretation`."""
        found = self.interpretation(columns, chosen=chosen)
        return replace(
            parsed,
            interpretation=found,
            weight_unit=found.unit if parsed.weights_from else "",
        )


def is_mostly_numbers(cells: Iterable[str]) -> bool:
    """Whether at least half of the cells that are not empty are numbers, in any usual notation."""
    given = [cell for cell in map(str.strip, cells) if cell.lower() not in _NOTHING]
    numbers = sum(
        is_number(cell) or _NUMBER.fullmatch(cell) is not None or notation_of([cell]).special
        for cell in given
    )
    return 2 * numbers >= max(1, len(given))


def preview_of(lines: Sequence[str], options: TableOptions) -> TablePreview:
    """The preview of a table from complete lines, without comments before the first row."""
    name = options.separator or _separator(lines)
    rows = _split(lines, name)[: PREVIEW_ROWS + 1]
    header = _has_titles(rows) if options.header is None else options.header
    titles = (
        tuple(rows[0])
        if header and rows
        else tuple(map(str, range(1, max(map(len, rows), default=0) + 1)))
    )
    rest = [within(row, len(titles)) for row in rows[header:][:PREVIEW_ROWS]]
    return TablePreview(
        name,
        header,
        titles,
        tuple(rest),
        all(len(row) == len(titles) for row in rest),
        tuple(lines),
    )


def within(row: Sequence[str], width: int) -> tuple[str, ...]:
    """A row without empty cells past the ``width`` of its table."""
    cells = tuple(row)
    while len(cells) > width and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def _separator(lines: Sequence[str]) -> str:
    """The separator that gives all rows equally many cells; if none does, the one that
    gives the first row most.
    """
    tables = {name: _split(lines, name) for name in _ORDER}
    for name, rows in tables.items():
        if rows and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return name
    return max(_ORDER, key=lambda name: len(tables[name][0]) if tables[name] else 0)


def _split(lines: Sequence[str], separator: str) -> list[tuple[str, ...]]:
    """The cells of lines, up to the first that csv refuses; without empty lines."""
    rows: list[tuple[str, ...]] = []
    with suppress(csv.Error):
        rows.extend(tuple(row) for row in text_rows(lines, separator) if row)
    return rows


def text_rows(lines: Sequence[str], separator: str) -> Iterable[list[str]]:
    """A reader of csv; several blanks count as one."""
    character = SEPARATORS[separator]
    if separator == "blank":
        lines = [line.strip() for line in lines]
    return csv.reader(lines, delimiter=character, skipinitialspace=True)


def _has_titles(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first row holds no numbers, and is of known titles or above numbers."""
    if len(rows) < 2 or any(map(is_number, rows[0])):
        return False
    below = any(is_number(cell) for row in rows[1:] for cell in row)
    known = bool(ends_of(rows[0])) and not _continues(rows[0], rows[1])
    return known or (below and _columns_differ(rows))


def _continues(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first row is made like the second: Stop 1, Stop 2 above Stop 2, Stop 3."""
    patterns = [tuple(re.sub(r"\d+", "#", cell.lower()) for cell in row) for row in (first, second)]
    return any("#" in cell for cell in patterns[0]) and patterns[0] == patterns[1]


def _columns_differ(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether some column has a word in the first row, and numbers in most others."""
    width = min(map(len, rows))
    return any(is_mostly_numbers(row[column] for row in rows[1:]) for column in range(width))
