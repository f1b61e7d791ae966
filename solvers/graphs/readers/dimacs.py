"""Reader of DIMACS shortest-path graphs (.gr): ``c`` comments, ``p sp n m``, then ``a tail head weight``.

Deviations found in published files are accepted: no ``p`` line, a ``p`` line with wrong counts, ids from 0.
"""

from __future__ import annotations

from solvers.errors import printable
from solvers.graphs.readers.formats import COMMENTS, Format, Parsed, Sample, is_whole
from solvers.graphs.readers.table import Layout, Table

_ARC = Layout(ids=("tail", "head"), values=("weight",), tag=b"a", headers=b"ps", comments=COMMENTS, summed=True)
_BARE_ARC = Layout(ids=("tail", "head"), tag=b"a", headers=b"ps", comments=COMMENTS, ignore_rest=True)


def _recognises(sample: Sample) -> bool:
    first = sample.rows[0]
    return first[0] in ("a", "sp") or (first[0] == "p" and first[1:2] != ("tw",) and "co" not in first)


def header_counts(table: Table) -> tuple[int | None, int | None]:
    """``n`` and ``m``: the last two words of the first header line; None if there is no header line.

    Raises
    ------
    FileFormatError
        If they are not whole numbers.
    """
    if table.header is None:
        return None, None
    line, text = table.header
    words = text.split()
    if len(words) < 3 or not (is_whole(words[-2]) and is_whole(words[-1])):
        raise table.error(line, text, "the problem line has no counts", "Expected: p sp vertices arcs.")
    return int(words[-2]), int(words[-1])


def _read(table: Table, sample: Sample, weighted: bool) -> Parsed:
    arcs = table.rows(_ARC if weighted else _BARE_ARC)
    n, m = header_counts(table)
    return Parsed(
        arcs,
        weights_from="column 3" if weighted else "",
        header_vertices=n,
        header_arcs=m,
        first_ids=(1, 0),
        warnings=() if table.header else (_no_problem_line(table),),
    )


def _no_problem_line(table: Table) -> str:
    name = printable(table.path.name)
    return (
        f"{name} has no problem line (p sp vertices arcs): its vertices are those that occur in arcs, and missing "
        "lines cannot be detected."
    )


FORMAT = Format("DIMACS shortest-path graph (.gr)", _recognises, _read)
