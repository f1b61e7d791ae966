"""CPU time of this program and of the others: arithmetic on samples, and samples of this machine."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from solvers.host import load
from solvers.host.load import LEAST_SPAN_S, CpuSample, conditions_between

BEFORE = CpuSample(wall_s=100.0, busy_s=5000.0, own_s=10.0)

SPIN = "import time\nwhile time.process_time() < 0.3: pass"


def after(wall=2.0, busy=0.0, own=0.0, **more):
    return replace(BEFORE, wall_s=BEFORE.wall_s + wall, busy_s=BEFORE.busy_s + busy, own_s=BEFORE.own_s + own, **more)


def test_load_is_what_others_used():
    assert conditions_between(BEFORE, after(busy=5.0, own=2.0), 4).load == pytest.approx(1.5)
    assert conditions_between(BEFORE, after(busy=2.0, own=2.01), 4).load == 0


def test_own_work_is_what_other_threads_of_this_process_did():
    assert conditions_between(BEFORE, after(busy=5.0, own=3.0, thread_s=2.0), 4).own_work == pytest.approx(0.5)
    assert conditions_between(BEFORE, after(own=1.99, thread_s=2.0), 4).own_work == 0


def test_another_thread_of_this_process_is_seen():
    def spin():
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass

    before = load.sample()
    thread = threading.Thread(target=spin)
    thread.start()
    thread.join()
    time.sleep(LEAST_SPAN_S)
    assert conditions_between(before, load.sample(), 4).own_work > 0


def test_load_is_unknown_over_a_short_span():
    conditions = conditions_between(BEFORE, after(wall=0.9 * LEAST_SPAN_S, busy=0.1, stolen_s=1.0, hot_events=1), 4)
    assert conditions.load is None
    assert conditions.stolen == 0
    assert conditions.overheated


def test_load_is_unknown_where_the_system_counts_less_than_this_process():
    """Some containers have counters that stand still."""
    assert conditions_between(BEFORE, after(busy=0.0, own=2.0), 4).load is None


def test_steal_quota_and_heat():
    conditions = conditions_between(BEFORE, after(stolen_s=0.5, held_back_s=1.0, hot_events=3), 4)
    assert (conditions.stolen, conditions.held_back, conditions.overheated) == (0.25, 0.5, True)
    assert not conditions_between(after(hot_events=3), after(wall=9.0, hot_events=3), 4).overheated


def test_own_time_counts_this_process_and_ended_children():
    before = load.sample()
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    between = load.sample()
    subprocess.run([sys.executable, "-c", SPIN], check=True)
    last = load.sample()
    assert between.own_s - before.own_s >= 0.08
    if sys.platform != "win32":
        assert last.own_s - between.own_s >= 0.25
    assert last.busy_s >= before.busy_s
    assert last.wall_s > before.wall_s


def test_own_time_counts_running_children():
    with subprocess.Popen([sys.executable, "-c", f"{SPIN}\nprint(flush=True)\ninput()"], stdin=-1, stdout=-1) as child:
        try:
            before = load.sample()
            child.stdout.readline()  # written after 0.3 s of its CPU time
            assert load.sample().own_s - before.own_s >= 0.15
        finally:
            child.kill()


def test_heat_is_read_from_every_core(tmp_path):
    for core, count in ((0, "3\n"), (1, "4\n")):
        folder = tmp_path / f"devices/system/cpu/cpu{core}/thermal_throttle"
        folder.mkdir(parents=True)
        (folder / "core_throttle_count").write_text(count)
    assert load.sample(tmp_path).hot_events == 7
    assert load.sample(tmp_path / "none").hot_events == 0


def test_quota_is_read_from_the_control_group(tmp_path, monkeypatch):
    group = tmp_path / "fs/cgroup/batch/job"
    group.mkdir(parents=True)
    (group / "cpu.stat").write_text("usage_usec 9\nnr_throttled 2\nthrottled_usec 1500000\n")
    real = load.system_text
    monkeypatch.setattr(load, "system_text", lambda file: "0::/batch/job\n" if file.name == "cgroup" else real(file))
    assert load.sample(tmp_path).held_back_s == 1.5
    assert load.sample(tmp_path / "none").held_back_s == 0
