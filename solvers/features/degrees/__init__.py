"""How many vertices have each number of outgoing arcs: what threads that take a vertex each
are given to do.
"""

from solvers.system.feature import Command, Feature

FEATURE = Feature(
    "Degrees",
    commands=(
        Command(
            "degrees",
            "How many vertices have each number of outgoing arcs.",
            f"{__name__}.commands",
            after="info",
        ),
    ),
)
