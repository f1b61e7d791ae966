"""Live mode: answers for end points that move, as fast as possible; never measurements."""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Live mode",
    first_calls=f"{__name__}.first_calls",
    calls_in_window=True,
    needs=("closed_roads",),
)
