"""Synthetic graph generators: one family per module, declared as data and discovered by import.

Every family is deterministic: the same parameters and seed give the same graph on every
platform.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from solvers.errors import UnknownName
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter, settle_parameters
from solvers.system.cancel import SILENT, Progress
from solvers.system.discovery import modules_of

__all__ = ["SEED", "Generator", "find", "generators"]

SEED = Parameter(
    "seed",
    1,
    "Random seed: the same seed gives the same graph.",
    low=0,
    high=2**53,
    title="Random seed",
)


@dataclass(frozen=True)
class Generator:
    """A family of synthetic graphs."""

    id: str  # in code and on the command line ("road")
    title: str
    idea: str  # properties of the graphs and their use, for display
    parameters: tuple[Parameter, ...]
    # called by `generate` with validated parameters
    make: Callable[[Mapping[str, Any], Progress], Graph]

    def settle(self, given: Mapping[str, object]) -> dict[str, Any]:
        """This family's parameters: the defaults, overridden by ``given`` and validated
        by `settle_parameters`.
        """
        return settle_parameters(self.parameters, given, self.id)

    def generate(
        self, given: Mapping[str, object] | None = None, progress: Progress = SILENT
    ) -> Graph:
        """Generate a graph of this family; raises `UnknownName`, `ParameterError` or
        `Cancelled`.
        """
        return self.make(self.settle(given or {}), progress)


@cache
def _by_id() -> dict[str, Generator]:
    modules = (module for module in modules_of(__name__) if hasattr(module, "GENERATOR"))
    families = (module.GENERATOR for module in modules)
    return {family.id: family for family in families}


def generators() -> tuple[Generator, ...]:
    """Every family: the road network, which is the most used, then the others by id."""
    return tuple(sorted(_by_id().values(), key=lambda family: (family.id != "road", family.id)))


def find(generator_id: str) -> Generator:
    """The family with that id; raises `UnknownName`."""
    try:
        return _by_id()[generator_id]
    except (KeyError, TypeError):
        raise UnknownName("generator", generator_id, _by_id()) from None
