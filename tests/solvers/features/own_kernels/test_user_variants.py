"""Users' own variants and changed kernels: found, told of, run in a process of their
own, which nothing outlives.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from solvers.core.problem import Problem
from solvers.core.variant import all_variants, find_variant
from solvers.devices.device import Device
from solvers.errors import (
    Cancelled,
    FileMissing,
    FileNotWritten,
    KernelBuildError,
    KernelCrashed,
    KernelMismatch,
    KernelTimeLimit,
    UnknownName,
    UserCodeFailed,
    VariantFileError,
)
from solvers.features.own_kernels import user_process, user_variants
from solvers.features.own_kernels.user_process import UserProcess
from solvers.features.own_kernels.user_variants import (
    ENTRY_POINTS,
    ChangedKernel,
    add_variants,
    base_of,
    changed_from,
    deleted_kernels,
    new_variant,
    problems,
)
from solvers.graphs.weights import INT32, to_float
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken, Progress
from tests.graphs import as_solved, at_random, right_distances

BASE = "bf-edge-flags"
GRAPH = at_random(40, 120, 7, low=1)
LOOP = "    int head = heads[arc];"


def text() -> str:
    return base_of(BASE)[1].read_text("utf-8")


def edited(old: str, new: str) -> ChangedKernel:
    assert old in text()
    return ChangedKernel(BASE, text().replace(old, new), "mine", "mine.cu")


def solve(kernel: ChangedKernel, device: Device, limit: float | None = None) -> np.ndarray:
    entry = kernel.variant()
    problem = Problem(GRAPH, 0, parameters=entry.settle({}), device=device)
    with UserProcess() as process:
        return process.solve(entry.code, problem, limit).distances


# -- files and packages
# ------------------------------------------------------------------------------------------------


def test_a_new_variant_is_found_and_runs(folder, device):
    module, kernel = new_variant("My idea")
    assert (module.name, kernel.name) == ("my_idea.py", "my_idea.cu")
    with pytest.raises(FileNotWritten, match="there is a file of that name"):
        new_variant("my idea")
    add_variants()
    assert problems() == ()
    entry = find_variant("my-idea")
    (result,) = run(
        RunRequest(GRAPH, 0, None, (Choice(entry),), device, MeasurementPlan(0, 1), trace=True)
    )
    assert result.ok, result.error
    assert result.trace.launches.known  # the launches in its process were heard here
    kernel.write_text(kernel.read_text() + "/* more */\n")
    add_variants()
    assert find_variant("my-idea").settle({})["version"] != entry.settle({})["version"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("import math\n1 / 0\n", "mine.py: line 2: ZeroDivisionError"),
        ("x = (\n", "mine.py: line 1: SyntaxError"),
        ("raise SystemExit(3)\n", "it ends the program"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("import os\nos.fork()\nx = 1\n", "it declares no variant"),
        ("x = 1\n", "it declares no variant"),
        ("import nothing_of_that_name\n", "ModuleNotFoundError"),
        (
            "from solvers.core.variant import find_variant, variant\n"
            "given = {k: v for k, v in vars(find_variant('bf-edge')).items() if k not in "
            "('function', 'module')}\n"
            "variant(**given | {'id': 'first'})(print)\nvariant(**given)(print)\n",
            "two variants are called bf-edge",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_the_others_are_found(folder, content, words):
    (folder / "mine.py").write_text(content)
    new_variant("other")
    before = {entry.id for entry in all_variants()}
    add_variants()
    (problem,) = problems()
    assert words in str(problem)
    assert {entry.id for entry in all_variants()} == before | {"other"}


def test_a_new_variant_with_numba_is_found_and_runs(folder):
    (module,) = new_variant("Fast one", with_numba=True)
    assert module.name == "fast_one.py"
    add_variants()
    assert problems() == ()
    entry = find_variant("fast-one")
    (result,) = run(RunRequest(GRAPH, 0, None, (Choice(entry),), None, MeasurementPlan(0, 1)))
    assert result.ok, result.error


def test_variants_come_from_packages_too(folder, monkeypatch):
    new_variant("packed")
    monkeypatch.syspath_prepend(str(folder))
    installed = folder / "packed-1.5.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: packed\nVersion: 1.5\n")
    (installed / "entry_points.txt").write_text(
        f"[{ENTRY_POINTS}]\ngood = packed\nbad = no_such\n[console_scripts]\nother = os:abort\n"
    )
    (folder / "odd-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)  # cannot be read
    monkeypatch.setattr(user_variants, "folders", tuple)
    add_variants()
    found = find_variant("packed")
    assert (found.module, found.code.version) == ("packed", "1.5")
    assert [problem.path.name for problem in problems()] == ["bad"]
    importlib.sys.modules.pop("packed")


# -- changed kernels
# --------------------------------------------------------------------------------------


def test_a_changed_kernel_is_a_variant_of_its_own_with_its_version(folder, device, tmp_path):
    (tmp_path / "Mine.cu").write_text(text() + "/* mine */\n")
    kernel = changed_from(f"{BASE}={tmp_path / 'Mine.cu'}")
    entry = kernel.variant()
    assert (entry.id, entry.title) == (f"{BASE}@mine", "edge + flags, changed: mine")
    versions = {
        k.variant().settle({"version": "old"})["version"]
        for k in (kernel, edited(LOOP, LOOP + " "))
    }
    assert len(versions) == 2
    chosen = tuple(Choice(one) for one in (find_variant(BASE), entry))
    first, second = run(
        RunRequest(GRAPH, 0, None, chosen, device, MeasurementPlan(1, 2), trace=True)
    )
    assert (first.ok, second.ok) == (True, True), second.error
    assert np.array_equal(first.distances, second.distances)
    assert np.array_equal(first.trace.launches.counts.shape, second.trace.launches.counts.shape)
    kernel.keep()
    add_variants()
    assert find_variant(kernel.id).settle({}) == entry.settle({})
    kernel.delete()
    with pytest.raises(UnknownName):
        find_variant(kernel.id)


def test_a_deleted_kernel_is_restored_within_thirty_days(folder):
    first, second = edited(LOOP, LOOP + " "), edited(LOOP, LOOP + "  ")
    for kernel in (first, second):
        kernel.keep()
        kernel.delete()
    assert not first.path.exists()
    (long_ago,) = (one for one in deleted_kernels() if one.kernel.text == first.text)
    os.utime(long_ago.path, (1e9, 1e9))
    (deleted,) = deleted_kernels()
    assert not long_ago.path.exists()
    first.keep()
    restored = deleted.restore()
    assert restored.text == second.text
    assert restored.id == f"{first.id}-2", "another text has the name by now"
    assert restored.kept() == restored
    assert first.kept() == first
    assert deleted_kernels() == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "KERNEL void copy_flags",
            "KERNEL void copy",
            "no entry point “copy_flags”, which bf-edge-flags launches",
        ),
        ("copy_flags(int n,", "copy_flags(index_t n,", "“copy_flags” takes (index_t n"),
        (
            "GLOBAL unsigned char *next, dist_t floor",
            "dist_t floor",
            "“relax” takes",
        ),
    ],
)
def test_another_signature_is_told_before_anything_is_compiled(old, new, words):
    with pytest.raises(KernelMismatch, match=r"mine\.cu") as caught:
        edited(old, new).variant()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        (f"{BASE}=no.cu", FileMissing),
        ("bf-edg=no.cu", UnknownName),
        ("dijkstra-heap=x.cu", UnknownName),
        (BASE, UnknownName),
    ],
)
def test_a_kernel_that_cannot_be_changed_is_refused(spec, kind):
    with pytest.raises(kind):
        changed_from(spec)


@pytest.mark.parametrize(
    ("old", "new", "kind", "words"),
    [
        (LOOP, LOOP[:-2] + ";", KernelBuildError, r"mine\.cu[:(]3"),
        (
            LOOP,
            LOOP + "\n    while (active[tail]) distance[head] = distance[head];",
            KernelTimeLimit,
            "within 0.5 s",
        ),
        (
            "next[head] = 1;",
            "next[(index_t)head * 4096000000 + 4096000000] = 1;",
            KernelCrashed,
            "outside its arrays",
        ),
    ],
)
def test_nothing_that_a_kernel_does_hurts_this_process(device, old, new, kind, words):
    if device.kind == "cuda" and kind is KernelCrashed:
        kind, words = UserCodeFailed, "failed during the run"
    # A slow machine needs more than a short limit to get to an error, but not to wait.
    limit = 0.5 if kind is KernelTimeLimit else None
    with pytest.raises(kind) as caught:
        solve(edited(old, new), device, limit)
    assert re.search(words, str(caught.value))
    assert np.array_equal(
        solve(edited(LOOP, LOOP), device), as_solved(right_distances(GRAPH, 0), INT32)
    )


def test_what_a_kernel_prints_is_a_note(device):
    entry = edited(LOOP, LOOP + '\n    if (arc == 0) printf("first %d\\n", head);').variant()
    for _ in range(2):
        solution = entry.solve(Problem(GRAPH, 0, device=device))
    assert solution.note.startswith("It printed: first ")


def test_cancelling_ends_the_process(device):
    entry = edited(
        LOOP, LOOP + "\n    while (active[tail]) distance[head] = distance[head];"
    ).variant()
    token = CancelToken()
    problem = Problem(
        GRAPH, 0, parameters=entry.settle({}), device=device, progress=Progress(token)
    )
    with UserProcess() as process:
        token.cancel()
        with pytest.raises(Cancelled):
            process.solve(entry.code, problem)
        assert not process.is_usable


def test_errors_of_own_python_name_the_line(folder, device):
    module, _ = new_variant("mine")
    module.write_text(module.read_text().replace("    tails, heads", "    1 / 0\n    tails, heads"))
    add_variants()
    with pytest.raises(
        UserCodeFailed, match=r"mine.py failed: ZeroDivisionError: .*, line \d+ of mine.py"
    ):
        find_variant("mine").solve(Problem(GRAPH, 0, device=device))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes, nor env")
def test_a_process_is_closed_in_two_threads_at_once(monkeypatch, tmp_path):
    """As a window closes while its compiler starts."""
    begun, goes_on = threading.Event(), threading.Event()

    @contextmanager
    def slowly_removed(_):
        yield tmp_path
        begun.set()
        goes_on.wait(60)

    monkeypatch.setattr(user_process, "temporary_folder", slowly_removed)
    process = UserProcess(tool=("env",))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(process.close)
        assert begun.wait(60)
        second = pool.submit(process.close)
        concurrent.futures.wait([second], 0.2)
        goes_on.set()
        assert (first.result(), second.result()) == (None, None)
    assert not process.is_usable


def test_a_kept_process_takes_other_graphs_and_texts(device):
    other = at_random(30, 90, 3, np.float64, low=1)
    with UserProcess() as process:
        for kernel in (edited(LOOP, LOOP), edited(LOOP, LOOP + " ")):
            entry = kernel.variant()
            process.compile(entry.code, device.key, INT32)
            for graph in (GRAPH, other):
                problem = Problem(graph, 0, parameters=entry.settle({}), device=device)
                found = to_float(process.solve(entry.code, problem).distances)
                assert np.allclose(found, right_distances(graph, 0))


@pytest.mark.parametrize("value", ["", "x", "-1", "7"])
def test_the_limit_can_be_set(monkeypatch, value):
    monkeypatch.setenv(user_process.LIMIT_VARIABLE, value)
    expected = {"7": 7.0, "-1": 0.1}.get(value, user_process.DEFAULT_LIMIT_S)
    assert user_process.limit_s() == expected


def test_a_kept_file_with_another_name_is_told(folder):
    place = user_variants.ChangedKernel("bf-edge", "").path.parent
    place.mkdir()
    (place / f"{BASE}@a b.cu").write_text(text())
    (place / "bf-none@mine.cu").write_text(text())
    add_variants()
    assert {type(problem) for problem in problems()} == {VariantFileError}
    assert len(problems()) == 2


def test_a_folder_may_be_named_before_the_command(folder, tautpath, monkeypatch):
    for words in (("--variants-from", folder, "variants"), ("variants", "--variants-from", folder)):
        monkeypatch.setenv(user_variants.FOLDERS_VARIABLE, "")
        assert tautpath(*words)[::2] == (0, "")
        assert user_variants.folders()[-1] == folder
