"""Identifies a run: the same for a result and for the copies made of it when the target moves."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.core.result import Result


@dataclass(frozen=True)
class RunKey:
    """Identifies one variant in one run.

    When the target moves, every result is replaced by a copy with another path; its key stays the same.

    Attributes
    ----------
    run_id : str
        Shared by all variants that ran together.
    variant_id : str
    """

    run_id: str
    variant_id: str

    @classmethod
    def of(cls, result: Result) -> RunKey:
        return cls(result.run_id, result.variant.id)
