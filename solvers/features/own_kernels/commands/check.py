"""``check``: compare a changed kernel with the original on random graphs, and show the
smallest on which it fails.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console, interruptible
from solvers.commands.options import require_places
from solvers.core.variant import find_variant
from solvers.errors import InputError
from solvers.features.own_kernels.kernel_check import GRAPHS, CheckReport, check
from solvers.features.own_kernels.solve import set_kernel_limit
from solvers.features.own_kernels.user_variants import UserVariant, changed_from
from solvers.graphs.weights import exact_distance
from solvers.graphs.writers import write_dimacs
from solvers.running.request import find_device
from solvers.text import plural

_MOST_ARCS = 40  # that are listed


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kernel", metavar="FILE.cu|ID", help="a changed kernel, or a variant of your own"
    )
    parser.add_argument(
        "--against", required=True, metavar="ID", help="the original, which has the right answers"
    )
    parser.add_argument(
        "--graphs",
        type=int,
        default=GRAPHS,
        metavar="N",
        help=f"of each weight type (default: {GRAPHS})",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the random graphs (default: 0)"
    )
    parser.add_argument(
        "--device", default="auto", metavar="cuda|opencl|auto", help="device (default: auto)"
    )
    parser.add_argument(
        "--kernel-limit", type=float, metavar="S", help="end a solve after S seconds"
    )
    parser.add_argument(
        "--write-graph", metavar="FILE.gr", help="write the smallest graph on which it fails"
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    set_kernel_limit(arguments.kernel_limit)
    require_places(arguments.write_graph)
    own, base = user_variant(arguments.kernel, arguments.against), find_variant(arguments.against)
    device = find_device(arguments.device, [own])
    with interruptible() as token:
        progress = console.progress_for(token, f"checking {own.id}")
        report = check(
            own,
            base,
            device,
            graphs=max(1, arguments.graphs),
            seed=arguments.seed,
            progress=progress,
        )
    console.clear_progress()
    for line in described(report, own):
        console.line(line)
    if report.deviation is not None and arguments.write_graph:
        console.wrote(*write_dimacs(report.deviation.graph, Path(arguments.write_graph)))
    return 0 if report.deviation is None else 1


def user_variant(kernel: str, against: str) -> UserVariant:
    """The variant to be checked: a file's, or one of the user's own by its id; raises
    as `changed_from`.
    """
    if kernel.endswith(".cu"):
        return changed_from(f"{against}={kernel}").variant()
    found = find_variant(kernel)
    if not isinstance(found, UserVariant):
        raise InputError(
            f"{kernel} is Tautpath's own. Give a changed kernel, FILE.cu, or a variant of your own."
        )
    return found


def described(report: CheckReport, own: UserVariant) -> list[str]:
    """What a check found, line by line."""
    skipped = f" The device has no {' and no '.join(report.skipped)}." if report.skipped else ""
    found = report.deviation
    if found is None:
        return [
            (
                f"{own.id}: right on {plural(report.graphs, 'random graph')} of "
                f"{', '.join(report.types)}.{skipped}"
            )
        ]
    graph = found.graph
    arcs = plural(graph.m, "arc")
    size, first = plural(graph.n, "vertex", "vertices"), report.first_size
    head = (
        f"{own.id}: wrong on graph {report.graphs}. The smallest that fails has {size} and {arcs}, "
        f"of {graph.weights.dtype}; it was shrunk from {first[0]} and {first[1]}."
    )
    rows = list(zip(graph.tails.tolist(), graph.indices.tolist(), range(graph.m), strict=True))[
        :_MOST_ARCS
    ]
    name = graph.vertex_id
    more = [f"  and {graph.m - _MOST_ARCS} more"] if graph.m > _MOST_ARCS else []
    listed = [
        f"  {name(tail)} → {name(head)}  {exact_distance(graph.weights, arc)}"
        for tail, head, arc in rows
    ]
    return [head, *found.sentences, f"From vertex {name(found.source)}:", *listed, *more]
