"""Prominence of roads where no file names their class, and communities of graphs without
positions: what pictures show of a graph before any run.
"""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Prominence of roads",
    needs=("all_sources",),  # whose flows tell great roads from small ones
)
