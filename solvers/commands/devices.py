"""``devices``: list the devices that run kernels, and problems with drivers and libraries."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console, add_json_option
from solvers.devices import discover
from solvers.text import format_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    add_json_option(parser)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    found = discover()
    if arguments.json:
        described = [
            {
                "key": d.key,
                "kind": d.kind,
                "name": d.name,
                "driver": d.driver,
                "total_bytes": d.total_bytes,
                "free_bytes": d.free_bytes(),
                "is_cpu": d.is_cpu,
                "compute_units": d.compute_units,
                "max_block": d.max_block,
            }
            for d in found.devices
        ]
        console.json(described)
        return 0
    rows = [
        (
            d.key,
            d.name,
            d.driver,
            format_bytes(d.total_bytes),
            format_bytes(d.free_bytes()),
            str(d.compute_units),
        )
        for d in found.devices
    ]
    if rows:
        console.table(("key", "device", "driver", "memory", "free", "units"), rows, right="   rrr")
    else:
        console.line(
            "No device that runs kernels was found; serial and OpenMP variants still work."
        )
    for problem in found.problems:
        console.line(f"- {problem}")
    return 0
