"""Card of the selected variant: idea, views of features, parameters, citations and source code.

The source of a kernel or a Python module is read-only, with syntax highlighting. Words
that the glossary explains are links to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from html import escape, unescape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QTabWidget, QWidget

from gui.model.session import Session
from gui.panels.parameters import ParameterForm
from gui.shell.keys import stops_within, tab_through
from gui.style.empty_picture import THREADS, EmptyPicture
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    WrappedLabel,
    column_of,
    push_button,
    row_of,
    scrolling,
    tint,
)
from gui.style.text import scaled_square, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import (
    GAP,
    PlainLabel,
    QuietLabel,
    ScaledLabel,
    Section,
    clear_layout,
    colour_of,
    dot_icon,
    on_scheme_change,
    tags_of,
)
from solvers.core.availability import availability
from solvers.core.result_view import Proof, ResultView
from solvers.core.variant import Answers, Variant, find_variant
from solvers.system.files import RESOURCES

ANSWERS = {
    Answers.TARGET: "to one target",
    Answers.SSSP: "from one source",
    Answers.APSP: "between all pairs",
}

GLOSSARY_SCHEME = "glossary:"
_TERM = re.compile(r'<a name="([\w-]+)"(?: title="([^"]*)")?></a><b>([^<]*)</b>')


@dataclass(frozen=True)
class CardView:
    """A widget on the card, and how it shows another variant."""

    widget: QWidget
    show: Callable[[Variant], object] = lambda _: None


class VariantCard(QScrollArea):
    """Shows the session's selected variant, and edits its parameters."""

    glossary_requested = Signal(str)  # anchor in the glossary of a word that was clicked

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self._views: list[CardView] = []
        self._variant: Variant | None = None
        self.form: ParameterForm | None = None
        scrolling(area=self)
        self.setAccessibleName("Selected variant")
        self._build()
        session.results.selection_changed.connect(self._follow_selection)
        session.choices.changed.connect(self._follow_parameters)
        session.choices.changed.connect(self._follow_availability)
        session.results.changed.connect(self._follow_result)
        session.graph_changed.connect(self._follow_availability)
        session.device_changed.connect(self._follow_availability)
        on_scheme_change(self._restyle)
        self._follow_selection()

    def _build(self) -> None:
        self.empty = EmptyPicture(
            "Select a variant to read its description, set its parameters and view its code.",
            THREADS,
        )
        self._dot, self.subtitle = PlainLabel(), QuietLabel()
        self.title = ScaledLabel(factor=1.25, weight=QFont.Weight.Bold)
        self.title.setWordWrap(True)
        heading = row_of(self._dot, (self.title, 1))
        heading.setAlignment(self._dot, Qt.AlignmentFlag.AlignVCenter)
        self.reason = WrappedLabel()
        self.note = WrappedLabel()
        self.text = QLabel()  # HTML from our own texts, escaped by `describe`
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        self.text.linkActivated.connect(
            lambda link: self.glossary_requested.emit(link.removeprefix(GLOSSARY_SCHEME))
        )
        self._buttons = column_of()
        self._fits: dict[QPushButton, Callable[[Variant], bool]] = {}
        self._form_place = column_of()
        self.source = SourceView()
        self._source_section = Section("Code", self.source)
        self._source_section.unfolded.connect(self._load_source)

        self._body = QWidget()
        self._column = column_of(
            heading,
            self.subtitle,
            self.reason,
            self.note,
            self.text,
            self._buttons,
            self._form_place,
            self._source_section,
            STRETCH,
            parent=self._body,
            margins=NO_MARGINS,
        )
        self._page = QWidget()
        column_of(self.empty, self._body, parent=self._page, margins=(2 * GAP, GAP, 2 * GAP, GAP))
        self.setWidget(self._page)

    def add_button(self, action: QAction, fits: Callable[[Variant], bool]) -> None:
        """Have a button for an action on the cards of the variants that fit."""
        button = push_button(action.text(), act=action.trigger)
        button.setAutoDefault(True)  # so that Enter presses it
        self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        tab_through(self._last_button, button)
        self._fits[button] = fits

        def follow() -> None:
            button.setEnabled(action.isEnabled())
            button.setToolTip(action.toolTip())

        action.changed.connect(follow)
        follow()

    def add_view(self, view: CardView) -> None:
        """Have a view of the selected variant above its text."""
        self._column.insertWidget(self._column.indexOf(self.text), view.widget)
        self._views.append(view)
        if self._variant is not None:
            view.show(self._variant)

    @property
    def _last_button(self) -> QWidget:
        """The button above the parameters, or the text where there is none."""
        return next(reversed(self._fits), self.text)

    def focus_parameter(self, name: str) -> None:
        """Give the focus to the field of a parameter of the variant shown; does nothing
        if it has none such.
        """
        self._show_selected()
        if self.form is not None and (field := self.form.fields.get(name)) is not None:
            self._parameters.unfold()
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            # once it is laid out
            self._session.window.later(partial(self.ensureWidgetVisible, field))

    def _follow_selection(self) -> None:
        """Show the selected variant; where the user sees it, in a turn of its own,
        since that takes long.
        """
        if self.isVisible():
            self._session.window.once(self._show_selected)
        else:
            self._show_selected()

    def _show_selected(self) -> None:
        selected = self._session.results.selected_id
        variant = find_variant(selected) if selected else None
        if variant is self._variant and variant is not None:
            return
        self._variant = variant
        self.empty.setVisible(variant is None)
        self._body.setVisible(variant is not None)
        if variant is not None:
            self._show(variant)

    def _show(self, variant: Variant) -> None:
        self.title.setText(f"{variant.algorithm.value}: {variant.title}")
        self.title.setToolTip(tool_tip(variant.id))
        for view in self._views:
            view.show(variant)
        self.text.setText(describe(variant))
        for button, fits in self._fits.items():
            button.setVisible(fits(variant))
        self._replace_form(variant)
        if self._source_section.is_open:
            self._load_source()
        self._follow_availability()
        self._follow_result()
        self._dot.setPixmap(dot_icon(colour_of(variant)).pixmap(scaled_square(14)))
        self.verticalScrollBar().setValue(0)

    def _replace_form(self, variant: Variant) -> None:
        clear_layout(self._form_place)
        self.form = None
        if not variant.parameters:
            return
        self.form = ParameterForm(
            variant.id, variant.parameters, self._session.choices.parameters(variant.id)
        )
        self.form.edited.connect(
            lambda name, value: self._session.choices.set_parameter(variant.id, name, value)
        )
        reset = push_button(
            "Defaults", "Reset all parameters to their defaults", self._reset_parameters
        )
        content = QWidget()
        column = column_of(self.form, reset, parent=content, margins=NO_MARGINS)
        column.setAlignment(reset, Qt.AlignmentFlag.AlignRight)
        form = self.form
        form.touched.connect(lambda: reset.setDisabled(form.is_default))
        reset.setDisabled(form.is_default)
        self._parameters = Section("Parameters", content, open_=True)
        self._form_place.addWidget(self._parameters)
        tab_through(self._last_button, *stops_within(self._parameters))

    def _reset_parameters(self) -> None:
        if self._variant is None or self.form is None:
            return
        self.form.forget_errors()
        for parameter in self._variant.parameters:
            self._session.choices.set_parameter(self._variant.id, parameter.name, parameter.default)
        self._follow_parameters()

    def _follow_parameters(self) -> None:
        if self._variant is not None and self.form is not None:
            self.form.show_values(self._session.choices.parameters(self._variant.id))

    def _follow_availability(self) -> None:
        if self._variant is None:
            return
        variant, device = self._variant, self._session.device
        self.subtitle.setText(
            " · ".join([variant.id, ANSWERS[variant.answers], *tags_of(variant, device)])
        )
        answer = availability(
            variant, self._session.graph, device, self._session.choices.parameters(variant.id)
        )
        self.reason.setText(f"Not available here: {answer.reason}")
        self.reason.setVisible(not answer.available)

    def _follow_result(self) -> None:
        """Show the note of the variant's last run, if it left one, and what was not
        verified of its answer.
        """
        result = self._session.results.get(self._variant.id) if self._variant is not None else None
        remarks = [] if result is None else [result.note]
        if result is not None and (view := ResultView(result)).proof is Proof.SAMPLED:
            remarks.append(view.proof_text)
        text = "; ".join(filter(None, remarks))
        self.note.setText(f"Last run: {text}")
        self.note.setVisible(bool(text))

    def _load_source(self) -> None:
        if self._variant is not None:
            self.source.show_variant(self._variant)

    def _restyle(self) -> None:
        tint(self.reason, tokens().warning)
        self.viewport().setAutoFillBackground(False)
        self._page.setAutoFillBackground(False)
        if self._variant is not None:
            self._dot.setPixmap(dot_icon(colour_of(self._variant)).pixmap(scaled_square(14)))
            self.text.setText(describe(self._variant))


def describe(variant: Variant) -> str:
    """The card's text as HTML, with links to the glossary: idea, cost, what to watch,
    caveat, papers.
    """
    parts = [
        ("", variant.idea),
        ("Cost", variant.cost),
        ("Watch", variant.watch),
        ("Caveat", variant.caveat),
        (
            "Wrong by design",
            "its results are verified like all others" if variant.racy else "",
        ),
        ("Papers", "; ".join(map(str, variant.papers))),
    ]
    seen: set[str] = set()
    colour = tokens().accent
    paragraphs = []
    for head, text in parts:
        if text:
            body = escape(text) if head == "Papers" else linked(text, seen, colour)
            paragraphs.append(f"<b>{head}.</b> {body}" if head else body)
    return "".join(f"<p style='margin:0 0 6px 0'>{p}</p>" for p in paragraphs)


class SourceView(QTabWidget):
    """One tab per source file of a variant."""

    def __init__(self) -> None:
        super().__init__()
        self._content: str | None = None
        self.setDocumentMode(True)
        self.setMinimumHeight(340)

    def show_variant(self, variant: Variant) -> None:
        """Read and show the files, unless they are already shown."""
        from gui.panels.highlighting import source_files, source_page

        if variant.id == self._content:
            return
        self._content = variant.id
        while (page := self.widget(0)) is not None:
            self.removeTab(0)
            page.deleteLater()
        for path, language in source_files(variant):
            self.addTab(source_page(path.read_text(encoding="utf-8"), language), path.name)


@cache
def terms() -> dict[str, str]:
    """From each form of a word ("relaxes") to its place in the page ("relax")."""
    text = (RESOURCES / "help" / "glossary.html").read_text("utf-8")
    found = {}
    for anchor, forms, head in _TERM.findall(text):
        for form in (unescape(head), *filter(None, unescape(forms).split(", "))):
            found[form.lower()] = anchor
    return found


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(terms(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)


def linked(text: str, seen: set[str], colour: str) -> str:
    """``text`` as HTML, in which the first use of each word of the glossary is a link;
    extends the anchors ``seen``.
    """
    parts, end = [], 0
    for match in _pattern().finditer(text):
        anchor = terms()[match.group().lower()]
        if anchor in seen:
            continue
        seen.add(anchor)
        style = f"color:{colour}; text-decoration:none"
        link = f"<a href='{GLOSSARY_SCHEME}{anchor}' style='{style}'>{escape(match.group())}</a>"
        parts += [escape(text[end : match.start()]), link]
        end = match.end()
    return "".join([*parts, escape(text[end:])])
