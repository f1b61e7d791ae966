"""Instrumented kernels: every access is compared with the arrays, and logged with its
thread on request.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.core.problem import Problem
from solvers.devices.device import Device
from solvers.features.own_kernels import kernel_memory
from solvers.features.own_kernels.instrumented import AccessLog, Launch, Logged, Site, instrument
from solvers.features.own_kernels.kernel_memory import check_memory, sanitizer_findings, small_graph
from solvers.features.own_kernels.user_process import UserProcess
from solvers.features.own_kernels.user_variants import ChangedKernel, UserVariant, base_of
from solvers.graphs.weights import INT32
from tests.graphs import as_solved, right_distances
from tests.quick import first_quick

FLAGS, SHARED, TILED = "bf-edge-flags", "bf-edge-flags-shared", "fw-tiled-shared"


def own(base: str, old: str = "", new: str = "") -> UserVariant:
    text = base_of(base)[1].read_text("utf-8")
    assert old in text
    return ChangedKernel(base, text.replace(old, new, 1), "mine", "mine.cu").variant()


def line_of(entry: UserVariant, words: str) -> int:
    return next(n for n, line in enumerate(entry.code.text.splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("base", "old", "new", "at", "words"),
    first_quick(
        [
            ("cch-batch-device", "", "", "", ""),  # with a pointer to shared or to device memory
            (
                FLAGS,
                "arc >= m",
                "arc > m",
                "tails[arc]",
                "reads tails[1500], which has 1500 elements",
            ),
            (
                TILED,
                "        __syncthreads();\n",
                "",
                "tile[row][column] = matrix",
                "with no barrier between",
            ),
            (
                SHARED,
                "    __syncthreads();\n    if (t",
                "    if (arc < m) __syncthreads();\n    if (t",
                "(arc < m) _",
                "b",
            ),
            (FLAGS, "", "", "", ""),
            (SHARED, "", "", "", ""),
            ("apsp-frontier", "", "", "", ""),  # whose barriers are empty on a processor
            (
                FLAGS,
                "next[head] = 1;",
                "next[head - 300] = 1;",
                "next[head - 300]",
                "writes next[-",
            ),
            (TILED, "k < TILE", "k <= TILE", "DETOUR(tile[row][k]", "reads tile[32], which has 32"),
        ],
        4,
    ),
)
def test_the_checked_build_finds_the_line(device: Device, monkeypatch, base, old, new, at, words):
    monkeypatch.setattr(kernel_memory, "sanitizer", lambda: None)
    entry = own(base, old, new)
    findings = check_memory(entry, device).findings
    if not words:
        assert findings == ()
        return
    found = next(f for f in findings if words in f.words)
    assert (found.file, found.line) == ("mine.cu", line_of(entry, at))


def test_an_instrumented_run_has_the_same_answer_and_logs_who_wrote(device: Device):
    graph, entry = small_graph(40, 120), own(FLAGS)
    with UserProcess() as process:
        distances, log = process.watch(
            entry.code, Problem(graph, 0, None, entry.settle({}), device), Logged.ACCESSES
        )
        assert np.array_equal(distances, as_solved(right_distances(graph, 0), INT32))
        assert log.is_whole
        requests = log.requests()
        assert requests[:, 0].max() == 32
        assert (requests[:, 1] <= requests[:, 0]).all()
        vertex = int(np.argmax(distances * (distances < INT32.infinity)))
        writes = Logged.WRITES_OF_ELEMENT
        _, log = process.watch(
            entry.code, Problem(graph, 0, None, entry.settle({}), device), writes, vertex
        )
    rows = log.of("atomic")
    rows = rows[[log.sites[site].name == "distance" for site in rows[:, 0]]]
    assert (rows[:, 2] == vertex).all()
    # a thread's number is that of its arc
    assert set(graph.indices[rows[:, 1]].tolist()) == {vertex}


def test_places_keep_their_lines_and_macros_stay():
    text = (
        '#line 1 "a.cu"\n'
        "#define B(x) a[x]\n"
        "KERNEL void f(GLOBAL int *a, int n) {\n"
        "  /* a[0] */\n"
        "  a[n] += 1;\n"
        "}\n"
    )
    sites: list[Site] = []
    changed, pointers = instrument(text, sites)
    assert sites == [Site("a.cu", 4, "a", "write")]
    assert pointers == {"f": 1}
    assert changed.count("\n") == text.count("\n")
    assert "/* a[0] */" in changed


def test_sectors_and_threads_of_a_request():
    sites, launches = (Site("a.cu", 1, "a", "read"),), (Launch("f", 1, 64),)
    rows = [(0, thread, thread, 0, 4) for thread in range(32)]
    rows += [(0, 32 + thread, thread * 100, 0, 4) for thread in range(16)]
    log = AccessLog(sites, launches, np.array(rows, np.int32))
    assert sorted(map(tuple, log.requests().tolist())) == [(16, 16), (32, 4)]


MEMCHECK = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 1 bytes
=========     at relax+0x2b0 in mine.cu:34
=========     by thread (96,0,0) in block (0,0,0)
=========     Address 0x7f1000000 is out of bounds
=========
========= Invalid __global__ write of size 1 bytes
=========     at 0x2b0 in /tmp/mine.cu:34:relax
=========     by thread (97,0,0) in block (0,0,0)
========= Error: Race reported between Write access at pivot_tile+0x90 in mine.cu:21
=========     and Read access at pivot_tile+0x120 in mine.cu:23 [3968 hazards]
========= Program hit cudaErrorLaunchFailure (error 719)
========= ERROR SUMMARY: 3 errors
"""


def test_records_of_compute_sanitizer_are_put_at_their_lines():
    found = sanitizer_findings(MEMCHECK.splitlines(), "mine.cu")
    assert [f.line for f in found if f.line] == [34, 21]
    assert {f.file for f in found} == {"mine.cu"}
    assert "by thread (96,0,0)" in found[0].words


def test_a_log_of_anything_is_read():
    """The user's code can write to the tool's log; int() refuses so many digits."""
    lines = ["========= Invalid \x1b[31m" + "x" * 10**6, "=========     at mine.cu:" + "9" * 5000]
    (found,) = sanitizer_findings(lines, "mine.cu")
    assert len(found.words) <= 400
    assert found.words.isprintable()
