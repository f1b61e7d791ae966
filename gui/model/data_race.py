"""Whether the data race of the selected variant can be shown."""

from __future__ import annotations

from gui.model.session import Session
from solvers.core.availability import availability
from solvers.core.variant import find_variant


def why_no_data_race(session: Session) -> str:
    """Why the data race of the selected variant cannot be shown; "" if it can."""
    variant = find_variant(session.selected_id) if session.selected_id else None
    if variant is None or not variant.racy:
        return "Select a variant with the tag racy: the others have no data race"
    return availability(variant, None, session.device).reason
