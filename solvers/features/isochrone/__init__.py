"""Isochrones: the roads within budgets of a source, as files and answers; in the window, lit."""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Isochrones",
    solve=f"{__name__}.solve",
    names=dict.fromkeys(("Isochrones", "Outlines"), f"{__name__}.answers"),
)
