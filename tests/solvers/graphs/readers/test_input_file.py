"""Pipes, devices, closed folders, failing disks and odd names; files that change,
progress and Cancel while reading.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.errors import Cancelled, FileFormatError, FileMissing
from solvers.graphs.csr import SLICE, mirrored
from solvers.graphs.graph import Coordinates
from solvers.graphs.numbering import numbered
from solvers.graphs.readers import input_file, read_graph
from solvers.graphs.readers.assemble import vertex_ids
from solvers.graphs.readers.coordinates import place_missing
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.parsed import Parsed
from solvers.graphs.readers.table import Layout, Rows, _RowBuffer
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.weights import narrowed
from solvers.system.cancel import CancelToken, Progress
from tests.quick import sampled
from tests.solvers.graphs.readers.seeds import SEEDS

ROOT = Path(__file__).resolve().parents[4]
DIMACS = b"p sp 3 2\na 1 2 5\na 2 3 7\n"
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices have no path here")
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="Linux names devices and open files by paths"
)

Pipe = Callable[[bytes], Path]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """``pipe(content)``: a path that gives the content once."""
    threads, ends = [], []

    def start(content: bytes) -> Path:
        reading, writing = os.pipe()

        def write() -> None:
            with open(writing, "wb") as stream:
                try:
                    stream.write(content)
                except BrokenPipeError:
                    stream = io.BytesIO()

        thread = threading.Thread(target=write)
        thread.start()
        threads.append(thread)
        ends.append(reading)
        return Path(f"/dev/fd/{reading}")

    yield start
    for end in ends:
        os.close(end)
    for thread in threads:
        thread.join()


def at_checkpoint(number: int, act: Callable[[], object]) -> Progress:
    """Does something at one checkpoint, counted from 0."""
    numbers = count()
    return Progress(CancelToken(lambda: act() if next(numbers) == number else None))


def cancelled_after(checkpoints: int) -> Progress:
    """Cancels at that checkpoint."""

    def cancel() -> None:
        raise Cancelled("Reading")

    return at_checkpoint(checkpoints - 1, cancel)


@linux
@pytest.mark.parametrize("name", sorted(set(SEEDS) - {"coordinates"}))
def test_a_pipe_is_read_as_the_file_is(name: str, pipe: Pipe, tmp_path: Path) -> None:
    path = tmp_path / "g"
    path.write_bytes(SEEDS[name])

    assert read_graph(pipe(SEEDS[name])).graph.sha256 == read_graph(path).graph.sha256


@linux
@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_of_several_blocks_reports_progress(pipe: Pipe, packed: bool) -> None:
    text = b"".join(b"a %d %d %d\n" % (k + 1, k + 2, k) for k in range(200_000))
    heard: list[float] = []

    graph = read_graph(
        pipe(gzip.compress(text, 1) if packed else text),
        progress=Progress(report=lambda done, total: heard.append(done / total)),
    ).graph

    assert graph.weights.tolist() == list(range(200_000))
    assert heard == sorted(heard)
    assert len({round(fraction, 2) for fraction in heard}) > 3
    assert heard[-1] == 1


@linux
def test_coordinates_may_come_through_a_pipe(pipe: Pipe) -> None:
    reading = read_graph(
        pipe(SEEDS["dimacs"]), ReadingOptions(coordinates=str(pipe(SEEDS["coordinates"])))
    )

    assert reading.graph.coordinates.xy.tolist() == [[0, 0], [1.5, -7], [1e6, 2], [3, 3]]


@linux
def test_a_pipe_past_the_limit_is_refused(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_file, "PIPE_LIMIT", 200_000)

    with pytest.raises(
        FileFormatError, match=r"it is longer than 200 kB.* Write it to a file first"
    ):
        read_graph(pipe(b"1 2 3\n" * 50_000))


@linux
def test_a_pipe_that_cannot_be_kept_is_refused(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(input_file.tempfile, "TemporaryFile", full)

    with pytest.raises(
        FileFormatError, match=r"cannot be stored in a temporary file \(No space left on device\)"
    ):
        read_graph(pipe(DIMACS))


@posix
def test_a_fifo_without_a_writer_waits_until_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)

    with pytest.raises(Cancelled):
        read_graph(path, progress=cancelled_after(4))


@posix
def test_a_fifo_that_never_ends_is_left_at_cancel(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as stream:
                while True:
                    stream.write(b"1 2 3\n" * 1_000)
        except BrokenPipeError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with pytest.raises(Cancelled):
            read_graph(path, progress=cancelled_after(100))
    finally:
        writer.join(30)
    assert not writer.is_alive(), "the reader's end was not closed"


@linux
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full", "/dev/null", "/dev/tty"])
def test_a_device_is_refused_before_it_is_opened(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(
        FileFormatError, match=r"this is a device, not a file\. Choose a file or a pipe"
    ):
        read_graph(path)


@linux
def test_a_file_of_the_system_is_read_though_it_says_that_it_is_empty() -> None:
    with pytest.raises(
        FileFormatError, match=r"this is not the start of a graph file — “Linux version"
    ):
        read_graph("/proc/version")


@linux
def test_a_file_of_the_system_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As /proc/kmsg, which only root may open: an empty regular file, whose reader is
    told to try again.
    """
    path = tmp_path / "kmsg"
    path.write_bytes(b"")
    chunks = iter([b"1 2 3\n"])

    def read(descriptor: int, size: int) -> bytes:
        for chunk in chunks:
            return chunk
        raise BlockingIOError

    monkeypatch.setattr(input_file.os, "read", read)
    with pytest.raises(FileFormatError, match="kmsg: this is an endless system file"):
        read_graph(path)


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "g").write_bytes(b"")
    with pytest.raises(FileFormatError, match="the file is empty or contains only comments"):
        read_graph(tmp_path / "g")


@linux
def test_a_socket_is_no_file(tmp_path: Path) -> None:
    import socket

    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        with pytest.raises(FileFormatError, match="this is a socket, not a file"):
            read_graph(path)


@linux
def test_info_reads_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "main.py", "info", "/dev/stdin"],
        input=DIMACS,
        capture_output=True,
        cwd=ROOT,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"arcs          2\n" in done.stdout


@linux
@pytest.mark.parametrize(
    ("number", "status", "word"), [("SIGINT", 130, b"interrupted"), ("SIGTERM", 143, b"")]
)
def test_the_first_signal_ends_the_wait_for_a_fifo(
    number: str, status: int, word: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    process = subprocess.Popen(
        [sys.executable, "main.py", "info", str(path)], stderr=subprocess.PIPE, cwd=ROOT
    )
    writing = None
    while writing is None and process.poll() is None:
        with contextlib.suppress(OSError):  # raised as long as no process reads
            writing = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    assert writing is not None
    try:
        process.send_signal(getattr(signal, number))
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(writing)

    assert process.returncode == status
    assert word in err
    assert b"Traceback" not in err


@linux
def test_an_error_of_the_first_read() -> None:
    """The first page of a process is never mapped, so that reading it is an input/output error."""
    with pytest.raises(FileFormatError, match=r"it cannot be read \(Input/output error\)"):
        read_graph("/proc/self/mem")


class Failing(io.FileIO):
    """A file on a disk that fails after so many reads."""

    left = 2

    def read(self, size: int | None = -1, /) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(size) or b""


@pytest.mark.parametrize("reads", range(3))
def test_a_disk_that_fails_later(
    reads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.gr"
    path.write_bytes(DIMACS)
    monkeypatch.setattr(Failing, "left", reads)
    monkeypatch.setattr(InputFile, "open", lambda self: Failing(self.path))

    with pytest.raises(FileFormatError, match=r"it cannot be read \(Input/output error\)"):
        read_graph(path)


@pytest.fixture
def closed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files may not be looked at; refused by a wrapper too, because root
    may look at all.
    """
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "g.gr").write_bytes(DIMACS)
    (folder / "g.co").write_bytes(SEEDS["coordinates"])

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(path, (str, os.PathLike)) and folder in Path(path).parents:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return function(path, *arguments, **options)

        return call

    for name in ("stat", "open"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    folder.chmod(0)
    yield folder
    monkeypatch.undo()
    folder.chmod(0o700)


@pytest.mark.parametrize("name", ["g.gr", "absent.gr", "deeper/g.gr"])
def test_a_graph_in_a_closed_folder(closed_folder: Path, name: str) -> None:
    with pytest.raises(
        FileFormatError,
        match=r"no permission to read it\. Change its permissions or those of its fold",
    ):
        read_graph(closed_folder / name)


def test_coordinates_in_a_closed_folder(closed_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "g.gr").write_bytes(DIMACS)

    with pytest.raises(FileFormatError, match=r"g\.co: no permission to read it"):
        read_graph(tmp_path / "g.gr", ReadingOptions(coordinates=str(closed_folder / "g.co")))


ODD_NAMES = [
    (b"caf\xe9.gr", "caf\\xe9"),
    (b"\x1b[31mred\x1b]0;x\x07.gr", "\\x1b[31mred\\x1b]0;x\\x07"),
    ("right\u202eleft.gr".encode(), "right\\u202eleft"),
    ("Zürich.gr".encode(), "Zürich"),
    (b"two\nlines.gr", "two\\x0alines"),
]


@posix
@pytest.mark.parametrize(("name", "shown"), ODD_NAMES)
def test_an_odd_name_is_shown_escaped(name: bytes, shown: str, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    path = Path(os.fsdecode(os.path.join(folder, name)))
    path.write_bytes(b"a 1 2 5\na 2 9 1\n")
    path.with_suffix(".co").write_bytes(b"v 1 0 0\nv 1 1 1\nv 5 2 2\n")

    reading = read_graph(path)

    assert reading.graph.name == shown
    assert reading.report.coordinates_from == f"{shown}.co"
    assert len(reading.report.warnings) == 4
    assert all(warning.isprintable() and shown in warning for warning in reading.report.warnings)


@posix
@pytest.mark.parametrize(("name", "shown"), ODD_NAMES)
def test_an_odd_name_in_an_error_is_shown_escaped(name: bytes, shown: str, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    with pytest.raises(FileMissing) as absent:
        read_graph(path)
    path.write_bytes(b"a 1 2 \x1b[2J\n")
    with pytest.raises(FileFormatError) as wrong:
        read_graph(path)
    with pytest.raises(FileMissing) as near:
        read_graph(path.with_suffix(".g"))

    assert all(str(caught.value).isprintable() for caught in (absent, wrong, near))
    assert f"{shown}.gr: there is no such file" in str(absent.value)
    assert f"{shown}.gr, line 1: the weight “\\x1b[2J” is not" in str(wrong.value)
    assert f"Nearest: {shown}.gr." in near.value.hint


CHANGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, path.stat().st_size - 2),
    "emptied": lambda path: os.truncate(path, 0),
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "replaced": lambda path: os.replace(_copy(path), path),
}


def _copy(path: Path) -> Path:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    return copy


@posix
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", sorted(set(SEEDS) - {"coordinates"}))
def test_a_file_that_changes_after_its_first_lines_were_read(
    name: str, change: str, tmp_path: Path
) -> None:
    path = tmp_path / "g"
    path.write_bytes(SEEDS[name])
    # its first check comes before its first byte
    damaged = "|the gzip data are" if name == "gzip" else ""

    with pytest.raises(FileFormatError, match="the file changed while it was read" + damaged):
        read_graph(path, progress=at_checkpoint(0, lambda: CHANGES[change](path)))


def test_a_file_that_shrinks_between_its_blocks(tmp_path: Path) -> None:
    path = tmp_path / "g.gr"
    path.write_bytes(b"a 1 2 3\n" * 1_000_000)

    with pytest.raises(FileFormatError, match="the file changed while it was read"):
        read_graph(path, progress=at_checkpoint(5, lambda: os.truncate(path, 6 * 2**20)))


@pytest.mark.parametrize("name", sorted(set(SEEDS) - {"gzip"}))
def test_every_shorter_file_than_was_recognised(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a shrinking file pass unnoticed, the parsers meet the sample of one file
    and the rows of another.
    """
    monkeypatch.setattr(InputFile, "require_unchanged", lambda *_: None)
    graph = path = tmp_path / "g.gr"
    if name == "coordinates":
        graph.write_bytes(SEEDS["dimacs"])
        path = tmp_path / "g.co"
    refused = 0
    for length in sampled(range(len(SEEDS[name]))):
        path.write_bytes(SEEDS[name])
        at = 2 if name == "coordinates" else 0
        try:
            read_graph(graph, progress=at_checkpoint(at, lambda cut=length: os.truncate(path, cut)))
        except FileFormatError:
            refused += 1
    assert refused


ARCS = 200_000


@pytest.fixture(params=["plain", "gzip"])
def road(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of several blocks with coordinates beside."""
    text = "".join(f"a {k % 5000 + 1} {k % 4999 + 1} {k}\n" for k in range(ARCS)).encode()
    path = tmp_path / "road.gr"
    path.write_bytes(gzip.compress(text, 1) if request.param == "gzip" else text)
    (tmp_path / "road.co").write_text("".join(f"v {k + 1} {k} {k}\n" for k in range(5000)))
    return path


def test_progress_rises_to_the_end(road: Path) -> None:
    heard: list[float] = []

    read_graph(road, progress=Progress(report=lambda done, total: heard.append(done / total)))

    assert len(heard) > 5
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


@pytest.mark.parametrize("after", [1, 3, 6])
def test_cancel_stops_between_blocks_and_in_the_building(road: Path, after: int) -> None:
    token = CancelToken()
    heard: list[float] = []

    def cancel_later(done: float, total: float) -> None:
        heard.append(done)
        if len(heard) == after:
            token.cancel()

    with pytest.raises(Cancelled):
        read_graph(road, progress=Progress(token, cancel_later))

    assert len(heard) == after  # not one step more


def looks_while(work: Callable[[Callable[[], None]], Any]) -> tuple[int, Any]:
    """How often work checks for cancellation, and what it returns."""
    looks: list[int] = []
    result = work(lambda: looks.append(1))
    return len(looks), result


def test_the_blocks_of_a_file_are_joined_one_by_one() -> None:
    """Joined all at once, 9 million arcs left Cancel waiting for a quarter of a second."""
    blocks = 7
    collector = _RowBuffer(Layout(ids=("tail", "head"), values=("weight",)))
    for k in range(blocks):
        values = narrowed(np.array([[5], [2**40 if k == 3 else 6]]))  # one block is wider
        collector.keep(np.array([[k, k + 1], [k, 2]], np.int32), values)

    looks, found = looks_while(collector.rows)
    assert looks == blocks
    assert found.ids.tolist() == [pair for k in range(blocks) for pair in ([k, k + 1], [k, 2])]
    assert (found.ids.dtype.name, found.values.dtype.name) == ("int32", "int64")
    assert found.values[:, 0].tolist() == [
        v for k in range(blocks) for v in (5, 2**40 if k == 3 else 6)
    ]


def test_arcs_are_turned_round_slice_by_slice() -> None:
    tails = np.arange(2 * SLICE + 5, dtype=np.int32)
    # every third is a self-loop
    heads = np.where(tails % 3 == 0, tails, tails + 1).astype(np.int32)
    weights = tails.astype(np.int64) * 7
    turn = tails != heads

    looks, both = looks_while(lambda look: mirrored(tails, heads, weights, look))
    assert looks == 3
    for made, (there, back) in zip(
        both, ((tails, heads), (heads, tails), (weights, weights)), strict=True
    ):
        np.testing.assert_array_equal(made, np.concatenate((there, back[turn])))


def test_vertices_without_coordinates_are_placed_slice_by_slice() -> None:
    n = SLICE + 9
    xy = np.full((n, 2), np.nan)
    xy[0] = (3.0, 4.0)
    alone = np.zeros(n + 1, dtype=np.int64)

    looks, _ = looks_while(
        lambda look: place_missing(Coordinates(xy), alone, np.empty(0, dtype=np.int32), look)
    )

    assert looks == 2 * 16


def test_ids_with_wide_gaps_are_united_range_by_range() -> None:
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 400_000, (500_000, 2)) * 1_000_003
    parsed = Parsed(Rows(ends, np.empty((len(ends), 0))))

    looks, ids = looks_while(lambda look: vertex_ids(Path("gaps"), parsed, look))

    assert ids.tolist() == sorted(set(ends.ravel().tolist()))
    assert looks >= 500_000 / 2**17 + 1_000_000 / 2**19


def test_ids_with_wide_gaps_are_sought_slice_by_slice() -> None:
    """With 131,072 arcs a slice, Cancel waited for 0.2 s of bisection in two million ids."""
    rng = np.random.default_rng(3)
    arcs = 10 * 2**14 + 1
    ids = np.unique(rng.integers(0, 10**15, 1_000, dtype=np.int64))
    chosen = rng.integers(0, len(ids), (arcs, 2))
    looks, ends = looks_while(lambda look: numbered(ids[chosen], ids, look))

    assert looks == 11
    np.testing.assert_array_equal(np.column_stack(ends), chosen)


def test_listed_vertices_are_sorted_slice_by_slice() -> None:
    listed = np.random.default_rng(3).permutation(500_000)
    vertices = Rows(listed[:, None], np.empty((len(listed), 2)))
    parsed = Parsed(Rows(np.zeros((0, 2), dtype=np.int64), np.empty((0, 0))), vertices=vertices)

    looks, ids = looks_while(lambda look: vertex_ids(Path("map"), parsed, look))

    np.testing.assert_array_equal(ids, np.arange(500_000))
    assert looks >= 500_000 / 2**17


def test_a_cancelled_reading_closes_its_file(road: Path) -> None:
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        read_graph(road, progress=Progress(token))

    road.rename(road.with_name("moved.gr"))  # Windows refuses while a file is open
