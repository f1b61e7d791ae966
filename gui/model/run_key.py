"""What names a run: the same for a result and for every copy of it that a moved target leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.contracts.results import Result


@dataclass(frozen=True)
class RunKey:
    """One variant in one run.

    A moved target replaces every result by a copy with another path; this value stays the same.

    Attributes
    ----------
    run_id : str
        Of all variants that ran together.
    variant_id : str
    """

    run_id: str
    variant_id: str

    @classmethod
    def of(cls, result: Result) -> RunKey:
        return cls(result.run_id, result.variant.id)
