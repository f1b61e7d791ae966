"""Long fuzzing of the readers: ``python -m tests.solvers.graphs.readers.fuzz --minutes
10``, or ``make fuzz``.

Workers, each a process with limited memory, read mutated files of all readers in turn.
A file at which one fails, hangs or dies is kept, with the traceback, in the folder
``--out``; it belongs into the corpus once it is understood.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from solvers.text import format_count, plural
from tests.solvers.graphs.readers.fuzz_target import READERS, check, mutant_of
from tests.solvers.graphs.readers.seeds import SEEDS

SPARE = 400 * 10**6  # bytes of address space for one file, beyond what the compiled readers take
PATIENCE = 20.0  # seconds without an answer after which a worker hangs
_CURRENT, _TRACE = "current", "traceback"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--work-in", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work_in is not None:
        work(arguments.work_in, arguments.seed)
        return 0
    tallies = {reader: Tally() for reader in READERS}
    end = time.monotonic() + 60 * arguments.minutes
    watchers = [
        threading.Thread(
            target=watch, args=(f"{arguments.seed}{k:02}", end, tallies, arguments.out)
        )
        for k in range(arguments.workers)
    ]
    for watcher in watchers:
        watcher.start()
    for watcher in watchers:
        watcher.join()
    sys.stdout.writelines(line + "\n" for line in table(tallies, arguments.seed))
    return int(any(tally.failures for tally in tallies.values()))


@dataclass
class Tally:
    """The figures of one reader. ``seconds`` and ``kilobytes`` are the greatest of one file."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    kilobytes: int = 0

    @property
    def failures(self) -> int:
        return self.outcomes["failed"] + self.outcomes["hung"] + self.outcomes["died"]


def table(tallies: dict[str, Tally], seed: int) -> Iterator[str]:
    """One line per reader."""
    row = "{:12} {:>9} {:>9} {:>9} {:>6} {:>4} {:>4} {:>12} {:>12}"
    yield row.format(
        "reader", "files", "read", "refused", "failed", "hung", "died", "longest", "most memory"
    )
    for reader, tally in tallies.items():
        counts = [tally.outcomes[key] for key in ("read", "refused", "failed", "hung", "died")]
        cells = (format_count(count) for count in (sum(counts), *counts))
        yield row.format(
            reader, *cells, f"{tally.seconds * 1e3:,.0f} ms", f"{tally.kilobytes / 1e3:,.1f} MB"
        )
    total = sum(sum(tally.outcomes.values()) for tally in tallies.values())
    yield f"{plural(total, 'file')}, seed {seed}; each was read plain, packed and with CR LF."


def watch(seed: str, end: float, tallies: dict[str, Tally], out: Path) -> None:
    """Run workers one after another until ``end``, and keep the file at which one hangs or dies."""
    turn = 0
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="tautpath-fuzz-") as name:
            folder = Path(name)
            command = [
                sys.executable,
                "-X",
                "faulthandler",
                "-m",
                __spec__.name,
                "--work-in",
                name,
                "--seed",
                f"{seed}{turn:04}",
            ]
            # glibc reserves 64 MB of address space for each of osmium's threads unless
            # it is told not to.
            lean = os.environ | {"MALLOC_ARENA_MAX": "1"}
            pipe = subprocess.PIPE
            with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=lean) as worker:
                _follow(worker, folder, end, tallies, out)
        turn += 1


def _follow(
    worker: subprocess.Popen[str], folder: Path, end: float, tallies: dict[str, Tally], out: Path
) -> None:
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    assert worker.stdout is not None
    assert worker.stderr is not None
    threading.Thread(target=_forward, args=(worker.stdout, answers), daemon=True).start()
    reader = ""
    while time.monotonic() < end:
        try:
            # the first needs the compiler
            answer = answers.get(timeout=PATIENCE + 60 * (not reader)).split()
        except queue.Empty:
            answer = ["hung"]
        if not answer or answer[0] == "hung":
            worker.send_signal(signal.SIGABRT)  # at which it writes where it is
            with suppress(subprocess.TimeoutExpired):
                worker.wait(10)
            worker.kill()
            outcome = answer[0] if answer else "died"
            reader = (folder / "reader").read_text() if (folder / "reader").exists() else READERS[0]
            tallies[reader].outcomes[outcome] += 1
            _keep(folder, out, reader, outcome, worker.stderr.read())
            return
        reader, outcome, seconds, kilobytes = answer
        tally = tallies[reader]
        tally.outcomes[outcome] += 1
        tally.seconds = max(tally.seconds, float(seconds))
        tally.kilobytes = max(tally.kilobytes, int(kilobytes))
        if outcome == "failed":
            _keep(folder, out, reader, outcome, (folder / _TRACE).read_text())
            (folder / "go").touch()
    worker.kill()


def _forward(stream: IO[str], answers: queue.SimpleQueue[str]) -> None:
    for line in stream:
        answers.put(line)
    answers.put("")


def _keep(folder: Path, out: Path, reader: str, outcome: str, trace: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    name = f"{reader}-{outcome}-{time.time_ns():x}"
    current = folder / _CURRENT
    (out / name).write_bytes(current.read_bytes() if current.exists() else b"")
    (out / f"{name}.txt").write_text(trace)
    sys.stdout.write(f"{outcome}: {out / name}: {(trace.strip().splitlines() or [''])[-1]}\n")
    sys.stdout.flush()


def work(folder: Path, seed: int) -> None:
    """Read mutated files for ever; one line of answer for each: reader, outcome,
    seconds, kilobytes.
    """
    warnings.simplefilter("error")
    for reader in READERS:  # compile, before memory is limited
        check(reader, SEEDS[reader], folder)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + SPARE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    turn = 0
    while True:
        reader = READERS[turn % len(READERS)]
        content = mutant_of(reader, random.Random(f"{seed} {turn}"))
        (folder / "reader").write_text(reader)
        (folder / _CURRENT).write_bytes(content)
        before = _most_kilobytes(reset=True)
        start = time.perf_counter()
        try:
            outcome = "read" if check(reader, content, folder) == "read" else "refused"
        except Exception:
            outcome = "failed"
            (folder / _TRACE).write_text(traceback.format_exc())
            (folder / "go").unlink(missing_ok=True)
        seconds = time.perf_counter() - start
        print(reader, outcome, f"{seconds:.4f}", max(0, _most_kilobytes() - before), flush=True)
        # until the watcher has kept the file
        while outcome == "failed" and not (folder / "go").exists():
            time.sleep(0.01)
        turn += 1


def _most_kilobytes(reset: bool = False) -> int:
    """The process's greatest resident memory since the last reset, in kB."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    sys.exit(main())
