"""``all-sources``: numbers of every vertex from all distances, betweenness; radius,
diameter and centre.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from solvers.commands.console import FAILED, Console, add_json_option, interruptible
from solvers.commands.hour_options import add_hour_options, at_hour, parse_hour
from solvers.commands.options import (
    add_graph_options,
    read,
    require_places,
)
from solvers.commands.solve_output import graph_facts
from solvers.devices import find_sweep_device
from solvers.errors import InputError
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.flow_files import (
    betweenness_table,
    greatest_flows,
    read_masses,
    write_histogram,
)
from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster
from solvers.features.all_sources.on_cluster.worker import require_choice
from solvers.features.all_sources.reductions import (
    BETWEENNESS,
    HISTOGRAM,
    REDUCTIONS,
    find_reductions,
)
from solvers.features.all_sources.request import (
    PREPARING,
    TARGET,
    AllSourcesRequest,
    Direction,
    parse_vertices,
)
from solvers.features.all_sources.run import run_all_sources
from solvers.features.clusters.connection import connected
from solvers.features.clusters.options import add_cluster_options, cluster_options
from solvers.running.answers.frames import table_of
from solvers.running.answers.table import MAP_KINDS
from solvers.running.answers.write import require_places as require_coordinates
from solvers.running.answers.write import require_writable_kind, write_answer
from solvers.system.cancel import Progress
from solvers.system.files import require_writable_folder
from solvers.system.optional_packages import require_parquet
from solvers.text import format_duration
from solvers.units import to_public_unit


def configure(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    add_graph_options(parser)
    add_hour_options(parser)
    option(
        "--reduce",
        default="eccentricity,closeness",
        metavar="NAME[,NAME...]",
        help=f"what to compute: {', '.join(r.name for r in REDUCTIONS)}, {HISTOGRAM}, "
        f"{BETWEENNESS} (default: eccentricity,closeness)",
    )
    option(
        "--bins",
        metavar="powers[:UNIT]|COUNT:WIDTH",
        help="where bins of the histogram begin: at 0, UNIT (default: 1), twice as much, and so on "
        "(default), or at multiples of WIDTH; the last one has no end",
    )
    option(
        "--sources",
        metavar="FILE|N|ID,ID...",
        help=(
            "compute these vertices only: a file with one id per line, ids separated by commas "
            "(one id as “ID,”), or N vertices drawn at random, the same in every run"
        ),
    )
    option(
        "--budget",
        metavar="5min|2km|B",
        help="greatest distance that counts for reach, and for paths of betweenness; a number "
        "alone is in seconds or metres where the weights are, else in the unit of the file",
    )
    option(
        "--direction",
        choices=[direction.value for direction in Direction],
        default=Direction.OUT.value,
        help="distances from a vertex to the others (out, the default), or to it (in)",
    )
    option(
        "--wasserman-faust",
        action="store_true",
        help="multiply closeness by the share of the other vertices that are reached",
    )
    option(
        "--normalized",
        action="store_true",
        help="betweenness as a share of the pairs of other vertices",
    )
    option(
        "--masses",
        metavar="FILE",
        help="for betweenness: what each vertex sends and receives, such as its population: a CSV "
        "file of vertex ids and numbers; other vertices send nothing (default: 1 each)",
    )
    option("--threads", type=int, default=0, metavar="N", help="default: all cores")
    option(
        "--device",
        default="auto",
        metavar="cuda|opencl|auto|none",
        help="device that sweeps (default: auto, an NVIDIA GPU if there is one; none: the "
        "processor's threads); with --cluster, auto, cuda or none",
    )
    option("--csv", metavar="FILE.csv|.parquet", help="write one row per source")
    option(
        "--betweenness",
        metavar="FILE.csv|.parquet",
        help="write the betweenness of every vertex, one row each",
    )
    option(
        "--flows",
        metavar="FILE.csv|.parquet|.geojson",
        help="write the betweenness of every arc, one row each",
    )
    option("--histogram", metavar="FILE.csv|.parquet", help="write the histogram, one row per bin")
    option(
        "--resume",
        metavar="FILE",
        help="keep finished vertices in FILE, and continue from those of an interrupted run",
    )
    add_cluster_options(parser)
    option(
        "--rows-to",
        metavar="DIR.zarr",
        help="with --cluster: write all distances as a chunked Zarr array",
    )
    option(
        "--targets",
        metavar="FILE|ID,ID...",
        help="with --rows-to: keep only distances to these vertices",
    )
    add_json_option(parser, "all numbers")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    console.json_only = arguments.json
    names = [name.strip() for name in arguments.reduce.split(",")]
    find_reductions(names, HISTOGRAM, BETWEENNESS)  # refused before the graph is read
    if arguments.flows or arguments.betweenness:
        names.append(BETWEENNESS)
    if arguments.histogram:
        names.append(HISTOGRAM)
    # “auto”, which any machine has, is found while the graph is ordered
    is_found_later = arguments.cluster or arguments.device == "auto"
    device = None if is_found_later else find_sweep_device(arguments.device)
    require_places(
        arguments.csv, arguments.resume, arguments.histogram, arguments.betweenness, arguments.flows
    )
    require_parquet(arguments.histogram)
    files = (arguments.csv, arguments.betweenness, arguments.flows)
    for name in filter(None, files):
        require_writable_kind(Path(name), MAP_KINDS)
    hour, cluster = parse_hour(arguments), cluster_options(arguments)
    _require_others(arguments, *names)
    with interruptible() as token:
        graph = at_hour(read(arguments, console, token).graph, hour, console)
        for name in filter(None, files):
            require_coordinates(graph, Path(name))
        request = AllSourcesRequest.of(
            graph,
            names,
            budget=arguments.budget,
            direction=arguments.direction,
            bins=arguments.bins or "powers",
            sources=arguments.sources,
            masses=read_masses(graph, arguments.masses) if arguments.masses else None,
            corrected=arguments.wasserman_faust,
            normalized=arguments.normalized,
            threads=arguments.threads,
            device=device,
            state=Path(arguments.resume) if arguments.resume else None,
        )

        def watch(stage: str) -> Progress:
            return console.progress_for(token, stage)

        if cluster is None:
            with request.ordered_ahead(watch(PREPARING)):
                if is_found_later:
                    request = replace(request, device=find_sweep_device(arguments.device))
                found = run_all_sources(request, watch)
        else:
            more = ClusterChoices(
                Path(arguments.rows_to) if arguments.rows_to else None,
                parse_vertices(graph, arguments.targets, TARGET) if arguments.targets else None,
                arguments.device,
            )
            with connected(cluster, watch("connecting")) as connection:
                if connection.dashboard:
                    console.note(f"Dashboard: {connection.dashboard}")
                found = run_on_cluster(request, connection, more, watch)
    if arguments.json:
        console.json(_described(found))
    for sentence in found.sentences:
        console.line(sentence)
    console.line(f"{found.verdict.text} Took {format_duration(found.seconds * 1e3)}.")
    console.line(found.note)
    if not found.verdict.verified:
        console.error_line(f"the answer is wrong: {found.verdict.text}")
        return FAILED
    if found.histogram is not None and arguments.histogram:
        write_histogram(found.histogram, graph, Path(arguments.histogram))
        console.wrote(arguments.histogram)
    elif found.histogram is not None:
        console.table(
            ("distance from", "pairs", "share"),
            found.histogram.rows(graph.weight_unit),
            right="rrr",
        )
    if found.flows is not None:
        console.table(*greatest_flows(found.flows), right="llrr")
        if arguments.betweenness:
            write_answer(betweenness_table(found.flows), arguments.betweenness)
            console.wrote(arguments.betweenness)
        if arguments.flows:
            write_answer(table_of(found.flows), arguments.flows)
            console.wrote(arguments.flows)
    if arguments.csv:
        write_answer(table_of(found), arguments.csv)
        console.wrote(arguments.csv)
    if arguments.rows_to:
        console.wrote(arguments.rows_to)
    return 0


def _described(found: AllSources) -> dict[str, object]:
    """For ``--json``, with lengths in the public unit of the weights."""
    request, graph = found.request, found.graph

    bins = found.histogram
    return {
        **graph_facts(graph),
        "direction": request.direction,
        "budget": None
        if request.budget is None
        else to_public_unit(request.budget, graph.weight_unit),
        "radius": found.radius,
        "diameter": found.diameter,
        "diameter_ends": found.diameter_ends,
        "centre": found.centre,
        "sources": found.sources,
        "reached": found.reached.tolist(),
        "values": {one.name: found.public_values(one).tolist() for one in request.reductions},
        "histogram": None
        if bins is None
        else {
            "from": bins.bins.lower[: bins.used].tolist(),
            "pairs": bins.pairs[: bins.used].tolist(),
        },
        "verified": found.verdict.verified,
        "verdict": found.verdict.text,
        "seconds": found.seconds,
        "engine": found.engine,
        "note": found.note,
    }


def _require_others(arguments: argparse.Namespace, *computed: str) -> None:
    """Refuse options that need another one, or a result that is not computed."""
    for option, uses in (
        ("masses", [BETWEENNESS]),
        ("budget", ["reach", BETWEENNESS]),
        ("bins", [HISTOGRAM]),
    ):
        if getattr(arguments, option) is not None and not set(uses) & set(computed):
            raise InputError(
                f"--{option} is for {' and '.join(uses)} only: add --reduce {uses[0]}."
            )
    if arguments.rows_to and not arguments.cluster:
        raise InputError("--rows-to needs --cluster, such as --cluster local.")
    if arguments.targets and not arguments.rows_to:
        raise InputError("--targets needs --rows-to, where their distances are written.")
    if arguments.cluster:
        require_choice(arguments.device)
    if arguments.rows_to:
        require_writable_folder(arguments.rows_to)
