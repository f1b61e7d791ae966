"""Export the path and the distances of the shown answer for other programs, in background jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject

from gui.controllers.export import ExportController
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.running.answers.answer import LIVE, DistancesAnswer, PathAnswer, require_path
from solvers.running.answers.write import write_distances, write_path
from solvers.system.cancel import Progress

AnswerT = TypeVar("AnswerT")

_KINDS = {
    ".geojson": "GeoJSON (*.geojson)",
    ".gpx": "GPX track and route (*.gpx)",
    ".csv": "CSV table (*.csv)",
    ".parquet": "Parquet table (*.parquet)",
}


class AnswerExportController(QObject):
    """Handles File > Export path and Export distances."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        exporting: ExportController,
        parent: QObject,
    ):
        super().__init__(parent)
        self._session, self._settings, self._exporting = session, settings, exporting

    def ask_path(self) -> None:
        """Ask for a file and write the path that is shown."""
        # another may be opened while it is asked
        graph, answer = self._session.graph, _shown_path(self._session)
        if graph is None or answer is None:
            return
        kinds = [".csv", ".parquet"]
        if graph.coordinates is not None:
            maps = [".geojson", ".gpx"] if graph.coordinates.geographic else [".geojson"]
            kinds = maps + kinds
        if path := self._ask("Export path", "path", kinds):
            self._write(path, write_path, answer)

    def ask_distances(self) -> None:
        """Ask for a file and write the distances of all vertices."""
        graph, answer = self._session.graph, _shown_distances(self._session)
        if graph is None or answer is None:
            return
        maps = (".geojson",) if graph.coordinates is not None else ()
        if path := self._ask("Export distances", "distances", (".csv", ".parquet", *maps)):
            self._write(path, write_distances, answer)

    def _write(
        self,
        path: Path,
        write: Callable[[AnswerT, Path, Progress], Path],
        answer: Callable[[], AnswerT],
    ) -> None:
        """Write an answer in a job, in the format of the file's ending."""
        title = f"Writing {path.name}"
        work = lambda context: write(answer(), path, context.progress_for(title))  # noqa: E731
        self._exporting.write(title, work, self._exporting.done)

    def _ask(self, title: str, what: str, suffixes: Sequence[str]) -> Path | None:
        """Ask for a file; the format chosen last for ``what`` is proposed first."""
        last = self._settings.text(f"export/{what}")
        ordered = sorted(suffixes, key=lambda suffix: suffix != last)
        session, selected = self._session, self._session.shown_result
        by = LIVE if session.live.answer is not None or selected is None else selected.variant.id
        path = self._exporting.ask_file(
            title, ordered[0], ";;".join(_KINDS[s] for s in ordered), by, what
        )
        if path is not None and path.suffix.lower() in suffixes:
            self._settings.keep(f"export/{what}", path.suffix.lower())
        return path


def _shown_path(session: Session) -> Callable[[], PathAnswer | list[PathAnswer]] | None:
    """Makes the answer that is shown, with other ways after it, in the job; None without one."""
    live, result = session.live.answer, session.shown_result
    if live is not None and live.path is not None:
        return partial(PathAnswer.all_of_live, live)
    return None if result is None else lambda: require_path(PathAnswer.of_result(result), result)


def _shown_distances(session: Session) -> Callable[[], DistancesAnswer] | None:
    live, result = session.live.answer, session.shown_result
    if live is not None:
        return partial(DistancesAnswer.of_live, live)
    return None if result is None else partial(DistancesAnswer.of_result, result)
