"""Ends that are points of roads, between junctions."""

from solvers.system.feature import Feature

FEATURE = Feature("Ends on roads", places=f"{__name__}.cut_roads")
