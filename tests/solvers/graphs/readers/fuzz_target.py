"""The target of fuzzing: one file, read; what must hold of the graph or the refusal,
whatever the bytes.
"""

from __future__ import annotations

import gzip
import random
from functools import cache
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.text import THIN_SPACE
from tests.solvers.graphs.readers.mutations import mutated
from tests.solvers.graphs.readers.seeds import SEEDS, corpus_of

READERS = tuple(SEEDS)
LONGEST = 1_500  # characters of a message
_VALID = 0.6  # share of mutants made of the valid file


@cache
def sources_of(reader: str) -> tuple[bytes, ...]:
    """The files of a reader that are mutated: the valid one, and the corpus."""
    return (SEEDS[reader], *(path.read_bytes() for path in corpus_of(reader)))


def mutant_of(reader: str, dice: random.Random) -> bytes:
    """A mutated file of a reader."""
    sources = sources_of(reader)
    content = sources[0] if dice.random() < _VALID else dice.choice(sources)
    if reader == "gzip" and dice.random() < 0.5:  # change the text, not what it is packed in
        return gzip.compress(mutated(SEEDS["dimacs"], [*SEEDS.values()], dice), 1, mtime=0)
    return mutated(content, [*sources, *SEEDS.values()], dice)


def check(reader: str, content: bytes, folder: Path) -> str:
    """Read ``content``, as a graph or as the coordinates of one, and check what comes out.

    Returns
    -------
    str
        "read", or the reason of a refusal.

    Raises
    ------
    AssertionError
        If the graph is inconsistent, the refusal could not be printed, or packing or
        other line ends change either.
    """
    outcome = _outcome(reader, content, folder)
    if not content.startswith((b"\x1f\x8b", b"PAR1", b"PK")):  # these have packing of their own
        assert _outcome(reader, gzip.compress(content, 0), folder) == outcome, (
            "packed it is another file"
        )
        if b"\r" not in content and b"\0" not in content:
            returned = content.replace(b"\n", b"\r\n")
            assert _outcome(reader, returned, folder) == outcome, "with CR LF it is another file"
    return outcome[0]


def _outcome(reader: str, content: bytes, folder: Path) -> tuple[str, object, object]:
    """ "read", the graph's checksum and warnings; or the reason, line and text of a refusal."""
    path = graph = folder / "mutant.gr"
    if reader == "coordinates":
        graph, path = folder / "placed.gr", folder / "placed.co"  # beside no other reader's mutant
        graph.write_bytes(SEEDS["dimacs"])
    path.write_bytes(content)
    try:
        reading = read_graph(
            graph, ReadingOptions(coordinates=str(path) if reader == "coordinates" else "")
        )
    except FileFormatError as error:
        refusal = error
    else:
        return _checked(reading)
    assert is_printable(str(refusal)), "the refusal cannot be printed"
    assert len(str(refusal)) < LONGEST, "the refusal is too long to be read"
    return refusal.reason, refusal.line, refusal.text


def is_printable(text: str) -> bool:
    """Whether a terminal only prints ``text``; to Python, the thin space in numbers is
    not printable.
    """
    return text.replace(THIN_SPACE, " ").isprintable()


def _checked(reading: Reading) -> tuple[str, object, object]:
    built, report = reading.graph, reading.report
    assert built.n > 0
    assert built.m == 0 or (built.indices.min() >= 0 and built.indices.max() < built.n)
    assert np.all(built.ids[1:] > built.ids[:-1])  # not by differences, which overflow
    assert np.all(np.isfinite(built.weights))
    assert built.coordinates is None or np.all(np.abs(built.coordinates.xy) <= 1e100)
    said = (*report.warnings, report.weights_from, report.format)
    assert all(is_printable(words) and len(words) < LONGEST for words in said)
    return "read", built.sha256, report.warnings
