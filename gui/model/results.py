"""Results that the window shows. No widgets.

`Results` holds the results on display, the one that speed-ups are measured against, and
the state of the run in progress. Results that do not answer the current `Question` are kept
in `ResultsAside` until the end points that they answer are set again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from gui.model.question import Question
from gui.model.results_aside import AsideResult, ResultsAside
from gui.model.run_state import IDLE, RunKey, RunState
from solvers.core.result import Result
from solvers.core.result_view import newest_run
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.running.kept_run import KeptRun


class Results(QObject):
    """The newest result of each variant, all of this session or all of one stored run;
    and the run in progress.
    """

    changed = Signal()  # a result was added or replaced, or all were cleared
    # another variant (`selected_id`), with or without a result (`selected`), is
    # selected
    selection_changed = Signal()
    run_state_changed = Signal()  # a run began or ended, or `run_state` changed during one

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._question = Question(None, None, None)
        self._results: dict[str, Result] = {}
        self._baseline_id: str | None = None
        self._selected_id: str | None = None
        self._left_id: str | None = None  # of the result that was selected before
        self._stored_run: KeptRun | None = None
        self._aside = ResultsAside()
        self._run_state = IDLE

    @property
    def all(self) -> tuple[Result, ...]:
        """In order of arrival."""
        return tuple(self._results.values())

    def get(self, variant_id: str) -> Result | None:
        return self._results.get(variant_id)

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
        """The result that speed-ups are measured against: the chosen one or, where the newest
        run has no times of it, the first with times.
        """
        newest = newest_run(self.all)
        timed = [one for one in self.all if one.run_id == newest and one.median() is not None]
        chosen = (one for one in timed if one.variant.id == self._baseline_id)
        return next(chosen, timed[0] if timed else None)

    def set_baseline(self, variant_id: str) -> None:
        if variant_id != self._baseline_id and variant_id in self._results:
            self._baseline_id = variant_id
            self.changed.emit()

    @property
    def selected_id(self) -> str | None:
        """Id of the variant selected in tree, table, charts and canvas."""
        return self._selected_id

    @property
    def selected(self) -> Result | None:
        """The selected variant's result or, while it has none, the one selected before;
        None without either.

        Reading the card of a variant that was not run leaves picture, path and
        play-back as they are.
        """
        own = self._results.get(self._selected_id or "")
        return own if own is not None else self._results.get(self._left_id or "")

    def select(self, variant_id: str | None) -> None:
        if variant_id != self._selected_id:
            if self._selected_id in self._results:
                self._left_id = self._selected_id
            self._selected_id = variant_id
            self.selection_changed.emit()

    @property
    def run_state(self) -> RunState:
        """The variant being run, its trials so far, and the variants that wait."""
        return self._run_state

    def set_run_state(self, state: RunState) -> None:
        if state != self._run_state:
            self._run_state = state
            self.run_state_changed.emit()

    def add(self, results: Iterable[Result], state: RunState | None = None) -> None:
        """Add results of this session in place of older ones of their variants, and of
        all those of a stored run.

        If the target changed during the run, a result's path is replaced by one to the
        current target. If no shown result is selected, the first one is. ``state`` is
        that of the run from now on: set before the signals, so that views show both at
        once.
        """
        changes = state is not None and state != self._run_state
        if state is not None:
            self._run_state = state
        arrived = {
            result.variant.id: result
            for result in map(self._question.for_target, results)
            if result is not None
        }
        if arrived:
            if self._stored_run is not None:
                self._results, self._stored_run = {}, None
            self._results |= arrived
            self._settle_baseline()
            self.changed.emit()
            if self.selected is None:
                self._selected_id = next(iter(arrived))
            if self.selected is not None and self.selected.variant.id in arrived:
                self.selection_changed.emit()
        if changes:
            self.run_state_changed.emit()

    def attach_trace(self, key: RunKey, trace: ActivityTrace | MatrixTrace) -> None:
        """Add the trace of a traced run to its result; times and verdict stay those of
        the timed runs.

        Does nothing if that result was dropped or replaced by a newer run's.
        """
        result = self._results.get(key.variant_id)
        if result is not None and RunKey.of(result) == key:
            shown = result is self.selected
            self._results[key.variant_id] = replace(result, trace=trace)
            self.changed.emit()
            if shown:
                self.selection_changed.emit()

    def show_stored(self, run: KeptRun, results: Sequence[Result]) -> None:
        """Show the results of a stored run, which answer the current question, and no others."""
        self._results = {result.variant.id: result for result in results}
        self._stored_run = run
        self._settle_baseline()
        self.changed.emit()
        if self._selected_id not in self._results:
            self._selected_id = next(iter(self._results))
        self.selection_changed.emit()

    def take_out(self, variant_id: str) -> list[AsideResult]:
        """Remove the results of a variant, also those set aside; `put_back` shows them
        again.
        """
        taken = self._aside.take(lambda entry: entry.result.variant.id == variant_id)
        shown = self._results.pop(variant_id, None)
        if self._left_id == variant_id:
            self._left_id = None
        if shown is not None:
            taken.append(AsideResult(shown, self._baseline_id, self._stored_run))
            self._settle_baseline()
            self.emit_changes()
        return taken

    def put_back(self, taken: Iterable[AsideResult]) -> None:
        """Show results that `take_out` removed, as far as they are of the open graph and
        answer the question.
        """
        self._aside.add(entry for entry in taken if entry.result.graph is self._question.graph)
        self.exchange(self._question)

    def clear(self) -> None:
        """Forget all results, those set aside too."""
        if self.reset_silently(self._question):
            self.emit_changes()

    def exchange(self, question: Question) -> None:
        """Set aside what does not answer ``question``, the current one from now on, and
        bring back what does.
        """
        self._question = question
        before = self._results
        kept = [result for result in before.values() if question.answered_by(result)]
        dropped = [result for result in before.values() if not question.answered_by(result)]
        shown_run = self._stored_run if kept else self._aside.latest_run(question.answered_by)
        returned = self._aside.take(
            lambda entry: entry.stored_run is shown_run and question.answered_by(entry.result)
        )
        self._aside.put(dropped, self._baseline_id, self._stored_run)
        newest = {entry.result.variant.id: entry.result for entry in returned} | {
            r.variant.id: r for r in kept
        }
        self._results = {
            result.variant.id: question.rerouted(result)
            for result in sorted(newest.values(), key=lambda result: result.timestamp_utc)
        }
        self._stored_run = shown_run if self._results else None
        if returned and not kept:
            self._baseline_id = returned[-1].baseline_id
        self._settle_baseline()
        if before or self._results:
            self.emit_changes()

    def reset_silently(self, question: Question) -> bool:
        """As `clear`, for a new question and without signals (see `emit_changes`); False if
        nothing was shown.
        """
        shown = bool(self._results)
        self._question = question
        self._aside.clear()
        self._results, self._stored_run, self._baseline_id = {}, None, None
        return shown

    def set_aside(self, question: Question) -> None:
        """Show nothing, for a new question and without signals; keep what is of this
        session for its own question.
        """
        self._question = question
        if self._stored_run is None:
            self._aside.put(self._results.values(), self._baseline_id, None)
        self._results, self._stored_run, self._baseline_id = {}, None, None

    def emit_changes(self) -> None:
        """Emit the signals that `reset_silently` left out."""
        self.changed.emit()
        self.selection_changed.emit()

    def _settle_baseline(self) -> None:
        """Make the first result with times the baseline, if none was chosen."""
        chosen = self._results.get(self._baseline_id or "")
        if chosen is None or chosen.median() is None:
            baseline = self.baseline
            self._baseline_id = None if baseline is None else baseline.variant.id
