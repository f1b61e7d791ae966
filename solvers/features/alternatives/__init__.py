"""Other good ways from source to target, beside the shortest path."""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Alternatives to a path",
    solve=f"{__name__}.solve",
    ways=f"{__name__}.ways",
    needs=("ends_on_roads",),
)
