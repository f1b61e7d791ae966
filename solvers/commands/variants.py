"""``variants``: list every variant and its availability on this machine."""

from __future__ import annotations

import argparse
from typing import Any

from solvers.commands.console import Console, add_json_option
from solvers.core.availability import availability
from solvers.core.variant import Variant, all_variants
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.parameters import Parameter


def configure(parser: argparse.ArgumentParser) -> None:
    add_json_option(parser)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    devices = discover().devices
    device = devices[0] if devices else None
    variants = all_variants()
    if arguments.json:
        console.json([_describe(v, _best_device(v, devices)) for v in variants])
        return 0
    rows = []
    for entry in variants:
        here = availability(entry, None, _best_device(entry, devices))
        answers = f"{entry.algorithm.value}, {entry.answers.value.upper()}"
        rows.append(
            (
                entry.id,
                entry.title,
                answers,
                entry.runs_on.value,
                "yes" if here.available else here.reason,
            )
        )
    console.table(("id", "title", "algorithm", "runs on", "available"), rows)
    if device is not None:
        console.line()
        console.line(f"Kernels run on {device.name} ({device.key}, {device.driver}).")
    return 0


def _best_device(variant: Variant, devices: tuple[Device, ...]) -> Device | None:
    """The first device that can run the variant; a CUDA device if it requires one."""
    suitable = [d for d in devices if d.kind == "cuda" or not variant.cuda_only]
    return next(iter(suitable or devices), None)


def _describe(variant: Variant, device: Device | None) -> dict[str, Any]:
    here = availability(variant, None, device)
    return {
        "id": variant.id,
        "title": variant.title,
        "algorithm": variant.algorithm,
        "problem": variant.answers,
        "runs_on": variant.runs_on,
        "available": here.available,
        "reason": here.reason,
        "parameters": [_describe_parameter(p) for p in variant.parameters],
        "papers": variant.papers,
        "idea": variant.idea,
        "caveat": variant.caveat,
        "cost": variant.cost,
        "racy": variant.racy,
        "cuda_only": variant.cuda_only,
        "needs_nonnegative": variant.needs_nonnegative,
    }


def _describe_parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": parameter.default,
        "range": parameter.describe_range(),
        "meaning": parameter.meaning,
    }
