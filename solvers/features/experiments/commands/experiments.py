"""``experiments``: list the experiments, what they compare, and how long they take here."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console, add_json_option
from solvers.features.experiments.commands.experiment import (
    add_place_options,
    device_of,
    graph_files,
    known_times,
)
from solvers.features.experiments.forecast import GridForecast, forecast
from solvers.features.experiments.spec import Experiment, ExperimentScale
from solvers.features.experiments.spec_file import shipped


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale",
        default="small",
        choices=[scale.value for scale in ExperimentScale],
        help="default: small",
    )
    add_place_options(parser)
    add_json_option(parser)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    scale, found = ExperimentScale(arguments.scale), shipped()
    files = graph_files(arguments.graphs, Path.cwd())
    looks = []
    for experiment in found:
        device = device_of(arguments.device, experiment)
        looks.append(forecast(experiment, scale, files, device, known_times(experiment)))
    if arguments.json:
        console.json([_described(one, look) for one, look in zip(found, looks, strict=True)])
        return 0
    rows = [
        (one.id, f"{one.paper}, {one.place}", one.title, look.words)
        for one, look in zip(found, looks, strict=True)
    ]
    console.table(("id", "paper", "what", f"here, at scale {scale.value}"), rows)
    return 0


def _described(experiment: Experiment, look: GridForecast) -> dict[str, object]:
    return {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "question": experiment.question,
        "variants": [one.variant.id for one in experiment.series],
        "points": len(look.points),
        "runnable": len(look.runnable),
        "seconds": round(look.seconds, 3),
        "left_out": [
            {"graph": one.point.graph.key, "point": one.point.key, "reason": one.reason}
            for one in look.left_out
        ],
        "claims": len(experiment.claims),
    }
