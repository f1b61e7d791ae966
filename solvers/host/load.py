"""CPU time of this program and of the others, and how far the processor was slowed down, between two samples.

A sample reads counters that the system keeps anyway, so it costs a few milliseconds and needs no thread. Two samples
around a measurement say what happened in between; they say nothing about when.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from solvers.host.machine import system_text

LEAST_SPAN_S = 0.2
"""The counters advance in steps of 10 to 16 ms on each core: over shorter spans the load is not known."""

_SYSTEM = Path("/sys")


@dataclass(frozen=True)
class CpuSample:
    """Counters at one moment; all increase from the start of the system or the process.

    Attributes
    ----------
    wall_s : float
    busy_s : float
        CPU time of all programs, over all cores.
    own_s : float
        CPU time of this process and its descendants, ended ones included.
    thread_s : float
        CPU time of the calling thread.
    stolen_s : float
        CPU time that the hypervisor gave to other virtual machines; 0 where it is not known.
    held_back_s : float
        Time during which the control group had used up its CPU quota; 0 where it is not known.
    hot_events : int
        How often cores lowered their clock because of heat; 0 where it is not known.
    """

    wall_s: float
    busy_s: float
    own_s: float
    thread_s: float = 0.0
    stolen_s: float = 0.0
    held_back_s: float = 0.0
    hot_events: int = 0


@dataclass(frozen=True)
class CpuConditions:
    """What happened between two samples.

    Attributes
    ----------
    cores : int
        Of the machine, including those that this process may not use.
    load : float or None
        Cores that other programs kept busy, on average; None if it is unknown.
    own_work : float
        Cores that other threads of this program, and its descendants, kept busy on average.
    stolen : float
        Cores that the hypervisor withheld, on average.
    held_back : float
        Fraction of the time during which the CPU quota was used up.
    overheated : bool
        A core lowered its clock because of heat.
    """

    cores: int
    load: float | None = None
    own_work: float = 0.0
    stolen: float = 0.0
    held_back: float = 0.0
    overheated: bool = False


def sample(system: Path = _SYSTEM) -> CpuSample:
    """Read the counters, in the thread that runs the solvers; ``system`` is the root of Linux's sysfs."""
    cpu = psutil.cpu_times()
    return CpuSample(
        wall_s=time.perf_counter(),
        busy_s=cpu.user + getattr(cpu, "nice", 0.0) + cpu.system,
        own_s=_own_seconds(),
        thread_s=time.thread_time(),
        stolen_s=getattr(cpu, "steal", 0.0),
        held_back_s=_held_back_seconds(system),
        hot_events=_hot_events(system),
    )


def conditions_between(before: CpuSample, after: CpuSample, cores: int) -> CpuConditions:
    """What happened between two samples; nothing is known for less than `LEAST_SPAN_S`, except overheating.

    Containers with counters of their own may show less time for the whole system than this process used: the load is
    unknown there.
    """
    overheated = after.hot_events > before.hot_events
    wall = after.wall_s - before.wall_s
    if wall < LEAST_SPAN_S:
        return CpuConditions(cores, overheated=overheated)
    busy, own = after.busy_s - before.busy_s, after.own_s - before.own_s
    is_plausible = busy >= own / 2
    return CpuConditions(
        cores,
        load=max(0.0, busy - own) / wall if is_plausible else None,
        own_work=max(0.0, own - (after.thread_s - before.thread_s)) / wall,
        stolen=(after.stolen_s - before.stolen_s) / wall,
        held_back=(after.held_back_s - before.held_back_s) / wall,
        overheated=overheated,
    )


def _own_seconds() -> float:
    """CPU time of this process and its descendants. Windows does not count descendants that have ended."""
    mine = os.times()
    seconds = mine.user + mine.system + mine.children_user + mine.children_system
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:  # it has just ended
            continue
        seconds += times.user + times.system
        seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return seconds


def _held_back_seconds(system: Path) -> float:
    own_group = re.search(r"^0::/?(.*)$", system_text(Path("/proc/self/cgroup")), re.MULTILINE)
    statistics = system_text(system / "fs/cgroup" / (own_group.group(1) if own_group else "") / "cpu.stat")
    found = re.search(r"^throttled_usec (\d+)$", statistics, re.MULTILINE)
    return int(found.group(1)) / 1e6 if found else 0.0


def _hot_events(system: Path) -> int:
    counts = system.glob("devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
    return sum(int(system_text(file) or 0) for file in counts)
