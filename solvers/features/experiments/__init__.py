"""Experiments: comparisons over graphs, variants and parameters, declared as data, run,
judged and reported.
"""

from solvers.system.feature import Command, Feature

_COMMANDS = f"{__name__}.commands"

FEATURE = Feature(
    "Experiments of papers",
    # where and what the papers measured, and what keeps it
    needs=("clusters", "datasets", "kept_runs", "mpi"),
    commands=(
        Command(
            "experiments",
            "List the experiments, one for every figure and table of the papers.",
            _COMMANDS,
            after="datasets",
        ),
        Command(
            "experiment",
            "Run an experiment of the papers, or your own from a file.",
            _COMMANDS,
            after="experiments",
        ),
    ),
)
