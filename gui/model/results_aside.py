"""Results that do not answer the current question, kept until it is asked again. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.running.kept_run import KeptRun

MOST_ASIDE_BYTES = 512_000_000


@dataclass(frozen=True, eq=False)
class AsideResult:
    """A result set aside, with the baseline and the stored run that were shown with it."""

    result: Result
    baseline_id: str | None
    stored_run: KeptRun | None


class ResultsAside:
    """Keeps the newest results; runs on disk are not affected.

    Beyond ``most_bytes`` of distances, predecessors and traces, the results set aside
    first are dropped first.
    """

    def __init__(self, most_bytes: int = MOST_ASIDE_BYTES):
        self._most_bytes = most_bytes
        self._entries: list[AsideResult] = []

    def put(
        self, results: Iterable[Result], baseline_id: str | None, stored_run: KeptRun | None
    ) -> None:
        self.add(AsideResult(result, baseline_id, stored_run) for result in results)

    def add(self, entries: Iterable[AsideResult]) -> None:
        self._entries += entries
        while sum(bytes_of(entry.result) for entry in self._entries) > self._most_bytes:
            del self._entries[0]

    def latest_run(self, answers: Callable[[Result], bool]) -> KeptRun | None:
        """The stored run of the last result set aside that ``answers`` accepts; None if
        it is of this session.
        """
        return next(
            (entry.stored_run for entry in reversed(self._entries) if answers(entry.result)), None
        )

    def take(self, wanted: Callable[[AsideResult], bool]) -> list[AsideResult]:
        """Take out the wanted results, in the order in which they were set aside."""
        taken = [entry for entry in self._entries if wanted(entry)]
        self._entries = [entry for entry in self._entries if not wanted(entry)]
        return taken

    def __bool__(self) -> bool:
        return bool(self._entries)

    def clear(self) -> None:
        self._entries.clear()


def bytes_of(result: Result) -> int:
    arrays = [result.distances, result.predecessors, result.path]
    total = sum(array.nbytes for array in arrays if array is not None)
    if isinstance(result.trace, ActivityTrace):
        total += sum(
            value.nbytes for value in vars(result.trace).values() if hasattr(value, "nbytes")
        )
    return total
