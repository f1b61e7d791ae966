"""The first rows of a table, and what they tell: separator, titles, and which columns are source, target and weight."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from solvers.graphs.readers.edge_tables.options import SEPARATORS, EdgeColumns, TableOptions
from solvers.graphs.readers.formats import is_number

PREVIEW_ROWS = 20
_ORDER = ("tab", "semicolon", "bar", "comma", "blank")  # a comma may be in a number, a blank in a name
_ENDS = (  # with anything after both, as in from_node and to_node
    ("source", "target"), ("from", "to"), ("src", "dst"), ("tail", "head"), ("start", "end"),
    ("origin", "destination"), ("node1", "node2"), ("nodea", "nodeb"), ("u", "v"), ("i", "j"),
)  # fmt: skip
SURE_WEIGHTS = ("weight", "length", "cost", "distance", "dist")  # a column of that title is no other attribute
_WEIGHTS = (
    *SURE_WEIGHTS, "traveltime", "time", "duration", "seconds", "minutes", "metres", "meters", "km", "value", "w",
)  # fmt: skip


@dataclass(frozen=True)
class TablePreview:
    """The beginning of a table.

    Attributes
    ----------
    separator : str
        A key of `SEPARATORS`; "" for Parquet.
    header : bool
        Whether the titles are those of the file.
    titles : tuple of str
        One for each column; "1", "2" and so on if the file has none.
    rows : tuple of tuple of str
        At most `PREVIEW_ROWS`, without the titles; with as many cells as the file has, also where some are missing.
    even : bool
        Whether all of them have as many cells as there are titles.
    lines : tuple of str
        The lines of text that they come from, to be split in another way; none of Parquet.
    """

    separator: str
    header: bool
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    even: bool = True
    lines: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def is_numeric(self, place: int) -> bool:
        """Whether the rows have numbers in that column."""
        return bool(self.rows) and all(len(row) > place and is_number(row[place]) for row in self.rows)

    @property
    def known_titles(self) -> list[str]:
        """The titles in lower case, of letters and digits only."""
        return [re.sub(r"[\W_]", "", title.lower()) for title in self.titles]

    @property
    def guess(self) -> EdgeColumns | None:
        """Source, target and weight by their titles; without known titles the first columns, if there are no others.

        None if the columns have to be chosen.
        """
        if (named := self.by_title) is not None:
            return named
        count = len(self.titles)
        if self.header or not self.even or count not in (2, 3) or (count == 3 and not self.is_numeric(2)):
            return None
        return EdgeColumns(0, 1, 2 if count == 3 else None)

    @property
    def by_title(self) -> EdgeColumns | None:
        """Source, target and weight by their titles; None without a known pair."""
        if not self.header:
            return None
        known = self.known_titles
        pair = _pair(known)
        if pair is None:
            return None
        weights = (known.index(name) for name in _WEIGHTS if name in known and self.is_numeric(known.index(name)))
        return EdgeColumns(*pair, next(weights, None))


def _pair(titles: Sequence[str]) -> tuple[int, int] | None:
    """The columns of source and target: a pair of known names, first those that are it alone."""
    for alone in (True, False):
        for first, second in _ENDS:
            for place, title in enumerate(titles):
                rest = title.removeprefix(first)
                fits = title == first if alone else title.startswith(first) and len(first) > 1
                if fits and second + rest in titles:
                    return place, titles.index(second + rest)
    return None


def preview_of(lines: Sequence[str], options: TableOptions) -> TablePreview:
    """What complete lines, without comments before the first row, tell of a table.

    Parameters
    ----------
    lines : sequence of str
    options : TableOptions
        What it says counts.
    """
    name = options.separator or _separator(lines)
    rows = _split(lines, name)[: PREVIEW_ROWS + 1]
    header = _has_titles(rows) if options.header is None else options.header
    titles = tuple(rows[0]) if header and rows else tuple(map(str, range(1, max(map(len, rows), default=0) + 1)))
    rest = rows[header:][:PREVIEW_ROWS]
    return TablePreview(name, header, titles, tuple(rest), all(len(row) == len(titles) for row in rest), tuple(lines))


def _separator(lines: Sequence[str]) -> str:
    """The separator that gives all rows equally many cells; if none does, the one that gives the first row most."""
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
    known = TablePreview("", True, rows[0], ()).by_title is not None
    return known or (below and _columns_differ(rows))


def _columns_differ(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether some column has a word in the first row, and numbers in all others."""
    width = min(map(len, rows))
    return any(all(is_number(row[place]) for row in rows[1:]) for place in range(width))
