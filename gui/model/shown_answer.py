"""What the shown answer, live or of the selected result, can be asked for. No widgets."""

from __future__ import annotations

from gui.model.session import Session
from solvers.core.variant import Answers


def has_path(session: Session) -> bool:
    """Whether a path is shown: of the live answer, or of the selected result."""
    if (answer := session.live.answer) is not None:
        return answer.path is not None
    return session.selected is not None and session.selected.path is not None


def has_distances(session: Session) -> bool:
    """Whether the live answer, or the selected result, has the distances of all vertices from a source."""
    result = session.selected
    if session.live.answer is not None or result is None:
        return session.live.answer is not None
    known = result.distances is not None and result.source is not None
    return known and result.ok and result.variant.answers is not Answers.TARGET
