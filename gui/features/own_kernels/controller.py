"""Run > Change this kernel: opens, keeps and compiles the changed kernel, and runs it
beside the original.

The compiler is in a process of its own; jobs wait for it, so that the window goes on.
Variants in the user's folder are read again when a file there was saved.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from gui.controllers.run import RunController
from gui.dialogs.messages import Reply, ask
from gui.features.own_kernels.session import KernelFields, kernel_section
from gui.model.changes import Change
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.results_aside import AsideResult
from gui.model.session import Session
from gui.model.session_sections import SessionSection
from solvers.core.variant import find_variant, register, registered
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.errors import Cancelled, KernelBuildError, TautpathError
from solvers.features.own_kernels import user_variants
from solvers.features.own_kernels.user_code import Remark, remarks_in
from solvers.features.own_kernels.user_variants import (
    ChangedKernel,
    DeletedKernel,
    UserVariant,
    as_name,
    base_of,
)
from solvers.graphs.weights import INT32
from solvers.system.cancel import Progress
from solvers.system.disk_cache import DELETED_KEPT
from solvers.text import long_time

if TYPE_CHECKING:  # imported with the editor, and for the first text
    from gui.features.own_kernels.editor import KernelEditor
    from solvers.features.own_kernels.kernel_check import Deviation
    from solvers.features.own_kernels.kernel_functions import KernelFunction
    from solvers.features.own_kernels.user_process import UserProcess

log = logging.getLogger(__name__)
_RELOAD_MS = 300


class TaskOutcome(Protocol):
    """What the check of a task says of a text."""

    @property
    def solved(self) -> bool: ...

    @property
    def sentences(self) -> Sequence[str]: ...

    @property
    def deviation(self) -> Deviation | None: ...


@dataclass(frozen=True, eq=False)
class KernelTask:
    """What is to be done with a kernel: words beside its text, and a check of its own."""

    id: str
    title: str
    words: str
    hint: str
    functions: Mapping[str, KernelFunction]  # that the words and the hint name
    check: Callable[[str, Device, Progress], TaskOutcome]  # in a job
    # what was said of a text, and whether that text is still open
    checked: Callable[[Any, bool], None]


@dataclass(frozen=True)
class _Removal:
    """What is needed to delete a kernel, and to undo it."""

    kernel: ChangedKernel
    title: str
    original: str
    task: KernelTask | None
    deleted: DeletedKernel | None = None
    is_chosen: bool = False
    results: tuple[AsideResult, ...] = ()


class KernelController(QObject):
    """Changes the kernel in the editor; ``entry`` is the variant with its text, as it
    compiled last.
    """

    editor_made = Signal()
    opened = Signal()  # a kernel is shown in the editor
    text_changed = Signal()  # what was found of the text before is no longer true

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        run: RunController,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._jobs, self._run, self._window = session, jobs, run, window
        self._removals: dict[object, _Removal] = {}  # by the step that can be undone
        self._editor: KernelEditor | None = None
        self.kernel: ChangedKernel | None = None
        self._original = ""
        # the text last read from its file, or written to it; None to write it
        self._kept: str | None = None
        self.entry: UserVariant | None = None
        self._compiler: UserProcess | None = None
        self._compiling = threading.Lock()
        # as soon as the text in the editor has compiled, or has not
        self._wanted: Callable[[], None] | None = None
        self._refused: Callable[[], None] | None = None
        self.task: KernelTask | None = None
        self._files = QFileSystemWatcher(self)
        self._reload = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._reload.timeout.connect(self._read_again)
        self._files.directoryChanged.connect(lambda _: self._reload.start())
        self._files.fileChanged.connect(lambda _: self._reload.start())
        self._watch()
        self._told: Notice | None = None  # what keeps files from being used
        session.window.later(self._tell_problems)
        # the first graph dismisses what was told before
        tell_again = partial(session.window.once, self._tell_problems)
        session.graph_changed.connect(tell_again, Qt.ConnectionType.SingleShotConnection)

    @property
    def editor(self) -> KernelEditor:
        """Made when it is first shown, or a kernel is opened in it."""
        if self._editor is None:
            self._editor = self._new_editor()
            self.editor_made.emit()
        return self._editor

    def _new_editor(self) -> KernelEditor:
        from gui.features.own_kernels.editor import KernelEditor
        from solvers.features.own_kernels.user_process import LIMIT_VARIABLE, limit_s

        editor = KernelEditor(limit_s())
        editor.rested.connect(self._compile)
        editor.run_requested.connect(self._start_run)
        editor.copy_requested.connect(self._copy)
        editor.forget_requested.connect(self._forget)
        editor.limit_changed.connect(
            lambda seconds: os.environ.update({LIMIT_VARIABLE: str(seconds)})
        )
        return editor

    @property
    def section(self) -> SessionSection[KernelFields]:
        """What a session keeps of the ticked kernels."""
        return kernel_section(self._session, self._window)

    def shut_down(self) -> None:
        """Keep what was typed last, end the compiler's process, and do nothing more
        when a compilation ends.
        """
        self._take_text()
        self.kernel = None
        if self._compiler is not None and self._compiler.is_usable:
            self._compiler.close()

    def change(self) -> None:
        """Open the selected variant's kernel in the editor; its changed one, if there is one."""
        selected = self._session.results.selected_id
        entry = find_variant(selected) if selected else None
        base_id = "" if entry is None else entry.base_id
        try:
            _, path = base_of(base_id)
            name = (
                entry.id.rpartition("@")[2]
                if entry is not None and entry.is_own
                else user_variants.CHANGED
            )
            original = path.read_text(encoding="utf-8")
            kernel = ChangedKernel(base_id, original, name, path.name).kept()
        except TautpathError:
            words = (
                "Select a variant of Tautpath with a kernel; its card shows the kernel under Code."
            )
            self._session.inform(words)
            return
        self._open(kernel, _title_of(kernel), original)

    def open_task(self, kernel: ChangedKernel, task: KernelTask) -> None:
        """Open a kernel, as it was left; its original is the text that is given."""
        self._open(kernel.kept(), task.title, kernel.text, task)

    def _open(
        self,
        kernel: ChangedKernel,
        title: str,
        original: str,
        task: KernelTask | None = None,
        *,
        is_kept: bool = True,
    ) -> None:
        self._take_text()
        self.kernel = kernel
        self.entry = self._wanted = self._refused = None
        self._kept = kernel.text if is_kept else None
        self.task, self._original = task, original
        self.text_changed.emit()
        about: tuple[str, str, Mapping[str, KernelFunction]] = ("", "", {})
        if task is not None:
            about = task.words, task.hint, task.functions
        self.editor.show_kernel(title, kernel.text, original, *about)
        self.opened.emit()
        self._compile()

    def _take_text(self) -> None:
        """Keep the text in the editor, under another name where its file was changed by
        another window.
        """
        if self.kernel is None:
            return
        kernel = self.kernel = replace(self.kernel, text=self.editor.text.toPlainText())
        if kernel.text == self._kept:
            return
        with self._session.reporting_errors():
            if kernel.kept().text not in (self._kept, kernel.text):
                kernel = self.kernel = kernel.under_a_free_name()
                words = (
                    "The kernel's file was changed elsewhere, too; "
                    f"this text is kept as “{kernel.name}”."
                )
                self._session.warn(words)
                self.editor.title.setText(_title_of(kernel))
            kernel.keep()
            self._kept = kernel.text

    def _copy(self) -> None:
        """Ask for a name, and go on with a copy of the text under it."""
        name, is_given = QInputDialog.getText(self._window, "Copy", "Name of the copy:")
        if self.kernel is None or not is_given or not name.strip():
            return
        self._take_text()
        _, path = base_of(self.kernel.base_id)
        copy = replace(self.kernel, name=as_name(name.strip()), file=path.name).under_a_free_name()
        self._open(copy, _title_of(copy), path.read_text(encoding="utf-8"), is_kept=False)

    def _compile(self) -> None:
        if self.kernel is None:
            return
        self._take_text()
        kernel, device = self.kernel, self.device()
        self.text_changed.emit()
        try:
            entry = kernel.variant()
        except TautpathError as error:
            self._reject(str(error))
            return
        if device is None:
            self._reject("There is no device that compiles kernels.")
            return

        def work(context: JobContext) -> str:
            # an older text is compiled to its end, so that the process can stay
            with self._compiling:
                context.cancel.check()
                if self._compiler is None or not self._compiler.is_usable:
                    from solvers.features.own_kernels.user_process import UserProcess

                    self._compiler = UserProcess()
                # deleted, or the window was closed, perhaps while the process started
                if self.kernel is None:
                    self._compiler.close()
                    raise Cancelled()
                return self._compiler.compile(entry.code, device.key, INT32)

        def failed(error: Exception) -> None:
            remarks = (
                remarks_in(error.log, entry.code.name)
                if isinstance(error, KernelBuildError)
                else ()
            )
            self._reject(str(error), remarks)

        self.editor.show_remarks((), "Compiling…")
        self._jobs.start(
            JobKind.KERNEL,
            f"Compiling {entry.code.name}",
            work,
            on_success=lambda log: self._compiled(entry, log),
            on_failure=failed,
        )

    def _reject(self, words: str, remarks: Sequence[Remark] = ()) -> None:
        """Show why the text cannot be run."""
        refused = self._refused
        self.entry = self._wanted = self._refused = None
        self.editor.show_remarks(remarks, words, is_error=True)
        if refused is not None:
            refused()

    def _compiled(self, entry: UserVariant, log: str) -> None:
        kernel = self.kernel
        if kernel is None or self.editor.text.toPlainText() != entry.code.text:
            return  # another compilation follows
        self.entry = entry
        self.editor.show_remarks(
            remarks_in(log, entry.code.name), f"Compiled, version {entry.code.version}."
        )
        is_original = entry.code.text == self._original and self.task is None
        if not is_original or registered(kernel.id) is not None:  # else nothing was changed yet
            register(entry)
            self._session.choices.own_changed()
        wanted, self._wanted, self._refused = self._wanted, None, None
        if wanted is not None:
            wanted()

    def _forget(self) -> None:
        """Delete the kernel in the editor, everywhere and at once; it can be undone."""
        self._take_text()
        kernel, title, step = self.kernel, self.editor.title.text(), object()
        state = self._session.results.run_state
        if kernel is None:
            return
        if kernel.id in (state.running_variant, *state.queued):
            self._session.inform("The kernel is being run. Wait for it, or cancel it.")
            return
        with self._session.reporting_errors():
            self._removals[step] = self._delete(_Removal(kernel, title, self._original, self.task))
            change = Change(
                f"delete {title}",
                ("kernel", step),
                False,
                True,
                partial(self._set_deleted, step),
                outlasts_graph=True,
            )
            self._session.changes.record(change)
            undo = partial(self._session.changes.take_back, change)
            words = f"{title} was deleted."
            self._session.notice(Notice(Severity.INFO, words, action_text="Undo", action=undo))

    def _set_deleted(self, step: object, deleted: bool) -> None:
        with self._session.reporting_errors():
            act = self._delete if deleted else self._restore
            self._removals[step] = act(self._removals[step])

    def _delete(self, removal: _Removal) -> _Removal:
        kernel, session = removal.kernel, self._session
        if self.kernel is not None and self.kernel.id == kernel.id:
            self._take_text()
            self.kernel = self.entry = self.task = None
            self.text_changed.emit()
            self.editor.show_kernel("", "", "")
        if session.results.selected_id == kernel.id:
            session.results.select(kernel.base_id)
        deleted = kernel.kept().delete()
        was_chosen = session.choices.is_chosen(kernel.id)
        session.choices.choose(kernel.id, False)
        results = session.results.take_out(kernel.id)
        session.choices.own_changed()
        return replace(removal, deleted=deleted, is_chosen=was_chosen, results=tuple(results))

    def _restore(self, removal: _Removal) -> _Removal:
        assert removal.deleted is not None
        kernel, session = removal.deleted.restore(), self._session
        try:
            register(kernel.variant())
        except TautpathError:
            log.debug("a restored kernel does not compile", exc_info=True)
        else:
            session.choices.choose(kernel.id, removal.is_chosen)
            session.choices.own_changed()
            if kernel.id == removal.kernel.id:
                session.results.put_back(removal.results)
        title = removal.title if kernel.id == removal.kernel.id else _title_of(kernel)
        self._open(kernel, title, removal.original, removal.task)
        return replace(removal, kernel=kernel, deleted=None)

    def ask_to_restore(self) -> None:
        """Ask which of the kernels deleted recently is opened again."""
        deleted = user_variants.deleted_kernels()
        if not deleted:
            days = DELETED_KEPT.days
            self._session.inform(f"No kernel was deleted in the last {days} days.")
            return
        texts = [
            f"{_title_of(one.kernel)}, {long_time(one.deleted.isoformat())}" for one in deleted
        ]
        text, is_given = QInputDialog.getItem(
            self._window,
            "Restore a deleted kernel",
            "Kernel, and when it was deleted:",
            texts,
            0,
            False,
        )
        if is_given:
            with self._session.reporting_errors():
                one = deleted[texts.index(text)]
                original = base_of(one.kernel.base_id)[1].read_text(encoding="utf-8")
                self._restore(_Removal(one.kernel, _title_of(one.kernel), original, None, one))

    def device(self) -> Device | None:
        return self._session.device or next(iter(discover().devices), None)

    def compiles_first(self) -> bool:
        """Before what is ticked is run, compile the text in the editor; if that fails,
        ask whether to run nevertheless. False if nothing is to be compiled.
        """
        kernel, choices = self.kernel, self._session.choices
        if kernel is None or not (self.editor.isVisible() or choices.is_chosen(kernel.id)):
            return False
        return not self.has_compiled(then=self._run.start, otherwise=self._ask_to_run)

    def _ask_to_run(self) -> None:
        kernel = self.kernel
        if kernel is None:
            return
        is_run = kernel.id in self._session.choices.ids
        words = (
            f"The text in the kernel editor does not compile. {self.editor.state.text()}",
            "The version that compiled last would be run." if is_run else "It would not be run.",
        )
        text = "Run the last version" if is_run else "Run without it"
        ask(self._window, "Run", "\n\n".join(words), [Reply(text, self._run.start)])

    def _start_run(self) -> None:
        """Tick the original and the changed kernel, and run what is ticked."""
        kernel = self.kernel
        if kernel is None or not self.has_compiled(then=self._start_run):
            return
        if registered(kernel.id) is None:
            self._session.inform("Change the text first.")
            return
        self._session.choices.choose(kernel.base_id)
        self._session.choices.choose(kernel.id)
        self._session.results.select(kernel.id)
        self._run.start()

    def has_compiled(
        self, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> bool:
        """Whether the text in the editor has compiled; if not, compile it, and call
        ``then`` when that is done, or ``otherwise`` if it fails.
        """
        text = self.editor.text.toPlainText()
        if self.entry is not None and self.entry.code.text == text:
            return True
        self._wanted, self._refused = then, otherwise
        self._compile()
        return False

    def new_variant(self) -> None:
        """Ask for a name, and write a variant from the template."""
        name, is_given = QInputDialog.getText(self._window, "New variant", "Name of the variant:")
        if not is_given or not name.strip():
            return
        kinds = "Kernel, for GPUs and OpenCL", "numba, for the processor"
        kind, is_given = QInputDialog.getItem(
            self._window, "New variant", "It is written with:", kinds, 0, False
        )
        if not is_given:
            return
        with self._session.reporting_errors():
            written = user_variants.new_variant(name, with_numba=kind == kinds[1])
            self._read_again()
            names, folder = " and ".join(path.name for path in written), written[0].parent
            words = (
                f"{names} in {folder}: save changes there to try them. "
                "The variant is ticked under Mine."
            )
            self._session.choices.choose(written[0].stem.replace("_", "-"))
            self._session.inform(words)

    def _read_again(self) -> None:
        user_variants.add_variants()
        self._watch()
        self._tell_problems()
        self._session.choices.own_changed()

    def _tell_problems(self) -> None:
        if self._told is not None:
            self._session.withdraw(self._told)
        found = user_variants.problems()
        self._told = Notice(Severity.ERROR, " ".join(map(str, found))) if found else None
        if self._told is not None:
            self._session.notice(self._told)

    def _watch(self) -> None:
        folders = user_variants.folders()
        files = [
            path
            for folder in folders
            for ending in ("*.py", "*.cu")
            for path in folder.glob(ending)
        ]
        if paths := [str(path) for path in (*folders, *files)]:
            self._files.addPaths(paths)


def _title_of(kernel: ChangedKernel) -> str:
    return f"{find_variant(kernel.base_id).full_title}, {kernel.name}"
