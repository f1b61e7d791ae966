"""SNAP edge lists: ``tail head [weight ...]`` separated by tabs, blanks or commas; ``#``
comments. Of several columns of numbers without titles the weights are asked for, unless
the others can hold none. The header of KONECT, ``% sym|asym weights``, states that the
third column holds them, and the direction.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from solvers.errors import ColumnsUnknown
from solvers.graphs.edge_columns import unclear_weights, why_no_weights
from solvers.graphs.interpretation import Certainty, Decision, Interpretation
from solvers.graphs.quantities import is_number, is_whole
from solvers.graphs.readers.input_file import TextSource
from solvers.graphs.readers.parsed import COMMENTS, Format, Parsed, Sample
from solvers.graphs.readers.table import Layout, Rows, Table
from solvers.text import listed

COUNT = Layout(ids=("count",), comments=COMMENTS)
_FEWEST_COUNTED = 3  # rows, of which the first may be counts: fewer fit by chance
_KONECT = re.compile(r"%\s*(sym|asym|bip)\s+[a-z]+$")
_KONECT_DIRECTIONS = {"sym": Decision("undirected"), "asym": Decision("directed")}
_COMMENT_COUNTS = re.compile(r"Nodes:\s*(\d{1,18})\s+Edges:\s*(\d{1,18})\b", re.IGNORECASE)


def _recognises_edge_list(sample: Sample) -> bool:
    if _count_lines(sample):
        return True
    row = _first_row(sample)
    return len(row) >= 2 and is_whole(row[0]) and is_whole(row[1])


def _has_titles(sample: Sample) -> bool:
    """Whether the first row holds column titles."""
    return (
        len(sample.rows) > 1
        and len(sample.rows[0]) >= 2
        and not any(map(is_number, sample.rows[0]))
    )


def _first_row(sample: Sample) -> tuple[str, ...]:
    return sample.rows[1] if _has_titles(sample) else sample.rows[0]


def _count_lines(sample: Sample) -> int:
    """How many lines with one count each, of vertices or edges, are before edges of two or
    three columns.
    """
    alone = 0
    while alone < len(sample.rows) and len(sample.rows[alone]) == 1:
        alone += 1
    rows = sample.rows[:alone], sample.rows[alone:]
    widths = {len(row) for row in rows[1]}
    fits = all(is_whole(row[0]) for row in rows[0]) and widths in ({2}, {3})
    return alone if alone < 3 and fits and all(map(is_whole, rows[1][0][:2])) else 0


def _read_edge_list(table: Table, sample: Sample, weighted: bool) -> Parsed:
    alone = _count_lines(sample)
    counts = table.rows(COUNT, limit=alone).ids[:, 0].tolist() if alone else []
    sample = replace(sample, rows=sample.rows[alone:])
    titled, konect = _has_titles(sample), _konect_header(table, sample)
    why = ""
    if weighted and not titled and not konect:
        why = _require_clear_weights(table, sample)
    if titled:
        table.skip_titles()
    columns = len(_first_row(sample))
    has_weights, separator = weighted and columns >= 3, _separator(sample.line)
    layout = Layout(
        ids=("tail", "head"),
        values=("weight",) if has_weights else (),
        comments=COMMENTS,
        may_be_padded=False,
        ignore_rest=columns > 3 or not weighted,
        separator=separator if has_weights or separator == b"," else b"",
        summed=True,
    )
    arcs = table.rows(layout)
    if has_weights and columns == 3 and not titled and not konect:
        _ask_if(table, 3, unclear_weights({2: arcs.values[:, 0]}))
    n, m = _comment_counts(sample)
    told = _ignored_columns(columns)
    is_bare = not (counts or titled or sample.comments)
    is_size = columns == 3 and _begins_with_size(arcs)
    if is_size or (is_bare and columns < 4 and _begins_with_counts(arcs)):
        counts = [int(arcs.ids[0, 0]), len(arcs) - 1] if is_size else arcs.ids[0].tolist()
        arcs = replace(arcs, ids=arcs.ids[1:], values=arcs.values[1:])
    if counts:
        n, m = _as_counts(counts, arcs)
        shown = " ".join(sample.rows[0] if not alone else map(str, counts))
        choice = "1,2,3" if columns == 3 else "1,2"
        rest = "" if alone else f"; if it is an edge, choose columns, such as “{choice}”"
        told += (f"“{shown}” before the edges is taken for counts of vertices or edges{rest}.",)
    return Parsed(
        arcs,
        undirected=konect == "sym",
        weights_from="column 3" if has_weights else "",
        header_vertices=n,
        header_arcs=m,
        first_ids=(1, 0) if counts else (),
        warnings=told,
        interpretation=_interpretation(sample, columns, why, konect),
    )


def _begins_with_counts(arcs: Rows) -> bool:
    """Whether the first row has the number of vertices, none of which is beyond it, and that
    of the rows below, or of edges that these list in both directions.
    """
    if len(arcs) < _FEWEST_COUNTED:
        return False
    n, m = arcs.ids[0].tolist()
    return len(arcs) - 1 in (m, 2 * m) and bool(arcs.ids[1:].max() <= n)


def _begins_with_size(arcs: Rows) -> bool:
    """Whether the first row is the size of a square matrix, without a banner: rows and
    columns, beyond which no vertex is, and the number of entries below.
    """
    if len(arcs) < _FEWEST_COUNTED or not arcs.values.shape[1]:
        return False
    rows, columns = arcs.ids[0].tolist()
    below = rows == columns and bool(arcs.ids[1:].max() <= rows)
    return below and arcs.values[0, 0] == len(arcs) - 1


def _as_counts(counts: list[int], arcs: Rows) -> tuple[int | None, int | None]:
    """Numbers of vertices and of rows; of one count alone, whichever it fits."""
    if len(counts) == 2:
        n, m = counts
        return n, len(arcs) if len(arcs) == 2 * m else m
    return (None, counts[0]) if counts[0] == len(arcs) else (counts[0], len(arcs))


def _konect_header(table: Table, sample: Sample) -> str:
    """The first word of a header of KONECT, "sym" or "asym"; "" where there is none."""
    found = _KONECT.match(sample.comments[0]) if sample.comments else None
    if found and found[1] == "bip":
        reason = "by its header, % bip, the two columns name different vertices by the same numbers"
        hint = "Give the vertices of the second column other numbers, and remove the header."
        raise table.error(1, sample.comments[0], reason, hint)
    return found[1] if found else ""


def _require_clear_weights(table: Table, sample: Sample) -> str:
    """Raise `ColumnsUnknown` if columns beside the third may be the weights, too; else why
    they are in the third, "" where it is the only one of numbers.

    Where the first rows leave only the third, all rows are looked at.
    """
    width = len(sample.rows[0])
    columns = {}
    for place in range(2, width):
        cells = [row[place] for row in sample.rows if len(row) > place]
        if all(map(is_number, cells)):
            columns[place] = np.array(cells, np.float64)
    if list(columns) in ([], [2]):
        return ""
    names = tuple(f"number in column {k + 1}" for k in range(2, max(columns) + 1))
    if all(len(row) > max(columns) for row in sample.rows):  # else the first other is named
        _ask_if(table, width, unclear_weights(columns))
    if len(columns) < len(names):
        _ask_if(table, width, f"columns {listed([str(k + 1) for k in columns])} hold numbers")
    layout = Layout(
        ids=("tail", "head"),
        values=names,
        comments=COMMENTS,
        may_be_padded=False,
        ignore_rest=width > max(columns) + 1,
        separator=_separator(sample.line),
    )
    with TextSource(table.source.file, table.source.progress, counted=False) as ahead:
        values = Table(ahead).rows(layout).values
    found = {place: values[:, place - 2] for place in columns}
    _ask_if(table, width, unclear_weights(found))
    others = [f"column {k + 1} {why_no_weights(found[k])}" for k in columns if k > 2]
    return f"its place, as {listed(others)}"


def _ask_if(table: Table, width: int, unclear: str) -> None:
    if unclear:
        raise ColumnsUnknown(table.path, [str(k + 1) for k in range(width)], unclear)


def _interpretation(sample: Sample, columns: int, why: str, konect: str) -> Interpretation | None:
    """The third column by its title, or by its place."""
    direction = _KONECT_DIRECTIONS.get(konect)
    if columns < 3:
        return None if direction is None else Interpretation(Decision(""), direction=direction)
    if _has_titles(sample):
        return Interpretation(
            Decision(f"column 3 “{sample.rows[0][2]}”", Certainty.KNOWN, "its title"),
            ignored=sample.rows[0][3:],
        )
    certainty = Certainty.STATED if columns == 3 or konect else Certainty.KNOWN
    return Interpretation(
        Decision("column 3", certainty, why or "its place"),
        direction=direction,
        ignored=tuple(f"column {place}" for place in range(4, columns + 1)),
    )


def _separator(line: str) -> bytes:
    """Whether cells are separated by commas, or only by blanks, as the first row shows."""
    found = re.match(r",*[^\s,]+([\s,]+)", line)
    return b"," if found and "," in found[1] else b" "


def _comment_counts(sample: Sample) -> tuple[int | None, int | None]:
    for comment in sample.comments:
        if found := _COMMENT_COUNTS.search(comment):
            return int(found[1]), int(found[2])
    return None, None


def _ignored_columns(columns: int) -> tuple[str, ...]:
    if columns <= 3:
        return ()
    beyond = "column 4 is" if columns == 4 else f"columns 4 to {columns} are"
    return (f"Only columns 1 to 3 are read (tail, head, weight); {beyond} ignored.",)


EDGE_LIST_FORMAT = Format("edge list (SNAP)", _recognises_edge_list, _read_edge_list)
