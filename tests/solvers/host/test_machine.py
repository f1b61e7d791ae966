"""Memory and processor of this machine, and the texts of systems that the tests do not run on."""

from __future__ import annotations

from solvers.host import machine


def test_this_machine_has_memory_a_name_and_cores():
    memory = machine.memory()
    assert 0 < memory.free_bytes <= memory.total_bytes
    assert machine.cpu_name()
    assert machine.cores() >= 1


def test_meminfo_counts_caches_as_free():
    text = "MemTotal:  16000000 kB\nMemFree:  1000000 kB\nMemAvailable:  9000000 kB\nHugePages_Total:  0\n"
    assert machine.parse_meminfo(text) == machine.Memory(16_384_000_000, 9_216_000_000)


def test_vm_stat_counts_what_macos_can_give():
    text = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            300000.
Pages inactive:                           20000.
Pages speculative:                         5000.
Pages wired down:                        100000.
"""
    assert machine.parse_vm_stat(text) == 35_000 * 16_384


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
