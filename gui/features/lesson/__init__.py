"""The lesson: the mode Teach, a panel with the steps of a small graph's run, the threads of an
iteration on the card of the variant, and questions.
"""

from __future__ import annotations

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.controllers.help import Stop
from gui.panels.variant_card import CardView
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, Panel


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """Its panel and views are made at once; they follow the run."""
    from gui.features.lesson.controller import LessonController
    from gui.features.lesson.thread_map import ThreadMapView
    from gui.features.lesson.threads import ThreadActivityPanel

    lesson = LessonController(parts, window)
    diagram = ThreadMapView()
    threads = ThreadActivityPanel(parts.session, parts.playback)
    stop = Stop(
        lesson.panel,
        "Lesson",
        "For small graphs: the line of pseudo-code at work, the sum that each arc compares, and a "
        "table of distances. On the picture, N advances by one arc.",
        "first",
    )
    return Contribution(
        acts={
            "lesson-next": lesson.panel.next,
            "lesson-back": lesson.panel.previous,
            "questions": lambda: lesson.questions.ask(),
        },
        panels=(PlacedPanel(BarSide.RIGHT, "Runs", Panel("Lesson", "lesson", lesson.panel)),),
        card_views=(CardView(diagram, diagram.show_variant), CardView(threads)),
        modes=(lesson.mode,),
        stops=(("Play-back", stop),),
        controller=lambda: lesson,
    )
