"""The memory of a changed kernel, checked: by compute-sanitizer on NVIDIA, elsewhere by
a build with checked pointers.

Both are slow, and solve small graphs. What they find stands at lines of the kernel's
text.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solvers.core.problem import Problem
from solvers.core.variant import Answers
from solvers.devices.device import Device
from solvers.errors import KernelTimeLimit, UserCodeFailed
from solvers.features.own_kernels.instrumented import AccessLog, Logged
from solvers.features.own_kernels.user_process import UserProcess, limit_s
from solvers.features.own_kernels.user_variants import UserVariant
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import temporary_folder
from solvers.text import MOST_REASON, quoted

SANITIZER = "compute-sanitizer"
TOOLS = ("memcheck", "racecheck")
_SLOWER = 20.0  # than without the tool, at most
_MOST = 50  # findings
_MOST_LOG = 1 << 24  # characters of the tool's log
_END_S = 60.0  # in which the tool reports after a run
_RECORD = re.compile(
    r"^=+ (?=\S)(?!COMPUTE-SANITIZER|[A-Z]+ SUMMARY|Saved host|Target application)(.+)$"
)
_PLACE = re.compile(r"\bin (?:[^\s:]*/)?([^\s:/]+):(\d{1,9})|\b([\w.-]+\.(?:cu|h)):(\d{1,9})")


@dataclass(frozen=True)
class Finding:
    """What a check says of a line; 0 for none."""

    file: str
    line: int
    words: str


@dataclass(frozen=True)
class MemoryReport:
    """What was found, and by what."""

    checker: str
    findings: tuple[Finding, ...]


def small_graph(n: int = 293, m: int = 1500) -> Graph:
    """A graph whose size is no multiple of a block or tile; always the same."""
    random = np.random.default_rng(7)
    order = random.permutation(n)
    tails = np.concatenate((order[:-1], random.integers(0, n, m - n + 1)))
    heads = np.concatenate((order[1:], random.integers(0, n, m - n + 1)))
    weights = random.integers(1, 100, m).astype(np.int32)
    return Graph.from_arcs(
        n,
        tails.astype(np.int32),
        heads.astype(np.int32),
        weights,
        ids=np.arange(1, n + 1),
        name="a small graph",
    )


def sanitizer() -> str | None:
    """The program, if it is on the path."""
    return shutil.which(SANITIZER)


def check_memory(own: UserVariant, device: Device, progress: Progress = SILENT) -> MemoryReport:
    """Solve a small graph with checks of every access; raises KernelBuildError,
    Unavailable, Cancelled.
    """
    graph = small_graph() if own.answers is not Answers.APSP else small_graph(45, 200)
    problem = _problem(own, graph, device, progress)
    program = sanitizer() if device.kind == "cuda" else None
    if program is None:
        with UserProcess() as process:
            _, log = process.watch(
                own.code, problem, Logged.BARRIERS | Logged.SHARED, limit=_SLOWER * limit_s()
            )
        return MemoryReport("a build with checked pointers", findings_of(log, own.code.name))
    found: list[Finding] = []
    for number, tool in enumerate(TOOLS):
        progress.checkpoint(number, len(TOOLS))
        found += _sanitized(program, tool, own, problem)
    return MemoryReport(f"{SANITIZER}, {' and '.join(TOOLS)}", tuple(found[:_MOST]))


def _problem(own: UserVariant, graph: Graph, device: Device, progress: Progress) -> Problem:
    source = None if own.answers is Answers.APSP else 0
    target = graph.n - 1 if own.answers is Answers.TARGET else None
    return Problem(graph, source, target, own.settle({}), device, progress.silent())


def findings_of(log: AccessLog, file: str) -> tuple[Finding, ...]:
    """The accesses outside of arrays, uneven barriers and races in shared memory, one
    for each line.
    """
    found = {(o.site.file, o.site.line): str(o) for o in reversed(log.outside)}
    for site, launch, block, threads in log.uneven_barriers() if log.is_whole else ():
        words = (
            f"Line {site.line} of {site.file}: {threads} of the {launch.block} threads of block "
            f"{block} of “{launch.kernel}” reach the barrier; all or none must."
        )
        found.setdefault((site.file, site.line), words)
    for one, other, launch, racing in log.shared_races():
        verb = "writes it, too" if other.kind == "write" else "reads it"
        words = (
            f"Line {one.line} of {one.file}: thread {racing[0]} of “{launch.kernel}” "
            f"writes an element of {one.name}, and thread {racing[1]} {verb} in line "
            f"{other.line}, with no barrier between."
        )
        found.setdefault((one.file, one.line), words)
    return tuple(
        Finding(place[0] or file, place[1], words) for place, words in sorted(found.items())
    )


def _sanitized(program: str, tool: str, own: UserVariant, problem: Problem) -> list[Finding]:
    with temporary_folder("sanitizer") as folder:
        written = Path(folder) / "log"
        api = ("--report-api-errors", "no") if tool == "memcheck" else ()
        command = (
            program,
            "--tool",
            tool,
            *api,
            "--target-processes",
            "application-only",
            "--log-file",
            str(written),
        )
        process, crash, patience = UserProcess(command), None, 0.0
        try:
            process.solve(own.code, problem, _SLOWER * limit_s())
            patience = _END_S
        except UserCodeFailed as error:  # as after a write out of bounds
            crash = error
            patience = 0.0 if isinstance(error, KernelTimeLimit) else _END_S
        finally:
            process.end(patience)
        lines = _beginning(written).splitlines()
    found = sanitizer_findings(lines, own.code.name)
    if crash is not None and not found:
        found = [Finding(own.code.name, 0, str(crash))]
    return found


def _beginning(path: Path) -> str:
    """The text of a file that the user's code could write as well; "" without one."""
    if not path.is_file():
        return ""
    with path.open(errors="replace") as file:
        return file.read(_MOST_LOG)


def sanitizer_findings(lines: Iterable[str], file: str) -> list[Finding]:
    """The records of compute-sanitizer's log, one for each line of a text and message."""
    records: list[list[str]] = []
    for line in lines:
        if found := _RECORD.match(line):
            records.append([found[1]])
        elif records and line.startswith("="):
            records[-1].append(line.strip("= "))
    chosen: dict[tuple[str, int, str], Finding] = {}
    for record in records:
        finding = _finding(record, file)
        chosen.setdefault((finding.file, finding.line, record[0]), finding)
    return list(chosen.values())


def _finding(record: Sequence[str], file: str) -> Finding:
    place = next(
        (
            m
            for line in record
            for m in _PLACE.finditer(line)
            if (m[1] or m[3]).endswith((".cu", ".h"))
        ),
        None,
    )
    by = next((line for line in record if line.startswith("by thread")), "")
    words = quoted(record[0] + (f", {by}" if by else ""), MOST_REASON)
    if place is None:
        return Finding(file, 0, words)
    name, line = (place[1], place[2]) if place[1] else (place[3], place[4])
    return Finding(name, int(line), words)
