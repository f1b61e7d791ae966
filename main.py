"""Entry point: ``python main.py [GRAPH | SESSION]`` opens the window, ``python main.py
COMMAND ...`` runs a command.
"""

from __future__ import annotations

import signal
import threading

if threading.current_thread() is threading.main_thread():
    # until all is imported, Ctrl+C ends the program without a traceback
    _at_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)

import difflib
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from solvers.system.machine import prepare_for_limit

if too_low := prepare_for_limit():
    sys.stderr.write(f"tautpath: {too_low}\n")
    sys.exit(3)

from solvers import cli
from solvers.commands.console import BAD_INPUT, Console
from solvers.errors import FileMissing
from solvers.program import typed_command
from solvers.system.feature import variant_sources

if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, _at_interrupt)

if TYPE_CHECKING:
    from solvers.core.result import Result
    from solvers.graphs.graph import Graph


def main(argv: Sequence[str] | None = None) -> int:
    """Run the window or the command line, depending on the first argument; returns the
    exit status.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _occupy_closed_descriptors()
    folders = {source.option: source.add_folder for source in variant_sources()}
    while len(arguments) > 2 and arguments[0] in folders and arguments[2] not in cli.COMMANDS:
        try:
            folders[arguments[0]](arguments[1])  # for the window; commands take the options, too
        except FileMissing as error:
            return _refuse(str(error))
        del arguments[:2]
    first = arguments[0] if arguments else ""
    if first in cli.COMMANDS or first.startswith("-"):
        status = cli.main(
            arguments,
            draw_picture=draw_picture,
            rehearse_window=rehearse_window,
            rehearse_library=rehearse_library,
        )
        if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has said all
        return status
    for path in arguments:
        if not os.path.exists(path):  # unlike Path.exists, it takes a closed folder and any name
            return _refuse(
                f"“{path}” is neither a command nor a file.{_nearest(path)} See: "
                f"{typed_command()} --help"
            )
    if not has_display():
        return _refuse(
            "no display is available for the window. Try: "
            f"{typed_command()} demo, or {typed_command()} --help"
        )
    return int(load_window().run([Path(path) for path in arguments]))


def load_window() -> ModuleType:
    """Import `gui.app`, without looking for garbage among modules and classes, which stay:
    the collector is off until `gui.shell.process.WindowThreadCollector` takes its place.
    """
    gc.disable()
    return importlib.import_module("gui.app")


def draw_picture(
    path: Path, graph: Graph, results: Sequence[Result], source: int | None, target: int | None
) -> None:
    """Draw a graph and its path to a file; works without a display."""
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gui.export.picture import draw_picture as draw  # imported here because Qt loads slowly

    draw(path, graph, results, source, target)


def rehearse_window(report: Callable[[int, int, str], None]) -> None:
    """Open the window without a display, and do what users do first, so that it is compiled."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    load_window()
    from gui.rehearsal import rehearse  # imported here because Qt loads slowly

    rehearse(report)


def rehearse_library(report: Callable[[int, int, str], None]) -> None:
    """Make the calls that programs with the library begin with, so that they are compiled."""
    from solvers.library.first_uses import rehearse  # imported here because it loads slowly

    rehearse(report)


def has_display() -> bool:
    """True if Qt can show a window; a platform set in ``QT_QPA_PLATFORM`` is not checked."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _occupy_closed_descriptors() -> None:
    """Open the null device where the program was started without stdin, stdout or stderr.

    The next file opened would take their number, and what a library prints would be
    written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _nearest(word: str) -> str:
    near = difflib.get_close_matches(word, cli.COMMANDS, n=1)
    return f" Did you mean “{near[0]}”?" if near else ""


def _refuse(words: str) -> int:
    Console().error_line(words)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
