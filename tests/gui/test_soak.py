"""Random sequences in windows that are closed at any moment leave nothing behind; all
200 of them by ``make soak``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SEQUENCES = int(os.environ.get("TAUTPATH_SOAK", "2"))
LONG = 20
MOST_GROWTH = 0.05


_STOPPED = """
import os, signal
from tests.gui import soak
report = soak.Report(3, 1, stage="sequence 2 of 3", steps={"open": 4})
soak.summarise_when_stopped(report)
os.kill(os.getpid(), signal.{})
while True: pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_soak_that_is_stopped_says_what_it_did(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED.replace("{}", name, 1)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 128 + getattr(signal, name)
    report = json.loads(done.stdout)
    assert (report["stage"], report["steps"]) == ("sequence 2 of 3", {"open": 4})


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="descriptors and memory are counted as on Linux"
)
@pytest.mark.timeout(3600)
def test_random_sequences_leave_no_thread_descriptor_file_or_memory_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gui.soak", str(SEQUENCES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(tmp_path)},
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["failures"] == []
    assert report["files_left"] == []
    assert sum(report["steps"].values()) >= SEQUENCES
    if SEQUENCES < LONG:
        del report["growth"]["host_bytes"]  # of functions that are loaded at their first use
    assert {name: growth for name, growth in report["growth"].items() if growth > MOST_GROWTH} == {}
