"""What the device can do at most, measured: ``python -m tests.benchmarks.ceilings
[--device auto|cuda|opencl]``.

Limits (``limits.py``) are only as good as the ceilings that they stand on, so these are
measured on the very device and in the very minute in which kernels are. What cannot be
measured by a few lines of kernel (the rates of the min-plus instructions, the barrier
of a whole grid) was measured once on an H200 and is known for that chip only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from solvers.commands.console import Console
from solvers.devices import pick
from solvers.devices.device import Device, DeviceSession, KernelSource

_TRIALS = 5
_BLOCK = 256
# cells of 4 bytes: more than any multiprocessor's own cache, less than the shared one
_TABLE = 1 << 22
_RING_STRIDE = 8  # cells: a sector of its own for every step


@dataclass(frozen=True)
class Chip:
    """Ceilings of one device; None where unknown.

    Attributes
    ----------
    copy_bytes_per_s : float
        Device to device, read and written bytes both counted.
    l2_bytes : float
        Size of the cache that all multiprocessors share.
    l2_bytes_per_s, look_ups_per_s : float
        Reads from there: of a whole table, and of single cells here and there.
    l2_read_us, l2_atomic_us, shared_read_us, shared_atomic_us, block_barrier_us : float
        One step of a chain, each of which waits for the one before.
    relaxations_32, relaxations_16 : float or None
        Additions with a minimum a second, on 32-bit and on paired 16-bit numbers
        (design, section 9: measured).
    shared_words_per_s : float or None
        32 banks of 4 bytes a cycle and multiprocessor, at the clock that the chip
        holds.
    grid_barrier_us, launch_us : float or None
        Barrier of 132 blocks; a kernel in a replayed CUDA graph, the fastest way to
        launch (design, section 5).
    """

    name: str
    multiprocessors: int
    copy_bytes_per_s: float
    l2_bytes: float
    l2_bytes_per_s: float
    look_ups_per_s: float
    l2_read_us: float
    l2_atomic_us: float
    shared_read_us: float
    shared_atomic_us: float
    block_barrier_us: float
    relaxations_32: float | None = None
    relaxations_16: float | None = None
    shared_words_per_s: float | None = None
    grid_barrier_us: float | None = None
    launch_us: float | None = None


_KNOWN: dict[str, dict[str, Any]] = {
    "H200": {
        "relaxations_32": 16.4e12,
        "relaxations_16": 32.5e12,
        "shared_words_per_s": 132 * 32 * 1.98e9,
        "grid_barrier_us": 1.04,
        "launch_us": 0.86,
    }
}
_L2_BYTES = {"H200": 60e6}


@cache
def measure(device: Device) -> Chip:
    """The ceilings of ``device``; takes a second or less on a GPU."""
    model = next((name for name in _KNOWN if name in device.name), "")
    steps = 2_000 if device.is_cpu else 20_000
    program = device.compile(
        KernelSource.beside(__file__, "ceilings.cu", DIST_INT32=1, DIST_INF=2**30 - 1)
    )
    blocks = device.compute_units * (1 if device.is_cpu else 8)
    block = min(_BLOCK, device.max_block)
    times = 1 if device.is_cpu else 20
    with device.session() as session:
        out = session.empty(1, np.int32)
        ring = session.upload(_ring(1 << 17, _RING_STRIDE))
        small = session.upload(_ring(1024, 1))
        threads = blocks * block
        count = max(1, _TABLE // (8 * threads)) * 8 * threads
        table = session.upload(np.zeros(max(count, _TABLE), dtype=np.int32))

        def chain(kernel: str, of: Any, threads: int = 1) -> float:
            return (
                1e3
                / steps
                * _best(
                    session,
                    lambda: program.launch(kernel, (1,), (threads,), of, np.int32(steps), out),
                )
            )

        read = _best(
            session,
            lambda: program.launch(
                "read_all", (blocks,), (block,), table, np.int32(count), np.int32(times), out
            ),
        )
        look = _best(
            session,
            lambda: program.launch(
                "look_up", (blocks,), (block,), table, np.int32(_TABLE), np.int32(4 * times), out
            ),
        )
        size = 1 << (24 if device.is_cpu else 30)
        origin, target = session.empty(size // 4, np.int32), session.empty(size // 4, np.int32)
        session.fill(origin, 1)
        copy = _best(
            session,
            lambda: program.launch(
                "copy_all", (blocks,), (block,), origin, target, np.int32(size // 16)
            ),
        )
        barrier = _best(
            session, lambda: program.launch("wait_together", (1,), (block,), np.int32(steps), out)
        )
        return Chip(
            name=device.name,
            multiprocessors=device.compute_units,
            copy_bytes_per_s=2.0 * size / copy * 1e3,
            l2_bytes=_L2_BYTES.get(model, 0.0),
            l2_bytes_per_s=4.0 * count * times / read * 1e3,
            look_ups_per_s=8.0 * 4 * times * threads / look * 1e3,
            l2_read_us=chain("chase", ring),
            l2_atomic_us=chain("chase_atomic", ring),
            shared_read_us=chain("chase_shared", small, block),
            shared_atomic_us=chain("chase_shared_atomic", small, block),
            block_barrier_us=barrier / steps * 1e3,
            **_KNOWN.get(model, {}),
        )


def _ring(entries: int, stride: int) -> Any:
    """A random cycle through ``entries`` cells that lie ``stride`` apart: each holds
    the place of the next.
    """
    order = np.random.default_rng(1).permutation(entries)
    order = np.roll(order, -int(np.flatnonzero(order == 0)[0])) * stride
    ring = np.zeros(entries * stride, dtype=np.int32)
    ring[order] = np.roll(order, -1)
    return ring


def _best(session: DeviceSession, work: Callable[[], None]) -> float:
    """Least ms of some trials, after one that does not count."""
    work()
    least = np.inf
    for _ in range(_TRIALS):
        with session.timer() as timer:
            work()
        least = min(least, timer.ms)
    return float(max(least, 1e-6))


def lines(chip: Chip) -> list[tuple[str, str]]:
    """The ceilings for people."""
    return [
        ("copy, device to device (read + written)", f"{chip.copy_bytes_per_s / 1e12:.2f} TB/s"),
        ("reads from the shared cache", f"{chip.l2_bytes_per_s / 1e12:.2f} TB/s"),
        ("single cells from there", f"{chip.look_ups_per_s / 1e9:.0f} G/s"),
        ("a dependent read from there", f"{chip.l2_read_us * 1e3:.0f} ns"),
        ("a dependent atomic minimum there", f"{chip.l2_atomic_us * 1e3:.0f} ns"),
        ("a dependent read of shared memory", f"{chip.shared_read_us * 1e3:.1f} ns"),
        ("a dependent atomic minimum there", f"{chip.shared_atomic_us * 1e3:.1f} ns"),
        ("a barrier of a block", f"{chip.block_barrier_us * 1e3:.1f} ns"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl")
    console, device = Console(), pick(parser.parse_args().device)
    console.line(device.name)
    # mypy takes a protocol for unhashable
    measured = measure(device)  # type: ignore[arg-type]
    console.table(("what", "measured"), lines(measured), right=" r")
    return 0


if __name__ == "__main__":
    sys.exit(main())
