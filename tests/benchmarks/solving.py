"""Every variant on a road network and on a peer-to-peer network: ``python -m
tests.benchmarks.solving [--quick]``.

Measured, not asserted, with what was predicted beside it. ``--device auto|cuda|opencl``
picks where kernels run, and ``--only ID[,ID...]`` what is measured. A variant that has
taken a minute in its warm-up is not measured further. What holds each back stands in
``README.md`` beside this file, where a run's table can be put as it is
(``--markdown``).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

import pytest

from solvers.commands.console import Console
from solvers.core.result import Result, Status
from solvers.core.variant import Answers, Variant, all_variants
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunListener, RunProgress, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from solvers.text import format_duration
from tests.benchmarks.graphs import device_of, good_source, graph_of, machine_line
from tests.benchmarks.timing import cells
from tests.data import data_file

FULL = {
    "road": ("dimacs/USA-road-d.NY.gr.gz", "road:264346"),
    "p2p": ("snap/p2p-Gnutella04.txt", "rmat:13"),
}
QUICK = {"road": ("", "road:20000"), "p2p": ("", "rmat:9")}
TRIALS, QUICK_TRIALS = 5, 3
PATIENCE_S = 60.0

# Upper bounds in ms on the median of "total" that were set down before the variant was
# first measured on that machine: goals and limits of issue 4 and of design section 9,
# copies added where those speak of the device alone. A variant that is not listed was
# measured without a prediction.
PREDICTED: dict[tuple[str, str, str], float] = {
    ("sssp-near-far-cluster", "road", "H200"): 4.0,
    ("sssp-near-far", "road", "H200"): 15.0,
    ("apsp-frontier", "p2p", "H200"): 16.0,
    ("fw-blocked", "p2p", "H200"): 105.0,
    ("sssp-near-far", "road", "CPU"): 1700.0,  # bf-strided-flag there
    ("sssp-delta-omp", "road", "CPU"): 45.0,  # SciPy's Dijkstra
    ("dijkstra-heap", "road", "CPU"): 45.0,
}
_HEADER = ("variant", "graph", "predicted", "measured median (min – max)", "n", "proved")


class _Patience(RunListener):
    """Cancels a run whose warm-up takes too long."""

    def __init__(self, token: CancelToken):
        self._token, self._started = token, time.monotonic()

    def progress(self, progress: RunProgress) -> None:
        if progress.stage.startswith("warm-up") and time.monotonic() - self._started > PATIENCE_S:
            self._token.cancel()


def measured(
    chosen: Sequence[Variant], graph: Graph, device: Device | None, trials: int
) -> Iterator[Result]:
    """One result a variant; those that lose our patience end as cancelled."""
    source = good_source(graph)
    target = graph.n // 5
    for entry in chosen:
        token = CancelToken()
        request = RunRequest(
            graph, source, target, (Choice(entry),), device, MeasurementPlan(1, trials)
        )
        yield next(run(request, cancel=token, listener=_Patience(token)))


def row(result: Result, kind: str, place: str) -> tuple[str, ...]:
    """One line of the table."""
    name = result.variant.id
    predicted = PREDICTED.get((name, kind, place))
    times = result.times()
    if result.status is Status.CANCELLED:
        figures = f"over {PATIENCE_S:.0f} s"
    elif times:
        figures = "{} ({})".format(*cells(times))
    else:
        figures = result.error
    proved = "–" if result.verdict is None else ("yes" if result.verdict.verified else "NO")
    expected = "–" if predicted is None else f"≤ {format_duration(predicted)}"
    return name, result.graph.name, expected, figures, str(len(times)), proved


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto", metavar="auto|cuda|opencl")
    parser.add_argument("--quick", action="store_true", help="small generated graphs, 3 trials")
    parser.add_argument("--only", metavar="ID[,ID...]")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args(argv)
    console, device = Console(), device_of(arguments.device)
    place = "CPU" if device is None or device.is_cpu else device.name.split()[-1]
    wanted = [v for v in all_variants() if not arguments.only or v.id in arguments.only.split(",")]
    kernels = f"kernels on {device.name}" if device is not None else ""
    console.line(machine_line(kernels, "times are totals, copies included"))
    found = []
    for kind, (file, spec) in (QUICK if arguments.quick else FULL).items():
        graph = _graph(file, spec)
        suited = [
            v for v in wanted if v.answers is Answers.APSP or kind == "road" or arguments.only
        ]
        suited = [v for v in suited if v.answers is not Answers.APSP or kind == "p2p"]
        for result in measured(suited, graph, device, QUICK_TRIALS if arguments.quick else TRIALS):
            found.append(row(result, kind, place))
            console.progress(0.0, f"{result.variant.id} on {graph.name}")
    _print(found, arguments.markdown, console)
    return 0


def _print(found: Sequence[tuple[str, ...]], markdown: bool, console: Console) -> None:
    if not markdown:
        console.table(_HEADER, found)
        return
    for line in (_HEADER, ("---",) * len(_HEADER), *found):
        console.line(f"| {' | '.join(line)} |")


def _graph(file: str, spec: str) -> Graph:
    """The real file where it is here, else a generated graph of its kind and size."""
    try:
        return graph_of(str(data_file(file))) if file else graph_of(spec)
    except pytest.skip.Exception:
        return graph_of(spec)


if __name__ == "__main__":
    sys.exit(main())
