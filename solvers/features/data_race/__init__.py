"""How often a racy variant is wrong, counted on graphs of rising contention."""

from solvers.system.feature import Feature

FEATURE = Feature("Data races of the racy variants")
