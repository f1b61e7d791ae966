"""``demo``: solve the sample road network and write its picture and tables; `make run`
without a display.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console, interruptible
from solvers.commands.options import require_places
from solvers.commands.solve import parse_choices, report_failures, run_and_report
from solvers.errors import InputError
from solvers.graphs.readers import read_graph
from solvers.running.records import write_all
from solvers.running.request import MeasurementPlan, RunRequest, find_device
from solvers.system.files import RESOURCES

SAMPLE = "harbour.gr.gz"
VARIANTS = "bf-strided-flag,bf-edge-flags,dijkstra-heap"
_PLAN = MeasurementPlan(time_limit_s=2.0)  # short: it only shows that everything works


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        default="out",
        metavar="DIR",
        help="folder for the picture and the tables (default: out)",
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    require_places(folders=[arguments.out])
    folder = Path(arguments.out)
    choices = parse_choices(VARIANTS)
    with interruptible() as token:
        graph = read_graph(
            sample_road_network(), progress=console.progress_for(token, "reading the sample")
        ).graph
        source, target = 0, graph.n - 1
        device = find_device("auto", [c.variant for c in choices])
        request = RunRequest(graph, source, target, choices, device, _PLAN, trace=True)
        results = run_and_report(request, console, token)
    written = list(write_all(results, folder, choices[0].variant.id))
    token.check()
    if console.draw_picture is not None:
        written.append(folder / f"{graph.name}.png")
        console.draw_picture(written[-1], graph, results, source, target)
    console.wrote(*written)
    return report_failures(results, console)


def sample_road_network() -> Path:
    sample = RESOURCES / "samples" / SAMPLE
    if not sample.is_file():
        raise InputError(
            f"The sample road network {sample} is missing; this installation is incomplete."
        )
    return sample
