"""``experiment``: run an experiment of the papers or an own one; write its tables,
charts and report.

With ``--cluster`` the same experiment is measured on the hosts of a cluster.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from solvers.commands.console import FAILED, UNAVAILABLE, Console, interruptible
from solvers.commands.options import require_places
from solvers.core.result import Status
from solvers.core.result_view import NOTHING, ResultView
from solvers.devices.device import Device
from solvers.errors import Cancelled, ClusterUnavailable, InputError
from solvers.features.clusters.connection import ClusterOptions, connected
from solvers.features.clusters.options import add_cluster_options, cluster_options
from solvers.features.clusters.workers import ExclusiveHosts
from solvers.features.experiments.chart_files import write_charts
from solvers.features.experiments.claims import Judgement
from solvers.features.experiments.cluster_hosts import ClusterHosts
from solvers.features.experiments.forecast import GridForecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import (
    ExperimentProgress,
    ExperimentRequest,
    ExperimentRun,
)
from solvers.features.experiments.measurement import (
    Measurement,
    Omission,
    host_name,
    hosts_sentence,
    write_measurements,
)
from solvers.features.experiments.on_host import Surroundings
from solvers.features.experiments.probe import ExperimentHost
from solvers.features.experiments.report import Findings, findings_of, write_report
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.features.experiments.spec_file import find_experiment
from solvers.features.kept_runs.solve import prepared_store
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.estimate import EarlierTime
from solvers.running.request import find_device
from solvers.system.cancel import CancelToken
from solvers.text import format_duration, plural, rounded_duration


def configure(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("experiment", metavar="NAME|FILE.toml", help="one that “experiments” lists, or a file")
    option(
        "--scale",
        default="small",
        choices=[scale.value for scale in ExperimentScale],
        help="small: minutes on a laptop (the default); paper: the sizes of the paper",
    )
    add_place_options(parser)
    option(
        "--trials",
        type=int,
        metavar="N",
        help="timed runs of each point (default: as the experiment states)",
    )
    option(
        "--warmups",
        "--warmup",
        type=int,
        metavar="N",
        help="untimed runs before them; 0 halves the wait for single long trials",
    )
    option(
        "--longest-trial",
        type=float,
        metavar="S",
        help="leave out what is expected to take longer in one trial",
    )
    option(
        "--dry-run", action="store_true", help="show what would run and for how long; run nothing"
    )
    option("--again", action="store_true", help="measure all points again, also those in the store")
    option(
        "--no-keep",
        action="store_true",
        help="keep nothing in the store, so that the run cannot be resumed",
    )
    option("--yes", action="store_true", help="run a very large grid without asking")
    option("--csv", metavar="DIR", help="write trials.csv and summary.csv")
    option(
        "--pictures",
        metavar="DIR",
        help="write the charts as SVG and PNG, and what they show as CSV",
    )
    option(
        "--pgfplots", action="store_true", help="with --pictures: write the charts for LaTeX too"
    )
    option(
        "--report",
        metavar="FILE.html|DIR",
        help="write a report: one HTML file that needs no network",
    )
    add_cluster_options(parser)
    option(
        "--any-host",
        action="store_true",
        help="with --cluster: let hosts that differ from the others measure too",
    )


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Options that “experiments” has too."""
    parser.add_argument(
        "--graphs",
        action="append",
        default=[],
        metavar="DIR",
        help="folder with graph files; may be repeated",
    )
    parser.add_argument(
        "--device",
        default="auto",
        metavar="cuda|opencl|auto",
        help="device that runs kernels (default: auto)",
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    experiment = find_experiment(arguments.experiment)
    report = _report_path(arguments, experiment)
    _require_places(arguments, report)
    cluster = cluster_options(arguments)
    with interruptible() as token, _place(arguments, cluster, experiment, token, console) as place:
        request = _request(place, arguments, console)
        _print_forecast(request, console, details=arguments.dry_run)
        if arguments.dry_run:
            return 0
        run = place.run(request)
        outcomes, status = _measure(run, console)
    for title, reading in run.readings.items():
        console.line(f"{title}: {reading.line}")
    findings = findings_of(run, outcomes)
    _print_measurements(experiment, findings.measurements, console)
    _print_omissions(findings.omissions, console)
    _print_judgements(findings.judgements, console)
    if findings.measurements:
        for path in _write(findings, arguments, report, console):
            console.wrote(path)
    token.check("The experiment")
    return status


def _report_path(arguments: argparse.Namespace, experiment: Experiment) -> Path | None:
    """Where the report goes: a file, or the file of the experiment's name in a folder."""
    if not arguments.report:
        return None
    given = Path(arguments.report)
    return given if given.suffix.lower() in (".html", ".htm") else given / f"{experiment.id}.html"


def _require_places(arguments: argparse.Namespace, report: Path | None) -> None:
    """Check that all output paths are writable before anything runs."""
    if arguments.pgfplots and not arguments.pictures:
        raise InputError("--pgfplots writes beside the pictures: give --pictures DIR too.")
    is_file = report is not None and str(report) == arguments.report
    folder = None if report is None or is_file else str(report.parent)
    require_places(
        arguments.report if is_file else None, folders=(arguments.csv, arguments.pictures, folder)
    )


def _write(
    findings: Findings, arguments: argparse.Namespace, report: Path | None, console: Console
) -> Iterator[Path]:
    experiment, scale = findings.experiment, findings.scale
    if arguments.csv:
        yield from write_measurements(experiment, scale, findings.measurements, arguments.csv)
    if arguments.pictures:
        yield from write_charts(
            findings.charts,
            arguments.pictures,
            experiment.id,
            pgfplots=arguments.pgfplots,
        )
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        yield write_report(findings, report)


@contextmanager
def _place(
    arguments: argparse.Namespace,
    cluster: ClusterOptions | None,
    experiment: Experiment,
    token: CancelToken,
    console: Console,
) -> Iterator[ExperimentHost]:
    """This machine, or the hosts of a cluster, which is left at the end of the block."""
    scale = ExperimentScale(arguments.scale)
    folders = (Path(arguments.experiment).resolve().parent, Path.cwd())
    files = graph_files(arguments.graphs, *folders)
    measuring = _measuring(arguments, experiment.measuring[scale])
    store = None if arguments.no_keep or arguments.dry_run else prepared_store(console)
    device = device_of(arguments.device, experiment) if cluster is None else None
    nothing = GridForecast(())
    wanted = ExperimentRequest(
        experiment, scale, nothing, files, measuring, device, store, measures_again=arguments.again
    )
    if cluster is None:
        yield ExperimentHost(wanted, token)
        return
    around = Surroundings.of(wanted, (*map(Path, arguments.graphs), *folders), arguments.device)
    with connected(cluster, console.progress_for(token, "connecting")) as connection:
        hosts = ExclusiveHosts(connection)
        place = ClusterHosts(
            wanted, token, hosts, around, console.error_line, takes_any=arguments.any_host
        )
        console.clear_progress()
        for sentence in place.sentences("--any-host lets it"):
            console.line(sentence)
        yield place


def _request(
    place: ExperimentHost, arguments: argparse.Namespace, console: Console
) -> ExperimentRequest:
    """The request for that place; guesses are probed before its time is shown."""
    experiment, size = place.wanted.experiment, place.size()
    if size.is_large and not arguments.yes and not arguments.dry_run:
        _ask(f"{experiment.id} has {size.words}", console)
    request = place.request()
    if not arguments.dry_run:
        request = place.probed(request, lambda stage: console.progress(0.0, stage))
        console.clear_progress()
    return request


def _ask(question: str, console: Console) -> None:
    """Ask the person at the terminal whether to continue; raises `InputError` if nobody
    is there, else `Cancelled`.
    """
    if not (console.is_watched and sys.stdin is not None and sys.stdin.isatty()):
        raise InputError(f"{question}. Narrow the grid, or add --yes to run it.")
    console.note(f"{question}. Run it? [y/N] ")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("The experiment")


def _measuring(arguments: argparse.Namespace, own: Measuring) -> Measuring:
    asked = {"trials": arguments.trials, "warmups": arguments.warmups}
    plan = replace(own.plan, **{name: count for name, count in asked.items() if count is not None})
    longest = own.longest_trial_s if arguments.longest_trial is None else arguments.longest_trial
    if longest <= 0 or plan.trials == 0:
        raise InputError("--trials takes at least 1, --longest-trial a number of seconds above 0.")
    return Measuring(plan, longest)


def graph_files(named: Sequence[str], *others: Path) -> GraphFiles:
    """The folders in which graph files are searched; raises `InputError` if a named one
    does not exist.
    """
    for name in named:
        if not Path(name).is_dir():
            raise InputError(f"--graphs {name}: there is no such folder.")
    return GraphFiles((*map(Path, named), *others))


def device_of(spec: str, experiment: Experiment) -> Device | None:
    """The device that ``--device`` names, checked against the variants of the experiment."""
    return find_device(spec, [one.variant for one in experiment.series])


def known_times(experiment: Experiment) -> tuple[EarlierTime, ...]:
    """Times of its variants in earlier runs here."""
    return RunStore().earlier_times({one.variant.id for one in experiment.series})


def _measure(run: ExperimentRun, console: Console) -> tuple[list[Measurement | Omission], int]:
    """Run; outcomes before a cancellation, or the end of the cluster, are returned too."""

    def show(progress: ExperimentProgress) -> None:
        left = (
            f", about {rounded_duration(progress.seconds_left)} left"
            if progress.seconds_left > 1
            else ""
        )
        console.progress(
            progress.fraction, f"{progress.done} of {progress.total}{left}: {progress.words}"
        )

    outcomes: list[Measurement | Omission] = []
    status = 0
    run.report = show
    try:
        for found in run.measure():
            outcomes.append(found)
    except Cancelled:
        console.error_line(
            "interrupted; finished points are kept, and running it again continues from there."
        )
    except ClusterUnavailable as error:
        console.error_line(
            f"{error} Finished points are kept, and running it again continues from there."
        )
        status = UNAVAILABLE
    console.clear_progress()
    if run.problem is not None:
        console.error_line(run.problem)
    measured = [one for one in outcomes if isinstance(one, Measurement)]
    if not measured:
        return outcomes, UNAVAILABLE
    return outcomes, status if all(
        one.is_timed or one.kept.status is Status.NEGATIVE_CYCLE for one in measured
    ) else FAILED


def _print_forecast(request: ExperimentRequest, console: Console, *, details: bool) -> None:
    experiment, look = request.experiment, request.forecast
    source = f" ({experiment.paper}, {experiment.place})" if experiment.paper else ""
    console.line(f"{experiment.title}{source}: {look.words}")
    if request.device is not None:
        console.line(f"kernels on {request.device.name}")
    if details:
        rows = [
            (
                one.point.graph.title,
                one.point.title,
                one.reason or f"about {rounded_duration(one.seconds)}",
            )
            for one in look.points
        ]
        console.table(("graph", "variant", ""), rows)


def _print_measurements(
    experiment: Experiment, measurements: Sequence[Measurement], console: Console
) -> None:
    several = any(one.machine.host for one in measurements)
    earlier = sum(one.is_earlier for one in measurements)
    if earlier:
        console.line(
            f"{plural(earlier, 'point')} taken from the store; --again measures them again"
        )
    rows = []
    rows = [_measurement_cells(found, several) for found in measurements]
    if rows:
        header = (
            "graph",
            "variant",
            "median",
            "interval or range",
            "trials",
            "proved",
            *(["host"] if several else []),
        )
        console.table(header, rows, right="  rrr")
    if sentence := hosts_sentence(measurements):
        console.line(sentence)


def _measurement_cells(found: Measurement, several: bool) -> tuple[str, ...]:
    median, interval = found.median(), NOTHING
    if found.is_timed:
        interval = " – ".join(format_duration(end) for end in found.spread())
    return (
        found.point.graph.title,
        found.point.title,
        NOTHING if median is None else format_duration(median),
        interval,
        str(len(found.kept.times())),
        ResultView(found.kept).proof_cell,
        *([host_name(found)] if several else []),
    )


def _print_judgements(judgements: Sequence[Judgement], console: Console) -> None:
    for found in judgements:
        reason = f" ({found.reason})" if found.reason else ""
        figure = f": {found.figure}, taken as {found.needed}" if found.figure else ""
        remark = f" {found.remark}" if found.remark else ""
        console.line(
            f"{found.verdict.value}: {found.claim.text.removesuffix('.')}{figure}{reason}{remark}"
        )


def _print_omissions(omissions: Sequence[Omission], console: Console) -> None:
    """One line for each reason and series."""
    for (label, reason), group in groupby(
        omissions, key=lambda one: (one.point.series.label, one.reason)
    ):
        graphs = list(dict.fromkeys(one.point.graph.title for one in group))
        console.line(f"left out: {label} on {', '.join(graphs)}: {reason}")
