"""Answers that leave: as a series or frame of pandas, as a GeoDataFrame, as a file.

Neither package is imported before it is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.errors import InputError, UnknownName
from solvers.system.optional_packages import optional_package

if TYPE_CHECKING:
    import geopandas
    import pandas

    from solvers.running.answers.columns import TableColumn
    from solvers.running.answers.table import AnswerTable

_EXTRA = "frames"


class Tabular(ABC):
    """An answer with rows that have ids: they are saved in files, and handed to pandas and
    GeoPandas, which the extra ``frames`` installs.
    """

    @abstractmethod
    def _table(self) -> AnswerTable:
        """The rows, in the unit that users see."""

    def _map_table(self) -> AnswerTable:
        """The rows that have a geometry."""
        return self._table()

    def save(self, path: str | PathLike[str], *, plain: bool = False) -> Path:
        """Write the rows in the format that the ending of the name says: ``.geojson``,
        ``.csv`` or ``.parquet``, paths also as ``.gpx``.

        The file appears whole or not at all. Spreadsheets would run some texts as formulas:
        these get an apostrophe in CSV, unless ``plain``. Raises ParameterError for another
        ending, UnsuitableGraph if coordinates are missing, PackageMissing for Parquet
        without pyarrow, FileNotWritten.
        """
        from solvers.running.answers.write import write_answer

        return write_answer(self._table(), Path(path), plain=plain)

    def to_frame(self) -> pandas.DataFrame:
        """The rows of the table that `save` writes, with their ids as the index.

        Integers with empty cells are of the type ``Int64``. Origin, unit and attribution are
        in ``attrs``. Raises PackageMissing without pandas.
        """
        table = self._table()
        return _frame(table, table.columns)

    def to_series(self, name: str | None = None) -> pandas.Series:
        """One column of `to_frame`, by default that of the answer itself; raises UnknownName."""
        table = self._table()
        wanted = table.values if name is None else name
        columns = [column for column in table.columns if column.name in (wanted, *table.keys)]
        names = [column.name for column in table.columns if column.name not in table.keys]
        if wanted not in names:
            raise UnknownName("column", wanted, names)
        return _frame(table, columns)[wanted]

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """The rows with their geometry, in degrees of WGS 84, or in plane coordinates, with the
        reference system that a projected graph of OSMnx names.

        Raises PackageMissing without GeoPandas, UnsuitableGraph without coordinates.
        """
        package = optional_package("geopandas", "A GeoDataFrame", _EXTRA)
        shapely = optional_package("shapely", "A GeoDataFrame", _EXTRA)
        from solvers.running.answers.answer import no_places

        table = self._map_table()
        coordinates = table.graph.coordinates
        if coordinates is None:
            raise no_places(table.graph, "A GeoDataFrame")
        if table.shapes is None:
            raise InputError("These rows have no geometry: ask for to_frame().")
        frame = _frame(table, [column for column in table.columns if not column.is_place])
        texts = [text or None for text in table.shapes(np.arange(table.count))]
        shapes = shapely.from_geojson(np.array(texts, object))
        crs = _known_crs(package, coordinates.reference_system)
        found: geopandas.GeoDataFrame = package.GeoDataFrame(frame, geometry=shapes, crs=crs)
        return found


def _known_crs(package: Any, name: str) -> Any:
    """The reference system of a name; None for a name that PROJ does not know."""
    try:
        return package.GeoSeries(crs=name).crs if name else None
    except RuntimeError:  # as errors of PROJ are
        return None


def table_of(answer: Tabular) -> AnswerTable:
    """The rows of an answer, for `write_answer`."""
    return answer._table()


def _frame(table: AnswerTable, columns: Any) -> pandas.DataFrame:
    package: Any = optional_package("pandas", "A frame", _EXTRA)
    from solvers.running.answers.answer import credit_of

    made = {column.name: _values(package, column) for column in columns}
    keys = [made.pop(name) for name in table.keys]
    if len(keys) == 1:
        index = package.Index(keys[0], name=table.keys[0], tupleize_cols=False)
    else:
        index = package.MultiIndex.from_arrays(keys, names=table.keys)
    frame: pandas.DataFrame = package.DataFrame(made, index=index)
    credit = credit_of(table.graph)
    frame.attrs |= table.facts | ({"attribution": credit} if credit else {})
    return frame


def _values(package: Any, column: TableColumn) -> Any:
    """The values as pandas has them."""
    if column.objects is not None or not isinstance(column.values, np.ndarray):
        cells = list(column.values if column.objects is None else column.objects)
        if column.known is not None:
            pairs = zip(cells, column.known.tolist(), strict=True)
            cells = [cell if known else None for cell, known in pairs]
        kinds = {type(cell) for cell in cells}
        if kinds == {int, type(None)}:
            return package.array(cells, dtype="Int64")
        # NumPy would take tuples and lists for rows
        has_rows = not kinds.isdisjoint((tuple, list))
        return np.fromiter(cells, object, len(cells)) if has_rows else cells
    if column.known is None:
        return column.values
    if column.values.dtype.kind == "f":
        return np.where(column.known, column.values, np.nan)
    found = package.array(column.values)
    found[~column.known] = package.NA
    return found
