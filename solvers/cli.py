"""The command line: all functions except the window, usable without a display.

Exit status: 0 on success (every chosen variant was solved and verified); 1 if a variant failed or its answer is wrong;
2 for invalid input; 3 if something is unavailable on this machine; 130 after Ctrl+C. Errors are one line each on
stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from solvers.commands.console import INTERRUPTED, Console, DrawPicture, exit_status
from solvers.errors import Cancelled, InputError, TautlineError
from solvers.version import __version__

COMMANDS = {
    "variants": "List every variant, and whether it can run on this machine.",
    "devices": "List the devices that run kernels, and problems with drivers and libraries.",
    "info": "Read a graph file and report its contents.",
    "solve": "Run variants on a graph; time, verify and compare them.",
    "generate": "Generate a synthetic graph and write it as a DIMACS file.",
    "demo": "Solve the sample road network; write its picture and its tables.",
}
_EPILOG = "Without a command, or with only a graph file, the window opens. “COMMAND --help” lists a command's options."


class UsageError(InputError):
    """Invalid command line: an unknown option, a missing argument."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help")


def main(argv: Sequence[str], *, draw_picture: DrawPicture | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str
        Without the program's name.
    draw_picture : callable(path, graph, results, source, target), optional
        Implements ``--picture``. Passed in because this package must not import Qt.

    Returns
    -------
    int
        The exit status.
    """
    console = Console(draw_picture)
    try:
        status = _run(argv, console)
        console.clear_progress()
        console.out.flush()
        return status
    except BrokenPipeError:  # the reader of stdout has closed it, as "| head" does
        _silence_stdout()
        return 0
    except (Cancelled, KeyboardInterrupt):
        console.error_line("interrupted.")
        return INTERRUPTED
    except (TautlineError, MemoryError) as error:
        console.error_line(str(error) or "Out of memory.")
        return exit_status(error)


def _run(argv: Sequence[str], console: Console) -> int:
    parser = _Parser(prog="tautline", description="A laboratory for shortest-path algorithms on GPUs.", epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"Tautline {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = None
    for name, purpose in COMMANDS.items():
        subparser = commands.add_parser(name, help=purpose, description=purpose)
        if argv and argv[0] == name:  # import only the chosen command, to keep --help and --version fast
            chosen = importlib.import_module(f"solvers.commands.{name}")
            chosen.configure(subparser)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # --help and --version have been printed
        return int(end.code or 0)
    assert chosen is not None  # argparse requires one of the commands
    status: int = chosen.execute(arguments, console)
    return status


def _silence_stdout() -> None:
    """Redirect stdout to the null device, so that the flush at exit does not report the broken pipe again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
