"""What small files may cost: memory, and the work between two checks for cancellation."""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from solvers.errors import Cancelled, FileFormatError
from solvers.graphs.readers import parsed, read_graph, scan, table
from solvers.graphs.readers.input_file import BLOCK_BYTES, TextSource
from solvers.system.cancel import CancelToken, Progress

ROOT = Path(__file__).resolve().parents[4]
HEADER, ARCS = b"p sp 3 2\n", b"a 1 2 5\na 2 3 7\n"
BLOCKS, SPARE = 30, 150 * 10**6  # megabytes of text, and bytes of address space for their reading
TIGER = b"2\n0 1 1\n1 2 2\n1\n"

# name: bytes before, bytes repeated, bytes after, arcs read or None if refused
FILLED: dict[str, tuple[bytes, bytes, bytes, int | None]] = {
    "comments": (b"", b"c\n", HEADER + ARCS, 2),
    "comments of an edge list": (b"", b"# x\n", b"from,to\n1,2\n2,3\n", 2),
    "comments after the header": (HEADER, b"c road\n", ARCS, 2),
    "newlines": (b"", b"\n", HEADER + ARCS, 2),
    "blank lines": (HEADER, b" \t,\n", ARCS, 2),
    "carriage returns": (HEADER, b"\r", ARCS, 2),
    "header lines": (b"", HEADER, ARCS, 2),
    "newlines among the counts": (b"3\n", b"\n", b"2\n0 1 5\n1 2 7\n", None),
    "newlines within a row": (TIGER + b"0\n", b"\n", b"1\n7 8 3\n", None),
    "newlines within a map": (b"2\n1\n0 0 0\n", b"\n", b"1 3 4\n0 1\n", 2),
    "one line": (b"", b" ", b"1 2 3\n", None),
    "coordinates": (b"", b"c\n", b"v 1 0 0\nv 9 1 1\n", None),
}

_LIMITED = """
import json, os, resource, sys
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])  # each thread has buffers of its own
from pathlib import Path
from solvers.errors import FileFormatError
from solvers.graphs.readers import ReadingOptions, read_graph

folder, spare = Path(sys.argv[1]), int(sys.argv[2])
(folder / "warm.gr").write_text("2 1\\n0 0 0\\n1 1 1\\n0 1\\n")  # compiles before the limit holds
(folder / "g.gr").write_text("p sp 3 2\\na 1 2 5\\na 2 3 7\\n")
(folder / "warm.co").write_text("v 0 0 0\\nv 1 0.5 1\\n")
read_graph(folder / "warm.gr")
pages = int(Path("/proc/self/statm").read_text().split()[0])
size = pages * resource.getpagesize() + spare
resource.setrlimit(resource.RLIMIT_AS, (size, size))
found = {}
for path in sorted(folder.glob("*.gz")):
    try:
        if path.name.startswith("coordinates"):
            options = ReadingOptions(coordinates=str(path))
            found[path.stem] = read_graph(folder / "g.gr", options).graph.m
        else:
            found[path.stem] = read_graph(path).graph.m
    except FileFormatError:
        found[path.stem] = None
print(json.dumps(found))
"""


@pytest.mark.slow  # unpacks 360 MB
@pytest.mark.skipif(
    sys.platform != "linux", reason="address space is limited and told in this way on Linux"
)
def test_thirty_megabytes_of_nothing_need_little_memory(tmp_path: Path) -> None:
    """Kept one by one, the comments of a file of 320 kB took 3.5 GB."""
    for name, (before, repeated, after, _) in FILLED.items():
        block = repeated * (BLOCK_BYTES // len(repeated))
        packed = gzip.compress(before) + gzip.compress(block) * BLOCKS + gzip.compress(after)
        (tmp_path / f"{name}.gz").write_bytes(packed)
    arguments = [sys.executable, "-c", _LIMITED, str(tmp_path), str(SPARE)]

    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, check=False)

    assert done.stderr == ""
    assert json.loads(done.stdout) == {name: row[3] for name, row in FILLED.items()}


class Work:
    """Counts the work between two checkpoints: bytes of text, and calls from Python."""

    def __init__(self) -> None:
        self.bytes = self.calls = self.most_bytes = self.most_calls = 0

    def look(self) -> None:
        self.most_bytes, self.most_calls = (
            max(self.most_bytes, self.bytes),
            max(self.most_calls, self.calls),
        )
        self.bytes = self.calls = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Counts what the readers do."""
    counts = Work()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counts.calls += 1
            return function(*arguments)

        return call

    blocks = TextSource.blocks

    def counted_blocks(source: TextSource) -> Iterator[bytes]:
        for block in blocks(source):
            counts.bytes += len(block)
            yield block

    monkeypatch.setattr(TextSource, "blocks", counted_blocks)
    for place, name in (
        (scan, "scan_rows"),
        (scan, "skip_to_row"),
        (scan, "find_row"),
        (parsed, "skip_to_row"),
        (parsed, "split_words"),
        (table.Table, "_take_line"),
        (table, "Decimal"),
    ):
        monkeypatch.setattr(place, name, counted(getattr(place, name)))
    assert scan is table.scan is scan
    return counts


LINES: dict[str, tuple[bytes, bytes, bytes]] = {
    **{name: (before, repeated, after) for name, (before, repeated, after, _) in FILLED.items()},
    "header lines before arcs": (b"", HEADER + b"a 1 2 5\n", b""),
    "numbers of many digits": (b"a 1 2 0.5\n", b"a 1 2 92233720368547758079\n", b""),
    "rows of a map": (
        b"600000\n1\n" + b"".join(b"%d 0 0\n" % k for k in range(4)),
        b"7 0 0\n",
        b"0 1\n",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_cancel_is_looked_for_between_blocks_whatever_the_lines(
    name: str, work: Work, tmp_path: Path
) -> None:
    """Twelve million comments, or 300,000 header lines, left Cancel waiting for seconds."""
    before, repeated, after = LINES[name]
    graph = path = tmp_path / "g.gr"
    if name == "coordinates":
        graph.write_bytes(HEADER + ARCS)
        path = tmp_path / "g.co"
    path.write_bytes(before + repeated * (4 * BLOCK_BYTES // len(repeated)) + after)

    with contextlib.suppress(FileFormatError):
        read_graph(graph, progress=Progress(CancelToken(work.look)))

    assert work.most_bytes <= 2 * BLOCK_BYTES
    assert work.most_calls <= 5_000  # of microseconds each
    assert name == "one line" or min(work.most_bytes, work.most_calls) > 0, "counted nothing"


@pytest.mark.parametrize("name", ["members", "name"])
def test_cancel_is_looked_for_within_a_gzip_file_without_text(name: str, tmp_path: Path) -> None:
    """Neither ten thousand empty members nor an endless file name in the gzip header
    gives a byte of text.
    """
    empty = gzip.compress(b"", mtime=0)
    path = tmp_path / "g.gz"
    path.write_bytes(
        empty * 10_000 if name == "members" else empty[:3] + b"\x08" + empty[4:10] + b"x" * 100_000
    )
    checks = 0

    def look() -> None:
        nonlocal checks
        checks += 1
        if checks > 100:
            raise Cancelled("Reading")

    with pytest.raises(Cancelled):
        read_graph(path, progress=Progress(CancelToken(look)))
