"""The line above the results: which variant won, by how much, and whether it is proved; during a run, its trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gui.model.display_choices import DisplayChoices
from gui.model.session import Session
from gui.style import type_size
from gui.style.common_widgets import GAP, PlainLabel, ScaledLabel, colour_of, dot_icon, on_scheme_change
from gui.style.names import short_title
from gui.style.theme import tokens
from solvers.core.result import Result, Status, Trial, comparable
from solvers.core.variant import Variant, find_variant
from solvers.text import format_duration, plural, three_digits

_HEADLINE = 1.25
_DOT = 16
_STRIP_HEIGHT = 20
_MOST_LINES = 2  # of the headline with whole names


@dataclass(frozen=True)
class Hero:
    """What the line says.

    Attributes
    ----------
    variant : Variant
        The one that it is about.
    headline : str
        "Near-far: 16 times faster than Bellman-Ford edge + flags".
    remark : str
        "2.31 ms, proved".
    short_headline : str
        The same with the algorithms' initials.
    """

    variant: Variant
    headline: str
    remark: str
    short_headline: str


def hero_of(results: Sequence[Result], baseline: Result | None, phase: str) -> Hero | None:
    """The fastest right answer, compared with the baseline or, if it is the baseline, with the next fastest.

    None without a timed answer. Only right answers to the baseline's question compete (to one target, from one source,
    or between all pairs), and times that contain copies of different things are not compared. Where the 95 % confidence
    intervals of both medians overlap, neither is called faster.
    """
    asked = baseline.variant.answers if baseline is not None else None
    alike = [result for result in results if asked in (None, result.variant.answers)]
    timed = [(ms, result) for result in alike if result.ok and (ms := result.median(phase)) is not None]
    if not timed:
        return None
    timed.sort(key=lambda pair: pair[0])
    best_ms, best = timed[0]
    remark = ", ".join(filter(None, (format_duration(best_ms), proof_word(best))))
    rivals = [(ms, result) for ms, result in timed[1:] if comparable(best, result, phase)]
    rival_ms, rival = next((pair for pair in rivals if pair[1] is baseline), rivals[0] if rivals else (0.0, None))
    if rival is None or not best_ms:
        return Hero(best.variant, best.variant.full_title, remark, short_title(best.variant))
    faster = "" if _within_noise(best, rival, phase) else _faster(rival_ms / best_ms)
    whole, short = (_comparison(title(best.variant), title(rival.variant), faster) for title in (_title, short_title))
    return Hero(best.variant, whole, remark, short)


def _title(variant: Variant) -> str:
    return variant.full_title


def _comparison(name: str, other: str, faster: str) -> str:
    return f"{name}: {faster} than {other}" if faster else f"{name} and {other} are equally fast"


def _within_noise(first: Result, second: Result, phase: str) -> bool:
    """Whether the 95 % confidence intervals of two medians overlap; False if either is not known."""
    one, other = first.confidence(phase), second.confidence(phase)
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _faster(ratio: float) -> str:
    """ "16 times faster", "2.41 times faster", "24 % faster"."""
    if ratio < 2.0:
        return f"{100 * (ratio - 1):.0f} % faster"
    return f"{three_digits(ratio) if ratio < 10.0 else f'{ratio:.0f}'} times faster"


def proof_word(result: Result) -> str:
    """ "proved", "sampled rows proved", "wrong" or "not verified"; "" for a run without an answer."""
    if result.status is not Status.OK:
        return ""
    if result.verdict is None:
        return "not verified"
    if not result.verdict.verified:
        return "wrong"
    return "sampled rows proved" if result.verdict.sampled else "proved"


class HeroLine(QWidget):
    """Follows results and run; a click selects the variant that it is about."""

    def __init__(self, session: Session, choices: DisplayChoices, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._choices = session, choices
        self._variant: Variant | None = None
        self._words: tuple[str, ...] = ("", "")
        self._dot = PlainLabel()
        self.headline = ScaledLabel(factor=_HEADLINE, weight=QFont.Weight.DemiBold)
        self.headline.setWordWrap(True)
        self.remark = PlainLabel()
        self.trials = TrialStrip()
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, GAP, GAP, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._dot, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.headline, 0, 1)
        grid.addWidget(self.remark, 1, 1)
        grid.addWidget(self.trials, 2, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 1)  # room for further lines of the headline is the headline's
        self.setSizePolicy(
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred
        )  # a headline of three lines is tall
        for signal in (session.results_changed, session.run_state_changed, choices.changed):
            signal.connect(self._follow)
        on_scheme_change(self._follow)
        self._follow()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._variant is not None:
            self._session.select(self._variant.id)

    def _follow(self) -> None:
        running = self._session.run_state.running_variant
        self.trials.setVisible(running is not None)
        if running is not None:
            self._show_run(find_variant(running))
            return
        hero = hero_of(self._session.results, self._session.baseline, self._choices.phase)
        self.setVisible(hero is not None)
        if hero is not None:
            mark = "✓ " if hero.remark.endswith("proved") else ""
            words = (hero.headline, hero.short_headline)
            self._show(hero.variant, words, f"{mark}{hero.remark}", tokens().good if mark else tokens().muted)

    def _show_run(self, variant: Variant) -> None:
        trials, left = self._session.run_state.live_trials, len(self._session.run_state.queued)
        timed = sum(not trial.is_warmup for trial in trials)
        done = plural(timed, "trial") if timed else "warming up"
        rest = f", then {plural(left, 'variant')} more" if left else ""
        self.setVisible(True)
        words = tuple(f"Measuring {title(variant)}" for title in (_title, short_title))
        self._show(variant, words, f"{done}{rest}", tokens().muted)
        self.trials.show_trials(trials, self._choices.phase, colour_of(variant))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_headline()

    def _fit_headline(self) -> None:
        """Say the headline with initials where it would take more than two lines."""
        metrics, whole = self.headline.fontMetrics(), self._words[0]
        room = self.width() - 3 * GAP - self._dot.sizeHint().width()
        height = metrics.boundingRect(0, 0, room, 0, Qt.TextFlag.TextWordWrap, whole).height()
        self.headline.setText(whole if height <= _MOST_LINES * metrics.height() else self._words[1])
        self.headline.setToolTip("" if self.headline.text() == whole else whole)

    def _show(self, variant: Variant, words: tuple[str, ...], remark: str, colour: str) -> None:
        """Show ``words``, whole and short, beside the dot of a variant."""
        self._variant, self._words = variant, words
        side = type_size.px(_DOT)
        self._dot.setPixmap(dot_icon(colour_of(variant)).pixmap(side, side))
        self._fit_headline()
        self.remark.setText(remark)
        palette = QPalette(self.remark.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        self.remark.setPalette(palette)


class TrialStrip(QWidget):
    """A dot for each finished trial of the variant being measured, placed by its time; warm-ups are hollow."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._times: list[tuple[float, bool]] = []
        self._colour = QColor()
        self.setAccessibleName("Trials so far")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(120, _STRIP_HEIGHT)

    def show_trials(self, trials: Sequence[Trial], phase: str, colour: QColor) -> None:
        self._times = [(getattr(t.phases, phase), t.is_warmup) for t in trials if t.status is Status.OK]
        self._colour = colour
        self.update()

    def places(self) -> list[float]:
        """Horizontal pixels of the dots, from 0 ms at the left to the slowest trial at the right."""
        slowest = max((ms for ms, _ in self._times), default=0.0) or 1.0
        return [6.0 + ms / slowest * (self.width() - 12.0) for ms, _ in self._times]

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            middle = self.height() / 2
            painter.setPen(QPen(QColor(tokens().grid), 1.5))
            painter.drawLine(QPointF(0.0, middle), QPointF(self.width(), middle))
            painter.setPen(QPen(self._colour, 1.6))
            for x, (_, is_warmup) in zip(self.places(), self._times, strict=True):
                painter.setBrush(Qt.BrushStyle.NoBrush if is_warmup else self._colour)
                painter.drawEllipse(QPointF(x, middle), 4.5, 4.5)
