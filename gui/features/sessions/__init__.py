"""Sessions: saved and opened as files, and kept for the next start of the window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.contributions import Contribution, FileKind, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.sessions.controller import SessionFileController
    from gui.features.sessions.last_session import LastSessionController

_HELP = Path(__file__).parent / "help" / "session.html"


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """Rows of the File menu, a page of help, files that open, and the last session."""

    @cache
    def controller() -> SessionFileController:
        from gui.features.sessions.controller import SessionFileController

        made = SessionFileController(
            parts.session, parts.open, parts.settings, parts.canvas, parts.sections, parts.window
        )
        made.saved.connect(parts.losses.keep_graph)
        return made

    @cache
    def last_session() -> LastSessionController:
        from gui.features.sessions.last_session import LastSessionController

        return LastSessionController(
            parts.session, parts.jobs, controller(), window.start_page, parts.window
        )

    def is_session(path: Path) -> bool:
        from gui.features.sessions.file import is_session_file

        return is_session_file(path)

    def open_first(paths: Sequence[Path]) -> None:
        controller().open(paths[0])

    return Contribution(
        acts={
            "open-session": lambda: controller().ask_to_open(),
            "save-session": lambda: controller().ask_to_save(),
            "session-format": partial(parts.help.show_page, _HELP),
        },
        files=(FileKind(is_session, open_first),),
        remember=lambda: controller().remember(),
        begin=lambda opens: last_session().begin(opens=opens),
        end=lambda: last_session().end(),
        controller=controller,
    )
