"""Reader of METIS graphs: ``n m [fmt [ncon]]``, then the neighbours of each vertex on a
line, every edge at both ends.

The file is only numbers, like an edge list; it is recognised by counts: as many lines
as the header has vertices, and as many numbers as its edges need. If the name ends in
``.graph`` or ``.metis``, a file that disagrees is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.quantities import is_whole
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, TextSource, whole_text
from solvers.graphs.readers.parsed import Parsed, Sample, require_plausible_size
from solvers.graphs.readers.table import Rows
from solvers.graphs.weights import narrowed
from solvers.system.array_types import Int64s
from solvers.text import plural

METIS_TITLE = "METIS graph"
_TEXT_BYTES = 25.0  # of memory per byte of text
_FORMAT = re.compile(r"[01]{1,3}")
_MOST_CONSTRAINTS = 1000
_NAMES = re.compile(r"\.(graph|metis)(\.gz)?$", re.IGNORECASE)
_COMMENT = re.compile(rb"(?m)^[ \t]*%[^\n]*")
_OTHER = re.compile(rb"[^0-9\s]")
_MOST_DIGITS = 18
_CHECKED = 2**14  # lines between two checks for cancellation
_HINT = "A METIS file has a line of neighbours for each vertex, and lists every edge at both ends."


@dataclass(frozen=True)
class _Header:
    n: int
    m: int
    per_vertex: int  # numbers before the neighbours: size and weights of the vertex
    weighted: bool

    @property
    def numbers(self) -> int:
        """Numbers in all lines of vertices."""
        return self.n * self.per_vertex + 2 * self.m * (1 + self.weighted)


def _header(words: tuple[str, ...]) -> _Header | None:
    if not 2 <= len(words) <= 4 or not all(map(is_whole, words)) or int(words[0]) < 1:
        return None
    form = words[2] if len(words) > 2 else "0"
    constraints = int(words[3]) if len(words) > 3 else 1
    if not _FORMAT.fullmatch(form) or not 1 <= constraints <= _MOST_CONSTRAINTS:
        return None
    sized, weighing, weighted = (digit == "1" for digit in form.zfill(3))
    return _Header(int(words[0]), int(words[1]), sized + weighing * constraints, weighted)


def is_metis(file: InputFile, sample: Sample, progress: ReadingProgress) -> bool:
    """Whether the counts of lines and numbers are those of a METIS file, or its name
    says that it is one.
    """
    header = _header(sample.rows[0]) if sample.rows else None
    if header is None:
        return False
    if _NAMES.search(file.path.name):
        return True
    lines = numbers = 0
    trailing = 0  # blank lines at the end
    with TextSource(file, progress, counted=False) as source:
        for block in source.blocks():
            for line in _lines(block):
                count = len(line.split())
                lines, numbers, trailing = lines + 1, numbers + count, 0 if count else trailing + 1
            if lines - trailing > header.n + 1 or numbers > header.numbers + len(sample.rows[0]):
                return False
    leading = len(sample.rows[0])
    return (
        lines - 1 >= header.n >= lines - 1 - trailing
        and numbers == header.numbers + leading
        and header.m > 0
    )


def _lines(text: bytes) -> Iterator[bytes]:
    """The lines that are no comments."""
    lines = text.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return (line for line in lines if not line.lstrip().startswith(b"%"))


def read_metis(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a METIS graph: undirected, ids from 1, with weights of edges or without;
    those of vertices are skipped.
    """
    text = whole_text(file, progress, _TEXT_BYTES)
    blanked = _COMMENT.sub(lambda comment: b" " * len(comment[0]), text)
    if (bad := _OTHER.search(blanked)) is not None:
        raise _refusal(
            file, text, bad.start(), f"“{bad[0].decode('latin-1')}” is not part of a number"
        )
    lines = list(_lines(text))
    while lines and not lines[0].strip():
        lines.pop(0)
    header = (
        _header(tuple(word.decode("ascii", "replace") for word in lines.pop(0).split()))
        if lines
        else None
    )
    if header is None:
        raise file.error("the first line is not a header “n m [format]”", _HINT)
    require_plausible_size(file, header.n, 2 * header.m)
    while len(lines) > header.n and not lines[-1].strip():
        lines.pop()
    if len(lines) != header.n:
        reason = (
            f"it has {plural(len(lines), 'line')} of neighbours; "
            f"its header says {header.n} vertices"
        )
        raise file.error(reason, _HINT)
    tails, heads, weights = _ends(file, lines, header, progress)
    _require_both_ends(file, tails, heads, weights, header)
    once = tails <= heads
    ends = np.column_stack((tails[once], heads[once]))
    has_weights = weighted and header.weighted
    return Parsed(
        Rows(ends, narrowed(weights[once])[:, None] if has_weights else np.empty((len(ends), 0))),
        undirected=True,
        weights_from="the edges" if has_weights else "",
        header_vertices=header.n,
        header_arcs=header.m,
        vertices=Rows(np.arange(1, header.n + 1)[:, None], np.empty((header.n, 0))),
        warnings=("Weights and sizes of vertices are ignored.",) if header.per_vertex else (),
    )


def _refusal(file: InputFile, text: bytes, at: int, reason: str) -> FileFormatError:
    line = text.count(b"\n", 0, at) + 1
    shown = text.split(b"\n")[line - 1].decode("utf-8", "backslashreplace")
    return file.error(reason, line=line, text=shown[:100], hint=_HINT)


def _ends(
    file: InputFile, lines: list[bytes], header: _Header, progress: ReadingProgress
) -> tuple[Int64s, Int64s, Int64s]:
    """Tail, head and weight of every arc."""
    step = 1 + header.weighted
    tails: list[int] = []
    heads: list[int] = []
    weights: list[int] = []
    for vertex, line in enumerate(lines, start=1):
        words = line.split()
        if vertex % _CHECKED == 0:
            progress.check()
        if (len(words) - header.per_vertex) % step or len(words) < header.per_vertex:
            reason = (
                f"the line of vertex {vertex} has {plural(len(words), 'number')}, "
                "which its format does not allow"
            )
            raise file.error(reason, text=line.decode("ascii", "replace")[:100], hint=_HINT)
        if max(map(len, words), default=0) > _MOST_DIGITS:
            raise file.error(f"the line of vertex {vertex} has a number beyond 64 bits", _HINT)
        numbers = [int(word) for word in words[header.per_vertex :]]
        heads += numbers[::step]
        weights += numbers[1::2] if header.weighted else ()
        tails += [vertex] * len(numbers[::step])
    arrays = tuple(np.array(column, np.int64) for column in (tails, heads, weights))
    outside = np.flatnonzero((arrays[1] < 1) | (arrays[1] > header.n))
    if len(outside):
        reason = (
            f"vertex {tails[outside[0]]} has the neighbour {heads[outside[0]]}, "
            f"but there are {header.n} vertices"
        )
        raise file.error(reason, "Vertices are counted from 1.")
    return arrays[0], arrays[1], arrays[2] if header.weighted else np.ones(len(heads), np.int64)


def _require_both_ends(
    file: InputFile, tails: Int64s, heads: Int64s, weights: Int64s, header: _Header
) -> None:
    up, down = tails < heads, tails > heads
    there = np.stack((tails[up], heads[up], weights[up]))
    back = np.stack((heads[down], tails[down], weights[down]))
    there, back = (ends[:, np.lexsort(ends[::-1])] for ends in (there, back))
    if there.shape == back.shape and np.array_equal(there, back):
        return
    k = min(there.shape[1], back.shape[1])
    differ = np.flatnonzero((there[:, :k] != back[:, :k]).any(axis=0))
    at = int(differ[0]) if len(differ) else k
    longer = there if at < there.shape[1] else back
    reason = f"the edge {longer[0, at]} – {longer[1, at]} is not at both ends with the same weight"
    raise file.error(reason, _HINT)
