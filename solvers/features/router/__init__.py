"""A router: a network prepared once that answers many questions about it."""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Router",
    # answers of it, and the ends that it takes
    needs=("alternatives", "ends_on_roads", "isochrone"),
    names=dict.fromkeys(("Router", "prepare"), f"{__name__}.router"),
    first_calls=f"{__name__}.first_calls",
)
