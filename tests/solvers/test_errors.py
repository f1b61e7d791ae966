"""Errors carry their data, and say the thing, the reason and the remedy in a sentence."""

from __future__ import annotations

import pickle
from copy import copy
from pathlib import Path

import pytest

from solvers import errors
from solvers.errors import (
    AnswerRefused,
    ClusterUnavailable,
    ColumnsUnknown,
    DeviceUnavailable,
    DownloadFailed,
    ExerciseFileError,
    FileFormatError,
    FileMissing,
    FileNotWritten,
    ForeignQuery,
    GraphNotOnWorker,
    KernelBuildError,
    KernelCrashed,
    KernelMismatch,
    KernelTimeLimit,
    MpiUnavailable,
    NegativeCycle,
    NoRoadNear,
    NotDispatched,
    NotUndirected,
    NoWorkers,
    OptionNotApplicable,
    OrderFailed,
    OutOfMemory,
    PackageMissing,
    ParameterError,
    PlacesNotTaken,
    RankFailed,
    RehearsalFailed,
    SchedulerUnreachable,
    SeparatorsTooLarge,
    SeveralMeant,
    Skipped,
    StoreUnavailable,
    TautpathError,
    TimedOut,
    TurnsNotSearched,
    UnknownArc,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
    VariantFileError,
    VerificationFailed,
    VersionsDiffer,
    WeightNotChanged,
    WorkersLost,
    WrongChecksum,
)
from solvers.text import format_count


def test_the_tree_at_the_top_of_the_file_is_the_tree():
    drawn = {}
    above = {}
    for line in errors.__doc__.splitlines():
        name = next(
            (word for word in line.split() if word[:1].isupper() and word.isidentifier()), ""
        )
        if "── " in line or line.strip() == "TautpathError":
            depth = (len(line) - len(line.lstrip(" │├└─"))) // 4 if "── " in line else 1
            above[depth] = name
            drawn[name] = above.get(depth - 1)
    real = {
        name: cls.__bases__[0].__name__
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, TautpathError) and cls is not TautpathError
    }
    assert {name: parent for name, parent in drawn.items() if name != "TautpathError"} == real


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            FileFormatError(
                Path("/data/x.gr"),
                "an arc has three numbers",
                line=7,
                text="a 1 2",
                hint="Add a weight.",
            ),
            "x.gr, line 7: an arc has three numbers — “a 1 2”. Add a weight.",
        ),
        (
            ParameterError("fw-tiled", "tile", 33, "it takes one of 16, 32"),
            "fw-tiled: parameter “tile” cannot be 33: it takes one of 16, 32.",
        ),
        (
            OutOfMemory("The matrix", 5_400_000_000, 2_000_000_000, "this device"),
            "The matrix needs 5.4 GB; this device has 2 GB free.",
        ),
        (
            FileNotWritten("a/b.csv", "Permission denied"),
            "Cannot write a/b.csv: permission denied.",
        ),
        (
            FileFormatError(Path("g"), f"{format_count(12_345)} vertices"),
            "g: 12\u202f345 vertices.",
        ),
        (DeviceUnavailable("It is so."), "It is so."),
        (UnsuitableGraph("It is so."), "It is so."),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_error_is_a_sentence(error: TautpathError, sentence: str) -> None:
    assert str(error) == sentence


def test_a_long_line_is_cut():
    error = FileFormatError(Path("x"), "bad", line=1, text="z" * 500)
    assert len(error.text) == 80
    assert error.text.endswith("…")


def test_unknown_name_offers_what_is_near():
    error = UnknownName("variant", "bf-vertx", ["bf-vertex", "bf-edge", "fw-tiled"])
    assert error.nearest[0] == "bf-vertex"
    assert "There is no variant “bf-vertx”. Nearest: bf-vertex" in str(error)
    assert "Nearest" not in str(UnknownName("variant", "zzz", ["abc"]))
    many = str(UnknownName("variant", "zzz", map(str, range(20)), more=" See --help."))
    assert many.endswith("10, 11, …. See --help.")
    assert UnknownVertex(7, [5, 9]).nearest == ("5", "9")


def test_kernel_error_shows_the_first_line_and_keeps_the_log():
    error = KernelBuildError("vertex.cu", "H200", "\nline 3: no such thing\nmore\n")
    assert "vertex.cu does not compile for H200: line 3: no such thing" in str(error)
    assert error.log.endswith("more\n")
    assert "no log" in str(KernelBuildError("vertex.cu", "H200", ""))


_ONE_OF_EACH = (
    ClusterUnavailable("tcp://node0:8786", "it refuses"),
    ColumnsUnknown(Path("/t.csv"), ["from", "to"]),
    FileMissing(Path("/data/x.gr"), "Nearest: y.gr."),
    DownloadFailed(
        "NY.gr.gz",
        "https://example.org/NY.gr.gz",
        "the server is silent",
        "Try again.",
        kept_bytes=12_345,
    ),
    FileFormatError(
        Path("/data/x.gr"), "an arc has three numbers", line=7, text="a 1 2", hint="Add a weight."
    ),
    FileNotWritten("rows.zarr", "the disk is full"),
    ForeignQuery("NY", "the metric is of another hierarchy"),
    GraphNotOnWorker("host", "/cache/a.pack", "is missing"),
    KernelBuildError("vertex.cu", "H200", "line 3: error"),
    AnswerRefused("mine.py", "Solution.iterations", "-1", "a whole number >= 0"),
    KernelCrashed("mine.cu", -11, "log"),
    KernelMismatch("mine.cu", "relax", "it has no entry point “relax”"),
    KernelTimeLimit("mine.cu", 5.0),
    NegativeCycle(("a", "b"), (0, 1), -3, iterations=2),
    NotDispatched("the cutoff 'x'", "it is not a real number"),
    NotUndirected("NY", 1, 2, 2.5),
    NoWorkers("tcp://node0:8786", 60.0),
    OptionNotApplicable("attribute", "w", "METIS graph", "It is for others."),
    OrderFailed(-9, "killed"),
    OutOfMemory("The sweeps", 5, 3, remedy="Choose fewer."),
    PackageMissing("Reading Parquet", "pyarrow", "parquet"),
    PlacesNotTaken("town"),
    TurnsNotSearched("town", "3 forbidden turns"),
    ParameterError("fw-tiled", "tile", 33, "it takes one of 16, 32"),
    RankFailed("fw-mpi", -9, "it was killed", "log"),
    SchedulerUnreachable("tcp://node0:8786", "Connection refused"),
    SeparatorsTooLarge("cch-tree", "NY", 10**9, 733_846),
    Skipped(),
    TimedOut(),
    StoreUnavailable(Path("/runs.sqlite"), "it is read-only"),
    UnknownArc(1, 2, "NY", ["1 – 3"]),
    SeveralMeant("Landstrasse", ["Landstrasse, Vaduz", "Landstrasse, Schaan"]),
    UnknownVertex(7, [5, 9]),
    VerificationFailed("all-sources", "Row 3: 4 claimed.", 2, (3,)),
    VariantFileError(Path("/mine.py"), "line 3: ZeroDivisionError"),
    ExerciseFileError(Path("/exercises"), "it has no folder with exercise.toml"),
    VersionsDiffer({"tcp://10.0.0.1:4000": {"numba": ("0.68", "0.60")}}),
    NoRoadNear(47.1, 9.5, 40_000.0, 10_000.0, "NY", "Give another."),
    WeightNotChanged(1, 2, 0.5, "it is locked", "Choose another."),
    WorkersLost("tcp://node0:8786", "the sources 0 to 63"),
    WrongChecksum(
        "NY.gr.gz",
        "https://example.org/NY.gr.gz",
        "a" * 64,
        "b" * 64,
        published=False,
        since="2026-01-01",
    ),
    *(
        kind("It is so.")
        for kind in (DeviceUnavailable, MpiUnavailable, RehearsalFailed, UnsuitableGraph)
    ),
)


def test_one_of_each_is_made_here() -> None:
    made = {base for error in _ONE_OF_EACH for base in type(error).__mro__}
    everything = {getattr(errors, name) for name in errors.__all__}
    assert {kind for kind in everything if issubclass(kind, TautpathError)} <= made


@pytest.mark.parametrize("error", _ONE_OF_EACH, ids=lambda error: type(error).__name__)
def test_every_error_says_something_and_comes_back_whole_from_another_process(
    error: TautpathError,
) -> None:
    assert str(error)[-1] in ".:" or isinstance(error, KernelBuildError)
    for again in (pickle.loads(pickle.dumps(error)), copy(error)):
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))
    assert error in {error}


def test_messages_are_bounded_and_printable() -> None:
    long = "a\x1b[31m" * 4_000
    errors = (
        FileFormatError(Path(f"/{long}"), long, line=3, text=long, hint=long),
        ColumnsUnknown(Path("/t.csv"), [long] * 50),
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
