"""Texts of changed kernels in a session; those of others are shown before they are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from gui.dialogs.messages import show_details
from gui.model.session import Session
from gui.model.session_sections import OpeningSession, SectionFields, SessionSection
from gui.style.forms import add_action
from solvers.core.variant import register, registered
from solvers.errors import TautpathError
from solvers.features.own_kernels.user_code import version_of
from solvers.features.own_kernels.user_variants import (
    ChangedKernel,
    UserVariant,
    base_of,
    kernel_of,
)
from solvers.text import plural, printable

_SIZE_OF_TEXTS = QSize(860, 620)


class SavedKernel(Struct, frozen=True):
    """The text of a changed kernel, by the id of its variant: ID@NAME."""

    id: str
    text: str


class KernelFields(SectionFields, frozen=True):
    kernels: tuple[SavedKernel, ...] = ()  # of the ticked variants


def kernel_section(session: Session, window: QWidget) -> SessionSection[KernelFields]:
    """Texts from elsewhere are kept, and may be compiled, when the user says so."""

    def current() -> KernelFields:
        found = (registered(variant_id) for variant_id in session.choices.ids)
        kernels = [one for one in found if isinstance(one, UserVariant) and one.code.kernel]
        return KernelFields(tuple(SavedKernel(one.id, one.code.text) for one in kernels))

    def restore(kept: KernelFields, opening: OpeningSession) -> None:
        if opening.of_window:
            return
        others = [one for one in kept.kernels if not _is_known(one)]
        ticked = {one.id: opening.variants.pop(one.id, None) for one in others}
        kernels = _usable_kernels(others, opening.skipped)
        if kernels:
            show = partial(_ask_for_kernels, session, window, kernels, ticked, opening.name)
            opening.afterwards.append(show)

    return SessionSection(KernelFields, current, restore)


def _is_known(kernel: SavedKernel) -> bool:
    """Whether the user has a kernel of that name with that text."""
    mine = registered(kernel.id)
    return isinstance(mine, UserVariant) and mine.code.text == kernel.text


def _usable_kernels(kernels: Iterable[SavedKernel], skipped: list[str]) -> list[ChangedKernel]:
    found = []
    for saved in kernels:
        try:
            kernel = kernel_of(saved.id, saved.text)
            kernel.check()
            found.append(kernel)
        except TautpathError as error:
            skipped.append(f"kernel “{printable(saved.id)}”: {str(error).rstrip('.')}")
    return found


def _ask_for_kernels(
    session: Session,
    window: QWidget,
    kernels: list[ChangedKernel],
    ticked: Mapping[str, Mapping[str, Any] | None],
    name: str,
) -> None:
    """Show the texts of kernels from elsewhere, and offer to add them."""
    from gui.features.own_kernels.editor import difference
    from gui.panels.highlighting import KERNEL, Highlighter

    count = plural(len(kernels), "changed kernel")
    words = (
        f"{name} has {count} that you do not have. Read the text: a kernel runs in a process "
        "of its own, but with your rights. Nothing of it is compiled unless you add it."
    )
    texts = []
    for kernel in kernels:
        changes = difference(base_of(kernel.base_id)[1].read_text(encoding="utf-8"), kernel.text)
        head = f"{kernel.id}, version {version_of(kernel.text)}\n{changes or 'As the original.'}"
        texts += [*(f"// {line}" for line in head.splitlines()), kernel.text]
    dialog = show_details(window, words, "\n".join(texts), "Kernels of another session")
    dialog.resize(_SIZE_OF_TEXTS)
    dialog.text.setLineWrapMode(dialog.text.LineWrapMode.NoWrap)
    Highlighter(dialog.text.document(), KERNEL)  # owned by the document

    def add() -> None:
        choices, added = session.choices, {}
        for kernel in kernels:
            with session.reporting_errors():
                mine = kernel.under_a_free_name()
                mine.keep()
                register(mine.variant())
                added[mine.id] = ticked[kernel.id]
        choices.own_changed()
        wanted = {name: values for name, values in added.items() if values is not None}
        choices.choose_only((*choices.ids, *wanted))
        for variant_id, values in wanted.items():
            for parameter, value in values.items():
                with session.reporting_errors():
                    choices.set_parameter(variant_id, parameter, value)
        dialog.accept()

    add_action(dialog.buttons, f"Add {count}", add)
