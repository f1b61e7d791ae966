"""The lesson: a run step by step, and questions about it."""

from solvers.system.feature import Feature

FEATURE = Feature("Lesson")
