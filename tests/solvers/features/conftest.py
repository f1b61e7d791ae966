"""Fixtures of tests of features that are those of the core's commands."""

from tests.solvers.commands.conftest import store, streets, tautpath

__all__ = ["store", "streets", "tautpath"]
