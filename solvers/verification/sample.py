"""What of a large answer is proved: a sample that is the same in every run, and how much of it
was proved.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from solvers.errors import ParameterError
from solvers.system.array_types import Int64s

Verify = Literal["sample", "all", "none"]
CHOICES = ("sample", "all", "none")


def proof_plan(verify: bool | str, owner: str) -> Verify:
    """The choice as a word: True is "all", False is "none"; raises ParameterError, on
    behalf of ``owner``.
    """
    if isinstance(verify, bool):
        return "all" if verify else "none"
    if verify not in CHOICES:
        raise ParameterError(owner, "verify", verify, f"it takes True, False, {', '.join(CHOICES)}")
    return cast(Verify, verify)


def proof_sample(count: int, most: int, seed: int) -> Int64s:
    """Up to ``most`` of ``count`` positions, ascending; all of them if these are no more."""
    if most >= count:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False))


@dataclass(frozen=True)
class Proofs:
    """What was proved of the answers about a network.

    Attributes
    ----------
    answered : int
        Rows of tables and blocks, and pairs, that were answered in bulk.
    proved : int
        Rows of distances, and pairs by bounds, that were proved for them, and for
        single questions.
    """

    answered: int = 0
    proved: int = 0


class ProofCount:
    """Counts `Proofs`, for any number of threads."""

    def __init__(self) -> None:
        self.proofs = Proofs()
        self._counting = threading.Lock()

    def add(self, answered: int, proved: int) -> None:
        with self._counting:
            before = self.proofs
            self.proofs = Proofs(before.answered + answered, before.proved + proved)
