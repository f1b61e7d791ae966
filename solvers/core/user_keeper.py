"""Starts `solvers.core.user_program`, and ends it with all that the user's code leaves behind.

On Linux the code runs in a child of this process, which all its orphans are handed to,
also those in sessions of their own. They are killed when the child has ended, or when
stdin is closed, as by the death of the program that started this one. Elsewhere nobody
keeps watch: the group of processes is killed by `solvers.core.user_process`.

Nothing else is loaded before the child is made, so that it has no thread to lose.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # of prctl
_WAITED_FOR = 4  # field of the parent in /proc/PID/stat, counted from 1


def keep_watch() -> None:
    """Return in a child; this process stays until that has ended, and ends as it did."""
    control = ctypes.CDLL(None).prctl
    control(_SET_SUBREAPER, 1, 0, 0, 0)
    keeper, child = os.getpid(), os.fork()
    if not child:
        control(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)
        return
    threading.Thread(target=_end_with_stdin, args=(child,), daemon=True).start()
    _, status = os.waitpid(child, 0)
    _kill_children()
    if os.WIFSIGNALED(status):
        _die_of(os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def _end_with_stdin(child: int) -> None:
    poll = select.poll()
    poll.register(0, 0)  # tells of its end, not of what there is to read
    poll.poll()
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def _kill_children() -> None:
    """Kill children until there are none; those of a killed one become ours."""
    while True:
        for child in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                # the name, in parentheses, may hold anything
                rest = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if int(rest[_WAITED_FOR - 3]) == os.getpid():
                    found.append(int(entry.name))
    return found


def _die_of(number: int) -> None:
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def main() -> None:
    """Run the program in a child that is kept watch over, where that can be."""
    if sys.platform == "linux":
        keep_watch()
    from solvers.core import user_program  # in the child only, see above

    user_program.main()


if __name__ == "__main__":
    main()
