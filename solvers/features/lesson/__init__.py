"""The lesson: a run of a small graph step by step, and questions about it."""

from solvers.system.feature import Feature

FEATURE = Feature("Lesson", explanations=f"{__name__}.explanations")
