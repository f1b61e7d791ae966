"""``solve --page``: the runs as a web page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from solvers.commands.console import Console
from solvers.commands.solve_step import SolveFindings, SolveOptions, SolveStep
from solvers.core.result import Result
from solvers.errors import InputError
from solvers.features.page.run_page import write_run_page
from solvers.running.request import Choice, RunRequest
from solvers.system.cancel import CancelToken


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--page",
        metavar="FILE.html",
        help="write a page that plays up to four runs in any browser, without a network; "
        "traces one more run of each",
    )


def _step(arguments: argparse.Namespace, choices: Sequence[Choice]) -> SolveStep:
    if arguments.page:
        from solvers.features.page.document import MOST_RUNS  # loads slowly, as in run_page

        if len(choices) > MOST_RUNS:
            raise InputError(
                f"--page compares up to {MOST_RUNS} variants, not {len(choices)}: "
                "name fewer in --variants."
            )

    def find(
        request: RunRequest, results: Sequence[Result], console: Console, _: CancelToken
    ) -> SolveFindings:
        if arguments.page:
            path, ends = Path(arguments.page), (request.source, request.target)
            write_run_page(path, request.graph, results, *ends, console)
        return SolveFindings()

    return SolveStep(find, (arguments.page,), trace=arguments.page is not None)


OPTIONS = SolveOptions(_add, _step)
