"""How a run ended that raised an exception: its status, and one sentence for the user."""

from __future__ import annotations

from solvers.contracts.catalog import Variant
from solvers.contracts.problem import NegativeCycle
from solvers.contracts.results import Status
from solvers.errors import Cancelled, InputError, OutOfMemory, ParameterError, Skipped, TautlineError, Unavailable


def outcome_of(variant: Variant, fault: Exception, *, applicable: bool = True) -> tuple[Status, str]:
    """The status of a result that ended with ``fault``, and one sentence for the user.

    Parameters
    ----------
    variant : Variant
    fault : Exception
    applicable : bool
        False if the check of the variant's requirements raised ``fault``.
    """
    if isinstance(fault, NegativeCycle):
        return Status.NEGATIVE_CYCLE, str(fault)
    if isinstance(fault, Skipped):
        return Status.SKIPPED, str(fault)
    if isinstance(fault, Cancelled):
        return Status.CANCELLED, str(fault)
    if isinstance(fault, OutOfMemory):
        return Status.OUT_OF_MEMORY, str(fault)
    if isinstance(fault, MemoryError):
        return (
            Status.OUT_OF_MEMORY,
            f"{variant.id} ran out of memory: {str(fault) or 'the system refused an allocation'}.",
        )
    if isinstance(fault, TautlineError):
        refused = not applicable and _is_refusal(fault)
        return Status.NOT_APPLICABLE if refused else Status.ERROR, str(fault)
    return Status.ERROR, f"{variant.id} failed inside Tautline ({type(fault).__name__}: {fault}); please report it."


def _is_refusal(fault: TautlineError) -> bool:
    """Whether the problem or the machine does not suit the variant, rather than a parameter's value."""
    return isinstance(fault, InputError | Unavailable) and not isinstance(fault, ParameterError)
