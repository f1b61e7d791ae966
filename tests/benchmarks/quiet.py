"""Times in the window beside those of the command line: ``python -m
tests.benchmarks.quiet GRAPH [GRAPH ...] [--variants ID,ID...] [--rounds N] [--trials N]
[--warmups N] [--device auto|cuda|opencl]``

One window, offscreen, keeps each graph open. In every round it runs the variants, and
so does a command line of its own, which goes first in every other round; so whatever
else the machine does falls on both. Both keep their runs in a store of their own. The
ratio of a round is the window's median solve time over the command line's. The table
gives the medians of all trials; the median, the least and the greatest ratio of the
rounds; and the ratio of the fastest trials, which other load changes least.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.core.result import Result
from solvers.running.request import MeasurementPlan
from solvers.text import format_duration
from tests.benchmarks.graphs import machine_line
from tests.benchmarks.window import is_idle, open_graph, opened_window, wait_until

VARIANTS = ("bf-serial", "dijkstra-heap", "sssp-delta-omp", "bf-edge-flags", "sssp-near-far")
_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Rounds:
    """Solve times in ms of one variant: a list for each round."""

    window: list[list[float]] = field(default_factory=list)
    command_line: list[list[float]] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Window over command line, round by round."""
        pairs = zip(self.window, self.command_line, strict=True)
        return [statistics.median(ours) / statistics.median(theirs) for ours, theirs in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Compare times in the window with those of the command line."
    )
    parser.add_argument("graphs", nargs="+", metavar="GRAPH", type=Path)
    parser.add_argument("--variants", default=",".join(VARIANTS), help="ids, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=15)
    parser.add_argument("--warmups", type=int, default=2)
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "opencl"))
    chosen = parser.parse_args()
    plan = MeasurementPlan(warmups=chosen.warmups, trials=chosen.trials)
    variants = tuple(chosen.variants.split(","))
    print(machine_line(f"{plan.trials} trials a round"), flush=True)
    print(f"{'':<40}{'median solve time':^26}{'window ÷ command line':>33}")
    heads = f"{'window':>12}{'command line':>14}{'median':>8}{'rounds':>16}{'fastest':>9}{'n':>4}"
    print(f"{'graph':<20}{'variant':<20}{heads}", flush=True)
    with opened_window(chosen.device) as window:
        for path in chosen.graphs:
            open_graph(window, path)
            for line in lines(path.name, compare(window, path, variants, plan, chosen)):
                print(line, flush=True)


def compare(
    window: MainWindow,
    path: Path,
    variants: Sequence[str],
    plan: MeasurementPlan,
    chosen: argparse.Namespace,
) -> dict[str, Rounds]:
    """Times of all variants on the open graph, by variant."""
    graph, source = window.parts.session.graph, window.parts.session.source
    assert graph is not None
    assert source is not None
    found = {variant_id: Rounds() for variant_id in variants}
    for number in range(chosen.rounds):
        for in_window in (number % 2 == 0, number % 2 == 1):
            if in_window:
                times = times_in_window(window, variants, plan)
            else:
                times = times_on_command_line(
                    path, int(graph.ids[source]), variants, plan, chosen.device
                )
            for variant_id, rounds in found.items():
                (rounds.window if in_window else rounds.command_line).append(times[variant_id])
    return found


def lines(graph: str, found: dict[str, Rounds]) -> Iterator[str]:
    for variant_id, rounds in found.items():
        window, command_line = (
            [t for times in side for t in times] for side in (rounds.window, rounds.command_line)
        )
        medians = [format_duration(statistics.median(times)) for times in (window, command_line)]
        ratios = rounds.ratios
        spread = f"{min(ratios):.2f} – {max(ratios):.2f}"
        yield (
            f"{graph[:18]:<20}{variant_id:<20}{medians[0]:>12}{medians[1]:>14}"
            f"{statistics.median(ratios):>8.2f}{spread:>16}"
            f"{min(window) / min(command_line):>9.2f}{len(ratios):>4}"
        )


# -- the window
# --------------------------------------------------------------------------------------


def times_in_window(
    window: MainWindow, variants: Iterable[str], plan: MeasurementPlan
) -> dict[str, list[float]]:
    for variant_id in window.parts.session.choices.ids:
        window.parts.session.choices.choose(variant_id, False)
    for variant_id in variants:
        window.parts.session.choices.choose(variant_id)
    window.parts.session.choices.set_plan(plan)
    wait_until(lambda: is_idle(window))
    window.commands["run"].trigger()
    wait_until(lambda: window.parts.jobs.running(JobKind.SOLVE) is None)
    wait_until(lambda: is_idle(window))
    return {
        variant_id: solve_times(window.parts.session.results.get(variant_id))
        for variant_id in variants
    }


def solve_times(result: Result | None) -> list[float]:
    if result is None or not result.ok:
        raise SystemExit(f"a variant failed: {'no result' if result is None else result.error}")
    return list(result.times("solve"))


# -- the command line
# ------------------------------------------------------------------------------------------------


def times_on_command_line(
    path: Path, source: int, variants: Sequence[str], plan: MeasurementPlan, device: str
) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            str(_ROOT / "main.py"),
            "solve",
            str(path),
            "--source",
            str(source),
            "--variants",
            ",".join(variants),
            "--trials",
            str(plan.trials),
            "--warmup",
            str(plan.warmups),
            "--device",
            device,
            "--csv",
            folder,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=_ROOT)
        with (Path(folder) / "trials.csv").open(encoding="utf-8", newline="") as file:
            trials = [row for row in csv.DictReader(file) if row["is_warmup"] == "false"]
    return {
        variant_id: [float(row["solve_ms"]) for row in trials if row["variant"] == variant_id]
        for variant_id in variants
    }


if __name__ == "__main__":
    main()
