"""Files of results that features write, by options of commands that have results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from solvers.commands.console import Console
from solvers.core.result import Result
from solvers.system.feature import offered


@dataclass(frozen=True)
class ResultsFile:
    """``FILE`` in the module that `Feature.results` names."""

    option: str
    metavar: str
    title: str  # "a web page"
    help: str  # of the option, for the results of one kept run
    # with a title of the results; says what it has written; raises FileNotWritten
    write: Callable[[Path, Sequence[Result], str, Console], None]


def results_files() -> list[ResultsFile]:
    return offered(lambda one: one.results, "FILE")
