"""Runs a command, and ends it with all that it leaves behind once stdin is closed.

Whoever starts a process that nothing may outlive starts this one in its place, and
holds the other end of stdin: closed on purpose, or by the system when the starter dies,
however that happens. On Linux this process adopts all orphans, also those in sessions
of their own; elsewhere only the command itself is ended. It is run as a script, with
nothing but Python's own library, so that it starts in milliseconds::

    python -I -S keeper.py COMMAND...

The command shares stdin, stdout and stderr; this process ends as the command does.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # of prctl(2)
_PARENT = 1  # field of /proc/PID/stat behind the name


def main() -> None:
    """Keep watch over the command until it has ended."""
    keeper = os.getpid()
    _control(_SET_SUBREAPER, 1)
    child = os.fork()
    if not child:
        _control(_SET_DEATH_SIGNAL, signal.SIGKILL)
        _run(keeper, sys.argv[1:])
    threading.Thread(target=_end_with_stdin, args=(child,), daemon=True).start()
    _, status = os.waitpid(child, 0)
    _kill_children()
    if os.WIFSIGNALED(status):
        _die_of(os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def _run(keeper: int, command: list[str]) -> None:
    try:
        if os.getppid() == keeper:
            os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
    os._exit(127)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


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
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # the name, in parentheses, may hold anything
            behind = entry.read_text(errors="replace").rpartition(")")[2].split()
            if int(behind[_PARENT]) == os.getpid():
                found.append(int(entry.parent.name))
    return found


def _die_of(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    main()
