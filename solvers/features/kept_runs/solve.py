"""``solve`` keeps its run in the store, and estimates it by earlier ones."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Iterator, Sequence

from solvers.commands.console import Console
from solvers.commands.solve_step import SolveOptions, SolveStep
from solvers.core.result import Result
from solvers.errors import StoreUnavailable
from solvers.features.kept_runs.store.recorder import RunRecorder
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.kept_run import GraphSource
from solvers.running.request import Choice, RunRequest


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-keep",
        action="store_true",
        help="do not keep the run in the store (“tautpath runs” lists what is kept)",
    )


def _step(arguments: argparse.Namespace, _: Sequence[Choice]) -> SolveStep:
    recorders: list[_ConsoleRecorder] = []

    def follow(
        request: RunRequest, run_id: str, source: GraphSource, console: Console
    ) -> RunRecorder | None:
        if request.graph.cut is not None:
            console.line("Runs from or to points of roads are not kept with the others.")
        elif not arguments.no_keep:
            recorders.append(_ConsoleRecorder(request, run_id, source, console))
        return recorders[0] if recorders else None

    def unwritten() -> str:
        kept = [one.run_id for one in recorders if one.ended and one.problem is None]
        return "".join(
            f"The run is kept: “tautpath runs export {run_id} --csv DIR” writes its tables."
            for run_id in kept
        )

    return SolveStep(follow=follow, earlier_times=RunStore().earlier_times, unwritten=unwritten)


OPTIONS = SolveOptions(_add, _step)


class _ConsoleRecorder(RunRecorder):
    """Reports an unusable store when the run has ended."""

    def __init__(self, request: RunRequest, run_id: str, source: GraphSource, console: Console):
        store = prepared_store(console)
        super().__init__(store, request, "command line", source, run_id=run_id)
        self._console = console

    def follow(self, results: Iterator[Result]) -> Generator[Result, None, None]:
        yield from super().follow(results)
        if self.problem is not None:
            self._console.error_line(self.problem)


def prepared_store(console: Console) -> RunStore:
    """The user's store of runs. If it is unusable, the recorder of runs reports that,
    and the command continues.
    """
    store = RunStore()
    try:
        remark = store.prepare()
    except StoreUnavailable:
        return store
    if remark:
        console.error_line(remark)
    return store
