"""Forbidden turns and turns that cost: how networks with such rules are searched and drawn."""

from solvers.system.feature import Feature

FEATURE = Feature("Turns", search=f"{__name__}.search", marks=f"{__name__}.marks")
