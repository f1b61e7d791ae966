"""Memory and processors of this machine, what control groups and affinities leave, and
small address spaces.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from solvers.system import machine
from solvers.system.files import RESOURCES
from solvers.system.machine import (
    LEAST_SPAN_S,
    CpuConditions,
    CpuSample,
    conditions_between,
    sample_cpu,
    system_text,
)
from tests.quick import first_quick


def test_this_machine_has_memory_a_name_and_cores():
    memory = machine.memory()
    assert 0 < memory.free_bytes <= memory.total_bytes
    assert machine.cpu_name()
    assert machine.cores() >= 1


def test_only_the_cores_of_this_process_count_or_all_without_affinity(monkeypatch):
    """A batch job of three cores on a node of many."""
    if hasattr(machine.os, "sched_getaffinity"):
        monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {1, 2})
        assert machine.cores() == 2
        monkeypatch.delattr(machine.os, "sched_getaffinity")
    monkeypatch.setattr(psutil, "cpu_count", lambda: 10)
    for limits, cores in (({"cpu_affinity": lambda: [4, 5, 6]}, 3), ({}, 10)):
        monkeypatch.setattr(psutil, "Process", lambda limits=limits: SimpleNamespace(**limits))
        assert machine.cores() == cores


@pytest.mark.skipif(sys.platform != "linux", reason="others have no /proc")
def test_without_proc_cores_and_memory_are_those_of_the_system(monkeypatch):
    """Each command that reads a file ended as a defect of the program."""

    def missing(*_: object) -> None:
        raise psutil.NoSuchProcess(1)

    def no_file(*_: object) -> None:
        raise FileNotFoundError("/proc/meminfo")

    right = machine.memory().total_bytes
    monkeypatch.setattr(psutil, "Process", missing)
    monkeypatch.setattr(psutil, "virtual_memory", no_file)
    assert machine.cores() >= 1
    found = machine.memory()
    assert 0 < found.free_bytes <= found.total_bytes
    assert found.total_bytes == pytest.approx(right, rel=0.1)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (machine.Memory(4, 3), machine.Memory(4, 3)),
        # others have left less than the group may take
        (machine.Memory(10, 9), machine.Memory(10, 6)),
        (machine.Memory(64, 60), machine.Memory(64, 6)),  # no limit in truth
        (None, machine.Memory(64, 6)),
    ],
)
def test_the_tighter_of_machine_and_control_group_counts(monkeypatch, group, expected):
    whole = SimpleNamespace(total=64, available=6)
    monkeypatch.setattr(machine.sys, "platform", "linux")
    monkeypatch.setattr(psutil, "virtual_memory", lambda: whole)
    monkeypatch.setattr(machine, "_control_group_memory", lambda own, root: group)
    assert machine.memory() == expected


def test_a_batch_jobs_limit_counts(tmp_path):
    """The job's group has no limit of its own; that of the step above it holds, its
    file cache not counted as used.
    """
    job = tmp_path / "batch" / "job7"
    job.mkdir(parents=True)
    (job / "memory.max").write_text("max\n")
    (tmp_path / "batch" / "memory.max").write_text("4000000000\n")
    (tmp_path / "batch" / "memory.current").write_text("3000000000\n")
    (tmp_path / "batch" / "memory.stat").write_text("anon 1\ninactive_file 500000000\n")
    limit = machine._control_group_memory("0::/batch/job7\n", tmp_path)
    assert limit == machine.Memory(4_000_000_000, 1_500_000_000)
    assert machine._control_group_memory("", tmp_path) is None


BEFORE = CpuSample(wall_s=100.0, busy_s=5000.0, own_s=10.0)

SPIN = "import time\nwhile time.process_time() < 0.3: pass"


def after(wall=2.0, busy=0.0, own=0.0, **more):
    return replace(
        BEFORE,
        wall_s=BEFORE.wall_s + wall,
        busy_s=BEFORE.busy_s + busy,
        own_s=BEFORE.own_s + own,
        **more,
    )


def test_load_is_what_others_used_and_own_work_what_other_threads_did():
    assert conditions_between(BEFORE, after(busy=5.0, own=2.0), 4).load == pytest.approx(1.5)
    assert conditions_between(BEFORE, after(busy=2.0, own=2.01), 4).load == 0
    assert conditions_between(
        BEFORE, after(busy=5.0, own=3.0, thread_s=2.0), 4
    ).own_work == pytest.approx(0.5)
    assert conditions_between(BEFORE, after(own=1.99, thread_s=2.0), 4).own_work == 0


def test_another_thread_of_this_process_is_seen():
    def spin():
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass

    before = sample_cpu()
    thread = threading.Thread(target=spin)
    thread.start()
    thread.join()
    time.sleep(LEAST_SPAN_S)
    assert conditions_between(before, sample_cpu(), 4).own_work > 0


def test_load_is_unknown_over_a_short_span_and_where_the_system_counts_less_than_this_process():
    """Some containers have counters that stand still."""
    short = after(wall=0.9 * LEAST_SPAN_S, busy=0.1, stolen_s=1.0, hot_events=1)
    assert conditions_between(BEFORE, short, 4) == CpuConditions(4, overheated=True)
    assert conditions_between(BEFORE, after(busy=0.0, own=2.0), 4).load is None


def test_steal_quota_and_heat():
    conditions = conditions_between(BEFORE, after(stolen_s=0.5, held_back_s=1.0, hot_events=3), 4)
    assert (conditions.stolen, conditions.held_back, conditions.overheated) == (0.25, 0.5, True)
    assert not conditions_between(after(hot_events=3), after(wall=9.0, hot_events=3), 4).overheated


def test_own_time_counts_this_process_and_ended_children():
    before = sample_cpu()
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    between = sample_cpu()
    subprocess.run([sys.executable, "-c", SPIN], check=True)
    last = sample_cpu()
    assert between.own_s - before.own_s >= 0.08
    if sys.platform != "win32":
        assert last.own_s - between.own_s >= 0.25
    assert last.busy_s >= before.busy_s
    assert last.wall_s > before.wall_s


def test_own_time_counts_running_children():
    with subprocess.Popen(
        [sys.executable, "-c", f"{SPIN}\nprint(flush=True)\ninput()"], stdin=-1, stdout=-1
    ) as child:
        try:
            before = sample_cpu()
            child.stdout.readline()  # written after 0.3 s of its CPU time
            assert sample_cpu().own_s - before.own_s >= 0.15
        finally:
            child.kill()


def test_heat_is_read_from_every_core(tmp_path):
    for core, count in ((0, "3\n"), (1, "4\n")):
        folder = tmp_path / f"devices/system/cpu/cpu{core}/thermal_throttle"
        folder.mkdir(parents=True)
        (folder / "core_throttle_count").write_text(count)
    assert sample_cpu(tmp_path).hot_events == 7
    assert sample_cpu(tmp_path / "none").hot_events == 0


def test_quota_is_read_from_the_control_group(tmp_path, monkeypatch):
    group = tmp_path / "fs/cgroup/batch/job"
    group.mkdir(parents=True)
    (group / "cpu.stat").write_text("usage_usec 9\nnr_throttled 2\nthrottled_usec 1500000\n")
    real = system_text
    monkeypatch.setattr(
        machine,
        "system_text",
        lambda file: "0::/batch/job\n" if file.name == "cgroup" else real(file),
    )
    assert sample_cpu(tmp_path).held_back_s == 1.5
    assert sample_cpu(tmp_path / "none").held_back_s == 0


# -- a limited address space
# -------------------------------------------------------------------------------------------


ROOT = Path(__file__).resolve().parents[3]
SAMPLES = RESOURCES / "samples"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
@pytest.mark.parametrize("megabytes", [150, 400, 1000])
def test_a_limit_that_is_too_low_is_one_sentence(megabytes):
    script = f'ulimit -v {megabytes * 1000}; exec "$@"'
    command = ["bash", "-c", script, "bash", sys.executable, str(ROOT / "main.py"), "variants"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "ulimit -v unlimited" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
@pytest.mark.parametrize(
    "variant", first_quick(["dijkstra-heap", "fw-omp-loop", "bf-vertex", "dijkstra-mpi"])
)
def test_with_the_least_that_is_accepted_there_is_an_answer_or_one_sentence(variant):
    script = f'ulimit -v {machine.LEAST_BYTES // 1000}; exec "$@"'
    solve = [
        str(ROOT / "main.py"),
        "solve",
        str(SAMPLES / "textbook.gr"),
        "--variants",
        variant,
        "--source",
        "1",
    ]
    ranks = ["--set", f"{variant}.ranks=2"] if variant == "dijkstra-mpi" else []
    command = [
        "bash",
        "-c",
        script,
        "bash",
        sys.executable,
        *solve,
        "--warmup",
        "0",
        "--trials",
        "1",
        *ranks,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert variant in done.stdout
    else:  # no MPI or OpenCL here
        assert done.returncode in (2, 3)
        assert "tautpath: " in done.stderr


def test_with_a_limit_blas_starts_one_thread(monkeypatch):
    monkeypatch.setattr(machine, "_address_space", lambda: machine.LEAST_BYTES)
    environment = {"MKL_NUM_THREADS": "2"}
    assert machine.prepare_for_limit(environment) == ""
    assert environment == {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "2"}


def test_without_a_limit_nothing_is_set(monkeypatch):
    monkeypatch.setattr(machine, "_address_space", lambda: None)
    environment = {}
    assert machine.prepare_for_limit(environment) == ""
    assert environment == {}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries keep nothing")
def test_what_was_freed_is_given_back() -> None:
    """Pages between blocks that are still held, too."""
    process = psutil.Process()
    blocks = [np.ones(64 * 1024 // 8) for _ in range(3_000)]
    held = blocks[::100]
    del blocks
    before = process.memory_info().rss
    machine.return_free_memory()
    assert process.memory_info().rss < before - 100_000_000
    assert all((block == 1).all() for block in held)
