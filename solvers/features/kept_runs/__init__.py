"""Kept runs: every run with all its trials in a store, listed, compared and shown again."""

from solvers.system.feature import Command, Feature

FEATURE = Feature(
    "Kept runs",
    commands=(
        Command(
            "runs",
            "List, show, compare, export and delete the runs that were kept.",
            f"{__name__}.commands",
            after="check",
        ),
    ),
    solve=f"{__name__}.solve",
)
