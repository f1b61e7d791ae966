"""Experiments: comparisons over graphs, variants and parameters, declared as data, run,
judged and reported.
"""

from solvers.system.feature import Command, Feature

_COMMANDS = f"{__name__}.commands"

FEATURE = Feature(
    "Experiments of papers",
    needs=("clusters", "datasets", "mpi"),  # where and what the papers measured
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
