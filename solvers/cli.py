"""The command line: everything but the window, for servers with no display.

Exit status: 0 where all went well (and every chosen variant was solved and proved); 1 where an answer is wrong or a
variant failed; 2 for bad input; 3 where something is not available on this machine; 130 after Ctrl+C. Whatever is
wrong is one line on stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from solvers import __version__
from solvers.commands.console import INTERRUPTED, Console, DrawPicture, exit_status
from solvers.errors import Cancelled, InputError, TautlineError

COMMANDS = {
    "variants": "List every variant, and whether it can run here.",
    "devices": "List the devices that run kernels, and what is missing for others.",
    "info": "Read a graph file and say what was found in it.",
    "solve": "Run variants on a graph; time them, check them, compare them.",
    "generate": "Make a synthetic graph and write it as a DIMACS file.",
    "demo": "Solve the sample road network; write its picture and its tables.",
}
_EPILOG = "With no command, or with a graph file only, the window opens. “COMMAND --help” lists a command's options."


class UsageError(InputError):
    """The command line itself is wrong: an unknown option, a missing file name."""


class _Parser(argparse.ArgumentParser):
    """argparse that raises our own error rather than printing a screenful and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help")


def main(argv: Sequence[str], *, draw_picture: DrawPicture | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str
        Without the program's name.
    draw_picture : callable(path, graph, results, source, target), optional
        How ``--picture`` draws; this package knows no Qt, so whoever does passes it in.

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
    except BrokenPipeError:  # whoever read our output ("| head") has seen enough
        _silence_stdout()
        return 0
    except (Cancelled, KeyboardInterrupt):
        console.complain("interrupted.")
        return INTERRUPTED
    except (TautlineError, MemoryError) as error:
        console.complain(str(error) or "This machine's memory is exhausted.")
        return exit_status(type(error))


def _run(argv: Sequence[str], console: Console) -> int:
    parser = _Parser(prog="tautline", description="A laboratory for shortest-path algorithms on GPUs.", epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"Tautline {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = None
    for name, purpose in COMMANDS.items():
        subparser = commands.add_parser(name, help=purpose, description=purpose)
        if argv and argv[0] == name:  # only the chosen command is imported: --help and --version stay instant
            chosen = importlib.import_module(f"solvers.commands.{name}")
            chosen.configure(subparser)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # --help and --version have been printed
        return int(end.code or 0)
    assert chosen is not None  # a command is required, and argparse knows no others
    status: int = chosen.execute(arguments, console)
    return status


def _silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere, rather than complain of the broken pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
