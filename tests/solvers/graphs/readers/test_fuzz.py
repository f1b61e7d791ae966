"""Whatever the bytes, a graph or a FileFormatError comes out, and every kept file gives
what it gave before.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from tests.quick import sampled
from tests.solvers.graphs.readers.fuzz_target import READERS, check, mutant_of, sources_of
from tests.solvers.graphs.readers.seeds import CORPUS, SEEDS


@pytest.mark.parametrize("reader", READERS)
@given(dice=st.randoms(use_true_random=False))
def test_mutated_files(reader: str, dice: random.Random, tmp_path: Path) -> None:
    check(reader, mutant_of(reader, dice), tmp_path)


@pytest.mark.parametrize("reader", READERS)
def test_every_part_of_a_file(reader: str, tmp_path: Path) -> None:
    content = sources_of(reader)[0]
    for length in sampled(range(len(content))):
        check(reader, content[:length], tmp_path)


@given(content=st.binary(max_size=200))
def test_any_bytes(content: bytes, tmp_path: Path) -> None:
    check("edge-list", content, tmp_path)


@given(text=st.text(alphabet="0123456789 \n\r\tapcvsw.,-#e", max_size=200))
def test_any_near_miss(text: str, tmp_path: Path) -> None:
    check("edge-list", text.encode(), tmp_path)


@given(text=st.text(alphabet="0123456789 \n\r\tpvc.,-#e", max_size=100))
def test_any_coordinates(text: str, tmp_path: Path) -> None:
    check("coordinates", text.encode(), tmp_path)


NOT_FINITE = "the {} “{}” is not a finite number"
TOO_LARGE = "the {} “1.7e308” is too large to be drawn"
PAST_64_BITS = "the {} “{}” is greater than 2^63 - 1, where sums of whole numbers lose digits"
CORRUPT = "the gzip data are corrupt (Not a gzipped file (b'ta'))"

# file, line, reason
REFUSED: list[tuple[str, int | None, str]] = [
    *(
        (f"{reader}-weight-{word}.txt", line, NOT_FINITE.format(column, word))
        for reader, column, line in (
            ("algs4", "weight", 3),
            ("csv", "weight", 2),
            ("dimacs", "weight", 1),
            ("edge-list", "weight", 1),
            ("tiger", "length", 6),
        )
        for word in ("inf", "nan", "1e400")
    ),
    ("tiger-time-1e400.txt", 6, NOT_FINITE.format("travel time", "1e400")),
    ("coordinates-1e400.co", 1, NOT_FINITE.format("x", "1e400")),
    ("coordinates-nan.co", 1, NOT_FINITE.format("x", "nan")),
    ("map-lengths-not-finite.txt", 2, TOO_LARGE.format("x")),
    ("coordinates-1.7e308.co", 1, TOO_LARGE.format("x")),
    ("tiger-longitude-1.7e308.txt", 2, TOO_LARGE.format("longitude")),
    ("dimacs-integer-past-64-bits.gr", 3, PAST_64_BITS.format("weight", 2**63)),
    ("tiger-integer-past-64-bits.txt", 6, PAST_64_BITS.format("length", 10**20 - 1)),
    ("edge-list-least-and-greatest.txt", 1, PAST_64_BITS.format("weight", -(2**63))),
    ("dimacs-id-past-64-bits.gr", 1, f"the head “{2**63 + 1}” exceeds the range of vertex numbers"),
    ("dimacs-terminal-escapes.gr", 2, "the weight “\\x1b[2J\\x9b31m\\xff” is not a finite number"),
    ("coordinates-unknown-vertex.co", 2, "vertex 99 is not in the graph"),
    ("map-unknown-end.txt", None, "edge 1 names vertex 7, which the file does not list"),
    ("map-no-vertices.txt", 4, "the weight is missing"),
    ("algs4-one-count.txt", 1, "this is not the start of a graph file"),
    ("algs4-truncated-at-counts.txt", None, "the graph has no vertices"),
    ("pace-header-without-counts.txt", 1, "the problem line has no counts"),
    ("gzip-truncated.gz", None, "the gzip data are truncated"),
    ("gzip-only-magic.gz", None, "the gzip data are truncated"),
    ("gzip-bytes-after-the-end.gz", None, CORRUPT),
]

# file, weights in row order
READ: list[tuple[str, list[float]]] = [
    ("dimacs-lone-cr.gr", [5, 7]),
    ("edge-list-lone-cr.txt", [5, 7]),
    ("algs4-lone-cr.txt", [5, 7]),
    ("csv-mixed-line-ends.txt", [5, 7, 9]),
    ("edge-list-form-feeds.txt", [5, 7]),
    ("dimacs-header-twice.gr", [5, 7]),
    ("tiger-row-over-blank-lines.txt", [8, 8]),
    ("gzip-empty-members.gz", [3]),
    ("edge-list-weights-near-float64.txt", [1.7e308, -1.7e308]),
    ("dimacs-weights-near-float64.gr", [1.7e308, -1.7e308]),
    ("dimacs-thousands-of-digits.gr", [7, 1 / 3, 2.0**63]),
    ("dimacs-decimal-rounds-integers.gr", [2.0**53, 0.5, 2.0**53 + 4]),
    ("edge-list-decimal-before-wide-integer.txt", [0.5, 2.0**63]),
]


def read_kept(name: str, folder: Path) -> Reading:
    if not name.endswith(".co"):
        return read_graph(CORPUS / name)
    graph = folder / "g.gr"
    graph.write_bytes(SEEDS["dimacs"])
    return read_graph(graph, ReadingOptions(coordinates=str(CORPUS / name)))


def test_each_kept_file_is_here() -> None:
    assert sorted(row[0] for row in (*REFUSED, *READ)) == sorted(
        path.name for path in CORPUS.iterdir()
    )


@pytest.mark.parametrize(("name", "line", "reason"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_refused(name: str, line: int | None, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_kept(name, tmp_path)

    assert (caught.value.path.name, caught.value.line, caught.value.reason) == (name, line, reason)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("name", "weights"), READ, ids=[row[0] for row in READ])
def test_what_is_read(name: str, weights: list[float], tmp_path: Path) -> None:
    assert read_kept(name, tmp_path).graph.weights.tolist() == weights


def test_integers_that_decimals_round_are_told(tmp_path: Path) -> None:
    warnings = read_kept("dimacs-decimal-rounds-integers.gr", tmp_path).report.warnings

    assert warnings == (
        "The weights are read as float64, because some are decimals; 2 integers lose digits: "
        "9007199254740993 is taken as 9007199254740992.",
    )


def test_integers_rounded_in_other_blocks_are_counted(tmp_path: Path) -> None:
    """The first block is read as integers, before the decimal is known."""
    path = tmp_path / "g.txt"
    path.write_text(
        "1 2 9007199254740993\n" + "1 2 3\n" * 200_000 + "1 2 0.5\n" + "1 2 9007199254740995\n" * 2
    )

    reading = read_graph(path)

    assert "; 3 integers lose digits: 9007199254740993 is taken" in reading.report.warnings[0]
    assert np.count_nonzero(reading.graph.weights > 2**52) == 3


def test_unit_weights_of_a_column_that_would_round_are_not_told() -> None:
    assert not read_graph(
        CORPUS / "dimacs-decimal-rounds-integers.gr", ReadingOptions(weights="unit")
    ).report.warnings
    assert (
        read_graph(
            CORPUS / "dimacs-integer-past-64-bits.gr", ReadingOptions(weights="unit")
        ).graph.m
        == 2
    )
