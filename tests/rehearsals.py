"""A program in place of Tautpath's own, for tests of rehearsals: it prints what it is
told, and ends or hangs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from solvers.running import compile_ahead

_PROGRAM = """
import os, sys, time
step = sys.argv[sys.argv.index("--step") + 1]
low = "--low-priority" in sys.argv
with open({started!r}, "a") as file:
    file.write(f"{{step}} {{os.getpid()}} {{low}} {{os.environ['TAUTPATH_DATA']}}\\n")
print("0/2 the first stage", flush=True)
{body}
"""


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str = "") -> Path:
    """Have rehearsals start a program with ``body``; returns the file with a line for
    each that started.
    """
    started = folder / "started.txt"
    started.touch()
    (folder / "main.py").write_text(_PROGRAM.format(started=str(started), body=body))
    program = [sys.executable, str(folder / "main.py")]
    monkeypatch.setattr(compile_ahead, "main_command", lambda *words: [*program, *words])
    return started


def steps_started(started: Path) -> list[str]:
    """Names of the steps that started, in order."""
    return [line.split()[0] for line in started.read_text().splitlines()]
