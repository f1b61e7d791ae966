"""Exclusive text buttons above a chart."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget


class Switch(QWidget):
    """Row of exclusive text buttons; compact, only the chosen one, on which a click chooses the next."""

    def __init__(self, choices: tuple[str, ...], tip: str):
        super().__init__()
        self.group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.buttons: dict[str, QToolButton] = {}
        self._compact = False
        self._last = choices[0]
        self._tip = tip
        for choice in choices:
            button = QToolButton()
            button.setText(choice)
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setToolTip(tip)
            button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            self.group.addButton(button)
            layout.addWidget(button)
            self.buttons[choice] = button
        self.buttons[choices[0]].setChecked(True)
        self.group.buttonClicked.connect(self._follow_click)

    @property
    def chosen(self) -> str:
        return next(choice for choice, button in self.buttons.items() if button.isChecked())

    def show_choice(self, choice: str) -> None:
        """Check a button without acting as if it had been pressed."""
        self.buttons[choice].setChecked(True)
        self._show_buttons()

    def set_compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            self._show_buttons()

    @property
    def full_width(self) -> int:
        """Width with all buttons."""
        return sum(button.sizeHint().width() for button in self.buttons.values())

    def _follow_click(self) -> None:
        if self._compact and self.chosen == self._last:
            choices = list(self.buttons)
            self.buttons[choices[(choices.index(self._last) + 1) % len(choices)]].setChecked(True)
        self._show_buttons()

    def _show_buttons(self) -> None:
        self._last = self.chosen
        others = ", ".join(choice for choice in self.buttons if choice != self._last)
        for choice, button in self.buttons.items():
            button.setVisible(not self._compact or choice == self._last)
            button.setToolTip(f"{self._tip}; a click changes to: {others}" if self._compact else self._tip)

    def choose(self, choice: str) -> None:
        self.buttons[choice].click()
