"""The columns of a table of edges, in a file or in memory: source, target and weight, chosen
by the user or found in the first rows, and what these leave open.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from solvers.errors import ParameterError, UnknownName
from solvers.graphs.directions import Directions, find_directions
from solvers.graphs.interpretation import Certainty, Decision, Interpretation
from solvers.graphs.quantities import (
    Notation,
    is_number,
    is_whole,
    is_written_number,
    notation_of,
    number_of,
    whole_floats,
)
from solvers.graphs.reading import SEPARATORS, TableOptions
from solvers.graphs.titles import (
    Quantity,
    ends_of,
    possible_weights,
    quantity_of,
    unit_of,
    words_of,
)
from solvers.system.array_types import AnyArray, Float64s
from solvers.text import listed, quoted

PREVIEW_ROWS = 20

_MOST_LISTED = 6
_NOTHING = ("", "n/a", "na", "null", "none", "nil", "-", "--", "?", ".", "#n/a")
# a comma may be in a number, a blank in a name
_ORDER = ("tab", "semicolon", "bar", "comma", "blank")
_MOMENTS = (("time",), ("zeit",), ("temps",), ("tiempo",), ("tempo",))
_FIRST_MOMENT = 10**8  # seconds of Unix time in 1973; no edge takes so long
# may be thousands: 1.234
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_UNIX_TIMES = (10**9, 10**10)  # seconds from 2001 on, which have ten digits
_ENOUGH_TIMES = 3  # fewer weights may rise by chance


@dataclass(frozen=True)
class EdgeColumns:
    """Indices of the columns of a table; ``weight`` is None if every weight is 1."""

    source: int
    target: int
    weight: int | None = None
    # a column that says the direction of each edge
    direction: int | None = field(default=None, compare=False)

    @property
    def places(self) -> tuple[int, ...]:
        places = (self.source, self.target, self.weight)
        return tuple(place for place in places if place is not None)

    def text(self, titles: tuple[str, ...]) -> str:
        """As `TableOptions.columns`: by title where it is the only one of its name,
        else by number.
        """
        return ",".join(
            _quoted(titles[i]) if titles.count(titles[i]) == 1 and titles[i].strip() else str(i + 1)
            for i in self.places
        )


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
    # numbers in metadata before the titles, as of TNTP
    stated: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)

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
        others = self.others(columns)
        if not others:
            return ()
        shown = [self._described(column) for column in others[:_MOST_LISTED]] + ["…"] * (
            len(others) > _MOST_LISTED
        )
        if columns.weight is not None:
            return (f"Beside the weights in {self._shown(columns.weight)}: {', '.join(shown)}.",)
        numeric = [column for column in others if self.is_numeric(column)]
        remedy = ""
        if numeric:
            choice = EdgeColumns(columns.source, columns.target, numeric[0]).text(self.titles)
            remedy = f" Choose columns, such as “{quoted(choice)}”."
        return (
            (
                "No column is read as weights: every weight is 1. "
                f"Others: {', '.join(shown)}.{remedy}"
            ),
        )

    def others(self, columns: EdgeColumns) -> list[int]:
        """The columns that are neither ends, weights nor directions."""
        used = {*columns.places, columns.direction}
        return [column for column in range(len(self.titles)) if column not in used]

    def numeric(self, columns: EdgeColumns) -> list[int]:
        """Those of the others that hold numbers, which are kept."""
        others = (column for column in self.others(columns) if self.is_numeric(column))
        return [column for column in others if not self._is_empty(column)]

    def name(self, column: int) -> str:
        """The title of a column, or its place in words."""
        title = self.titles[column].strip()
        return title if self.header and title else f"column {column + 1}"

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
    def directions(self) -> Directions | None:
        """What a column says of the direction of each edge; None without one."""
        if not self.header:
            return None
        return find_directions(
            {
                title: [row[column] for row in self.rows if len(row) > column]
                for column, title in enumerate(self.titles)
            }
        )

    @cached_property
    def direction(self) -> int | None:
        """The column that says the direction of each edge."""
        return None if self.directions is None else self.titles.index(self.directions.title)

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
        """Whether it is a square of numbers, with a diagonal of zeros or decimals for ends."""
        count = len(self.rows)
        if self.header or not self.even or count < 2 or count != len(self.titles):
            return False
        if count > 2 and all(number_of(row[place]) == 0 for place, row in enumerate(self.rows)):
            return True
        cells = [cell.strip() for row in self.rows for cell in row]
        return all(map(is_number, cells)) and not all(is_whole(row[0].strip()) for row in self.rows)

    def unclear(self, weighted: bool) -> str:
        """What the table leaves open, for the question; "" if nothing."""
        if self.may_be_matrix:
            return "this may be a matrix of distances, or a list of edges"
        if weighted and (grouped := self._grouped) is not None:
            shown = quoted(self._cells(grouped)[0], 20)
            others = "as chosen columns are read, or between thousands"
            return f"the point in “{shown}” may be before decimals, {others}"
        if not self.header:
            return unclear_weights(self._numbers) if weighted else ""
        if len(self.pairs) != 1:
            return ""
        if self.directions is not None and self.directions.unclear:
            return self.directions.unclear
        found = self.possible_weights(self.pairs[0]) if weighted else ()
        if not found or self._is_known(found):
            return ""
        if len(found) == 1:
            return f"whether {self._shown(found[0])} holds the weights is not clear"
        names = [self._shown(column) for column in found]
        return f"{', '.join(names[:-1])} and {names[-1]} may each be the weights"

    @property
    def _grouped(self) -> int | None:
        """The column that may be the weights if all its numbers may have points between
        thousands, as cells between semicolons may: their decimals have commas.
        """
        if self.separator != "semicolon":
            return None
        found = self.possible_weights(self.pairs[0]) if len(self.pairs) == 1 else (2,)
        for column in found if len(found) == 1 else ():
            if (given := self._cells(column)) and all(map(_GROUPED.fullmatch, given)):
                return column
        return None

    def _cells(self, column: int) -> list[str]:
        """The cells of a column that are not empty."""
        cells = (row[column].strip() for row in self.rows if len(row) > column)
        return [cell for cell in cells if cell]

    @cached_property
    def _numbers(self) -> dict[int, Float64s]:
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
    def is_sure(self) -> bool:
        """Whether what is guessed needs no look at all rows: by titles, numbers or weights."""
        numbers = all(is_number(cell) for row in self.rows for cell in row[:2])
        return bool(self.pairs) or len(self.titles) > 2 or numbers

    @property
    def has_decimal_ids(self) -> bool:
        """Whether ends are whole numbers that are written as decimals."""
        return bool(whole_floats([cell.strip() for row in self.rows for cell in row[:2]]))

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

    def _direction(self, columns: EdgeColumns) -> Decision | None:
        if columns.direction is None or self.directions is None:
            return None
        return Decision(str(self.directions))

    def interpretation(self, columns: EdgeColumns, *, chosen: bool) -> Interpretation:
        """How the columns were found: ``chosen`` by the user, known by the titles, or by
        the places of the only columns.
        """
        sure = (Certainty.KNOWN, "its title" if self.header else "its place")
        parts = [
            Decision(self._shown(place), *((Certainty.STATED, "") if chosen else sure))
            for place in columns.places
        ]
        return Interpretation(
            Decision("none: every weight is 1")
            if columns.weight is None
            else replace(parts[2], what=self._named(columns.weight)),
            self.unit(columns),
            parts[0],
            parts[1],
            self._direction(columns),
            tuple(map(self.name, self.others(columns))),
        )


def is_mostly_numbers(cells: Iterable[str]) -> bool:
    """Whether at least half of the cells that are not empty are numbers, in any usual notation."""
    given = [cell for cell in map(str.strip, cells) if cell.lower() not in _NOTHING]
    return 2 * sum(map(is_written_number, given)) >= max(1, len(given))


def preview_of(lines: Sequence[str], options: TableOptions) -> TablePreview:
    """The preview of a table from complete lines, without comments before the first row."""
    name = options.separator or _separator(lines)
    rows = _split(lines, name)[: PREVIEW_ROWS + 1]
    header = options.header
    if header is None:
        header = _has_titles(rows) or (bool(rows) and _are_titles(options.columns, rows[0]))
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


def _are_titles(columns: str, row: Sequence[str]) -> bool:
    """Whether chosen columns have names that are cells of the first row."""
    names = next(csv.reader([columns], skipinitialspace=True), [])
    cells = [cell.strip() for cell in row]
    return bool(names) and all(name in cells and not is_number(name) for name in names)


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


def unclear_weights(columns: Mapping[int, AnyArray]) -> str:
    """What columns of numbers without titles leave open about the weights; "" if these are
    in the third column, which is the only one of numbers, or that may hold weights.

    ``columns`` are those beside the ends, by their places from 2; every column is (m,).
    """
    possible = [place for place, numbers in columns.items() if not why_no_weights(numbers)]
    if list(columns) in ([], [2]):
        times = [place for place, numbers in columns.items() if _are_unix_times(numbers)]
        return f"column {times[0] + 1} may hold moments instead of weights" if times else ""
    if possible == [2]:
        return ""
    shown = [str(place + 1) for place in possible or columns]
    if len(shown) == 1:
        return f"whether column {shown[0]} holds the weights is not clear"
    return f"columns {listed(shown)} may each be the weights"


def why_no_weights(numbers: AnyArray) -> str:
    """Why a column of numbers beside others does not hold the weights; "" if it may."""
    if len(numbers) and numbers[0] in (0, 1) and (numbers == numbers[0]).all():
        return f"is {numbers[0]:g} in every row"
    return "holds moments" if _are_unix_times(numbers) else ""


def _are_unix_times(numbers: AnyArray) -> bool:
    """Whether these are Unix times in seconds, as of a list in the order of time."""
    first, end = _UNIX_TIMES
    return bool(
        len(numbers) >= _ENOUGH_TIMES
        and ((numbers >= first) & (numbers < end)).all()
        and (np.diff(numbers) >= 0).all()
    )


def find_columns(text: str, titles: tuple[str, ...]) -> EdgeColumns:
    """The columns that `TableOptions.columns` names, among the titles, which are
    numbers from 1 for a table without.

    Raises ParameterError if these are not two or three different columns; UnknownName
    if there is none of that name.
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    if len(names) not in (2, 3):
        reason = "name two or three columns: source, target and, if there is one, weight"
        raise ParameterError("Reading", "columns", text, reason)
    indices = [_column_index(name.strip(), titles) for name in names]
    if len(set(indices)) < len(indices):
        raise ParameterError("Reading", "columns", text, "it names a column twice")
    return EdgeColumns(*indices)


def _column_index(name: str, titles: tuple[str, ...]) -> int:
    stripped = [title.strip() for title in titles]
    if name in stripped:
        return stripped.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(titles):
        return int(name) - 1
    raise UnknownName("column", name, stripped)


def _quoted(title: str) -> str:
    title = title.strip()
    return '"' + title.replace('"', '""') + '"' if "," in title or '"' in title else title
