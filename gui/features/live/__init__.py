"""Live mode: answers while source and target are dragged, recorded, pinned and animated."""

from __future__ import annotations

from functools import partial

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Act, Toggle
from gui.shell.side_bars import EXPLORE, Mode

_OFF = "Switch on Live first"


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """Rows of the menus File and Run; the mode Explore switches live mode on."""
    from gui.features.live.controller import LiveController
    from gui.features.live.pinning import pin
    from gui.features.live.recorder import DragRecorder

    session, window_of = parts.session, parts.window
    follows_changed = session.unmeasured.follows_changed
    live = LiveController(session, parts.jobs, parts.hierarchy, parts.canvas, window_of)
    recorder = DragRecorder(live, session, parts.canvas, parts.export, window_of)

    def missing() -> str:
        return "" if session.unmeasured.follows else _OFF

    def enter(mode: Mode) -> None:
        live.set_on(mode is EXPLORE and session.graph is not None)

    needing_live: dict[str, Act] = {
        "export-live-animation": recorder.ask_to_export,
        "export-roads-animation": recorder.ask_to_export_roads,
        "record-drag": Toggle(recorder.record, checked_by=recorder.recording_changed),
        "pin": partial(pin, session, parts.run),
    }
    quietly = Toggle(parts.hierarchy.set_quiet, checked=lambda: parts.settings.prepares_hierarchies)
    return Contribution(
        acts={
            "live": Toggle(live.set_on, checked_by=follows_changed),
            "prepare-hierarchies": quietly,
            **needing_live,
        },
        missing=dict.fromkeys(needing_live, missing),
        sections=(live.section,),
        lost=recorder.lost,
        enter=enter,
        controller=lambda: live,
    )
