"""What a user can say of a table of edges: its columns, the separator of a text, and whether it begins with titles."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from solvers.errors import ParameterError, UnknownName

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}


@dataclass(frozen=True)
class TableOptions:
    """Choices for tables; what is left out is told by content. Other formats have no use for them.

    Attributes
    ----------
    columns : str
        Columns of source, target and weight, by title or by number from 1, separated by commas: "from,to,km" or "1,2".
        Without the third all weights are 1.
    separator : str
        A key of `SEPARATORS`, or "".
    header : bool or None
        Whether the first row holds titles; None: as it seems.
    """

    columns: str = ""
    separator: str = ""
    header: bool | None = None

    def __post_init__(self) -> None:
        if self.separator and self.separator not in SEPARATORS:
            raise UnknownName("separator", self.separator, SEPARATORS)

    @property
    def given(self) -> bool:
        """Whether anything was chosen."""
        return self != TableOptions()


@dataclass(frozen=True)
class EdgeColumns:
    """Places of the columns of a table, from 0; ``weight`` is None if every weight is 1."""

    source: int
    target: int
    weight: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        return (self.source, self.target) if self.weight is None else (self.source, self.target, self.weight)

    def text(self, titles: tuple[str, ...]) -> str:
        """As `TableOptions.columns`: by title where it is the only one of its name, else by number."""
        return ",".join(_quoted(titles[p]) if titles.count(titles[p]) == 1 and titles[p].strip() else str(p + 1)
                        for p in self.places)  # fmt: skip


def find_columns(text: str, titles: tuple[str, ...]) -> EdgeColumns:
    """The columns that `TableOptions.columns` names.

    Parameters
    ----------
    text : str
    titles : tuple of str
        Of the table; numbers from 1 where it has none.

    Raises
    ------
    ParameterError
        If these are not two or three different columns.
    UnknownName
        If there is none of that name.
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    if len(names) not in (2, 3):
        reason = "name two or three columns: source, target and, if there is one, weight"
        raise ParameterError("Reading", "columns", text, reason)
    places = [_place(name.strip(), titles) for name in names]
    if len(set(places)) < len(places):
        raise ParameterError("Reading", "columns", text, "it names a column twice")
    return EdgeColumns(*places)


def _place(name: str, titles: tuple[str, ...]) -> int:
    stripped = [title.strip() for title in titles]
    if name in stripped:
        return stripped.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(titles):
        return int(name) - 1
    raise UnknownName("column", name, stripped)


def _quoted(title: str) -> str:
    title = title.strip()
    return '"' + title.replace('"', '""') + '"' if "," in title or '"' in title else title
