"""Memory and processor of this machine, and what a control group or an affinity leaves of them."""

from __future__ import annotations

from types import SimpleNamespace

import psutil
import pytest

from solvers.host import machine


def test_this_machine_has_memory_a_name_and_cores():
    memory = machine.memory()
    assert 0 < memory.free_bytes <= memory.total_bytes
    assert machine.cpu_name()
    assert machine.cores() >= 1


def test_only_the_cores_of_this_process_count(monkeypatch):
    """A batch job of three cores on a node of many."""
    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(cpu_affinity=lambda: [4, 5, 6]))
    assert machine.cores() == 3


def test_where_there_is_no_affinity_all_cores_count(monkeypatch):
    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace())
    monkeypatch.setattr(psutil, "cpu_count", lambda: 10)
    assert machine.cores() == 10


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (machine.Memory(4, 3), machine.Memory(4, 3)),
        (machine.Memory(10, 9), machine.Memory(10, 6)),  # others have left less than the group may take
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
    """The job's group has no limit of its own; that of the step above it holds, its file cache not counted as used."""
    job = tmp_path / "batch" / "job7"
    job.mkdir(parents=True)
    (job / "memory.max").write_text("max\n")
    (tmp_path / "batch" / "memory.max").write_text("4000000000\n")
    (tmp_path / "batch" / "memory.current").write_text("3000000000\n")
    (tmp_path / "batch" / "memory.stat").write_text("anon 1\ninactive_file 500000000\n")
    limit = machine._control_group_memory("0::/batch/job7\n", tmp_path)
    assert limit == machine.Memory(4_000_000_000, 1_500_000_000)
    assert machine._control_group_memory("", tmp_path) is None
