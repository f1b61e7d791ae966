"""The results that the window shows, the one that speed-ups are measured against, and those set aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gui.model.question import Question
from gui.model.results_aside import ResultsAside
from gui.model.run_key import RunKey
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.running.store.kept_run import KeptRun


class ResultsShown:
    """The newest result of each variant, either all of this session or all of one stored run."""

    def __init__(self) -> None:
        self._results: dict[str, Result] = {}
        self._baseline_id: str | None = None
        self._stored_run: KeptRun | None = None
        self._aside = ResultsAside()

    @property
    def all(self) -> tuple[Result, ...]:
        """In order of arrival."""
        return tuple(self._results.values())

    def get(self, variant_id: str) -> Result | None:
        return self._results.get(variant_id)

    def __contains__(self, variant_id: object) -> bool:
        return variant_id in self._results

    @property
    def has_aside(self) -> bool:
        """Whether results for other questions are kept."""
        return bool(self._aside)

    @property
    def stored_run(self) -> KeptRun | None:
        """The run from the store whose results are shown; None if they are of this session."""
        return self._stored_run

    @property
    def baseline(self) -> Result | None:
        """The result that speed-ups are measured against."""
        return self._results.get(self._baseline_id or "")

    def set_baseline(self, variant_id: str) -> bool:
        """Measure speed-ups against that variant; False if nothing changed."""
        changes = variant_id != self._baseline_id and variant_id in self._results
        if changes:
            self._baseline_id = variant_id
        return changes

    def add(self, arrived: Mapping[str, Result]) -> None:
        """Add results of this session in place of older ones of their variants, and of all those of a stored run."""
        if self._stored_run is not None:
            self._results, self._stored_run = {}, None
        self._results |= arrived
        self._settle_baseline()

    def attach_trace(self, key: RunKey, trace: ActivityTrace | MatrixTrace) -> bool:
        """Add a trace to the result of that run; False if it was dropped or replaced by a newer run's."""
        result = self._results.get(key.variant_id)
        if result is None or RunKey.of(result) != key:
            return False
        self._results[key.variant_id] = replace(result, trace=trace)
        return True

    def set_aside(self) -> None:
        """Show nothing; keep what is of this session for the questions that it answers."""
        if self._stored_run is None:
            self._aside.put(self._results.values(), self._baseline_id, None)
        self._results, self._stored_run, self._baseline_id = {}, None, None

    def show_stored(self, run: KeptRun, results: Sequence[Result]) -> None:
        """Show the results of a stored run and no others."""
        self._results = {result.variant.id: result for result in results}
        self._stored_run = run
        self._settle_baseline()

    def exchange(self, question: Question) -> bool:
        """Set aside what does not answer ``question`` and bring back what does; False if nothing was or is shown."""
        before = self._results
        kept = [result for result in before.values() if question.answered_by(result)]
        dropped = [result for result in before.values() if not question.answered_by(result)]
        shown_run = self._stored_run if kept else self._aside.latest_run(question.answered_by)
        returned = self._aside.take(lambda entry: entry.stored_run is shown_run and question.answered_by(entry.result))
        self._aside.put(dropped, self._baseline_id, self._stored_run)
        newest = {entry.result.variant.id: entry.result for entry in returned} | {r.variant.id: r for r in kept}
        self._results = {
            result.variant.id: question.rerouted(result)
            for result in sorted(newest.values(), key=lambda result: result.timestamp_utc)
        }
        self._stored_run = shown_run if self._results else None
        if returned and not kept:
            self._baseline_id = returned[-1].baseline_id
        self._settle_baseline()
        return bool(before or self._results)

    def clear(self) -> bool:
        """Forget all results, those set aside too; False if none was shown."""
        shown = bool(self._results)
        self._aside.clear()
        self._results, self._stored_run, self._baseline_id = {}, None, None
        return shown

    def _settle_baseline(self) -> None:
        """Make the first result with times the baseline, if the current one has none."""
        baseline = self.baseline
        if baseline is None or baseline.median() is None:
            timed = (key for key, result in self._results.items() if result.median() is not None)
            self._baseline_id = next(timed, None)
