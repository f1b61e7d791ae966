"""Status card: progress of the newest job with Skip and Cancel, and what waits for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from gui.model.jobs import Job, JobKind, Jobs
from gui.model.session import Session
from gui.style.forms import row_of, tool_button
from gui.style.paint import faded
from gui.style.text import tool_tip
from gui.style.theme import tokens
from gui.style.widgets import Card, ElidedLabel, mute
from solvers.text import capitalised, rounded_duration

_STEPS = 1000
_MARGINS = (14, 6, 8, 6)
_STRIP = 3
_PALE = 0.35
_LEAST_LEFT_S = 2.0
_QUIET = "Measuring: picture, layout and export wait"
_WHY_QUIET = (
    "Nothing else works in this window while trials run, so that it does not change their times."
)
_SHOW_EVERY_MS = 50


class LazyProgressBar(QProgressBar):
    """A progress bar that is painted with the rest of the window.

    Qt's paints at once when its value or range changes, and with it all else that waits
    to be painted: in the middle of the event that reports progress, which would take as
    long as both.
    """

    def setValue(self, value: int) -> None:
        with self._unpainted():
            super().setValue(value)

    def setRange(self, minimum: int, maximum: int) -> None:
        with self._unpainted():
            super().setRange(minimum, maximum)

    @contextmanager
    def _unpainted(self) -> Iterator[None]:
        self.setUpdatesEnabled(False)
        yield
        self.setUpdatesEnabled(True)  # asks to be painted


class ProgressStrip(LazyProgressBar):
    """A line over the upper edge of a widget; all of it in a pale colour while the
    progress is unknown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setTextVisible(False)
        self.setFixedHeight(_STRIP)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def lie_over(self, widget: QWidget) -> None:
        """Lie over the upper edge of ``widget``, which has the strip as its child from now on."""
        self.setParent(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            self.setGeometry(0, 0, event.size().width(), _STRIP)
            self.raise_()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        known = self.maximum() > self.minimum()
        with QPainter(self) as painter:
            painter.fillRect(
                0,
                0,
                self.width() * self.value() // self.maximum() if known else self.width(),
                _STRIP,
                faded(tokens().accent, 1.0 if known else _PALE),
            )


class StatusCard(Card):
    """Text, Skip and Cancel of the newest job that works, whose progress is a strip
    elsewhere; what waits for it.

    Hidden while nothing works, and where it is not wanted.
    """

    def __init__(self, session: Session, jobs: Jobs):
        super().__init__()
        self._session, self._jobs = session, jobs
        self._job: Job | None = None
        self._latest: tuple[float, str] | None = None
        self._stage = ""  # of the job shown
        self._measuring = False
        self._show_timer = QTimer(self, singleShot=True, interval=_SHOW_EVERY_MS)
        self._show_timer.timeout.connect(self._show_progress)
        self._words = ElidedLabel(asks=True, lines=2)
        self.strip = ProgressStrip()
        self._skip = tool_button(
            "Skip",
            "End only this variant and go on with the next one (Shift+Esc)",
            self._skip_variant,
        )
        self._cancel = tool_button("Cancel", "Stop; finished results are kept (Esc)", self._stop)
        self._waiting = ElidedLabel()
        mute(self._waiting)
        row_of(
            self._words,
            (self._waiting, 1),
            self._skip,
            self._cancel,
            parent=self,
            margins=_MARGINS,
            spacing=10,
        )
        jobs.changed.connect(self._follow)
        jobs.progressed.connect(self._progress)
        jobs.measuring_changed.connect(self._follow_measuring)
        session.results.run_state_changed.connect(self._follow_run)
        session.graph_changed.connect(self._follow)
        self._follow()

    def sizeHint(self) -> QSize:
        """Room for all that waits, of which a narrow card shows less."""
        waiting = 0 if self._waiting.isHidden() else self._waiting.sizeHint().width()
        return super().sizeHint() + QSize(waiting, 0)

    def _follow(self) -> None:
        """Show the newest job that does not wait, one of the background only if there
        is no other.
        """
        waiting = self._jobs.waiting()
        running = [job for job in reversed(self._jobs.all()) if job not in waiting]
        job = max(running, key=lambda job: not job.kind.background) if running else None
        if job is not self._job:
            self._job, self._latest, self._stage = job, None, ""
            if job is not None:
                self._begin(job)
        stopping = job is not None and job.cancelling
        self.setVisible(job is not None)
        if job is not None and stopping:
            self._words.show_text(f"{job.title}: stopping")
        self.strip.setVisible(job is not None and self.strip.parent() is not None)
        self._cancel.setVisible(job is not None and not stopping)
        self._skip.setVisible(job is not None and job.kind.measures and not stopping)
        self._show_waiting()

    def _begin(self, job: Job) -> None:
        if job.kind.measures:
            # without a range it moves, which would cost time during trials
            self.strip.setRange(0, _STEPS)
            self.strip.setValue(0)
        else:
            self.strip.setRange(0, 0)
        self._words.show_text(job.title)

    def _follow_measuring(self, measuring: bool) -> None:
        self._measuring = measuring
        if measuring:
            self._show_timer.stop()
        self._show_waiting()

    def _show_waiting(self) -> None:
        """Say what waits for the trials. Between two variants of a run the text stays,
        since that is short.
        """
        solving = self._job is not None and self._job.kind.measures and not self._job.cancelling
        self._waiting.setVisible(solving)
        if solving and (self._measuring or not self._waiting.whole_text):
            waiting = self._jobs.waiting()
            titles = ", ".join(job.title for job in waiting)
            asked_for = any(job.kind is JobKind.OPEN for job in waiting)
            role = (
                QPalette.ColorRole.WindowText if asked_for else QPalette.ColorRole.PlaceholderText
            )
            self._waiting.setForegroundRole(role)
            text = f"Waiting for the trials: {titles}" if titles else _QUIET
            if text != self._waiting.whole_text:
                self._waiting.show_text(text)
                self.updateGeometry()
                self._waiting.setToolTip(
                    tool_tip(f"{text}. {_WHY_QUIET}" if titles else _WHY_QUIET)
                )

    def _progress(self, job: Job, fraction: float, words: str) -> None:
        """Store the progress and show it, at most every `_SHOW_EVERY_MS`."""
        if job is self._job:
            self._latest = (fraction, words)
            if not self._show_timer.isActive():
                self._show_progress()

    def _show_progress(self) -> None:
        if self._job is None or self._job.cancelling or self._latest is None:
            return
        fraction, text = self._latest
        self._latest = None
        self.strip.setRange(0, _STEPS)
        self.strip.setValue(int(fraction * _STEPS))
        stage = capitalised(text) or self._job.title
        if stage != self._stage:  # the next point of an experiment, whose skip has ended
            self._skip.setEnabled(True)
        self._stage = stage
        self._show_words()
        # then progress comes rarely, and the timer would end during a trial
        if not self._measuring:
            self._show_timer.start()

    def _follow_run(self) -> None:
        """Another variant, or another estimate of the time left."""
        self._skip.setEnabled(True)
        if (
            self._job is not None
            and self._job.kind.measures
            and not self._job.cancelling
            and self._stage
        ):
            self._show_words()

    def _show_words(self) -> None:
        self._words.show_text(self._stage + self._time_left())

    def _time_left(self) -> str:
        end = (
            self._session.results.run_state.expected_end
            if self._job is not None and self._job.kind.measures
            else None
        )
        left = 0.0 if end is None else end - time.monotonic()
        return f", about {rounded_duration(left)} left" if left >= _LEAST_LEFT_S else ""

    def _skip_variant(self) -> None:
        if self._job is not None:
            self._job.skip()
            self._skip.setEnabled(False)  # until the next variant begins

    def _stop(self) -> None:
        if self._job is not None:
            self._jobs.cancel_job(self._job)
