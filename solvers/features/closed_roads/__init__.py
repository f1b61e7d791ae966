"""Closed and slowed roads: answers on the network with them, beside those without."""

from solvers.system.feature import Feature

FEATURE = Feature("Closed and slowed roads", solve=f"{__name__}.solve")
