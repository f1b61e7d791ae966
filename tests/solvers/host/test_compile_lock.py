"""Of several processes that need the same function at the same time, one compiles it."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from solvers.host import compile_lock

ROOT = Path(__file__).resolve().parents[3]

# Compiling tells itself by a file; the first to do so keeps the others waiting long enough to be noticed.
PROGRAM = """
import os, sys, time
sys.path[:0] = [{folder!r}, {root!r}]
from numba.core import event
from solvers.host import compile_lock
from function import twice

class Slow(event.Listener):
    def on_start(self, ev):
        if ev.data["dispatcher"] is twice:
            print("compiling", flush=True)
            time.sleep(0.3)
    def on_end(self, ev):
        pass

event.register("numba:compile", Slow())
print("ready", flush=True)
sys.stdin.readline()
print(twice(21), flush=True)
"""
FUNCTION = """
from solvers.host.jit import njit

@njit(cache=True)
def twice(x):
    return 2 * x
"""


def started(folder: Path) -> subprocess.Popen[str]:
    program = PROGRAM.format(folder=str(folder), root=str(ROOT))
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "function.py").write_text(FUNCTION)
    return tmp_path


def test_of_three_processes_one_compiles(folder: Path) -> None:
    processes = [started(folder) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=120)[0].split() for process in processes]
    assert sorted(printed) == [["42"], ["42"], ["compiling", "42"]]


def test_a_process_that_is_killed_while_it_compiles_keeps_nobody_waiting(folder: Path) -> None:
    first = started(folder)
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write("\n")
    first.stdin.flush()
    assert first.stdout.readline() == "compiling\n"
    first.kill()
    first.wait()
    assert started(folder).communicate("\n", timeout=60)[0].split() == ["compiling", "42"]


@pytest.fixture
def no_open_files() -> Iterator[None]:
    """Lock files that a test opens are closed after it."""
    before = dict(compile_lock._files)
    yield
    for folder in compile_lock._files.keys() - before.keys():
        os.close(compile_lock._files.pop(folder))


@pytest.mark.usefixtures("no_open_files")
def test_a_folder_that_permits_no_locks_is_compiled_into_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with compile_lock._locked(str(tmp_path / "file"), "twice"):
        assert not compile_lock._held


@pytest.mark.usefixtures("no_open_files")
def test_a_lock_file_of_another_user_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(compile_lock.os, "open", denied)
    with compile_lock._locked(str(tmp_path), "twice"):
        assert not compile_lock._held


@pytest.mark.usefixtures("no_open_files")
def test_a_folder_that_was_removed_is_locked_again(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with compile_lock._locked(str(folder), "twice"):
        shutil.rmtree(folder)
    with compile_lock._locked(str(folder), "twice"):
        assert compile_lock._held
        assert waits(folder, "twice"), "others see the new file, not the one that is gone"
    assert not waits(folder, "twice")


def waits(folder: Path, name: str) -> bool:
    """Whether another process finds the name locked."""
    program = (
        "from solvers.host import compile_lock\n"
        "compile_lock._PATIENCE_S = 0.0\n"
        f"with compile_lock._locked({str(folder)!r}, {name!r}): print(not compile_lock._held)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout == "True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_holds_no_lock_of_its_parent(tmp_path: Path) -> None:
    program = f"""
import os
from solvers.host import compile_lock
compile_lock._PATIENCE_S = 0.0
with compile_lock._locked({str(tmp_path)!r}, "twice"):
    if os.fork() == 0:
        free = not compile_lock._held
        with compile_lock._locked({str(tmp_path)!r}, "twice"):
            os._exit(0 if free and not compile_lock._held else 1)
    print(os.wait()[1], len(compile_lock._held))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["0", "1"]


@pytest.mark.usefixtures("no_open_files")
def test_after_its_patience_a_process_compiles_by_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []
    monkeypatch.setattr(compile_lock, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(compile_lock, "try_lock", lambda file, place: bool(tries.append(place)))
    with compile_lock._locked(str(folder), "twice"):
        assert not compile_lock._held
    assert tries
