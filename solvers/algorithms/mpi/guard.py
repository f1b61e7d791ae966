"""The process between this program and mpiexec, which ends mpiexec and all ranks when
its stdin is closed.

The launcher holds the other end of stdin. It is closed when a run is cancelled, and by
the system when the launcher dies, however that happens. The folder is removed then. It
is run as a script, with nothing but Python's own library, so that it starts in
milliseconds::

    python -I -S guard.py FOLDER COMMAND...

Its exit status is that of the command, 128 plus the number where a signal ended it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

_ASKED_S = 0.1  # for ranks to stop by themselves; they have been asked through the control words
_KILLED_S = 10.0
_STALE_S = 60.0
_SHARED = "/dev/shm"
_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)


def main() -> int:
    folder, command = sys.argv[1], sys.argv[2:]
    began = time.time()
    wake = _wake_on_child()
    _prctl(_SET_CHILD_SUBREAPER, 1)
    child = _start(command)
    status = _watch(child, wake)
    if status is None:
        _end_all(child, wake)
        _remove_shared_memory(began)
        _remove_folder(folder)
        return 128 + signal.SIGKILL
    _kill_all()
    _remove_shared_memory(began)
    return status


def _wake_on_child() -> int:
    """A descriptor that can be read when a child has ended."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    return readable


def _start(command: list[str]) -> int:
    guard = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        if os.getppid() == guard:
            os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
    os._exit(127)


def _watch(child: int, wake: int) -> int | None:
    """Wait for the child's exit status; None when stdin is closed first."""
    while True:
        status = _reap(child)
        if status is not None:
            return status
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
        if 0 in ready and not os.read(0, 4096):
            return _reap(child)


def _reap(child: int) -> int | None:
    """Collect every child that has ended, also adopted ones; the exit status of
    ``child`` if it is among them.
    """
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            found = code if code >= 0 else 128 - code


def _end_all(child: int, wake: int) -> None:
    """Wait a moment for an orderly end, then kill."""
    deadline = time.monotonic() + _ASKED_S
    while (left := deadline - time.monotonic()) > 0:
        if _reap(child) is not None:
            break
        select.select([wake], [], [], left)
        try:
            os.read(wake, 4096)
        except BlockingIOError:
            break
    _kill_all()


def _kill_all() -> None:
    """Kill all descendants and collect them; on Linux those whose parent has ended are
    adopted by this process.
    """
    deadline = time.monotonic() + _KILLED_S
    while time.monotonic() < deadline:
        _reap(-1)
        living = _descendants()
        if not living:
            return
        for pid in living:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _descendants() -> list[int]:
    parents = _parents()
    found = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {os.getpid()})
        found |= more


def _parents() -> dict[int, int]:
    """The parent of every process that has not ended."""
    if not os.path.isdir("/proc/self"):
        command = ["ps", "-axo", "pid=,ppid=,stat=,comm="]
        lines = subprocess.run(
            command, capture_output=True, text=True, check=False
        ).stdout.splitlines()
        rows = [line.split(maxsplit=3) for line in lines]
        return {int(row[0]): int(row[1]) for row in rows if row[2][0] != "Z" and row[3] != "ps"}
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
            except OSError:  # ended just now
                continue
            if state not in "ZX":
                parents[int(name)] = int(parent)
    return parents


def _remove_shared_memory(began: float) -> None:
    """Remove what MPICH's ranks share, if nobody has it open: of this run, and what
    others left a while ago.
    """
    candidates = set()
    try:
        for entry in os.scandir(_SHARED):
            if entry.name.startswith("mpich_shm_"):
                state = entry.stat(follow_symlinks=False)
                if state.st_uid == os.getuid() and not began - _STALE_S < state.st_mtime < began:
                    candidates.add(entry.path)
    except OSError:
        return
    if candidates:
        candidates -= _mapped(candidates)
        # between creating it and mapping it, a rank of another run has nothing open
        time.sleep(0.05)
        for path in candidates - _mapped(candidates):
            with suppress(OSError):
                os.unlink(path)


def _mapped(paths: set[str]) -> set[str]:
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/maps", encoding="utf-8", errors="replace") as file:
                    text = file.read()
            except OSError:
                continue
            found |= {path for path in paths if path in text}
    return found


def _remove_folder(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
