"""Checkpoints hear of Cancel and report progress, whole or in parts; the silent one
says nothing.
"""

from __future__ import annotations

import pytest

from solvers.errors import Cancelled, Skipped
from solvers.system.cancel import CancelToken, Progress


def test_checkpoint_raises_once_the_token_is_raised():
    token = CancelToken()
    progress = Progress(token)
    progress.checkpoint()
    token.cancel()
    assert token.cancelled
    with pytest.raises(Cancelled, match="The run was cancelled"):
        progress.checkpoint()
    with pytest.raises(Cancelled, match="Reading was cancelled"):
        token.check("Reading")


def test_progress_is_passed_on_where_it_is_known():
    heard = []
    progress = Progress(report=lambda done, total: heard.append((done, total)))
    progress.checkpoint()
    progress.checkpoint(3, 10)
    progress.checkpoint(0, 10)
    progress.checkpoint(3, 0)  # no total, no fraction
    assert heard == [(3, 10), (0, 10)]


def test_a_cancelled_run_reports_no_more_progress():
    token, heard = CancelToken(), []
    token.cancel()
    with pytest.raises(Cancelled):
        Progress(token, lambda done, total: heard.append(done)).checkpoint(1, 2)
    assert heard == []


def test_hooks_are_called_at_every_checkpoint_and_may_end_the_work():
    """A token with the check of another is cancelled with it, but keeps its own flag."""
    calls, outer = [], CancelToken()
    token = CancelToken(lambda: calls.append(None), outer.check)
    progress = Progress(token)
    progress.checkpoint()
    progress.checkpoint(1, 2)
    assert len(calls) == 2
    outer.cancel()
    with pytest.raises(Cancelled):
        progress.checkpoint()
    assert not token.cancelled


def test_a_part_counts_as_its_share_of_the_whole():
    heard, token = [], CancelToken()
    part = Progress(token, lambda done, total: heard.append((done, total))).part(20, 30, 100)
    part.checkpoint()
    part.checkpoint(1, 2)
    part.part(1, 1, 2).checkpoint(1, 2)  # the second half of the part, half done
    assert heard == [(35, 100), (42.5, 100)]
    token.cancel()
    with pytest.raises(Cancelled):
        part.checkpoint(2, 2)
    assert len(heard) == 2


def test_a_silent_part_reports_nothing_and_is_cancelled():
    heard, token = [], CancelToken()
    silent = Progress(token, lambda done, total: heard.append(done)).silent()
    silent.checkpoint(1, 2)
    assert heard == []
    assert silent.silent() is silent
    token.cancel()
    with pytest.raises(Cancelled):
        silent.checkpoint()


def test_a_skip_ends_the_work_until_it_is_forgotten():
    token = CancelToken()
    token.skip()
    with pytest.raises(Skipped):
        token.check()
    token.forget_skip()
    token.check()
