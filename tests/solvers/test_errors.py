"""Errors carry their data, and say the thing, the reason and the remedy in a sentence."""

from __future__ import annotations

import pickle

import pytest

from solvers import errors
from solvers.errors import (
    ColumnsUnknown,
    DeviceUnavailable,
    FileFormatError,
    FileNotWritten,
    InputError,
    KernelBuildError,
    OptionNotApplicable,
    OutOfMemory,
    ParameterError,
    TautlineError,
    Unavailable,
    UnknownArc,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
    format_bytes,
)
from solvers.text import format_count


def test_the_tree_at_the_top_of_the_file_is_the_tree():
    drawn = {}
    above = {}
    for line in errors.__doc__.splitlines():
        name = next((word for word in line.split() if word[:1].isupper() and word.isidentifier()), "")
        if "── " in line or line.strip() == "TautlineError":
            depth = (len(line) - len(line.lstrip(" │├└─"))) // 4 if "── " in line else 1
            above[depth] = name
            drawn[name] = above.get(depth - 1)
    real = {
        name: cls.__base__.__name__
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, TautlineError) and cls is not TautlineError
    }
    assert {name: parent for name, parent in drawn.items() if name != "TautlineError"} == real


def test_file_format_error_names_line_reason_and_hint():
    error = FileFormatError("/data/x.gr", "an arc has three numbers", line=7, text="a 1 2", hint="Add a weight.")
    assert str(error) == "x.gr, line 7: an arc has three numbers — “a 1 2”. Add a weight."
    assert error.line == 7


def test_a_long_line_is_cut():
    error = FileFormatError("x", "bad", line=1, text="z" * 500)
    assert len(error.text) == 80
    assert error.text.endswith("…")


def test_unknown_name_offers_what_is_near():
    error = UnknownName("variant", "bf-vertx", ["bf-vertex", "bf-edge", "fw-tiled"])
    assert error.nearest[0] == "bf-vertex"
    assert "There is no variant “bf-vertx”. Nearest: bf-vertex" in str(error)
    assert "Nearest" not in str(UnknownName("variant", "zzz", ["abc"]))


def test_unknown_vertex_offers_the_ids_beside():
    error = UnknownVertex(7, [5, 9])
    assert error.nearest == ("5", "9")
    assert isinstance(error, InputError)


def test_parameter_error_says_whose_and_why():
    error = ParameterError("fw-tiled", "tile", 33, "it takes one of 16, 32")
    assert str(error) == "fw-tiled: parameter “tile” cannot be 33: it takes one of 16, 32."


def test_out_of_memory_says_both_sizes():
    error = OutOfMemory("The matrix", 5_400_000_000, 2_000_000_000, "this device")
    assert str(error) == "The matrix needs 5.4 GB; this device has 2 GB free."
    assert isinstance(error, Unavailable)


def test_kernel_error_shows_the_first_line_and_keeps_the_log():
    error = KernelBuildError("vertex.cu", "H200", "\nline 3: no such thing\nmore\n")
    assert "vertex.cu does not compile for H200: line 3: no such thing" in str(error)
    assert error.log.endswith("more\n")
    assert "no log" in str(KernelBuildError("vertex.cu", "H200", ""))


def test_file_not_written_keeps_the_path():
    error = FileNotWritten("a/b.csv", "Permission denied")
    assert str(error).endswith("b.csv: permission denied.")


@pytest.mark.parametrize("kind", [DeviceUnavailable, UnsuitableGraph])
def test_plain_errors_say_what_they_are_told(kind):
    assert str(kind("It is so.")) == "It is so."


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_600, "1 MB"), (5_400_000_000, "5.4 GB"), (7.3e13, "73 TB")],
)
def test_bytes_for_people(count, words):
    assert format_bytes(count) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zürich “1 2”…", "Zürich “1 2”…"),
        ("a\tb\nc", "a b\\x0ac"),
        ("\x1b[31m\x07\x7f\x9b", "\\x1b[31m\\x07\\x7f\\x9b"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800\u202e\U000e0001", "\\ud800\\u202e\\U000e0001"),
    ],
)
def test_what_a_terminal_would_obey_or_refuse_is_escaped(text, shown):
    assert errors.printable(text) == shown
    assert errors.printable(shown) == shown


@pytest.mark.parametrize(
    "error",
    [
        errors.GraphNotOnWorker("host", "/cache/a.pack", "is missing"),
        FileNotWritten("rows.zarr", "the disk is full"),
        OutOfMemory("The sweeps", 5, 3),
        errors.Skipped(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_back_whole_from_another_process(error: TautlineError):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_messages_are_bounded_and_printable() -> None:
    long = "a\x1b[31m" * 4_000
    errors = (
        FileFormatError(f"/{long}", long, line=3, text=long, hint=long),
        ColumnsUnknown("/t.csv", [long] * 50),
        FileNotWritten(long, long),
        UnknownName("variant", long, [long]),
        UnknownVertex(long, [long] * 3),
        UnknownArc(long, long, long, [long]),
        ParameterError("read", "columns", long, "no"),
        ParameterError("read", "columns", 10**9_000, "no"),
        OptionNotApplicable("attribute", long, "METIS graph", "It is for others"),
        OutOfMemory(long, 1, 0),
    )
    for error in errors[:-1]:
        assert len(str(error)) < 1_500, type(error)
        assert str(error).replace("\u202f", " ").isprintable(), type(error)
    assert len(str(errors[-1])) <= 4_000
    assert str(FileFormatError("g", f"{format_count(12_345)} vertices")) == "g: 12\u202f345 vertices."
