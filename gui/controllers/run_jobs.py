"""Starts timed and traced runs in jobs, one after the other, since nothing may run during a timed trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gui.controllers.run_listener import MeasuringListener, ProgressListener, RunWatcher
from gui.model.jobs import Job, JobContext, Jobs
from gui.model.window_turn import WindowTurn
from solvers.core.result import Result
from solvers.running.request import RunListener, RunListeners, RunRequest
from solvers.running.run import run
from solvers.running.store.recorder import RunRecorder
from solvers.system.cancel import CancelToken

_POLL_S = 0.05


class RunJobs:
    """Starts run jobs, each of which waits until the previous one has ended.

    Parameters
    ----------
    jobs
    """

    def __init__(self, jobs: Jobs):
        self._jobs = jobs
        self._turn = WindowTurn(jobs, jobs.turns)
        self._latest: Job | None = None

    def start(
        self,
        kind: str,
        title: str,
        request: RunRequest,
        verb: str,
        *,
        on_value: Callable[[Result], None],
        on_end: Callable[[], None],
        on_failure: Callable[[Exception], None],
        watcher: RunWatcher | None = None,
        recorder: RunRecorder | None = None,
    ) -> None:
        """Run ``request`` in a job of that kind; a running job of the same kind is cancelled.

        Parameters
        ----------
        verb : str
            Text in the status bar before a variant's title.
        on_value : callable(Result)
            Called with each result, in the window's thread.
        on_end : callable()
            Called when all variants have run or the job was cancelled.
        on_failure : callable(Exception)
            Called if the job itself fails; a variant's failure is a result.
        watcher : RunWatcher, optional
            Follows a timed run, during whose trials all other jobs wait.
        recorder : RunRecorder, optional
            Keeps the run in the store.
        """
        earlier = self._latest

        def work(context: JobContext) -> Iterator[Result]:
            try:
                while earlier is not None and not earlier.wait(_POLL_S):
                    context.cancel.raise_if_cancelled()
                listener = ProgressListener(context, verb)
                if watcher is not None:
                    listener = MeasuringListener(context, verb, self._jobs.quiet, self._turn, watcher)
                yield from _results(request, context.cancel, listener, recorder)
            finally:
                if recorder is not None:
                    recorder.close()

        self._latest = self._jobs.start(
            kind, title, work, on_value=on_value, on_success=lambda _: on_end(), on_cancel=on_end,
            on_failure=on_failure, measures=watcher is not None,
        )  # fmt: skip


def _results(
    request: RunRequest, cancel: CancelToken, listener: RunListener, recorder: RunRecorder | None
) -> Iterator[Result]:
    """The results of a run, which are kept if there is a recorder."""
    if recorder is None:
        return run(request, cancel=cancel, listener=listener)
    both = RunListeners(recorder, listener)
    return recorder.record(run(request, cancel=cancel, listener=both, run_id=recorder.run_id))
