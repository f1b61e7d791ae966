"""Cancel and progress pass through the observer; a silent one costs nothing and says nothing."""

from __future__ import annotations

import pytest

from solvers.errors import Cancelled
from solvers.system.cancel import SILENT, CancelToken, Observer


def test_checkpoint_raises_once_the_token_is_raised():
    token = CancelToken()
    observer = Observer(token)
    observer.checkpoint()
    token.cancel()
    assert token.cancelled
    with pytest.raises(Cancelled, match="The run was cancelled"):
        observer.checkpoint()
    with pytest.raises(Cancelled, match="Reading was cancelled"):
        token.raise_if_cancelled("Reading")


def test_progress_is_passed_on_where_it_is_known():
    heard = []
    observer = Observer(on_progress=lambda done, total: heard.append((done, total)))
    observer.checkpoint()
    observer.checkpoint(3, 10)
    observer.checkpoint(0, 10)
    observer.checkpoint(3, 0)  # no total, no fraction
    assert heard == [(3, 10), (0, 10)]


def test_a_cancelled_run_reports_no_more_progress():
    token, heard = CancelToken(), []
    token.cancel()
    with pytest.raises(Cancelled):
        Observer(token, lambda done, total: heard.append(done)).checkpoint(1, 2)
    assert heard == []


def test_the_silent_observer_does_nothing():
    SILENT.checkpoint()
    SILENT.checkpoint(1, 2)
