"""Reader of SNAP edge lists: ``tail head [weight ...]`` separated by tabs, blanks or commas; ``#`` comments."""

from __future__ import annotations

import re

from solvers.graphs.readers.formats import COMMENTS, Format, Parsed, Sample, is_number, is_whole
from solvers.graphs.readers.table import Layout, Table

_COUNTS = re.compile(r"Nodes:\s*(\d{1,18})\s+Edges:\s*(\d{1,18})\b", re.IGNORECASE)


def _recognises(sample: Sample) -> bool:
    row = _first_row(sample)
    return len(row) >= 2 and is_whole(row[0]) and is_whole(row[1])


def _has_titles(sample: Sample) -> bool:
    """Whether the first row holds column titles."""
    return len(sample.rows) > 1 and len(sample.rows[0]) >= 2 and not any(map(is_number, sample.rows[0]))


def _first_row(sample: Sample) -> tuple[str, ...]:
    return sample.rows[1] if _has_titles(sample) else sample.rows[0]


def _read(table: Table, sample: Sample, weighted: bool) -> Parsed:
    if _has_titles(sample):
        table.skip_titles()
    columns = len(_first_row(sample))
    has_weights = weighted and columns >= 3
    layout = Layout(
        ids=("tail", "head"),
        values=("weight",) if has_weights else (),
        comments=COMMENTS,
        ignore_rest=columns > 3 or not weighted,
        separator=_separator(sample.line) if has_weights else b"",
        summed=True,
    )
    arcs = table.rows(layout)
    n, m = _header_counts(sample)
    return Parsed(
        arcs,
        weights_from="column 3" if has_weights else "",
        header_vertices=n,
        header_arcs=m,
        warnings=_warnings(columns),
    )


def _separator(line: str) -> bytes:
    """Whether cells are separated by commas, or only by blanks, as the first row shows."""
    found = re.match(r"[^\s,]+([\s,]+)", line)
    return b"," if found and "," in found[1] else b" "


def _header_counts(sample: Sample) -> tuple[int | None, int | None]:
    for comment in sample.comments:
        if found := _COUNTS.search(comment):
            return int(found[1]), int(found[2])
    return None, None


def _warnings(columns: int) -> tuple[str, ...]:
    if columns <= 3:
        return ()
    beyond = "column 4 is" if columns == 4 else f"columns 4 to {columns} are"
    return (f"Only columns 1 to 3 are read (tail, head, weight); {beyond} ignored.",)


FORMAT = Format("edge list (SNAP)", _recognises, _read)
