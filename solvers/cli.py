"""The command line: all functions except the window, usable without a display.

Exit status: 0 on success (every chosen variant was solved and verified); 1 if a variant
failed or its answer is wrong; 2 for invalid input, or output that cannot be written; 3
if something is unavailable on this machine; 70 after an unexpected error, with a crash
report; 130 after Ctrl+C, 143 after SIGTERM, 129 after SIGHUP. Errors are one line each
on stderr, where ``--verbose`` writes too.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import logging
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from operator import attrgetter
from typing import Any, NoReturn

from solvers.commands.console import (
    DEFECT,
    Console,
    ConsoleLog,
    DrawPicture,
    Rehearse,
    exit_status,
)
from solvers.devices import known_names
from solvers.errors import Cancelled, InputError, TautpathError
from solvers.system.cancel import EndingSignals
from solvers.system.diagnostics import logging_to, write_crash_report
from solvers.system.feature import Command, features, placed, variant_sources
from solvers.system.files import sweep_temporary_folder
from solvers.system.long_waits import NOTICE
from solvers.version import __version__

_OF_THE_CORE = {
    "variants": "List every variant, and whether it can run on this machine.",
    "devices": "List the devices that run kernels, and problems with drivers and libraries.",
    "info": "Read a graph file and report its contents.",
    "solve": "Run variants on a graph; time, verify and compare them.",
    "convert": "Read a graph file and write it in another format.",
    "compile": "Compile functions and kernels ahead, once after installation.",
    "generate": "Generate a synthetic graph and write it as a DIMACS file.",
    "demo": "Solve the sample road network; write its picture and its tables.",
    "desktop-entry": "Add Tautpath to the application menu (Linux, BSD), or remove it.",
    "completion": "Print the script by which bash, zsh or fish complete commands and options.",
}
COMMANDS = {
    command.name: command
    for command in placed(
        (Command(name, purpose) for name, purpose in _OF_THE_CORE.items()),
        ((one.after, one) for feature in features().values() for one in feature.commands),
        attrgetter("name"),
    )
}
_EPILOG = (
    "Without a command, or with only a graph file, the window opens. "
    "“COMMAND --help” lists a command's options."
)

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)  # by how often --verbose is given

log = logging.getLogger(__name__)


class UsageError(InputError):
    """Invalid command line: an unknown option, a missing argument."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that prints through a console, and raises `UsageError` instead
    of exiting.
    """

    console: Console
    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = () if args is None else args
        return super().parse_known_args(args, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        self.console.help(message)

    def error(self, message: str) -> NoReturn:
        """Raise the error; an option that does not exist is worth more than what its
        misspelling leaves missing.
        """
        options = (*_options(self),)
        for word in takewhile(lambda word: word != "--", self._words):
            if word.startswith("--") and not any(
                o.startswith(word.partition("=")[0]) for o in options
            ):
                raise _unknown([word], self)
        message = re.sub("invalid float value: '(.*)'", r"it takes a number, not “\1”", message)
        message = re.sub("invalid int value: '(.*)'", r"it takes a whole number, not “\1”", message)
        raise UsageError(f"{message[:1].upper()}{message[1:]}. Try: {self.prog} --help")


def main(
    argv: Sequence[str],
    *,
    draw_picture: DrawPicture | None = None,
    rehearse_window: Rehearse | None = None,
    rehearse_library: Rehearse | None = None,
) -> int:
    """Run one command; ``argv`` is without the program's name. Returns the exit status.

    The callables are passed in because this package must not import Qt:
    ``draw_picture`` implements ``--picture``, and the others steps of ``compile``; the
    library stands beside this package.
    """
    console = Console(draw_picture, rehearse_window, rehearse_library)
    sweep_temporary_folder()
    with EndingSignals() as signals, NOTICE.said_by(console.notice):
        try:
            status = _run(argv, console)
            console.finish()
            return status
        except BrokenPipeError:
            return 0
        except (Cancelled, KeyboardInterrupt):
            signals.end_at_next()
            console.error_line("interrupted.")
            return signals.status
        except (TautpathError, MemoryError) as error:
            console.error_line(str(error) or "Out of memory.")
            return exit_status(error)
        except Exception as error:  # a defect of this program
            console.error_line(_report(error))
            return DEFECT


def _report(error: Exception) -> str:
    """Write a crash report; returns a sentence with its path."""
    path = write_crash_report(error, known_names())
    what = f"an unexpected error ({type(error).__name__}), which is a defect of this program"
    if path is None:
        return f"{what}; no report could be written."
    return f"{what}. Please report it with {path}, which contains no names or data of yours."


def _run(argv: Sequence[str], console: Console) -> int:
    class Parser(_Parser):
        """For this console; the parsers of the commands are of the same class."""

    Parser.console = console
    parser = Parser(
        prog="tautpath",
        description="A laboratory for shortest-path algorithms on GPUs.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"Tautpath {__version__}")
    _add_verbose(parser, "verbose", "quiet")
    _add_folders(parser, "folders")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    before = Parser(prog="tautpath", add_help=False)
    _add_folders(before, "folders")  # whose names are no command
    chosen = None
    given = next(
        (word for word in before.parse_known_args(argv)[1] if not word.startswith("-")), ""
    )
    for name, command in COMMANDS.items():
        purpose = command.purpose
        subparser = commands.add_parser(name, help=purpose, description=purpose)
        _add_verbose(subparser, "verbose_after", "quiet_after")
        _add_folders(subparser, "folders_after")
        # import only the chosen command, to keep --help and --version fast
        if given in (name, "completion"):
            module = importlib.import_module(command.module)
            module.configure(subparser)
            chosen = module if given == name else chosen
            subparser.set_defaults(root=parser)
    try:
        arguments, unknown = parser.parse_known_args(argv)
    except SystemExit as end:  # --help and --version have been printed
        return int(end.code or 0)
    if unknown:
        raise _unknown(unknown, commands.choices[given])
    assert chosen is not None  # argparse requires one of the commands
    console.quiet = arguments.quiet or arguments.quiet_after
    level = _LEVELS[min(arguments.verbose + arguments.verbose_after, len(_LEVELS) - 1)]
    for add_folder in (*arguments.folders, *arguments.folders_after):
        add_folder()
    with logging_to(ConsoleLog(console), level):
        try:
            status: int = chosen.execute(arguments, console)
        except Exception:
            log.debug("%s failed", given, exc_info=True)
            raise
        finally:
            for source in variant_sources():
                for problem in source.problems():
                    console.error_line(str(problem))
    return status


def _add_folders(parser: argparse.ArgumentParser, name: str) -> None:
    """The options of sources of variants, before the command and after it, as those of
    `_add_verbose`; what they add is called later.
    """
    parser.set_defaults(**{name: []})
    for source in variant_sources():
        parser.add_argument(
            source.option,
            metavar="FOLDER",
            action="append",
            type=partial(partial, source.add_folder),
            dest=name,
            help=source.purpose,
        )


def _unknown(arguments: Sequence[str], parser: argparse.ArgumentParser) -> UsageError:
    """The error for arguments that a command does not take, with the nearest of its options."""
    first = arguments[0].partition("=")[0]
    options = [name for name in _options(parser) if name.startswith("--")]
    nearest = difflib.get_close_matches(first, options, 1) if first.startswith("-") else []
    hint = f" Nearest: {nearest[0]}." if nearest else ""
    return UsageError(
        f"Unrecognized arguments: {' '.join(arguments)}.{hint} Try: {parser.prog} --help"
    )


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a command and of its actions."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _options(inner)


def _add_verbose(parser: argparse.ArgumentParser, verbose: str, quiet: str) -> None:
    """The options, which may stand before the command and after it, under a name for
    each: the later parser's count.
    """
    words = "log decisions and failures on stderr; twice: each step"
    parser.add_argument("-v", "--verbose", action="count", default=0, dest=verbose, help=words)
    words = "show no progress and no notes on stderr, only errors"
    parser.add_argument("-q", "--quiet", action="store_true", dest=quiet, help=words)
