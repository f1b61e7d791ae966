"""What ``solve`` does for ``--kernel`` and ``--kernel-limit``."""

from __future__ import annotations

import argparse
import math
import os

from solvers.commands.solve_step import SolveOptions
from solvers.core.variant import register
from solvers.errors import ParameterError
from solvers.features.own_kernels.user_process import DEFAULT_LIMIT_S, LIMIT_VARIABLE
from solvers.features.own_kernels.user_variants import UserVariant, changed_from


def set_kernel_limit(seconds: float | None) -> None:
    """Set the time limit of users' own code, for this process and those that it starts;
    raises ParameterError.
    """
    if seconds is None:
        return
    if not 0 < seconds < math.inf:
        raise ParameterError("solve", "kernel limit", seconds, "it must be above 0 seconds")
    os.environ[LIMIT_VARIABLE] = str(seconds)


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="ID=FILE.cu",
        help="also run a variant with a changed kernel, in a process of its own; its id is "
        "“ID@FILE”. May be repeated; without --variants the original is the baseline",
    )
    parser.add_argument(
        "--kernel-limit",
        type=float,
        metavar="S",
        help="end a solve of changed kernels and variants of your own after S seconds "
        f"(default: {DEFAULT_LIMIT_S:g})",
    )


def _variants(arguments: argparse.Namespace) -> list[UserVariant]:
    """The variants with changed kernels; raises as `changed_from`, and KernelMismatch."""
    set_kernel_limit(arguments.kernel_limit)
    found = [changed_from(spec).variant() for spec in arguments.kernel]
    for entry in found:
        register(entry)
    return found


OPTIONS = SolveOptions(_add, variants=_variants)
