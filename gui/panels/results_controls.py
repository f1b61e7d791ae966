"""The row above the results table: baseline, display choices, hidden columns and copying."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from gui.model.display_choices import PHASE, SCALE, UNIT, VALUES, DisplayChoices
from gui.style.common_widgets import ElidedBox, PlainLabel, colour_of, dot_icon
from gui.style.fitting import first_fitting_level
from gui.style.icons import icon
from gui.style.names import short_title
from solvers.core.variant import Variant, find_variant
from solvers.text import plural

MENU_ARROW_ROOM = "\N{NO-BREAK SPACE}" * 2  # the style draws the arrow over the end of the text
MENU_TITLES = {PHASE: "Time", UNIT: "Unit", SCALE: "Scale"}
_LEAST_LETTERS = 4  # of the baseline
# What is left out for lack of room, in this order.
_ONE_CHOICE, _NO_COLUMN_WORD, _NO_COPY, _SIGN, _NO_CHOICE, _LEVELS = 1, 2, 3, 4, 5, 6


class ResultsControls(QWidget):
    """Leaves out words until the name of the baseline has room.

    Parameters
    ----------
    choices : DisplayChoices
    """

    def __init__(self, choices: DisplayChoices, parent: QWidget | None = None):
        super().__init__(parent)
        self._choices = choices
        self._words: Sequence[str] = ()
        self._hidden: Sequence[str] = ()
        self.baseline = ElidedBox()
        self.baseline.setToolTip("Variant that speed-ups are relative to")
        self.baseline.setSizeAdjustPolicy(ElidedBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.baseline.setMinimumContentsLength(_LEAST_LETTERS)
        self.label = PlainLabel()
        self.label.setBuddy(self.baseline)
        self.display_button = _button("Time, unit and scale")
        self.display_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.display_button.setToolTip(
            "Time shown (total includes preparation and copies, solve is the algorithm alone), its unit and its scale"
        )
        self.display_button.setMenu(self._make_display_menu())
        self.more_button = _button()
        self.more_button.setCheckable(True)
        self.copy_button = _button("Copy table")
        self.copy_button.setToolTip("Copy the table as tab-separated values (Ctrl+C)")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.label)
        self._row.addWidget(self.baseline, 1)
        for button in (self.display_button, self.more_button, self.copy_button):
            self._row.addWidget(button)
        self.recolour()

    def _make_display_menu(self) -> QMenu:
        menu = QMenu(self)
        for name, title in MENU_TITLES.items():
            menu.addSection(title)
            group = QActionGroup(menu)
            for value in VALUES[name]:
                action = menu.addAction(value)
                action.setCheckable(True)
                action.setObjectName(f"{name} {value}")
                group.addAction(action)
                action.triggered.connect(self._chooser(name, value))
        return menu

    def _chooser(self, name: str, value: str) -> Callable[[], None]:
        return lambda: self._choices.choose(name, value)

    def show_choices(self, unit: str) -> None:
        """Show the choices, with the name of the unit in use."""
        self._words = self._choices[PHASE], unit, self._choices[SCALE].lower()
        for action in self.display_button.menu().actions():
            name, _, value = action.objectName().partition(" ")
            if value:
                action.setChecked(self._choices[name] == value)

    def show_baselines(self, variants: Sequence[Variant], chosen: Variant | None) -> None:
        """List the variants that others can be compared with."""
        box, ids = self.baseline, [variant.id for variant in variants]
        if ids[: box.count()] != [box.itemData(index) for index in range(box.count())]:
            box.clear()
        for variant in variants[box.count() :]:
            box.addItem(dot_icon(colour_of(variant)), variant.full_title, variant.id)
            box.setItemData(box.count() - 1, (short_title(variant),), ElidedBox.FORMS_ROLE)
        box.setCurrentIndex(-1 if chosen is None else box.findData(chosen.id))

    def offer_hidden(self, heads: Sequence[str]) -> None:
        """Offer to show the columns with these heads, which have no room."""
        self._hidden = heads
        self.more_button.setVisible(bool(heads))
        self.more_button.setAccessibleName(f"Show {', '.join(heads)}")
        self.more_button.setToolTip(f"Hidden for lack of room: {', '.join(heads)}. Press to show them and scroll")

    def fit(self, room: int) -> None:
        """Leave out as many words as the name of the baseline needs in ``room`` pixels."""
        box = self.baseline
        name = box.room_for(box.forms(box.currentIndex())[-1])
        others = (self.label, self.display_button, self.more_button, self.copy_button)

        def fits() -> bool:
            shown = (widget.sizeHint().width() + self._row.spacing() for widget in others if not widget.isHidden())
            return name + sum(shown) <= room

        first_fitting_level(_LEVELS, self._leave_out, fits)

    def _leave_out(self, level: int) -> None:
        words = self._words[:1] if level >= _ONE_CHOICE else self._words
        choices = "" if level >= _NO_CHOICE else " · ".join(words)
        self.display_button.setText(f"{choices}{MENU_ARROW_ROOM}")
        count = len(self._hidden)
        self.more_button.setText(f"+{count if level >= _NO_COLUMN_WORD else plural(count, 'column')}")
        self.copy_button.setVisible(level < _NO_COPY)
        self.label.setText("1×" if level >= _SIGN else "Baseline")
        self.label.setToolTip("Baseline, whose speed-up is 1.00×" if level >= _SIGN else "")

    def recolour(self) -> None:
        self.copy_button.setIcon(icon("copy"))
        for index in range(self.baseline.count()):
            variant = find_variant(self.baseline.itemData(index))
            self.baseline.setItemIcon(index, dot_icon(colour_of(variant)))


def _button(name: str = "") -> QToolButton:
    button = QToolButton()
    button.setAutoRaise(True)
    button.setAccessibleName(name)
    return button
