"""From starting the program until its window is shown, of the bundle and of the source tree
in turn: ``python -m tests.benchmarks.bundle_start [BUNDLE [ROUNDS]]``.

It needs Xvfb and xdotool, which looks for the window. The first round is not counted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from solvers.program import ROOT, main_command

DISPLAY = ":397"
LOOK = ("xdotool", "search", "--onlyvisible", "--name", "Tautpath")
LOOK_S, LIMIT_S = 0.02, 60.0


def main(arguments: Sequence[str]) -> None:
    bundle = Path(arguments[0] if arguments else ROOT / "dist" / "tautpath" / "tautpath")
    rounds = int(arguments[1]) if len(arguments) > 1 else 6
    commands = {"source tree": main_command(), "bundle": [str(bundle.absolute())]}
    wall: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    screen = ["Xvfb", DISPLAY, "-screen", "0", "1400x900x24"]
    changed = {"DISPLAY": DISPLAY, "QT_QPA_PLATFORM": "xcb", "TAUTPATH_NO_COMPILING_AHEAD": "1"}
    server = subprocess.Popen(screen, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2.0)
        for number in range(rounds + 1):
            for name, command in commands.items():
                with tempfile.TemporaryDirectory() as data:
                    seconds = start(command, os.environ | changed | {"TAUTPATH_DATA": data})
                if number:
                    wall[name].append(seconds[0])
                    processor[name].append(seconds[1])
    finally:
        server.kill()
    for name in commands:
        print(f"{name}: wall {spread(wall[name])}, processor {spread(processor[name])}")


def start(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds of wall time and of the processor until the window is shown."""
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as program:
        try:
            while not subprocess.run(LOOK, env=environment, capture_output=True).stdout:
                if time.monotonic() - began > LIMIT_S:
                    raise SystemExit(f"{command[0]} shows no window")
                time.sleep(LOOK_S)
            seconds = time.monotonic() - began
            times = psutil.Process(program.pid).cpu_times()
        finally:
            program.kill()
    return seconds, times.user + times.system


def spread(seconds: Sequence[float]) -> str:
    middle = statistics.median(seconds)
    return f"{middle:.2f} s ({min(seconds):.2f} to {max(seconds):.2f}, n = {len(seconds)})"


if __name__ == "__main__":
    main(sys.argv[1:])
